"""Spatial resolution of CT: modulation transfer from the edge of a cylinder, or from a thin wire.

The slices well inside the object are averaged; cylinder and wire must be along z. For the formulas
see `engine.analysis.quality.modulation`.
"""

from __future__ import annotations

from functools import partial
from typing import ClassVar

import numpy as np

from engine.analysis.quality.cylinder import UprightCylinder, find_cylinder
from engine.analysis.quality.modulation import ResolvedFrequencies, of_edge, of_wire
from engine.analysis.quality.phantoms.base import Measure, PhantomFacts, QualityPhantom
from engine.analysis.quality.phantoms.ct_water import above_air
from engine.analysis.quality.quality_report import Mark, QualityCurve, QualityFigure, QualityReport
from engine.core.errors import DataError
from engine.data.volume import Volume

REACH_VOXELS = 8.0
"""Distance from the edge that is used on either side."""
WIRE_REACH_VOXELS = 10.0
GROUND_VOXELS = 12.0
"""The background of a wire is the mean between these two distances."""
MAX_SLICES = 24


class CtEdge(QualityPhantom):
    """Edge of a cylinder."""

    kind: ClassVar[str] = "ct-edge"
    title: ClassVar[str] = "Edge of a cylinder"
    text: ClassVar[str] = "Modulation transfer from the edge of a uniform cylinder"

    def located(self, volume: Volume, facts: PhantomFacts) -> Measure:
        """Find the cylinder, to measure the modulation transfer of its edge.

        Raises
        ------
        DataError
            if there is no cylinder
        """
        return partial(self._measured, found=find_cylinder(above_air(volume)))

    def _measured(self, volume: Volume, *, found: UprightCylinder) -> QualityReport:
        pixel = _pixel(volume)
        cx, cy, _ = found.centre_mm
        plane = _plane(volume, found.centre_mm[2], found.inner(volume.grid).length_mm / 2)
        x, y = volume.grid.centres_mm(0), volume.grid.centres_mm(1)
        # The cylinder is found to about a voxel. An error of the radius would blur the edge over
        # the angle and lower the MTF, so the circle is fitted again.
        cx, cy, radius = _refined(plane, x, y, (cx, cy), found.radius_mm, pixel)
        r = np.hypot(x[None, :] - cx, y[:, None] - cy) - radius
        turn = np.arctan2(y[:, None] - cy, x[None, :] - cx)
        near = np.abs(r) <= REACH_VOXELS * pixel
        result = of_edge(r[near], turn[near], plane[near], pixel)
        marks = (Mark((cx, cy, found.centre_mm[2]), radius),)
        return _report(self, volume, result, found.describe(), marks)


class CtWire(QualityPhantom):
    """Thin wire."""

    kind: ClassVar[str] = "ct-wire"
    title: ClassVar[str] = "Thin wire"
    text: ClassVar[str] = (
        "Modulation transfer from a wire along z that is much thinner than a voxel"
    )

    def located(self, volume: Volume, facts: PhantomFacts) -> Measure:
        """Return the measurement, which finds the wire in the mean of the central slices."""
        return self._measured

    def _measured(self, volume: Volume) -> QualityReport:
        pixel = _pixel(volume)
        # Slices near the ends of a volume can show the end of the wire or a cone-beam artefact.
        half = 0.4 * float(volume.grid.size_mm[2])
        middle = volume.grid.centre_mm[2]
        plane = _plane(volume, middle, half)
        x, y = volume.grid.centres_mm(0), volume.grid.centres_mm(1)
        cx, cy, ground = _wire(plane, x, y, pixel)
        dx, dy = np.broadcast_arrays(x[None, :] - cx, y[:, None] - cy)
        near = np.hypot(dx, dy) <= WIRE_REACH_VOXELS * pixel
        result = of_wire(dx[near], dy[near], plane[near] - ground, pixel)
        where = f"wire at ({cx:.2f}, {cy:.2f}) mm"
        marks = (Mark((cx, cy, middle), WIRE_REACH_VOXELS * pixel),)
        return _report(self, volume, result, where, marks)


def _wire(
    plane: np.ndarray, x: np.ndarray, y: np.ndarray, pixel: float
) -> tuple[float, float, float]:
    """Return the centre of gravity of the highest peak, and the background around it."""
    row, column = np.unravel_index(int(np.argmax(plane)), plane.shape)
    cx, cy, ground = float(x[column]), float(y[row]), float(plane.min())
    # The regions move with the centre. Three rounds are enough, because the first peak is the pixel
    # with the maximum.
    for _ in range(3):
        dx, dy = x[None, :] - cx, y[:, None] - cy
        r = np.hypot(dx, dy) / pixel
        ring = (r > WIRE_REACH_VOXELS) & (r <= GROUND_VOXELS)
        ground = float(plane[ring].mean()) if ring.any() else ground
        # Half the reach: farther out, noise times distance dominates the centre of gravity.
        weights = np.where(r <= WIRE_REACH_VOXELS / 2, plane - ground, 0)
        total = float(weights.sum())
        if not total > 0:
            raise DataError(
                "no wire was found, because the brightest pixel is "
                "not a peak; choose an image of a wire."
            )
        cx += float((weights * dx).sum()) / total
        cy += float((weights * dy).sum()) / total
    return cx, cy, ground


def _pixel(volume: Volume) -> float:
    x, y, _ = volume.grid.voxel_mm
    if abs(x - y) > 1e-3 * x:
        raise DataError(
            f"the pixels measure {x:g} × {y:g} mm, but the modulation transfer function needs "
            "square pixels; resample the image."
        )
    return float(x)


def _plane(volume: Volume, middle_mm: float, half_mm: float) -> np.ndarray:
    """Return the mean of the slices around a position along z."""
    away = np.abs(volume.grid.centres_mm(2) - middle_mm)
    chosen = np.argsort(away, kind="stable")[:MAX_SLICES]
    # At least the nearest slice is used, even if it is farther away than `half_mm`.
    chosen = chosen[away[chosen] <= max(half_mm, away.min())]
    return volume.values[chosen].mean(axis=0, dtype=np.float64)


def _refined(
    plane: np.ndarray,
    x: np.ndarray,
    y: np.ndarray,
    centre: tuple[float, float],
    radius: float,
    pixel: float,
) -> tuple[float, float, float]:
    """Return centre and radius of the circle at half height, by least squares."""
    from scipy import optimize

    r = np.hypot(x[None, :] - centre[0], y[:, None] - centre[1])
    # Rings away from the edge give both levels, undisturbed by the blur of the edge.
    inside, outside = plane[r < 0.8 * radius], plane[(r > 1.1 * radius) & (r < 1.3 * radius)]
    low = float(outside.mean()) if outside.size else 0.0
    high = float(inside.mean())
    near = np.abs(r - radius) <= REACH_VOXELS * pixel
    xs, ys = (v[near] for v in np.broadcast_arrays(x[None, :], y[:, None]))
    values = (plane[near] - low) / (high - low)

    def misfit(p: np.ndarray) -> np.ndarray:
        away = p[2] - np.hypot(xs - p[0], ys - p[1])
        # A tanh is close to the integral of a Gaussian and has an exact derivative everywhere; p[3]
        # is the width of the blur, which is fitted but not used.
        return np.asarray(0.5 * (1 + np.tanh(away / p[3])) - values)

    found = optimize.least_squares(misfit, (*centre, radius, pixel), x_scale="jac")
    cx, cy, rho, _ = (float(v) for v in found.x)
    return cx, cy, rho


def _report(
    phantom: QualityPhantom,
    volume: Volume,
    result: ResolvedFrequencies,
    where: str,
    marks: tuple[Mark, ...],
) -> QualityReport:
    figures = tuple(
        QualityFigure(f"Frequency of {percent} %", *pair, "1/mm", "Modulation transfer")
        for percent, pair in ((50, result.half), (10, result.tenth))
    )
    modulation = result.modulation
    curve = QualityCurve(
        "Modulation transfer",
        "Spatial frequency [1/mm]",
        "MTF",
        tuple(float(v) for v in modulation.frequency),
        tuple(float(v) for v in modulation.value),
        tuple(float(v) for v in modulation.error),
    )
    return QualityReport(phantom.kind, phantom.title, volume.unit, where, figures, (curve,), marks)
