"""Tests of regions against closed forms, brute force and SciPy's labelled statistics."""

from __future__ import annotations

import time
import tracemalloc
from math import pi
from typing import Literal

import numpy as np
import pytest
from pydantic import ValidationError
from scipy import ndimage

from engine.analysis.regions import (
    BoxRegion,
    CombinedRegion,
    ContourRegion,
    CylinderRegion,
    EllipsoidRegion,
    MaskRegion,
    PolygonRegion,
    Region,
    RegionShape,
    Rule,
    SphereRegion,
    contrast_of,
    figures_of,
    histogram_of,
    measure,
)
from engine.analysis.regions.peak import RADIUS_MM
from engine.core.errors import DataError, GeometryError
from engine.data.volume import Volume
from engine.geometry.grid import ImageGrid

GRID = ImageGrid((24, 30, 34), (1.5, 2.0, 2.5), (4.0, -2.0, 1.0))
SLOPE = (0.1, -0.07, 0.05)
AT = (6.3, -0.8, 2.2)
TRIANGLE = ((-3.0, -9.0), (13.0, -4.0), (2.0, 8.0))


def ramp(grid: ImageGrid = GRID) -> Volume:
    """Return 10 + 0.1 x − 0.07 y + 0.05 z."""
    x, y, z = (slope * grid.centres_mm(axis) for axis, slope in enumerate(SLOPE))
    values = 10 + x + y[:, None] + z[:, None, None]
    return Volume(values.astype(np.float32), grid, "Bq/mL")


def on_ramp(point_mm: tuple[float, float, float]) -> float:
    return 10 + float(np.dot(SLOPE, point_mm))


SOLIDS: dict[str, tuple[RegionShape, float]] = {
    "sphere": (SphereRegion(centre_mm=AT, diameter_mm=17), pi / 6 * 17**3),
    "small sphere": (SphereRegion(centre_mm=AT, diameter_mm=3), pi / 6 * 27),
    "ellipsoid": (EllipsoidRegion(centre_mm=AT, size_mm=(9, 21, 14)), pi / 6 * 9 * 21 * 14),
    "box": (BoxRegion(centre_mm=AT, size_mm=(9.1, 12.3, 7.7)), 9.1 * 12.3 * 7.7),
    "rod x": (CylinderRegion(centre_mm=AT, size_mm=(9, 8, 8), axis=0), pi * 16 * 9),
    "rod y": (CylinderRegion(centre_mm=AT, size_mm=(12, 9, 12), axis=1), pi * 36 * 9),
    "rod z": (CylinderRegion(centre_mm=AT, size_mm=(12, 8, 7.7), axis=2), pi * 24 * 7.7),
}


@pytest.mark.parametrize("name", SOLIDS)
def test_solid_has_its_volume_and_the_mean_of_a_ramp_at_its_centre(name: str) -> None:
    shape, volume_mm3 = SOLIDS[name]
    found = figures_of(ramp(), shape.coverage(ramp()))
    assert found.volume_ml == pytest.approx(volume_mm3 / 1000, rel=0.005)
    assert found.mean == pytest.approx(on_ramp(AT), rel=1e-3)
    assert found.total == pytest.approx(found.mean * found.volume_ml)
    assert found.total_unit == "Bq"


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_polygon_has_its_area_and_the_mean_at_its_centre_of_gravity(
    axis: Literal[0, 1, 2],
) -> None:
    shape = PolygonRegion(axis=axis, corners_mm=TRIANGLE, low_mm=-3.3, high_mm=5.9)
    (ax, ay), (bx, by), (cx, cy) = TRIANGLE
    area = abs((bx - ax) * (cy - ay) - (cx - ax) * (by - ay)) / 2
    gravity = [sum(corner[k] for corner in TRIANGLE) / 3 for k in range(2)]
    gravity.insert(axis, 1.3)
    found = figures_of(ramp(), shape.coverage(ramp()))
    assert found.volume_ml == pytest.approx(area * 9.2 / 1000, rel=0.005)
    assert found.mean == pytest.approx(on_ramp((gravity[0], gravity[1], gravity[2])), rel=1e-3)


def test_voxel_shares_equal_point_sampling(rng: np.random.Generator) -> None:
    shapes = [shape for shape, _ in SOLIDS.values()]
    shapes.append(PolygonRegion(axis=1, corners_mm=TRIANGLE, low_mm=-3.3, high_mm=5.9))
    points = GRID.lower_mm + rng.random((40_000, 3)) * GRID.size_mm
    for shape in shapes:
        share = shape.coverage(ramp()).within((slice(0, 24), slice(0, 30), slice(0, 34)))
        x, y, z = GRID.to_voxels(points).astype(int).T
        inside = inside_of(shape, points)
        assert np.abs(share.mean() - inside.mean()) < 0.004
        # A voxel with a point inside is covered; a voxel with a point outside is not full.
        assert (share[z, y, x][inside] > 0).all()
        assert (share[z, y, x][~inside] < 1).all()


def inside_of(shape: RegionShape, points: np.ndarray) -> np.ndarray:
    (low, high) = (np.array(each) for each in shape.bounds_mm)
    # points close to the border count for neither side
    u = (points - (low + high) / 2) / ((high - low) / 2) / 0.999
    if isinstance(shape, BoxRegion):
        return np.asarray((np.abs(u) <= 1).all(axis=1))
    if isinstance(shape, CylinderRegion):
        others = [k for k in range(3) if k != shape.axis]
        return np.asarray(((u[:, others] ** 2).sum(axis=1) <= 1) & (np.abs(u[:, shape.axis]) <= 1))
    if isinstance(shape, PolygonRegion):
        p = points[:, [k for k in range(3) if k != shape.axis]]
        corners = np.array(shape.corners_mm)
        sides = [
            np.cross(np.append(b - a, 0), np.c_[p - a, np.zeros(len(p))])[:, 2]
            for a, b in zip(corners, np.roll(corners, -1, axis=0), strict=True)
        ]
        return np.asarray((np.array(sides) > 0).all(axis=0) & (np.abs(u[:, shape.axis]) <= 1))
    return np.asarray((u**2).sum(axis=1) <= 1)


def test_figures_equal_labelled_statistics(rng: np.random.Generator) -> None:
    mask = ndimage.gaussian_filter(rng.standard_normal(GRID.shape), 2) > 0.05
    volume = Volume(rng.gamma(3, 2, GRID.shape).astype(np.float32), GRID, "kBq/mL")
    found = figures_of(volume, MaskRegion.of(mask, GRID).coverage(volume))
    values, labels = volume.values.astype(float), mask.astype(int)
    assert found.mean == pytest.approx(ndimage.mean(values, labels, 1), rel=1e-6)
    assert found.sd == pytest.approx(ndimage.standard_deviation(values, labels, 1), rel=1e-6)
    assert found.minimum == ndimage.minimum(values, labels, 1)
    assert found.maximum == ndimage.maximum(values, labels, 1)
    assert found.total == pytest.approx(ndimage.sum_labels(values, labels, 1) * 7.5e-3, rel=1e-6)
    assert found.volume_ml == pytest.approx(mask.sum() * 7.5e-3, rel=1e-6)
    expected = np.percentile(values[mask], (5, 25, 50, 75, 95), method="inverted_cdf")
    assert found.percentiles == pytest.approx(expected, rel=1e-6)
    counts, edges = np.histogram(values[mask], 64)
    histogram = histogram_of(volume, MaskRegion.of(mask, GRID).coverage(volume))
    assert histogram.volumes_ml == pytest.approx(counts * 7.5e-3)
    assert histogram.edges == pytest.approx(edges)


def test_percentiles_weight_partial_voxels_as_numpy(rng: np.random.Generator) -> None:
    volume = Volume(rng.gamma(3, 2, GRID.shape).astype(np.float32), GRID, "")
    coverage = SOLIDS["sphere"][0].coverage(volume)
    touched = coverage.share > 0
    expected = np.quantile(
        volume.values[coverage.box][touched].astype(float), (0.05, 0.25, 0.5, 0.75, 0.95),
        weights=coverage.share[touched], method="inverted_cdf",
    )  # fmt: skip
    assert figures_of(volume, coverage).percentiles == pytest.approx(expected, rel=1e-6)


def test_peak_is_the_highest_mean_of_a_1_ml_ball(rng: np.random.Generator) -> None:
    grid = ImageGrid((12, 15, 16), (2.0, 2.0, 2.5))
    noise = ndimage.gaussian_filter(rng.standard_normal(grid.shape), 1) + 5
    volume = Volume(noise.astype(np.float32), grid, "SUV")
    coverage = SphereRegion(centre_mm=(1.0, 0.5, 0.0), diameter_mm=12).coverage(volume)
    found = figures_of(volume, coverage).peak
    assert found is not None
    middles = np.argwhere(coverage.share >= 0.5) + coverage.start
    means = []
    for k, j, i in middles:
        x, y, z = (float(grid.centres_mm(axis)[n]) for axis, n in enumerate((i, j, k)))
        ball = SphereRegion(centre_mm=(x, y, z), diameter_mm=2 * RADIUS_MM).coverage(volume)
        means.append(figures_of(volume, ball, with_peak=False).mean)
    assert pi / 6 * (2 * RADIUS_MM) ** 3 == pytest.approx(1000)
    assert found.value == pytest.approx(max(means), rel=1e-6)
    k, j, i = middles[int(np.argmax(means))]
    assert found.at_mm == tuple(grid.centres_mm(axis)[n] for axis, n in enumerate((i, j, k)))
    thin = Volume(volume.values[:3], ImageGrid((3, 15, 16), grid.voxel_mm), "SUV")
    flat = SphereRegion(centre_mm=(0, 0, 0), diameter_mm=6)
    assert figures_of(thin, flat.coverage(thin)).peak is None


def test_volumes_of_combined_regions_add_up() -> None:
    a = SphereRegion(centre_mm=AT, diameter_mm=17)
    b = BoxRegion(centre_mm=(9.0, 1.0, 5.0), size_mm=(15, 11, 19))
    ml = {
        operation: volume_of(CombinedRegion(operation=operation, parts=(a, b)))
        for operation in ("union", "intersection", "minus")
    }
    assert ml["union"] + ml["intersection"] == pytest.approx(volume_of(a) + volume_of(b))
    assert ml["minus"] + ml["intersection"] == pytest.approx(volume_of(a))
    inner = SphereRegion(centre_mm=AT, diameter_mm=9)
    shell = CombinedRegion(operation="minus", parts=(a, inner))
    assert volume_of(shell) == pytest.approx(pi / 6 * (17**3 - 9**3) / 1000, rel=0.01)
    separate = SphereRegion(centre_mm=(-15, -15, -15), diameter_mm=5)
    both = CombinedRegion(operation="union", parts=(inner, separate))
    assert volume_of(both) == pytest.approx(volume_of(inner) + volume_of(separate))
    with pytest.raises(DataError, match="outside the image"):
        volume_of(CombinedRegion(operation="intersection", parts=(inner, separate)))


def volume_of(shape: RegionShape) -> float:
    return figures_of(ramp(), shape.coverage(ramp()), with_peak=False).volume_ml


def test_contour_is_the_connected_ball_above_its_level() -> None:
    grid = ImageGrid((50, 50, 50), (1.0, 1.0, 1.0), (0.31, 0.17, 0.44))
    z, y, x = (grid.centres_mm(axis) for axis in (2, 1, 0))
    r = np.sqrt(x**2 + y[:, None] ** 2 + z[:, None, None] ** 2)
    hot = np.where(x > 18, 90.0, 0)  # another, hotter object
    volume = Volume(np.maximum(100 - 4 * r, hot).astype(np.float32), grid, "Bq/mL")
    within = BoxRegion(centre_mm=(0, 0, 0), size_mm=(48, 48, 48))
    ball = pi * 4 / 3 * 15**3 / 1000  # 100 − 4 · 15 = 40
    levels: dict[Rule, float] = {
        "fixed": 40.0,
        "percent_of_max": 100 * 40 / float(volume.values.max()),
    }
    for rule, level in levels.items():
        shape = ContourRegion(within=within, rule=rule, level=level, unit="Bq/mL")
        assert volume_in(shape, volume) == pytest.approx(ball, rel=0.01)
    whole = shape.model_copy(update={"connected": False})
    slab = np.count_nonzero((x > 18) & (x < 24)) * 48 * 48 / 1000
    assert volume_in(whole, volume) == pytest.approx(ball + slab, rel=0.01)
    peak = figures_of(volume, within.coverage(volume)).peak
    assert peak is not None
    of_peak = ContourRegion(within=within, rule="percent_of_peak", level=100 * 40 / peak.value)
    assert volume_in(of_peak, volume) == pytest.approx(ball, rel=0.01)


def test_adaptive_level_is_midway_between_two_plateaus() -> None:
    grid = ImageGrid((36, 36, 36), (1.0, 1.0, 1.0))
    ball = SphereRegion(centre_mm=(0.3, 0.1, -0.2), diameter_mm=27)
    every = slice(0, 36)
    share = ball.coverage(ramp(grid)).within((every, every, every))
    volume = Volume((2 + 8 * share).astype(np.float32), grid, "Bq/mL")
    within = BoxRegion(centre_mm=(0, 0, 0), size_mm=(36, 36, 36))
    shape = ContourRegion(within=within, rule="adaptive")
    assert shape.level_in(volume) == pytest.approx(6.0, rel=0.05)
    assert volume_in(shape, volume) == pytest.approx(pi / 6 * 27**3 / 1000, rel=0.01)


def volume_in(shape: RegionShape, volume: Volume) -> float:
    return figures_of(volume, shape.coverage(volume), with_peak=False).volume_ml


def test_mask_keeps_volume_and_position_on_other_grids() -> None:
    mask = SOLIDS["sphere"][0].coverage(ramp()).share > 0.5
    start = SOLIDS["sphere"][0].coverage(ramp()).start
    region = MaskRegion.of(mask, GRID, start)
    other = ramp(ImageGrid((31, 45, 40), (1.3, 1.7, 2.1), (3.1, -1.0, 0.4)))
    first, second = (figures_of(v, region.coverage(v)) for v in (ramp(), other))
    assert first.n_voxels == mask.sum()
    assert second.volume_ml == pytest.approx(first.volume_ml)
    assert second.mean == pytest.approx(first.mean, rel=1e-3)
    # between voxels, where half voxels are shared
    half = region.moved((GRID.voxel_mm[0] / 2, 0, 0))
    assert figures_of(ramp(), half.coverage(ramp())).volume_ml == pytest.approx(first.volume_ml)
    beyond = region.moved((GRID.size_mm[0] / 2, 0, 0))
    assert 0 < volume_of(beyond) < first.volume_ml


@pytest.mark.parametrize(
    "name", ["sphere", "ellipsoid", "box", "rod y", "polygon", "mask", "shell"]
)
def test_moved_flipped_and_fitted_shapes_measure_the_same(name: str) -> None:
    shapes = {key: shape for key, (shape, _) in SOLIDS.items()}
    shapes["polygon"] = PolygonRegion(axis=0, corners_mm=TRIANGLE, low_mm=-3.3, high_mm=5.9)
    shapes["mask"] = MaskRegion.of(ramp().values > 10.9, GRID)
    inner = SphereRegion(centre_mm=AT, diameter_mm=9)
    outer = SphereRegion(centre_mm=AT, diameter_mm=17)
    shapes["shell"] = CombinedRegion(operation="minus", parts=(outer, inner))
    shape, volume = shapes[name], ramp()
    x, y, z = GRID.centre_mm
    over = Volume(volume.values[::-1], ImageGrid(GRID.shape, GRID.voxel_mm, (x, y, -z)), "")
    first, second = (
        figures_of(v, each.coverage(v))
        for v, each in ((volume, shape), (over, shape.turned_over()))
    )
    assert second.mean == pytest.approx(first.mean, rel=1e-5)
    assert second.volume_ml == pytest.approx(first.volume_ml, rel=1e-5)
    twice = shape.turned_over().turned_over()
    assert np.array(twice.bounds_mm) == pytest.approx(np.array(shape.bounds_mm))
    low, high = (np.array(each) for each in shape.moved((1.0, -2.0, 3.0)).bounds_mm)
    assert low == pytest.approx(np.array(shape.bounds_mm[0]) + np.array((1, -2, 3)))
    wider = shape.fitted((tuple(low), tuple(high + 4)))
    if shape.has_size:
        assert wider.bounds_mm[1] == pytest.approx(high + 4)
    assert np.mean(wider.bounds_mm, axis=0) == pytest.approx((low + high) / 2 + 2)


def test_contrast_is_that_of_means_and_refuses_two_units() -> None:
    hot = figures_of(ramp(), BoxRegion(centre_mm=(15, 0, 0), size_mm=(9, 9, 9)).coverage(ramp()))
    cold = figures_of(ramp(), BoxRegion(centre_mm=(-9, 0, 0), size_mm=(9, 9, 9)).coverage(ramp()))
    found = contrast_of(hot, cold)
    assert found.ratio == pytest.approx(11.5 / 9.1, rel=1e-3)
    assert found.contrast == pytest.approx(2.4 / 9.1, rel=1e-3)
    assert found.to_noise == pytest.approx(2.4 / cold.sd, rel=1e-3)
    other = Volume(ramp().values, GRID, "g/mL")
    suv = figures_of(other, BoxRegion(centre_mm=AT, size_mm=(9, 9, 9)).coverage(other))
    with pytest.raises(DataError, match="same unit"):
        contrast_of(hot, suv)


def test_region_outside_and_foreign_unit_are_reported_without_an_exception() -> None:
    far = SphereRegion(centre_mm=(500, 0, 0), diameter_mm=9)
    outside = Region(name="A", shape=far)
    assert "the region is outside the image" in measure(outside, ramp()).fault
    level = ContourRegion(within=far, rule="fixed", level=3.0, unit="g/mL")
    assert "(level: g/mL, image: Bq/mL)" in measure(Region(name="B", shape=level), ramp()).fault


@pytest.mark.parametrize(
    "values",
    [
        {"kind": "sphere", "centre_mm": (0, 0, 0), "diameter_mm": 0},
        {"kind": "sphere", "centre_mm": (0, 0, float("nan")), "diameter_mm": 5},
        {"kind": "polygon", "corners_mm": ((0, 0), (1, 1), (2, 1)), "low_mm": 2, "high_mm": 2},
        {"kind": "polygon", "corners_mm": ((0, 0), (1, 0), (2, 0)), "low_mm": 0, "high_mm": 2},
        {"kind": "combined", "operation": "union", "parts": ()},
    ],
)
def test_shapes_without_volume_are_refused(values: dict[str, object]) -> None:
    with pytest.raises((ValidationError, GeometryError)):
        Region.model_validate({"name": "A", "shape": values})


def test_measuring_a_region_in_a_large_image_is_fast() -> None:
    grid = ImageGrid((512, 512, 512), (1.0, 1.0, 1.0))
    values = np.zeros(grid.shape, np.float32)  # only pages that are written use memory
    values[200:312, 200:312, 200:312] = np.random.default_rng(2).random((112, 112, 112))
    ball = SphereRegion(centre_mm=(0.3, 0.2, 0.1), diameter_mm=60)
    volume, seconds = Volume(values, grid, "Bq/mL"), []
    for _ in range(3):
        start = time.process_time()
        figures_of(volume, ball.coverage(volume))
        seconds.append(time.process_time() - start)
    assert sorted(seconds)[1] < 0.1  # processor time of all figures and of the voxel fractions


def test_peak_of_small_voxels_needs_no_memory_for_a_sphere_that_does_not_fit():
    """At 10 µm the sphere of 1 mL alone needs 16 GB, and 20 voxels cannot contain it."""
    grid = ImageGrid((20, 20, 20), (0.1, 0.1, 0.1))
    volume = Volume(np.ones(grid.shape, np.float32), grid, "1/mm")
    ball = SphereRegion(centre_mm=(0, 0, 0), diameter_mm=1.5)
    tracemalloc.start()
    try:
        found = measure(Region(name="Grain", shape=ball), volume).figures
        most = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert found.peak is None and found.mean == 1
    assert most < 2e6  # the sphere has 125³ voxels of 8 bytes
