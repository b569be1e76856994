"""Uniform cylinder of activity: uniformity along its axis and across it.

Along: means of slices over that of the central slices. Across: means of rings of equal area over
the total mean. Errors are standard errors of these means, from the voxels.
"""

from __future__ import annotations

from functools import partial
from typing import ClassVar

import numpy as np

from engine.analysis.quality.cylinder import UprightCylinder, find_cylinder, mean_inside
from engine.analysis.quality.phantoms.base import Followed, Measure, PhantomFacts, QualityPhantom
from engine.analysis.quality.quality_report import Mark, QualityCurve, QualityFigure, QualityReport
from engine.core.errors import SettingsError
from engine.data.volume import Volume

N_RINGS = 6
INSIDE = 0.85
"""Fraction of the radius and of the half length within which uniformity is measured."""


class PetCylinder(QualityPhantom):
    """Uniform cylinder."""

    kind: ClassVar[str] = "pet-cylinder"
    title: ClassVar[str] = "Uniform cylinder"
    text: ClassVar[str] = "Uniformity along and across the axis, noise, mean"
    uses: ClassVar[frozenset[str]] = frozenset(("expected", "truth"))
    followed: ClassVar[Followed] = (
        ("Across", "Outermost ring"),
        ("Noise", "Spread of voxels"),
    )

    def located(self, volume: Volume, facts: PhantomFacts) -> Measure:
        """Find the cylinder, to measure uniformity, noise and mean.

        Raises
        ------
        DataError
            if there is no cylinder, or if it is too small
        SettingsError
            if the true value is not above 0
        """
        if facts.expected is not None and not facts.expected > 0:
            raise SettingsError(
                f"the true value of the cylinder is {facts.expected:g}, expected more than 0; "
                "correct it."
            )
        found = find_cylinder(facts.truth or volume)
        return partial(self._measured, expected=facts.expected, found=found)

    def _measured(
        self, volume: Volume, *, expected: float | None, found: UprightCylinder
    ) -> QualityReport:
        inner = UprightCylinder(found.centre_mm, INSIDE * found.radius_mm, INSIDE * found.length_mm)
        stats = mean_inside(volume, found.inner(volume.grid))
        along, across = _along(volume, inner), _radial_profile(volume, inner)
        figures = [
            QualityFigure("Mean of the interior", stats.mean, stats.error, volume.unit, "Level"),
            QualityFigure("Spread of voxels", 100 * stats.sd / stats.mean, None, "%", "Noise"),
            QualityFigure("Lowest slice", *_minimum(along), "%", "Along the axis"),
            QualityFigure("Highest slice", *_maximum(along), "%", "Along the axis"),
            QualityFigure("Innermost ring", *_first(across), "%", "Across"),
            QualityFigure("Outermost ring", *_last(across), "%", "Across"),
        ]
        if expected is not None:
            off = 100 * (stats.mean / expected - 1)
            error = 100 * stats.error / expected
            figures.insert(
                1, QualityFigure("Deviation from the true value", off, error, "%", "Level")
            )
        marks = (Mark(found.centre_mm, inner.radius_mm),)
        return QualityReport(
            self.kind, self.title, volume.unit, found.describe(), tuple(figures),
            (along, across), marks,
        )  # fmt: skip


def _along(volume: Volume, inner: UprightCylinder) -> QualityCurve:
    mask = inner.mask(volume.grid)
    slices = np.flatnonzero(mask.any(axis=(1, 2)))
    z = volume.grid.centres_mm(2)[slices]
    rows = [volume.values[k][mask[k]].astype(np.float64) for k in slices]
    means = np.array([row.mean() for row in rows])
    errors = np.array([row.std() / np.sqrt(len(row)) for row in rows])
    # The central tenth, or a slice and its neighbours, so that one noisy slice is not the
    # reference.
    middle = means[np.abs(z - inner.centre_mm[2]) <= max(0.1 * inner.length_mm, z[1] - z[0])].mean()
    return _curve("Along the axis", "z [mm]", z, 100 * means / middle, 100 * errors / middle)


def _radial_profile(volume: Volume, inner: UprightCylinder) -> QualityCurve:
    """Return means over rings of equal area."""
    mask = inner.mask(volume.grid)
    _, y, x = np.nonzero(mask)
    cx, cy, _ = inner.centre_mm
    away = np.hypot(volume.grid.centres_mm(0)[x] - cx, volume.grid.centres_mm(1)[y] - cy)
    # The square of the radius is proportional to area: equal steps of it give rings of equal area
    # and so of about equal noise.
    ring = np.minimum((N_RINGS * (away / inner.radius_mm) ** 2).astype(int), N_RINGS - 1)
    values = volume.values[mask].astype(np.float64)
    counts = np.bincount(ring, minlength=N_RINGS)
    means = np.bincount(ring, values, N_RINGS) / counts
    spread = np.sqrt(np.bincount(ring, values**2, N_RINGS) / counts - means**2)
    places = np.bincount(ring, away, N_RINGS) / counts
    whole = values.mean()
    errors = 100 * spread / np.sqrt(counts) / whole
    return _curve("Across the axis", "Radius [mm]", places, 100 * means / whole, errors)


def _curve(
    title: str, x_label: str, x: np.ndarray, y: np.ndarray, error: np.ndarray
) -> QualityCurve:
    def as_floats(values: np.ndarray) -> tuple[float, ...]:
        return tuple(float(v) for v in values)

    return QualityCurve(
        title, x_label, "Relative [%]", as_floats(x), as_floats(y), as_floats(error)
    )


def _pick(curve: QualityCurve, k: int) -> tuple[float, float]:
    return curve.y[k], curve.error[k]


def _minimum(curve: QualityCurve) -> tuple[float, float]:
    return _pick(curve, int(np.argmin(curve.y)))


def _maximum(curve: QualityCurve) -> tuple[float, float]:
    return _pick(curve, int(np.argmax(curve.y)))


def _first(curve: QualityCurve) -> tuple[float, float]:
    return _pick(curve, 0)


def _last(curve: QualityCurve) -> tuple[float, float]:
    return _pick(curve, -1)
