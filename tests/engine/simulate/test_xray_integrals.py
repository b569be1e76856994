"""Tests of X-ray line integrals: chords, sums, rigid motion, single lines."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from engine.geometry.grid import ImageGrid
from engine.geometry.orbits import circle, circular_cone, parallel
from engine.geometry.rtk import RtkParameters, from_rtk
from engine.geometry.xray import XrayGeometry
from engine.simulate.integrals import finer, line_integrals, mean_of_pixels
from engine.simulate.phantom import ShapePhantom
from engine.simulate.shapes import Box, Cylinder, Ellipsoid, Shape, sphere
from engine.simulate.xray import simulate_integrals
from engine.simulate.xray_phantoms import shepp_logan, tooth
from tests.tolerances import FLOAT64_MM

ORBITS = {
    "cone": circular_cone(
        circle(5, first_rad=0.2),
        source_axis_mm=120,
        source_detector_mm=200,
        shape=(17, 21),
        pixel_mm=(4.0, 5.0),
        roll_rad=0.1,
        axis_column=8.0,
    ),
    "parallel": parallel(
        circle(5, first_rad=0.2), shape=(17, 21), pixel_mm=(2.5, 3.0), axis_column=8.0
    ),
}
SOLIDS: dict[str, Shape] = {
    "ball": Ellipsoid((3, -4, 5), (10, 6, 14), mu_per_mm=0.3, turn_deg=30, tilt_deg=20),
    "tube": Cylinder((-2, 3, 1), (7, 12, 9), mu_per_mm=0.2, turn_deg=-50, tilt_deg=35),
    "upright": Cylinder((0, 0, 0), (8, 8, 10), mu_per_mm=0.2),
    "box": Box((1, 2, -3), (5, 9, 7), mu_per_mm=0.1, turn_deg=75, tilt_deg=-15),
    "straight": Box((1, 2, -3), (5, 9, 7), mu_per_mm=0.1),
}


def integrals(geometry: XrayGeometry, *shapes: Shape) -> np.ndarray:
    return line_integrals(ShapePhantom("test", shapes), geometry, threads=2)


def rays(geometry: XrayGeometry, view: int) -> tuple[np.ndarray, np.ndarray]:
    """Return (n, 3) starts and unit directions of the rays of a view."""
    there = geometry.pixel_mm(view).reshape(-1, 3)
    if geometry.beam == "parallel":
        return there, np.broadcast_to(geometry.source_mm[view], there.shape)
    start = np.broadcast_to(geometry.source_mm[view], there.shape)
    return start, (there - start) / np.linalg.norm(there - start, axis=1, keepdims=True)


@pytest.mark.parametrize("beam", ORBITS)
def test_ball_projects_to_its_chords(beam: str) -> None:
    geometry, centre = ORBITS[beam], np.array([4.0, -7.0, 3.0])
    actual = integrals(geometry, sphere((4.0, -7.0, 3.0), 30.0, mu_per_mm=0.02))
    for view in range(geometry.n_views):
        start, direction = rays(geometry, view)
        distance = np.linalg.norm(np.cross(centre - start, direction), axis=1)
        chord = 2 * np.sqrt(np.maximum(15.0**2 - distance**2, 0))
        np.testing.assert_allclose(actual[view].ravel(), 0.02 * chord, atol=2e-7)
    assert (actual > 0).mean() > 0.1


@pytest.mark.parametrize("beam", ORBITS)
@pytest.mark.parametrize("solid", SOLIDS)
def test_every_solid_equals_its_single_lines(beam: str, solid: str) -> None:
    geometry, shape = ORBITS[beam], SOLIDS[solid]
    actual, phantom = integrals(geometry, shape), ShapePhantom("test", (shape,))
    assert (actual > 0).mean() > 0.05
    for view in range(geometry.n_views):
        start, direction = rays(geometry, view)
        back = 300.0 if beam == "parallel" else 0.0
        expected = phantom.mu_integral(start - back * direction, start + 400 * direction)
        np.testing.assert_allclose(actual[view].ravel(), expected, atol=1e-6)


@pytest.mark.parametrize("beam", ORBITS)
def test_integrals_of_shapes_add_up(beam: str) -> None:
    shapes = tuple(SOLIDS.values())
    one_by_one = [integrals(ORBITS[beam], shape) for shape in shapes]
    np.testing.assert_allclose(integrals(ORBITS[beam], *shapes), sum(one_by_one), atol=1e-6)
    negative = [replace(shape, mu_per_mm=-shape.mu_per_mm) for shape in shapes]
    np.testing.assert_allclose(integrals(ORBITS[beam], *shapes, *negative), 0, atol=1e-6)


@pytest.mark.parametrize("beam", ORBITS)
def test_common_rotation_of_phantom_and_scanner_changes_nothing(beam: str) -> None:
    shapes, angle = tuple(SOLIDS.values()), 0.7
    cos, sin = np.cos(angle), np.sin(angle)
    turned = [
        replace(
            s,
            centre_mm=(
                cos * s.centre_mm[0] - sin * s.centre_mm[1] + 3,
                sin * s.centre_mm[0] + cos * s.centre_mm[1] - 5,
                s.centre_mm[2] + 2,
            ),
            turn_deg=s.turn_deg + np.degrees(angle),
        )
        for s in shapes
    ]
    moved = ORBITS[beam].rotated(angle).moved(shift_mm=(3, -5, 2))
    np.testing.assert_allclose(
        integrals(moved, *turned), integrals(ORBITS[beam], *shapes), atol=1e-6
    )


def test_objects_behind_the_source_are_unseen_and_behind_the_detector_seen() -> None:
    geometry = circular_cone(
        [0.0], source_axis_mm=100, source_detector_mm=100, shape=(1, 1), pixel_mm=1.0
    )
    behind, around, beyond = (
        integrals(geometry, sphere((x, 0, 0), 20.0, mu_per_mm=1.0))[0, 0, 0]
        for x in (150.0, 100.0, -50.0)
    )
    assert (behind, around, beyond) == pytest.approx((0, 10, 20))


@pytest.mark.parametrize("shape", [SOLIDS["upright"], SOLIDS["straight"]])
def test_rays_along_the_faces_of_a_solid_are_finite(shape: Shape) -> None:
    geometry = parallel([0.0], shape=(41, 41), pixel_mm=0.5).moved(
        [[0, 1.0, 0], [0, 0, 1], [1, 0, 0]]  # rays along −z
    )
    actual = integrals(geometry, shape)
    assert np.isfinite(actual).all()
    assert actual.max() == pytest.approx(2 * shape.half_mm[2] * shape.mu_per_mm, rel=1e-6)
    assert 0 < (actual > 0).mean() < 1


def test_no_shapes_give_zeros() -> None:
    assert not integrals(ORBITS["cone"]).any()
    assert not integrals(ORBITS["cone"], sphere((0, 0, 0), 10.0, activity=1.0)).any()


def test_number_of_threads_changes_no_bit() -> None:
    one, two = (line_integrals(shepp_logan(), ORBITS["cone"], threads=n) for n in (1, 2))
    np.testing.assert_array_equal(one, two)


def test_finer_pixels_tile_the_coarse_ones() -> None:
    geometry = ORBITS["cone"]
    fine = finer(geometry, 3)
    middles = fine.pixel_mm(2)[1::3, 1::3]
    np.testing.assert_allclose(middles, geometry.pixel_mm(2), atol=FLOAT64_MM)
    np.testing.assert_allclose(fine.corner_mm, geometry.corner_mm, atol=FLOAT64_MM)


def test_oversampled_pixels_converge_to_their_area_mean() -> None:
    """Across a ball that fills a pixel: ∫ 2 √(r² − x² − y²) is its volume."""
    pixel = parallel([0.0], shape=(1, 1), pixel_mm=10.0)
    ball = ShapePhantom("ball", (sphere((0, 0, 0), 8.0, mu_per_mm=1.0),))
    expected = 4 / 3 * np.pi * 4.0**3 / 10.0**2
    errors = [
        abs(simulate_integrals(ball, pixel, oversample=k).values[0, 0, 0] - expected)
        for k in (1, 4, 32)
    ]
    assert errors[0] > 1
    assert errors[2] < 2e-3 * expected
    assert errors[2] < errors[1] < errors[0]
    assert mean_of_pixels(np.arange(16.0).reshape(1, 4, 4), 2).tolist() == [
        [[2.5, 4.5], [10.5, 12.5]]
    ]


def test_shepp_logan_integrals_equal_rtk() -> None:
    """Values of RTK 2.7; y and z of the table are swapped in its frame, a mirror image in LPS."""
    same, k = np.ones(8), np.arange(8)
    geometry = from_rtk(
        RtkParameters(
            gantry_rad=np.radians(45 * k + 10),
            out_of_plane_rad=np.radians(2 * same),
            in_plane_rad=np.radians(4 * same),
            source_isocentre_mm=1000 * same,
            source_detector_mm=1500 * same,
            source_offset_mm=np.tile([6.0, 7.0], (8, 1)),
            projection_offset_mm=np.tile([3.0, -5.0], (8, 1)),
        ),
        shape=(100, 128),
        pixel_mm=(3.0, 3.0),
    )
    table = shepp_logan(scale_mm=100.0)
    mirrored = [
        replace(s, centre_mm=(x, -y, z), turn_deg=-s.turn_deg)
        for s, (x, y, z) in ((s, s.centre_mm) for s in table.shapes)
    ]
    actual = integrals(geometry, *mirrored)
    rtk = {
        (0, 50, 64): 194.55122,
        (2, 30, 50): 128.37042,
        (3, 70, 80): 136.39848,
        (5, 20, 40): 93.960274,
        (7, 55, 100): 71.224236,
    }
    for pixel, value in rtk.items():
        assert actual[pixel] == pytest.approx(value, abs=5e-5), pixel


def test_shepp_logan_has_known_values_near_the_centre() -> None:
    slab = shepp_logan().rasterise(ImageGrid((1, 128, 128), (1.0, 1.0, 1.0)), "mu").values[0]
    x = np.arange(128) - 63.5
    assert slab[np.hypot(x[:, None], x) < 20].mean() == pytest.approx(1.0213, abs=3e-4)


def test_high_contrast_changes_the_brain_only() -> None:
    low, high = (shepp_logan(contrast=c, per_mm=0.02) for c in ("low", "high"))  # type: ignore[arg-type]
    points = np.array([[0, 91.0, 0], [0, 0, -60], [-22, 0, -25], [0, 35, -25], [0, 0, 100]])
    assert low.mu_at(points) == pytest.approx(0.02 * np.array([2, 1.02, 1.0, 1.04, 0]))
    assert high.mu_at(points) == pytest.approx(0.02 * np.array([2, 1.2, 1.0, 1.4, 0]))


@pytest.mark.parametrize("phantom", [shepp_logan(), tooth(scale=5.0)], ids=lambda p: p.name)
def test_no_point_of_a_phantom_has_negative_attenuation(
    phantom: ShapePhantom, rng: np.random.Generator
) -> None:
    points = rng.uniform(-100, 100, (200_000, 3))
    parts = [s.mu_per_mm * s.contains(points) for s in phantom.shapes]
    assert np.sum(parts, axis=0).min() > -1e-9


@pytest.mark.parametrize("phantom", [shepp_logan(), tooth()], ids=lambda p: p.name)
@pytest.mark.parametrize("axis", [0, 1, 2])
def test_flipped_phantom_differs(phantom: ShapePhantom, axis: int) -> None:
    size = 220.0 if phantom.name == "Shepp-Logan" else 26.0
    grid = ImageGrid((52, 52, 52), (size / 52,) * 3)
    values: Any = phantom.rasterise(grid, "mu", oversample=2).values
    other = np.flip(values, 2 - axis)
    assert np.linalg.norm(values - other) > 2e-3 * np.linalg.norm(values)


def test_voxel_sum_equals_the_integrals_of_rays() -> None:
    """The sum of a parallel view is the volume integral, and so is the sum of the voxels."""
    geometry = parallel([0.4], shape=(130, 130), pixel_mm=0.2)
    projected = simulate_integrals(tooth(), geometry, oversample=2).values.sum(dtype=float) * 0.2**2
    grid = ImageGrid((130, 130, 130), (0.2, 0.2, 0.2))
    voxel_sum = tooth().rasterise(grid, "mu").values.sum(dtype=float) * 0.2**3
    exact = sum(s.mu_per_mm * s.volume_mm3 for s in tooth().shapes)
    assert projected == pytest.approx(exact, rel=2e-3)
    assert voxel_sum == pytest.approx(exact, rel=2e-3)
