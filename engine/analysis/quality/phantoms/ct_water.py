"""A cylinder of water on CT: CT numbers, uniformity, noise and noise power.

The CT number is the mean in a central region of 40 % of the cylinder's diameter. The uniformity is
the mean of four regions of 10 %, a tenth of the diameter inside the edge, minus the central mean.
"""

from __future__ import annotations

from functools import partial
from typing import ClassVar

import numpy as np

from engine.analysis.quality.cylinder import UprightCylinder, find_cylinder, mean_inside
from engine.analysis.quality.discs import rod
from engine.analysis.quality.noise_power import noise_power
from engine.analysis.quality.phantoms.base import Followed, Measure, PhantomFacts, QualityPhantom
from engine.analysis.quality.quality_report import Mark, QualityCurve, QualityFigure, QualityReport
from engine.data.volume import Volume

MIDDLE, RIM, WITHIN = 0.4, 0.1, 0.1
"""Diameters of the regions and distance of the outer ones from the edge; fractions of the
diameter."""
SIDES = {"+x": (1.0, 0.0), "+y": (0.0, 1.0), "−x": (-1.0, 0.0), "−y": (0.0, -1.0)}


class CtWater(QualityPhantom):
    """Water cylinder."""

    kind: ClassVar[str] = "ct-water"
    title: ClassVar[str] = "CT water cylinder"
    text: ClassVar[str] = "CT number, uniformity, noise and noise power spectrum"
    uses: ClassVar[frozenset[str]] = frozenset(("expected",))
    followed: ClassVar[Followed] = (
        ("CT number", "Mean in the centre"),
        ("Noise", "Spread of voxels"),
    )

    def located(self, volume: Volume, facts: PhantomFacts) -> Measure:
        """Find the cylinder of water, to measure CT number, uniformity and noise.

        Raises
        ------
        DataError
            if there is no cylinder, or if it is too small for the regions
        """
        found = find_cylinder(above_air(volume))
        return partial(self._measured, known=facts.expected, found=found)

    def _measured(
        self, volume: Volume, *, known: float | None, found: UprightCylinder
    ) -> QualityReport:
        cx, cy, cz = found.centre_mm
        length = found.inner(volume.grid).length_mm
        middle = UprightCylinder(found.centre_mm, MIDDLE * found.radius_mm, length)
        stats = mean_inside(volume, middle)
        unit = volume.unit
        figures = [
            QualityFigure("Mean in the centre", stats.mean, stats.error, unit, "CT number"),
            QualityFigure("Spread of voxels", stats.sd, None, unit, "Noise"),
        ]
        # Water is 0 HU by definition. In other units the true value must be stated.
        expected = 0.0 if known is None and unit == "HU" else known
        if expected is not None:
            off = stats.mean - expected
            figures.insert(
                1,
                QualityFigure("Deviation from the true value", off, stats.error, unit, "CT number"),
            )
        away = found.radius_mm * (1 - 2 * WITHIN - RIM)
        marks = [Mark(found.centre_mm, middle.radius_mm)]
        for name, (x, y) in SIDES.items():
            place = (cx + away * x, cy + away * y, cz)
            rim = rod(volume, place, 2 * RIM * found.radius_mm, length)
            figures.append(
                QualityFigure(
                    f"{name} minus centre", rim.mean - stats.mean, None, unit, "Uniformity"
                )
            )
            marks.append(Mark(place, RIM * found.radius_mm))
        power = noise_power(_squares(volume, found), volume.grid.voxel_mm)
        figures.append(
            QualityFigure("Mean frequency", power.mean_frequency, None, "1/mm", "Noise power")
        )
        curve = QualityCurve(
            "Noise power",
            "Spatial frequency [1/mm]",
            f"NPS [{unit}² mm²]",
            tuple(float(v) for v in power.frequency),
            tuple(float(v) for v in power.power),
            tuple(float(v) for v in power.error),
        )
        return QualityReport(
            self.kind, self.title, unit, found.describe(), tuple(figures), (curve,), tuple(marks)
        )


def above_air(volume: Volume) -> Volume:
    """Return the image with air at 0.

    Parameters
    ----------
    volume
        image; only units of HU are shifted, by 1000

    Returns
    -------
    Volume
        `volume` itself if the unit is not HU
    """
    if volume.unit != "HU":
        return volume
    # `find_cylinder` looks for a level between object and background, and both would be negative or
    # near 0. Values below −1000 HU are noise in air.
    values = np.maximum(volume.values + 1000, 0).astype(np.float32)
    return Volume(values, volume.grid, volume.unit)


def _squares(volume: Volume, found: UprightCylinder) -> np.ndarray:
    """Return (n, rows, columns) squares in the central slices, well inside the cylinder."""
    # The diagonal of this square is 0.68 of the diameter, clear of the edge.
    half = MIDDLE * 1.2 * found.radius_mm
    inside = []
    for axis, size in ((2, found.inner(volume.grid).length_mm / 2), (1, half), (0, half)):
        away = np.abs(volume.grid.centres_mm(axis) - found.centre_mm[axis])
        inside.append(np.flatnonzero(away <= size))
    return np.asarray(volume.values[np.ix_(*inside)], np.float64)
