"""The body phantom of NEMA NU 2-2018, section 7: spheres, background and lung.

    Q_hot = 100 (C_H / C_B − 1) / (a − 1),   Q_cold = 100 (1 − C_C / C_B),   N = 100 SD / C_B

C_H and C_C are means over discs of the diameters of the spheres in their plane. C_B and SD are mean
and standard deviation over 60 equal discs, 12 in each of 5 slices at 0, ±10 and ±20 mm. The
lung residual error is the mean over discs of 30 mm divided by C_B of 37 mm. Errors: a sphere has
the variability of the discs of its size. N of K discs has the error N / √(2 (K − 1)).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from typing import ClassVar

import numpy as np

from engine.analysis.quality.discs import disc
from engine.analysis.quality.locating import Layout, locate, soft
from engine.analysis.quality.nema import (
    N_PER_SLICE,
    SLICES_MM,
    background_variability,
    contrast_recovery,
    residual_error,
)
from engine.analysis.quality.phantoms.base import Followed, Measure, PhantomFacts, QualityPhantom
from engine.analysis.quality.quality_report import (
    Mark,
    Placement,
    Points,
    QualityCurve,
    QualityFigure,
    QualityReport,
)
from engine.core.errors import SettingsError
from engine.data.volume import Volume
from engine.geometry.grid import Point

DIAMETERS_MM = (10.0, 13.0, 17.0, 22.0, 28.0, 37.0)
AWAY_MM = 57.2
"""Distance of the sphere centres from the axis of the lung."""
TOP_MM, CORNER_MM, CORNER_AT_MM = 147.0, 77.0, 70.0
HALF_LENGTH_MM, MIDDLE_Z_MM = 90.0, 20.0
"""Half the length and the centre of the body; the plane of the spheres is z = 0."""
LUNG_MM, LUNG_DISC_MM = 25.0, 30.0
EDGE_MM, LARGEST_MM = 15.0, 37.0
"""Minimum distance of the background discs from the surface, and their largest diameter."""
N_ON_LINE, N_HALVINGS = 7200, 30


def sphere_places_mm() -> Points:
    """Return (6, 3) centres of the spheres, the smallest first, every 60° from x towards y."""
    turns = np.deg2rad(60.0 * np.arange(len(DIAMETERS_MM)))
    return np.stack([AWAY_MM * np.cos(turns), AWAY_MM * np.sin(turns), 0 * turns], axis=-1)


def from_outside(x: Points, y: Points) -> Points:
    """Return the signed distance to the contour of the body [mm].

    Parameters
    ----------
    x, y
        coordinates in the phantom [mm]; its flat back is at +y

    Returns
    -------
    Points
        negative inside
    """
    # The body is a half disc above, and a rounded rectangle below: a bar of 140 mm with quarter
    # circles of 77 mm at its corners (NEMA NU 2-2018, section 7).
    below = np.hypot(np.maximum(np.abs(x) - CORNER_AT_MM, 0), y) - CORNER_MM
    return np.where(y <= 0, np.hypot(x, y) - TOP_MM, below)


def background_places_mm() -> Points:
    """Return (60, 3) centres of the discs, on a line inside the contour, clear of the spheres."""
    inset = EDGE_MM + LARGEST_MM / 2
    around = np.deg2rad(np.linspace(0, 360, N_ON_LINE, endpoint=False))
    rays = np.stack([np.cos(around), np.sin(around)], axis=-1)
    near, far = np.zeros(N_ON_LINE), np.full(N_ON_LINE, TOP_MM)
    # Bisection along rays from the axis: the contour has no closed form at a constant inset, but
    # each ray crosses it once.
    for _ in range(N_HALVINGS):
        middle = (near + far) / 2
        is_inside = from_outside(*(middle[:, None] * rays).T) < -inset
        near, far = np.where(is_inside, middle, near), np.where(is_inside, far, middle)
    line = near[:, None] * rays
    places, radii = sphere_places_mm()[:, :2], np.array(DIAMETERS_MM) / 2
    distance = np.linalg.norm(line[:, None] - places, axis=-1) - radii
    free = line[np.all(distance > LARGEST_MM / 2, axis=1)]
    steps = np.linalg.norm(np.diff(free, axis=0, append=free[:1]), axis=1)
    # A jump between neighbours on the line means that the part over a sphere was removed. It must
    # not count as length, or discs would crowd at the gaps.
    steps[steps > 5] = 0
    along = np.cumsum(steps)
    wanted = (np.arange(N_PER_SLICE) + 0.5) / N_PER_SLICE * along[-1]
    chosen = free[np.searchsorted(along, wanted)]
    return np.array([[px, py, z] for z in SLICES_MM for px, py in chosen])


class NemaNu2(QualityPhantom):
    """Body with six spheres and a lung."""

    kind: ClassVar[str] = "nema-nu2"
    title: ClassVar[str] = "NEMA NU 2 body"
    text: ClassVar[str] = "Contrast recovery, background variability, lung residual error"
    uses: ClassVar[frozenset[str]] = frozenset(("contrast", "cold", "truth", "at"))
    followed: ClassVar[Followed] = (
        ("Contrast recovery", "17 mm"),
        ("Background variability", "17 mm"),
    )

    def located(self, volume: Volume, facts: PhantomFacts) -> Measure:
        """Find the body, to measure spheres, background and lung.

        Raises
        ------
        SettingsError
            if a cold sphere has an unknown diameter, or the contrast of the hot spheres is 1 or
            not positive
        DataError
            if the phantom is not in the image
        """
        unknown = set(facts.cold) - set(DIAMETERS_MM)
        if unknown:
            raise SettingsError(
                f"a cold sphere has a diameter of {min(unknown):g} mm, expected 10, 13, 17, 22, 28 "
                "or 37 mm; correct the diameters of the cold spheres."
            )
        if facts.contrast == 1:
            raise SettingsError(
                "the contrast of the hot spheres is 1, so they cannot be distinguished from the "
                "background; enter the true contrast."
            )
        if not 0 < facts.contrast < math.inf:
            raise SettingsError(
                f"the contrast of the hot spheres is {facts.contrast:g}, expected a positive "
                "number; enter the true contrast."
            )
        # The truth, if there is one, has no noise and does not change over iterations: all figures
        # then refer to the same positions.
        at = facts.at or locate(facts.truth or volume, body_layout(facts))
        return partial(self._measured, facts=facts, at=at)

    def _measured(self, volume: Volume, *, facts: PhantomFacts, at: Placement) -> QualityReport:
        truth = facts.truth
        places = _points(at.to_image(sphere_places_mm()))
        background = _points(at.to_image(background_places_mm()))
        rows = [
            _of_sphere(volume, truth, facts, d, place, background)
            for d, place in zip(DIAMETERS_MM, places, strict=True)
        ]
        recoveries, variabilities = [r[0] for r in rows], [r[1] for r in rows]
        marks = [Mark(p, d / 2) for p, d in zip(places, DIAMETERS_MM, strict=True)]
        # Only the discs of the sphere plane are drawn. The 60 discs are 12 in each of five slices,
        # and the third is at 0 mm.
        marks += [Mark(p, LARGEST_MM / 2) for p in background[24:36]]
        curves = tuple(
            QualityCurve(
                title,
                "Sphere [mm]",
                f"{title} [%]",
                DIAMETERS_MM,
                tuple(f.value for f in figures),
                tuple(f.error or 0.0 for f in figures),
            )
            for title, figures in (
                ("Contrast recovery", recoveries),
                ("Background variability", variabilities),
            )
        )
        figures = (*recoveries, *variabilities, *_others(volume, at, background))
        note = (
            "The contrast of the spheres is that of the simulated phantom."
            if truth
            else f"The activity of hot spheres is {facts.contrast:g} times that of the background."
        )
        return QualityReport(
            self.kind,
            self.title,
            volume.unit,
            at.describe(),
            figures,
            curves,
            tuple(marks),
            (note,),
            at=at,
        )


def body_layout(facts: PhantomFacts) -> Layout:
    """Return the activity of the body with its spheres and lung, as a layout.

    Parameters
    ----------
    facts
        contrast of the hot spheres and diameters of the cold ones
    """

    def activity(x: Points, y: Points, z: Points, width_mm: float) -> Points:
        ends = np.abs(z - MIDDLE_Z_MM) - HALF_LENGTH_MM
        values = soft(np.maximum(from_outside(x, y), ends), width_mm)
        values = values * (1 - soft(np.hypot(x, y) - LUNG_MM, width_mm))
        for (px, py, pz), d in zip(sphere_places_mm(), DIAMETERS_MM, strict=True):
            away = np.sqrt((x - px) ** 2 + (y - py) ** 2 + (z - pz) ** 2)
            share = soft(away - d / 2, width_mm)
            values = values * (1 - share) + (0.0 if d in facts.cold else facts.contrast) * share
        return values

    return activity


def _of_sphere(
    volume: Volume,
    truth: Volume | None,
    facts: PhantomFacts,
    diameter_mm: float,
    place: Point,
    background: Sequence[Point],
) -> tuple[QualityFigure, QualityFigure]:
    """Return contrast recovery and background variability of a sphere."""
    contrast = 0.0 if diameter_mm in facts.cold else facts.contrast
    # On a coarse grid the true disc contains background too. Its own contrast is then the fair
    # target.
    if truth is not None:
        true = [disc(truth, p, diameter_mm).mean for p in background]
        contrast = disc(truth, place, diameter_mm).mean / float(np.mean(true))
    inside = disc(volume, place, diameter_mm).mean
    means = np.array([disc(volume, p, diameter_mm).mean for p in background])
    variability = background_variability(list(means))
    recovery = contrast_recovery(inside, float(means.mean()), contrast)
    ratio = inside / float(means.mean())
    # Propagates the variability of one disc (numerator) and of the mean of K discs (denominator).
    spread = variability * np.hypot(1, ratio / np.sqrt(len(means))) / abs(contrast - 1)
    n = len(means)
    return (
        QualityFigure(f"{diameter_mm:g} mm", recovery, float(spread), "%", "Contrast recovery"),
        QualityFigure(
            f"{diameter_mm:g} mm",
            variability,
            float(variability / np.sqrt(2 * (n - 1))),
            "%",
            "Background variability",
        ),
    )


def _others(
    volume: Volume, at: Placement, background: Sequence[Point]
) -> tuple[QualityFigure, ...]:
    """Return the lung residual error and the level of the background."""
    means = np.array([disc(volume, p, LARGEST_MM).mean for p in background])
    level, n = float(means.mean()), len(means)
    middles = _points(at.to_image(np.array([[0.0, 0.0, z] for z in SLICES_MM])))
    lung = np.array([residual_error(disc(volume, p, LUNG_DISC_MM).mean, level) for p in middles])
    error = float(lung.std(ddof=1) / np.sqrt(len(lung)))
    return (
        QualityFigure("Lung residual error", float(lung.mean()), error, "%", "Lung"),
        QualityFigure(
            "Background", level, float(means.std(ddof=1) / np.sqrt(n)), volume.unit, "Background"
        ),
    )


def _points(points: Points) -> list[Point]:
    return [(float(x), float(y), float(z)) for x, y, z in points]
