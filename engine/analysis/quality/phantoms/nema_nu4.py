"""The mouse phantom of NEMA NU 4-2008, section 6: rods, uniform part and two cold chambers.

Uniformity: mean, standard deviation, minimum and maximum in 22.5 × 10 mm of the uniform part.
Recovery of a rod: the image is averaged over 10 mm of its length. The mean along the line through
the highest pixel within twice the rod's diameter is divided by the mean of the uniform part.
Spill-over: the mean in 4 × 7.5 mm of each chamber over that of the uniform part. Errors, after the
standard: the ratio of means m_1, m_2 with standard deviations s_1, s_2 has the relative error
√((s_1/m_1)² + (s_2/m_2)²).
"""

from __future__ import annotations

from functools import partial
from typing import ClassVar

import numpy as np

from engine.analysis.quality.discs import RegionStats, rod
from engine.analysis.quality.locating import locate, soft
from engine.analysis.quality.phantoms.base import Followed, Measure, PhantomFacts, QualityPhantom
from engine.analysis.quality.quality_report import (
    Mark,
    Placement,
    Points,
    QualityCurve,
    QualityFigure,
    QualityReport,
)
from engine.data.volume import Volume
from engine.geometry.grid import Point

RODS_MM = (1.0, 2.0, 3.0, 4.0, 5.0)
ROD_AWAY_MM, ROD_Z_MM, ROD_LENGTH_MM = 7.0, -15.0, 20.0
MIDDLE_OF_ROD_MM = 10.0
"""Length of a rod over which the image is averaged."""
UNIFORM_RADIUS_MM, UNIFORM_Z_MM, UNIFORM_LENGTH_MM = 15.0, 10.0, 30.0
UNIFORM_VOI = (22.5, 10.0, 2.5)
"""Diameter, length and centre along z of the region for uniformity [mm]."""
CHAMBERS = (("Water", -7.5), ("Air", 7.5))
CHAMBER_Z_MM, CHAMBER_LENGTH_MM, CHAMBER_WALL_MM = 17.5, 15.0, 5.0
CHAMBER_VOI = (4.0, 7.5)


def rod_places_mm() -> Points:
    """Return (5, 3) centres of the rods, the thinnest first, every 72 degrees from x towards y."""
    turns = np.deg2rad(72.0 * np.arange(len(RODS_MM)))
    away = ROD_AWAY_MM
    return np.stack([away * np.cos(turns), away * np.sin(turns), np.full(5, ROD_Z_MM)], axis=-1)


def layout(x: Points, y: Points, z: Points, width_mm: float) -> Points:
    """Return the relative activity of the phantom.

    Parameters
    ----------
    x, y, z
        coordinates in the phantom [mm]; arrays that broadcast
    width_mm
        width of the soft edges [mm]
    """
    values = _upright(x, y, z, (0.0, 0.0, UNIFORM_Z_MM), UNIFORM_RADIUS_MM, 30.0, width_mm)
    for _, at in CHAMBERS:
        place = (at, 0.0, CHAMBER_Z_MM)
        values = values * (
            1 - _upright(x, y, z, place, CHAMBER_WALL_MM, CHAMBER_LENGTH_MM, width_mm)
        )
    for place, d in zip(rod_places_mm(), RODS_MM, strict=True):
        share = _upright(x, y, z, place, d / 2, ROD_LENGTH_MM, width_mm)
        # The rods are inside solid plastic, so they add activity where the uniform part has none.
        values = values * (1 - share) + share
    return values


class NemaNu4(QualityPhantom):
    """Mouse with rods and chambers."""

    kind: ClassVar[str] = "nema-nu4"
    title: ClassVar[str] = "NEMA NU 4 mouse"
    text: ClassVar[str] = "Uniformity, recovery of rods, spill-over into water and air"
    uses: ClassVar[frozenset[str]] = frozenset(("truth", "at"))
    followed: ClassVar[Followed] = (
        ("Recovery", "2 mm"),
        ("Uniformity", "Standard deviation"),
    )

    def located(self, volume: Volume, facts: PhantomFacts) -> Measure:
        """Find the mouse, to measure uniformity, recovery and spill-over.

        Raises
        ------
        DataError
            if the phantom is not in the image
        """
        # The truth has no noise and does not change over iterations, so its position is preferred.
        return partial(self._measured, at=facts.at or locate(facts.truth or volume, layout))

    def _measured(self, volume: Volume, *, at: Placement) -> QualityReport:
        diameter, length, z = UNIFORM_VOI
        place = _point(at, (0.0, 0.0, z))
        uniform = rod(volume, place, diameter, length)
        marks = [Mark(place, diameter / 2)]
        figures = [
            QualityFigure(name, value, None, unit, "Uniformity")
            for name, value, unit in (
                ("Mean", uniform.mean, volume.unit),
                ("Standard deviation", 100 * uniform.sd / uniform.mean, "%"),
                ("Minimum", 100 * uniform.minimum / uniform.mean, "%"),
                ("Maximum", 100 * uniform.maximum / uniform.mean, "%"),
            )
        ]
        recoveries = []
        for d, middle in zip(RODS_MM, rod_places_mm(), strict=True):
            place = _point(at, tuple(middle))
            recoveries.append(_recovery(volume, place, d, uniform))
            marks.append(Mark(place, d))
        figures += recoveries
        for name, x in CHAMBERS:
            place = _point(at, (x, 0.0, CHAMBER_Z_MM))
            figures.append(_spill_over(volume, place, name, uniform))
            marks.append(Mark(place, CHAMBER_VOI[0] / 2))
        curve = QualityCurve(
            "Recovery of the rods",
            "Rod [mm]",
            "Recovery",
            RODS_MM,
            tuple(f.value for f in recoveries),
            tuple(f.error or 0.0 for f in recoveries),
        )
        return QualityReport(
            self.kind,
            self.title,
            volume.unit,
            at.describe(),
            tuple(figures),
            (curve,),
            tuple(marks),
            at=at,
        )


def _recovery(
    volume: Volume, place: Point, diameter_mm: float, uniform: RegionStats
) -> QualityFigure:
    """Return the mean of the highest line along a rod over the mean of the uniform part."""
    grid = volume.grid
    z, y, x = (grid.centres_mm(axis) for axis in (2, 1, 0))
    slices = np.abs(z - place[2]) <= MIDDLE_OF_ROD_MM / 2
    near = np.hypot(x[None, :] - place[0], y[:, None] - place[1]) <= diameter_mm
    # A rod outside the grid still gives a figure from the whole image, instead of an error for all
    # rods.
    if not slices.any() or not near.any():
        near |= True
        slices |= True
    mean = volume.values[slices].mean(axis=0, dtype=np.float64)
    row, column = np.unravel_index(int(np.argmax(np.where(near, mean, -np.inf))), mean.shape)
    line = volume.values[slices, row, column].astype(np.float64)
    value = float(line.mean()) / uniform.mean
    spread = np.hypot(line.std(ddof=1) / line.mean() if len(line) > 1 else 0.0, _relative(uniform))
    return QualityFigure(f"{diameter_mm:g} mm", value, float(value * spread), "", "Recovery")


def _spill_over(volume: Volume, place: Point, name: str, uniform: RegionStats) -> QualityFigure:
    diameter, length = CHAMBER_VOI
    stats = rod(volume, place, diameter, length)
    value = stats.mean / uniform.mean
    spread = float(np.hypot(stats.sd / uniform.mean, value * _relative(uniform)))
    return QualityFigure(name, value, spread, "", "Spill-over")


def _relative(stats: RegionStats) -> float:
    return stats.sd / stats.mean


def _point(at: Placement, place: tuple[float, ...]) -> Point:
    x, y, z = (float(v) for v in at.to_image(np.array(place)))
    return x, y, z


def _upright(
    x: Points,
    y: Points,
    z: Points,
    middle: Points | Point,
    radius: float,
    length: float,
    width: float,
) -> Points:
    """Return the part inside a cylinder along z."""
    across = np.hypot(x - middle[0], y - middle[1]) - radius
    return soft(np.maximum(across, np.abs(z - middle[2]) - length / 2), width)
