"""Tests of exact polygon areas in pixels against closed forms, clipping and brute force."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from engine.analysis.regions import (
    PlanarContours,
    PolygonRegion,
    Region,
    RegionSet,
    SphereRegion,
    csv_of,
    figures_of,
    measure,
    read_regions,
    write_regions,
)
from engine.analysis.regions.polygon_area import centres_in, shares_in
from engine.core.errors import DataError
from engine.data.volume import Volume
from engine.geometry.grid import ImageGrid

EXACT = 1e-9
"""Rounding error of sums of a few hundred products in double precision."""


def area(ring: np.ndarray) -> float:
    x, y = ring.T
    return abs(float(x @ np.roll(y, -1) - y @ np.roll(x, -1))) / 2


def clipped(ring: list[tuple[Fraction, Fraction]], axis: int, at: int, sign: int):
    """Clip a convex polygon by a line (Sutherland and Hodgman), in exact fractions."""
    out = []
    for a, b in zip(ring, ring[1:] + ring[:1], strict=True):
        da, db = sign * (a[axis] - at), sign * (b[axis] - at)
        if da >= 0:
            out.append(a)
        if da * db < 0:
            part = da / (da - db)
            out.append((a[0] + part * (b[0] - a[0]), a[1] + part * (b[1] - a[1])))
    return out


def test_convex_polygon_area_equals_exact_clipping(rng: np.random.Generator):
    for _ in range(5):
        angles = np.sort(rng.uniform(0, 2 * np.pi, 7))
        ring = np.round(np.stack([3.2 + 2.7 * np.cos(angles), 2.9 + 2.5 * np.sin(angles)], 1), 6)
        found = shares_in([ring], (6, 7))
        corners = [(Fraction(float(x)), Fraction(float(y))) for x, y in ring]
        for j in range(6):
            for i in range(7):
                part = corners
                for axis, at, sign in ((0, i, 1), (0, i + 1, -1), (1, j, 1), (1, j + 1, -1)):
                    part = clipped(part, axis, at, sign)
                expected = area(np.array([[float(v) for v in p] for p in part])) if part else 0.0
                assert found[j, i] == pytest.approx(expected, abs=EXACT)


@pytest.mark.parametrize("seed", range(4))
def test_even_odd_winding_equals_point_sampling(seed: int):
    """A polygon with crossing edges overlaps another one; sample points use the same rule."""
    rng = np.random.default_rng(seed)
    rings = [rng.uniform(-1, 9, (9, 2)), rng.uniform(1, 7, (5, 2))]
    n = 200
    at = (np.arange(8 * n) + 0.5) / n
    points = centres_in(rings, at, at).reshape(8, n, 8, n).mean(axis=(1, 3))
    # Sampling errors occur along edges: about 14 edges times 1/200 of a pixel.
    np.testing.assert_allclose(shares_in(rings, (8, 8)), points, atol=0.01)


def test_bow_tie_and_hole_have_their_areas():
    tie = np.array([[1.0, 1.0], [5.0, 4.0], [5.0, 1.0], [1.0, 4.0]])
    assert shares_in([tie], (6, 6)).sum() == pytest.approx(6.0, abs=EXACT)
    outer = np.array([[0.5, 0.5], [7.5, 0.5], [7.5, 7.5], [0.5, 7.5]])
    inner = outer / 2 + 2.1
    whole = shares_in([outer, inner[::-1]], (8, 8)).sum()
    assert whole == pytest.approx(area(outer) - area(inner), abs=EXACT)


def test_area_outside_the_grid_is_not_counted():
    ring = np.array([[-1000.0, -1000.0], [1000.0, -1000.0], [1000.0, 1000.0], [-1000.0, 1000.0]])
    assert (shares_in([ring], (3, 4)) == 1).all()
    assert not shares_in([ring + 5000], (3, 4)).any()
    assert shares_in([ring + np.array([1001.5, 0])], (1, 4))[0] == pytest.approx(
        [0, 0.5, 1, 1], abs=EXACT
    )


def test_polygon_of_a_thousand_corners_has_its_area(rng: np.random.Generator):
    angles = np.arange(1000) * 2 * np.pi / 1000
    radius = 20 + 3 * np.sin(40 * angles)
    ring = np.stack([25.3 + radius * np.cos(angles), 24.6 + radius * np.sin(angles)], 1)
    assert shares_in([ring], (50, 50)).sum() == pytest.approx(area(ring), abs=1e-8)


GRID = ImageGrid((9, 12, 12), (2.0, 2.0, 3.0), (0.0, 0.0, 0.0))


def test_largest_value_uses_voxel_centres():
    """A hot voxel with 0.502 of its area inside, but not its centre, is not the largest value.

    A raster of 0.5 mm and a rule of fractions both counted such a voxel.
    """
    values = np.ones(GRID.shape, np.float32)
    values[4, 6, 6] = 9.0  # x and y from 0 to 2 mm, centre at 1 mm
    # The square without a corner, and with a notch over its centre.
    ring = [(0.0, 0.0), (2.0, 0.0), (2.0, 2.0), (1.2, 2.0), (1.2, 0.9), (0.0, 0.9)]
    ring += [(0.0, 1.9), (-4.0, 1.9), (-4.0, 0.0)]
    shape = PolygonRegion(axis=2, corners_mm=tuple(ring), low_mm=-1.5, high_mm=1.5)
    coverage = shape.coverage(Volume(values, GRID, "g/mL"))
    share = coverage.within((slice(4, 5), slice(6, 7), slice(6, 7)))
    assert share.item() == pytest.approx((2 * 0.9 + 0.8 * 1.1) / 4, abs=EXACT)
    assert share.item() > 0.5
    found = figures_of(Volume(values, GRID, "g/mL"), coverage)
    assert found.maximum == 1.0 and found.mean > 1.0


def contours() -> PlanarContours:
    ring = np.array([[-5.1, -4.2], [4.9, -3.7], [5.3, 4.4], [-3.9, 5.2]])
    hole = ring / 3 + 0.2
    rings = [ring, hole, ring * 0.8, ring * 0.5]
    return PlanarContours.of(rings, [-3.0, -3.0, 0.005, 2.995], 3.0)


def test_contours_have_their_volume_and_centre_voxels():
    volume = Volume(np.ones(GRID.shape, np.float32), GRID, "")
    found, shape = figures_of(volume, contours().coverage(volume)), contours()
    first, hole, second, third = (area(ring) for ring in shape.rings)
    expected = 3.0 * (first - hole + second + third) / 1000
    # Heights that files have rounded are moved to the faces of voxels.
    assert found.volume_ml == pytest.approx(expected, rel=1e-12)
    centre = figures_of(volume, shape.coverage(volume), rule="centre")
    assert centre.n_voxels == shape.coverage(volume).centres.sum() and centre.rule == "centre"
    assert centre.volume_ml == pytest.approx(centre.n_voxels * 12 / 1000)


def test_contours_move_rotate_and_round_trip(tmp_path):
    shape = contours()
    moved = shape.moved((1.0, 2.0, 3.0))
    np.testing.assert_allclose(moved.rings[0], shape.rings[0] + (1, 2), atol=1e-6)
    assert moved.turned_over().heights_mm[0] == pytest.approx(0.0)
    write_regions(RegionSet(regions=(Region(name="GTV", shape=shape),)), tmp_path / "a.toml")
    assert read_regions(tmp_path / "a.toml").regions[0].shape == shape


@pytest.mark.parametrize("kind", ["sphere", "polygon", "contours"])
def test_centre_rule_counts_voxel_centres(kind: str):
    """With the rule "centre", the figures equal those of voxels with centres inside."""
    rng = np.random.default_rng(5)
    volume = Volume(rng.random(GRID.shape).astype(np.float32), GRID, "g/mL")
    x, y, z = (GRID.centres_mm(axis) for axis in range(3))
    z, y, x = np.meshgrid(z, y, x, indexing="ij")
    if kind == "sphere":
        shape = SphereRegion(centre_mm=(0.3, -0.2, 0.9), diameter_mm=11)
        inside = (x - 0.3) ** 2 + (y + 0.2) ** 2 + (z - 0.9) ** 2 <= 5.5**2
    elif kind == "polygon":
        shape = PolygonRegion(
            corners_mm=((-6.0, -5.5), (8.0, -5.5), (-6.0, 8.5)), low_mm=-4.4, high_mm=5.0
        )
        inside = (x > -6) & (y > -5.5) & (x + y < 2.5) & (z > -4.4) & (z < 5)
    else:
        ring = np.array([[-6.0, -5.5], [8.0, -5.5], [-6.0, 8.5]])
        shape = PlanarContours.of([ring, ring], [-3.0, 0.0], 3.0)
        inside = (x > -6) & (y > -5.5) & (x + y < 2.5) & (abs(z + 1.5) < 3)
    found = measure(Region(name="a", shape=shape), volume, rule="centre").figures
    values = volume.values[inside].astype(float)
    assert found.n_voxels == len(values) > 20
    for actual, expected in (
        (found.mean, values.mean()),
        (found.sd, values.std()),
        (found.minimum, values.min()),
        (found.maximum, values.max()),
        (found.volume_ml, len(values) * 12 / 1000),
    ):
        assert actual == pytest.approx(expected, rel=1e-12)
    table = csv_of([measure(Region(name="a", shape=shape), volume, rule="centre")])
    assert "all figures by voxel centres" in table


def test_region_without_a_voxel_centre_is_refused():
    shape = SphereRegion(centre_mm=(0.0, 0.0, 1.5), diameter_mm=1.0)
    volume = Volume(np.ones(GRID.shape, np.float32), GRID, "")
    with pytest.raises(DataError, match="the region contains no voxel centre"):
        figures_of(volume, shape.coverage(volume), rule="centre")
    assert figures_of(volume, shape.coverage(volume)).maximum == 1.0
