"""Tests of curved planes: closed forms on arcs and straight lines."""

from __future__ import annotations

import numpy as np
import pytest

from engine.analysis.quality import curve_through, curved_plane
from engine.core.errors import GeometryError
from engine.data.volume import Volume
from engine.geometry.grid import ImageGrid

GRID = ImageGrid((12, 60, 60), (1.0, 1.0, 2.0))
RADIUS_MM = 20.0


def arc(n: int) -> list[tuple[float, float, float]]:
    angles = np.linspace(0, np.pi / 2, n)
    return [(RADIUS_MM * float(np.cos(a)), RADIUS_MM * float(np.sin(a)), 1.0) for a in angles]


def of_radius_and_height() -> Volume:
    """Return values that grow with the distance from the axis and with height."""
    z, y, x = (GRID.centres_mm(axis) for axis in (2, 1, 0))
    radius = np.hypot(y[:, None], x)
    return Volume((radius + 10 * z[:, None, None]).astype(np.float32), GRID, "HU")


def test_curve_passes_through_its_points_and_stays_near_a_circle():
    points = arc(7)
    curve = curve_through(points)
    for point in points:
        assert np.linalg.norm(curve - point, axis=1).min() < 1e-9
    assert np.abs(np.hypot(curve[:, 0], curve[:, 1]) - RADIUS_MM).max() < 0.01 * RADIUS_MM


def test_rows_along_an_arc_are_constant_and_have_its_length():
    found = curved_plane(of_radius_and_height(), arc(9), 2)
    # the spline is measured by chords
    assert found.length_mm == pytest.approx(RADIUS_MM * np.pi / 2, rel=5e-3)
    assert found.pixel_mm[0] == 2.0
    assert found.pixel_mm[1] == pytest.approx(1.0, rel=0.05)
    expected = RADIUS_MM + 10 * GRID.centres_mm(2)[:, None]
    # errors of the spline, and of interpolation between voxels
    assert np.abs(found.values - expected).max() < 0.15


def test_thick_plane_is_the_mean_across_the_curve():
    volume = of_radius_and_height()
    line = [(-10.0, 5.0, 0.0), (0.0, 5.0, 0.0), (10.0, 5.0, 0.0)]
    found = curved_plane(volume, line, 2, thickness_mm=4.0)
    sides = [
        curved_plane(volume, [(x, 5.0 + w, z) for x, _, z in line], 2).values
        for w in (-2, -1, 0, 1, 2)
    ]
    np.testing.assert_allclose(found.values, np.mean(sides, axis=0), rtol=1e-5)


def test_curve_without_length_is_refused():
    with pytest.raises(GeometryError, match="no length"):
        curved_plane(of_radius_and_height(), [(1.0, 1.0, 0.0)] * 4, 2)
