"""Point sources: widths in x, y and z after NEMA NU 2 and NU 4, and by a fit.

For each source the image is summed over twice the width in the two other directions. The widths
are those of the remaining profile (`engine.analysis.quality.peak_profile`).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import ClassVar

import numpy as np

from engine.analysis.quality.peak_profile import FWTM_PER_FWHM, peak_widths
from engine.analysis.quality.phantoms.base import Measure, PhantomFacts, QualityPhantom
from engine.analysis.quality.quality_report import Mark, QualityFigure, QualityReport
from engine.core.errors import DataError
from engine.data.volume import Volume
from engine.geometry.grid import Point

MAX_SOURCES = 12
BRIGHT = 0.2
"""Minimum height of a source, as a fraction of the highest."""
SEPARATION_MM = 12.0
REACH_MM = 10.0
"""Half the length of a profile; the distance between sources is larger."""
AXES = "xyz"


class NemaPoints(QualityPhantom):
    """Small sources."""

    kind: ClassVar[str] = "nema-points"
    title: ClassVar[str] = "Point sources"
    text: ClassVar[str] = "FWHM and FWTM in x, y and z"

    def located(self, volume: Volume, facts: PhantomFacts) -> Measure:
        """Find the sources, to measure their widths.

        Raises
        ------
        DataError
            if the image has no peak, or more than 12
        """
        return partial(self._measured, places=sources(volume))

    def _measured(self, volume: Volume, *, places: Sequence[Point]) -> QualityReport:
        figures: list[QualityFigure] = []
        marks = []
        for place in places:
            figures += _of_source(volume, place)
            marks.append(Mark(place, SEPARATION_MM / 2))
        return QualityReport(
            self.kind,
            self.title,
            volume.unit,
            f"{len(marks)} sources",
            tuple(figures),
            (),
            tuple(marks),
            (
                "NEMA's width, interpolated linearly between voxels, is about 7 % too "
                "wide if it measures two voxels; the fit assumes a Gaussian, whose "
                f"FWTM is {FWTM_PER_FWHM:.3f} FWHM.",
            ),
        )


def sources(volume: Volume) -> list[Point]:
    """Return the positions of the point sources, the brightest first.

    Parameters
    ----------
    volume
        image of 1 to 12 small sources

    Returns
    -------
    list of Point
        centres (x, y, z) of the brightest voxels [mm]

    Raises
    ------
    DataError
        if the number of peaks is outside this range
    """
    from scipy import ndimage

    edges = volume.grid.voxel_mm[::-1]
    # The filter merges a source that is split over adjacent voxels, and drops single noisy voxels.
    smooth = ndimage.gaussian_filter(volume.values.astype(np.float32), [1.5 / e for e in edges])
    # The window is odd, so that a maximum is in its centre.
    window = [max(3, 2 * int(SEPARATION_MM / 2 / e) + 1) for e in edges]
    highest = float(smooth.max())
    peaks = (smooth == ndimage.maximum_filter(smooth, window)) & (smooth > BRIGHT * highest)
    found = np.argwhere(peaks) if highest > 0 else np.empty((0, 3), int)
    if not 0 < len(found) <= MAX_SOURCES:
        raise DataError(
            f"{len(found)} peaks look like point sources, expected 1 to "
            f"{MAX_SOURCES}; choose an image of point sources."
        )
    order = np.argsort([-smooth[tuple(k)] for k in found])
    centres = [volume.grid.centres_mm(axis) for axis in range(3)]
    return [
        (float(centres[0][i]), float(centres[1][j]), float(centres[2][k]))
        for k, j, i in found[order]
    ]


def _of_source(volume: Volume, place: Point) -> list[QualityFigure]:
    x, y, z = place
    name = f"({x:.1f}, {y:.1f}, {z:.1f}) mm"
    # A first profile through nearby voxels gives the width, which then sets the region of the sum.
    rough = [_profile(volume, place, axis, (1.5, 1.5, 1.5)) for axis in range(3)]
    widths = tuple(min(REACH_MM, peak_widths(*each).fitted) for each in rough)
    figures = []
    for axis in range(3):
        found = peak_widths(*_profile(volume, place, axis, widths))
        for what, value, error in (
            ("FWHM", found.fwhm, found.fwhm_error),
            ("FWTM", found.fwtm, found.fwtm_error),
            ("FWHM, fitted", found.fitted, found.fitted_error),
        ):
            label = f"{what} {_direction(place, axis)}"
            figures.append(QualityFigure(label, value, error, "mm", name))
    return figures


def _direction(place: Point, axis: int) -> str:
    """Return the direction of an axis for a source: axial, radial or tangential."""
    x, y, _ = place
    if axis == 2:
        return "axial (z)"
    if max(abs(x), abs(y)) < 5 or min(abs(x), abs(y)) > 0.1 * max(abs(x), abs(y)):
        return AXES[axis]
    is_radial = (abs(x) > abs(y)) == (axis == 0)
    return f"{'radial' if is_radial else 'tangential'} ({AXES[axis]})"


def _profile(
    # Near the axis, or between x and y, neither axis is radial. NEMA's terms would be wrong there.
    volume: Volume,
    place: Point,
    axis: int,
    half_mm: tuple[float, ...],
) -> tuple[np.ndarray, np.ndarray]:
    """Return positions along an axis, and sums within `half_mm` in the two other directions."""
    chosen = []
    for k in range(3):
        away = np.abs(volume.grid.centres_mm(k) - place[k])
        reach = REACH_MM if k == axis else max(half_mm[k], 0.5 * volume.grid.voxel_mm[k])
        # The tolerance keeps voxels whose centre is exactly on the border, on every computer.
        chosen.append(np.flatnonzero(away <= reach + 1e-9))
    box = volume.values[np.ix_(chosen[2], chosen[1], chosen[0])].astype(np.float64)
    across = tuple(2 - k for k in range(3) if k != axis)
    return volume.grid.centres_mm(axis)[chosen[axis]], box.sum(axis=across)
