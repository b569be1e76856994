"""Tests of shapes: chords against closed forms and sampling, coverage against volumes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from engine.geometry.grid import ImageGrid
from engine.geometry.orbits import circle, circular_cone, parallel
from engine.simulate.integrals import line_integrals
from engine.simulate.phantom import ShapePhantom
from engine.simulate.shapes import Box, Cylinder, Ellipsoid, Shape, rod, sphere
from engine.simulate.spans import may_cross, spans
from tests.tolerances import FLOAT64, FLOAT64_SUMS

SHAPES = [
    Ellipsoid((3, -4, 5), (10, 6, 14), turn_deg=30, tilt_deg=20),
    Cylinder((-2, 3, 1), (7, 12, 9), turn_deg=-50, tilt_deg=35),
    Cylinder((0, 0, 0), (8, 8, 10)),
    Box((1, 2, -3), (5, 9, 7), turn_deg=75, tilt_deg=-15),
]


def chords(shape: Shape, first: np.ndarray, second: np.ndarray) -> np.ndarray:
    enter, leave = spans([shape], first, second)
    return (leave - enter)[0] * np.linalg.norm(second - first, axis=1)


def random_lines(rng: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray]:
    return rng.uniform(-30, 30, (n, 3)), rng.uniform(-30, 30, (n, 3))


@pytest.mark.parametrize("shape", SHAPES, ids=lambda s: type(s).__name__)
def test_chord_is_the_integral_of_contains(shape: Shape, rng: np.random.Generator) -> None:
    first, second = random_lines(rng, 200)
    n_steps = 2000
    steps = (np.arange(n_steps) + 0.5) / n_steps
    points = first[:, None] + steps[:, None] * (second - first)[:, None]
    inside = shape.contains(points.reshape(-1, 3)).reshape(200, n_steps)
    length = np.linalg.norm(second - first, axis=1)
    numeric = inside.mean(axis=1) * length
    assert (numeric > 0).sum() > 25
    # The shape is convex, so sampling misses each of its two surfaces by at most one step.
    assert np.all(np.abs(chords(shape, first, second) - numeric) <= 2 * length / n_steps)


@pytest.mark.parametrize(("offset_mm", "chord_mm"), [(0, 200.0), (50, 173.205081), (90, 87.177979)])
def test_cylinder_projects_to_its_chord(offset_mm: float, chord_mm: float) -> None:
    first, second = np.array([[offset_mm, -300.0, 2]]), np.array([[offset_mm, 300.0, 2]])
    assert chords(rod((0, 0, 0), 200, 100), first, second) == pytest.approx(chord_mm, abs=1e-6)


def test_lines_along_the_axes_are_exact() -> None:
    first = np.array([[0, 0, -50.0], [0, 0, -50.0], [9, 0, -50.0], [-50, 0, 3], [0, 0, 10.5]])
    second = np.array([[0, 0, 50.0], [0, 0, 0], [9, 0, 50.0], [50, 0, 3], [5, 0, 10.5]])
    cylinder = Cylinder((0, 0, 0), (8, 8, 10))
    assert chords(cylinder, first, second) == pytest.approx([20, 10, 0, 16, 0], abs=FLOAT64_SUMS)


def test_line_without_length_has_no_chord() -> None:
    points = np.zeros((1, 3))
    for shape in SHAPES:
        assert chords(shape, points, points) == 0


def test_swapped_ends_mirror_the_span(rng: np.random.Generator) -> None:
    first, second = random_lines(rng, 100)
    enter, leave = spans(SHAPES, first, second)
    hit = leave > enter
    back_enter, back_leave = spans(SHAPES, second, first)
    np.testing.assert_allclose(back_enter[hit], 1 - leave[hit], atol=FLOAT64)
    np.testing.assert_allclose(back_leave[hit], 1 - enter[hit], atol=FLOAT64)


def test_distant_thin_rod_keeps_its_chord() -> None:
    first, second = np.array([[700.0, 3.0, 0.1]]), np.array([[-700.0, 3.0, 0.1]])
    assert chords(rod((5, 3, 0), 0.75, 20), first, second) == pytest.approx(0.75, rel=1e-8)


@pytest.mark.parametrize("shape", SHAPES, ids=lambda s: type(s).__name__)
def test_coverage_adds_up_to_the_volume(shape: Shape) -> None:
    grid = ImageGrid((40, 44, 48), (1.0, 1.1, 1.2), (1.0, 0.5, 0.0))
    share = shape.coverage(grid, oversample=4)
    assert share.min() >= 0 and share.max() == 1
    total = share.sum(dtype=float) * 1.0 * 1.1 * 1.2
    assert total == pytest.approx(shape.volume_mm3, rel=1e-2)  # flat ends are between sample points


@pytest.mark.parametrize("shape", SHAPES, ids=lambda s: type(s).__name__)
def test_no_point_is_beyond_the_reach(shape: Shape, rng: np.random.Generator) -> None:
    points = np.array(shape.centre_mm) + rng.uniform(-20, 20, (200_000, 3))
    inside = points[shape.contains(points)]
    farthest = np.hypot(*(inside - np.array(shape.centre_mm)).T[:2]).max()
    assert 0.6 * shape.reach_mm < farthest <= shape.reach_mm


@pytest.mark.parametrize("shape", SHAPES, ids=lambda s: type(s).__name__)
def test_integral_kernel_agrees_with_the_chords(shape: Shape, rng: np.random.Generator) -> None:
    # More lines than a block; some have zero length.
    first, second = random_lines(rng, 3000)
    second[::7] = first[::7]
    found = ShapePhantom("one", (replaced(shape),)).activity_integral(first, second)
    np.testing.assert_allclose(found, 2 * chords(shape, first, second), rtol=1e-9, atol=1e-8)
    assert (found > 0).sum() > 300


@pytest.mark.parametrize("beam", ["cone", "near", "fan", "parallel"])
def test_scan_rows_agree_with_the_chords(beam: str) -> None:
    """Columns that a solid cannot meet are skipped, also with the source next to it."""
    many = circle(5)
    geometry = {
        "cone": lambda: circular_cone(
            many, source_axis_mm=200, source_detector_mm=300, shape=(24, 40), pixel_mm=2.5
        ),
        "near": lambda: circular_cone(
            many, source_axis_mm=16, source_detector_mm=60, shape=(24, 40), pixel_mm=4.0
        ),
        "fan": lambda: circular_cone(
            many, source_axis_mm=200, source_detector_mm=300, shape=(1, 40), pixel_mm=2.5
        ),
        "parallel": lambda: parallel(many, shape=(24, 40), pixel_mm=1.5),
    }[beam]()
    solids = [replaced(shape) for shape in SHAPES]
    found = line_integrals(ShapePhantom("all", tuple(solids)), geometry, threads=1)

    rows, columns = np.mgrid[: geometry.shape[0], : geometry.shape[1]].reshape(2, -1, 1) + 0.5
    for view in range(geometry.n_views):
        pixels = geometry.corner_mm[view] + columns * geometry.u_mm[view]
        pixels = pixels + rows * geometry.v_mm[view]
        source = np.broadcast_to(geometry.source_mm[view], pixels.shape)
        first, second = source, source + 9 * (pixels - source)
        if geometry.beam == "parallel":
            first, second = pixels - 500 * source, pixels + 500 * source
        expected = sum(0.3 * chords(shape, first, second) for shape in SHAPES)
        np.testing.assert_allclose(found[view].ravel(), expected, rtol=2e-6, atol=2e-6)


def replaced(shape: Shape) -> Shape:
    return replace(shape, activity=2.0, mu_per_mm=0.3)


def test_coverage_is_cut_at_the_edge_of_the_grid() -> None:
    grid = ImageGrid((10, 10, 10), (1.0, 1.0, 1.0), (5.0, 5.0, 5.0))
    ball = sphere((0, 0, 0), 8)
    assert ball.coverage(grid, 5).sum() == pytest.approx(ball.volume_mm3 / 8, rel=1e-2)
    assert sphere((-20, 5, 5), 8).coverage(grid).sum() == 0


def test_shape_smaller_than_a_voxel_keeps_its_volume_roughly() -> None:
    grid = ImageGrid((3, 3, 3), (4.0, 4.0, 4.0))
    assert sphere((0, 0, 0), 2).coverage(grid, 20).sum() * 64 == pytest.approx(4.19, rel=0.07)


def test_crossed_shapes_are_never_skipped(rng: np.random.Generator) -> None:
    for _ in range(50):
        middle = rng.uniform(-15, 15, (2, 3))
        wander = rng.uniform(0, 4)
        first, second = (m + rng.uniform(-wander, wander, (20, 3)) for m in middle)
        retained = may_cross(SHAPES, first, second)
        for shape in SHAPES:
            assert shape in retained or not chords(shape, first, second).any()


def test_shapes_outside_a_narrow_bundle_are_skipped() -> None:
    first, second = np.array([[40.0, -50, 0]]), np.array([[40.0, 50, 0]])
    assert may_cross(SHAPES, first, second) == []
