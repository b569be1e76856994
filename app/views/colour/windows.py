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
"""Part of the peak; most voxels of a PET image are fainter, and do not tell how bright it is."""
ENOUGH = 4000
"""Number of bright voxels that a percentile needs."""
AIR_HU = -200.0
"""Below lie air and lungs, which would leave tissue and bone beyond the window."""
_HU_WINDOWS = (
    (tr("Lung"), (-1350.0, 150.0)),
    (tr("Soft tissue"), (-160.0, 240.0)),
    (tr("Brain"), (0.0, 80.0)),
    (tr("Bone"), (-500.0, 1500.0)),
)
_PER_KBQ = {"kBq/mL": 1.0, "Bq/mL": 1e3}
_KBQ_TOPS = (1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 200.0, 500.0)
MOST_OVER = 10.0
"""A window is worth offering if the highest value is at most so many times its end."""
_SUV_TOPS = (5.0, 6.0, 7.0, 10.0)  # readers' habits; 0 to 6 is a common PET default


@dataclass(frozen=True)
class Preset:
    """A named window."""

    title: str
    window: Window


def is_ct(unit: str) -> bool:
    """True if values are attenuation, not activity."""
    return unit in ("HU", "1/mm", "1/cm", "1/pixel")


def default_colours(unit: str) -> str:
    """Return the colour map to begin with: inverted for activity, as readers of PET have it."""
    return "grey" if is_ct(unit) or not unit else "grey_inverted"


def largest(values: NDArray[np.float32]) -> float:
    """Return the largest absolute value, as a sample tells it; 0 where there is none."""
    finite = sample(values)
    return float(np.abs(finite).max()) if finite.size else 0.0


def largest_along(values: NDArray[np.float32], axis: int) -> NDArray[np.float32]:
    """Return the largest values along an axis; NaN counts as 0."""
    image: NDArray[np.float32] = values.max(axis=axis)
    if np.isnan(image).any():
        image = np.nan_to_num(values, nan=0.0, posinf=np.inf, neginf=-np.inf).max(axis=axis)
    return image


def pinned_to_zero(unit: str, *, diverging: bool) -> bool:
    """True if the lower limit should be zero. False for HU and differences."""
    return unit != "HU" and not diverging


def sample(values: NDArray[np.float32]) -> NDArray[np.float32]:
    """About `N_SAMPLES` finite values, evenly spread; the whole of a small array."""
    flat = values.reshape(-1)
    step = max(1, flat.size // N_SAMPLES) | 1  # odd, so that it never falls in step with a row
    thinned = flat[::step]
    return thinned[np.isfinite(thinned)]


def auto_window(values: NDArray[np.float32], unit: str, *, diverging: bool = False) -> Window:
    """A window that shows most of the values: from zero where zero means nothing."""
    if diverging:
        top = bright_top(np.abs(values))
        return -top, top
    if not pinned_to_zero(unit, diverging=diverging):
        finite = sample(values)
        if finite.size == 0 or finite.min() == finite.max():
            return 0.0, 1.0
        matter = finite[finite > AIR_HU]
        low = np.percentile(finite, 100 - TOP_PERCENT)
        high = np.percentile(matter if matter.size else finite, TOP_PERCENT)
        return valid(round_to_figures(float(low), 3), round_to_figures(float(high), 3))
    return 0.0, bright_top(values)


def full_window(values: NDArray[np.float32], unit: str, *, diverging: bool = False) -> Window:
    """From the lowest, or zero, to the highest value."""
    finite = sample(values)
    with np.errstate(invalid="ignore"):
        high = float(np.nanmax(values)) if finite.size else 1.0
        low = float(np.nanmin(values)) if finite.size else 0.0
    if diverging:
        top = max(abs(low), abs(high))
        return valid(-top, top)
    return valid(0.0 if pinned_to_zero(unit, diverging=diverging) else low, high)


def presets(values: NDArray[np.float32], unit: str, *, diverging: bool = False) -> list[Preset]:
    """The windows worth offering for values of a unit; the first is the full range."""
    full = full_window(values, unit, diverging=diverging)
    found = [Preset(tr("Full range"), full)]
    if unit == "HU":
        return found + [Preset(title, window) for title, window in _HU_WINDOWS]
    if unit.startswith(("SUV", "g/mL")):
        return found + [
            Preset(tr("0 to {top:g} {unit}", top=top, unit=unit), (0.0, top)) for top in _SUV_TOPS
        ]
    if unit in _PER_KBQ:
        scale = _PER_KBQ[unit]
        fitting = [top for top in _KBQ_TOPS if full[1] / MOST_OVER <= scale * top <= 2 * full[1]]
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
    """Parts of the range in which air, soft and dense matter lie."""
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
    """A window after a drag: `wider` and `higher` in drag lengths, 1 is a firm sweep.

    A pinned window keeps its lower bound while it widens, and never goes below zero.
    """
    low, high = window
    width = high - low
    shift = higher * width
    new_width = width * math.exp(wider)
    low = low if pinned else (low + high - new_width) / 2
    high = low + new_width
    low, high = low + shift, high + shift
    if pinned:
        low = max(low, 0.0)
        high = max(high, 0.02 * width)
    return valid(low, high)


def valid(low: float, high: float) -> Window:
    """The window if it can be shown, else the nearest one that can."""
    if not (math.isfinite(low) and math.isfinite(high)):
        return 0.0, 1.0
    smallest = max(1e-6 * max(abs(low), abs(high)), 1e-12)
    return low, max(high, low + smallest)


def bright_top(values: NDArray[np.float32]) -> float:
    """Value below which nearly all voxels lie that are not faint, 1 where nothing is positive.

    Only voxels of at least `FAINT` of the peak count, or a point source would vanish among the
    empty ones; the peak is the second highest column of a volume, so that one hot voxel is none.
    """
    columns = np.fmax.reduce(values, axis=0) if values.ndim == 3 else values
    columns = columns[np.isfinite(columns) & (columns > 0)]
    if columns.size == 0:
        return 1.0
    second = max(columns.size - 2, 0)
    least = FAINT * np.partition(columns, second)[second]
    bright = sample(values)
    bright = bright[bright > least]
    if bright.size < ENOUGH:
        bright = values[(values > least) & np.isfinite(values)]
    top = float(np.percentile(bright, TOP_PERCENT))
    return min(round_to_figures(top, 3), float(bright.max()))


def round_to_figures(value: float, n_figures: int) -> float:
    """A value with so many significant figures."""
    return float(f"{value:.{n_figures - 1}e}")
