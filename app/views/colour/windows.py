"""Display windows and window presets, without Qt."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from app.language.translation import tr

Window = tuple[float, float]
N_SAMPLES = 200_000  # enough for a percentile, quick for any volume
TOP_PERCENT = 99.5
FAINT = 0.02
"""Share of the peak. Most voxels of a PET image are fainter and would lower the percentile."""
ENOUGH = 4000
"""Number of bright voxels that a percentile needs."""
AIR_HU = -200.0
"""Air and lungs are below. With them in the percentile, tissue and bone would be saturated."""
_HU_WINDOWS = (
    (tr("Lung"), (-1350.0, 150.0)),
    (tr("Soft tissue"), (-160.0, 240.0)),
    (tr("Brain"), (0.0, 80.0)),
    (tr("Bone"), (-500.0, 1500.0)),
)
_PER_KBQ = {"kBq/mL": 1.0, "Bq/mL": 1e3}
_KBQ_TOPS = (1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 200.0, 500.0)
MAX_EXCESS = 10.0
"""A preset is offered if the highest value is at most this many times its upper limit."""
_SUV_TOPS = (5.0, 6.0, 7.0, 10.0)  # common in clinical reading; 0 to 6 is a frequent PET default


@dataclass(frozen=True)
class Preset:
    """A named window."""

    title: str
    window: Window


def is_ct(unit: str) -> bool:
    """Return True if values are attenuation, not activity.

    Parameters
    ----------
    unit
        unit of the volume
    """
    return unit in ("HU", "1/mm", "1/cm", "1/pixel")


def default_colours(unit: str) -> str:
    """Return the default colour map: inverted for activity, as readers of PET are used to.

    Parameters
    ----------
    unit
        unit of the volume
    """
    # Values without a unit are probably MR, which is read in grey.
    return "grey" if is_ct(unit) or not unit else "grey_inverted"


def largest(values: NDArray[np.float32]) -> float:
    """Return the largest absolute value of a sample; 0 if there is none.

    Parameters
    ----------
    values
        any shape, with or without NaN
    """
    finite = sample(values)
    return float(np.abs(finite).max()) if finite.size else 0.0


def largest_along(values: NDArray[np.float32], axis: int) -> NDArray[np.float32]:
    """Return the largest values along an axis (MIP).

    Parameters
    ----------
    values
        (n_z, n_y, n_x); NaN counts as 0
    axis
        the axis
    """
    # The NaN check costs little on the result; replacing NaN would copy the whole volume.
    image: NDArray[np.float32] = values.max(axis=axis)
    if np.isnan(image).any():
        image = np.nan_to_num(values, nan=0.0, posinf=np.inf, neginf=-np.inf).max(axis=axis)
    return image


def pinned_to_zero(unit: str, *, diverging: bool) -> bool:
    """Return True if the lower limit should be zero: not for HU and differences.

    Parameters
    ----------
    unit
        unit of the volume
    diverging
        True for a difference map
    """
    return unit != "HU" and not diverging


def sample(values: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return about `N_SAMPLES` finite values, evenly spread.

    Parameters
    ----------
    values
        any shape; small arrays are used completely
    """
    flat = values.reshape(-1)
    # Strided and not random: the same volume always gets the same window.
    step = max(1, flat.size // N_SAMPLES) | 1  # odd, so that samples do not align with rows
    thinned = flat[::step]
    return thinned[np.isfinite(thinned)]


def auto_window(values: NDArray[np.float32], unit: str, *, diverging: bool = False) -> Window:
    """Return a window that shows most of the values.

    Parameters
    ----------
    values
        the volume
    unit
        its unit; it decides if the window starts at zero
    diverging
        True for a window that is symmetric about zero
    """
    if diverging:
        top = bright_top(np.abs(values))
        return -top, top
    if not pinned_to_zero(unit, diverging=diverging):
        finite = sample(values)
        if finite.size == 0 or finite.min() == finite.max():
            return 0.0, 1.0
        # A CT image is mostly air, so percentiles over everything would saturate bone.
        matter = finite[finite > AIR_HU]
        low = np.percentile(finite, 100 - TOP_PERCENT)
        high = np.percentile(matter if matter.size else finite, TOP_PERCENT)
        return valid(round_to_figures(float(low), 3), round_to_figures(float(high), 3))
    return 0.0, bright_top(values)


def full_window(values: NDArray[np.float32], unit: str, *, diverging: bool = False) -> Window:
    """Return the window from the lowest value, or zero, to the highest.

    Parameters
    ----------
    values
        the volume
    unit
        its unit
    diverging
        True for a window that is symmetric about zero
    """
    finite = sample(values)
    # Infinite values are possible in a ratio or a damaged file.
    with np.errstate(invalid="ignore"):
        high = float(np.nanmax(values)) if finite.size else 1.0
        low = float(np.nanmin(values)) if finite.size else 0.0
    if diverging:
        top = max(abs(low), abs(high))
        return valid(-top, top)
    return valid(0.0 if pinned_to_zero(unit, diverging=diverging) else low, high)


def presets(values: NDArray[np.float32], unit: str, *, diverging: bool = False) -> list[Preset]:
    """Return useful windows for a volume; the first is the full range.

    Parameters
    ----------
    values
        the volume
    unit
        its unit
    diverging
        True for windows that are symmetric about zero
    """
    full = full_window(values, unit, diverging=diverging)
    found = [Preset(tr("Full range"), full)]
    if unit == "HU":
        return found + [Preset(title, window) for title, window in _HU_WINDOWS]
    if unit.startswith(("SUV", "g/mL")):
        return found + [
            Preset(tr("0 to {top:g} {unit}", top=top, unit=unit), (0.0, top)) for top in _SUV_TOPS
        ]
    # Fixed activity levels, so that images of one patient can be compared at equal windows.
    if unit in _PER_KBQ:
        scale = _PER_KBQ[unit]
        fitting = [top for top in _KBQ_TOPS if full[1] / MAX_EXCESS <= scale * top <= 2 * full[1]]
        if fitting:
            return found + [
                Preset(tr("0 to {top:g} kBq/mL", top=top), (0.0, scale * top)) for top in fitting
            ]
    if is_ct(unit):
        return found + _attenuation_presets(full)
    parts = (
        (50, tr("Lower half of the range")),
        (25, tr("Lowest quarter of the range")),
        (10, tr("Lowest tenth of the range")),
    )
    return found + [
        Preset(title, (full[0] * part / 100, full[1] * part / 100)) for part, title in parts
    ]


def _attenuation_presets(full: Window) -> list[Preset]:
    """Return the parts of the range with air, soft and dense matter."""
    low, high = full
    parts = (
        (tr("Lower half: low-density material"), 0.0, 0.5),
        (tr("Upper half: dense material"), 0.5, 1.0),
        (tr("Lower quarter: faint differences"), 0.0, 0.25),
    )
    return [
        Preset(title, (low + start * (high - low), low + end * (high - low)))
        for title, start, end in parts
    ]


def dragged(window: Window, wider: float, higher: float, *, pinned: bool) -> Window:
    """Return a window after a drag.

    Parameters
    ----------
    window
        window before the drag
    wider, higher
        length of the drag to the right and upwards; 1 is `SWEEP_PX`
    pinned
        True if the lower limit stays while the window widens, and never goes below zero
    """
    low, high = window
    width = high - low
    shift = higher * width
    # Exponential, so that equal drags scale the window by equal factors.
    new_width = width * math.exp(wider)
    low = low if pinned else (low + high - new_width) / 2
    high = low + new_width
    low, high = low + shift, high + shift
    if pinned:
        low = max(low, 0.0)
        high = max(high, 0.02 * width)
    return valid(low, high)


def valid(low: float, high: float) -> Window:
    """Return the nearest window that can be shown.

    Parameters
    ----------
    low, high
        wanted limits; (0, 1) is returned if one is not finite
    """
    if not (math.isfinite(low) and math.isfinite(high)):
        return 0.0, 1.0
    # float32 values cannot resolve a narrower window.
    smallest = max(1e-6 * max(abs(low), abs(high)), 1e-12)
    return low, max(high, low + smallest)


def bright_top(values: NDArray[np.float32]) -> float:
    """Return a value that exceeds nearly all voxels that are not faint.

    Only voxels above `FAINT` of the peak count, or a point source would be lost among empty ones.
    The peak is that of the second brightest column, so that a single hot voxel is ignored.

    Parameters
    ----------
    values
        the volume, or a 2-D image

    Returns
    -------
    1 if no value is positive
    """
    columns = np.fmax.reduce(values, axis=0) if values.ndim == 3 else values
    columns = columns[np.isfinite(columns) & (columns > 0)]
    if columns.size == 0:
        return 1.0
    second = max(columns.size - 2, 0)
    least = FAINT * np.partition(columns, second)[second]
    bright = sample(values)
    bright = bright[bright > least]
    # A small lesion has too few voxels in the sample for a percentile.
    if bright.size < ENOUGH:
        bright = values[(values > least) & np.isfinite(values)]
    top = float(np.percentile(bright, TOP_PERCENT))
    return min(round_to_figures(top, 3), float(bright.max()))


def round_to_figures(value: float, n_figures: int) -> float:
    """Round to significant digits.

    Parameters
    ----------
    value
        any finite value
    n_figures
        number of digits
    """
    return float(f"{value:.{n_figures - 1}e}")
