"""Tests of phantoms: integrals, masses, emission positions, library contents."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from engine.geometry.grid import ImageGrid
from engine.simulate import PHANTOMS, ShapePhantom, brain, cylinder_with_spheres, derenzo, thorax
from engine.simulate.anatomy import SCALP
from engine.simulate.phantoms import (
    BONE_PER_MM,
    DERENZO_RODS_MM,
    LUNG_PER_MM,
    NEMA_SPHERES_MM,
    derenzo_sectors,
    point,
    sphere_centres_mm,
    three_line_sources,
)
from engine.simulate.shapes import sphere
from tests.tolerances import FLOAT64_SUMS

SHELL = ShapePhantom(
    "shell", (sphere((0, 0, 0), 20, 2.0, 0.01), sphere((0, 0, 0), 10, -2.0, -0.01))
)
ACROSS = (np.array([[-40.0, 0, 0]]), np.array([[40.0, 0, 0]]))


def test_integrals_of_shapes_add_up_along_a_line() -> None:
    assert SHELL.activity_integral(*ACROSS) == pytest.approx(20.0)
    assert SHELL.mu_integral(*ACROSS) == pytest.approx(0.1)


def test_values_of_shapes_add_up_at_a_point() -> None:
    points = np.array([[0.0, 0, 0], [0, 7, 0], [0, 0, 11]])
    np.testing.assert_allclose(SHELL.activity_at(points), [0, 2, 0])
    np.testing.assert_allclose(SHELL.mu_at(points), [0, 0.01, 0])


def test_integral_of_a_line_is_independent_of_other_lines(rng: np.random.Generator) -> None:
    first, second = rng.uniform(-150, 150, (2, 3000, 3))
    all_lines = brain().activity_integral(first, second)
    shuffled = rng.permutation(3000)
    np.testing.assert_allclose(
        brain().activity_integral(first[shuffled], second[shuffled]),
        all_lines[shuffled],
        atol=FLOAT64_SUMS,
    )


@pytest.mark.parametrize("quantity", ["activity", "mu"])
def test_rasterised_mass_equals_the_analytic_mass(quantity: str) -> None:
    grid = ImageGrid((70, 70, 70), (3.0, 3.0, 3.0), (0.0, 0.0, -20.0))
    phantom = brain()
    values = [s.activity if quantity == "activity" else s.mu_per_mm for s in phantom.shapes]
    analytic = sum(v * s.volume_mm3 for v, s in zip(values, phantom.shapes, strict=True))
    volume = phantom.rasterise(grid, quantity, oversample=4)  # type: ignore[arg-type]
    assert volume.values.sum(dtype=float) * 27 == pytest.approx(analytic, rel=2e-3)
    assert volume.unit == ("1/mm" if quantity == "mu" else "relative")


def test_emission_positions_are_inside_the_activity(rng: np.random.Generator) -> None:
    n = 4000
    first, second = (np.repeat(end, n, axis=0) for end in ACROSS)
    x = -40 + 80 * SHELL.emission_places(first, second, rng)
    assert np.all((np.abs(x) >= 5) & (np.abs(x) <= 10))
    assert np.mean(x > 0) == pytest.approx(0.5, abs=4 * 0.5 / np.sqrt(n))
    # Uniform within the shell: mean |x| = 7.5, with a standard error of 5 / √(12 n).
    assert np.abs(x).mean() == pytest.approx(7.5, abs=4 * 5 / np.sqrt(12 * n))


def test_hotter_regions_emit_more(rng: np.random.Generator) -> None:
    n = 4000
    phantom = ShapePhantom("two", (sphere((-20, 0, 0), 10, 3.0), sphere((20, 0, 0), 10, 1.0)))
    first, second = (np.repeat(end, n, axis=0) for end in ACROSS)
    left = phantom.emission_places(first, second, rng) < 0.5
    assert left.mean() == pytest.approx(0.75, abs=4 * np.sqrt(0.75 * 0.25 / n))


def test_line_that_misses_emits_nothing(rng: np.random.Generator) -> None:
    first, second = np.array([[-40.0, 30, 0]]), np.array([[40.0, 30, 0]])
    assert np.isnan(SHELL.emission_places(first, second, rng)).all()


@pytest.mark.parametrize("key", PHANTOMS)
def test_library_phantoms_have_no_negative_values(key: str, rng: np.random.Generator) -> None:
    phantom = PHANTOMS[key]()
    assert isinstance(phantom, ShapePhantom)
    boxes = np.array([(s.centre_mm, s.half_mm) for s in phantom.shapes])
    pick = rng.integers(len(boxes), size=40_000)
    points = boxes[pick, 0] + boxes[pick, 1] * rng.uniform(-1.1, 1.1, (40_000, 3))
    inside = np.array([s.contains(points) for s in phantom.shapes])
    activity = np.array([s.activity for s in phantom.shapes]) @ inside
    mu = np.array([s.mu_per_mm for s in phantom.shapes]) @ inside
    assert activity.min() > -1e-12 and activity.max() > 0
    assert mu.min() > -1e-12 and mu.max() <= BONE_PER_MM + 1e-12


@pytest.mark.parametrize("axis", [0, 1, 2])
@pytest.mark.parametrize("phantom", [brain(), thorax()], ids=lambda p: p.name)
def test_realistic_phantoms_are_asymmetric(phantom: ShapePhantom, axis: int) -> None:
    grid = ImageGrid((46, 60, 60), (6.0, 6.0, 6.0))
    values = phantom.rasterise(grid, oversample=1).values
    flipped = np.flip(values, axis)
    assert np.abs(values - flipped).max() > 1


def test_brain_has_its_contrast() -> None:
    # Scalp, gyrus on the left, white matter, lesion, ventricle.
    points = np.array([[0, -92, -20], [54.6, 18.1, -8], [20, 50, -20], [26, 32, 6], [10, -4, 4]])
    scalp, gyrus, white, lesion, ventricle = brain().activity_at(points.astype(float))
    assert (scalp, white, lesion, ventricle) == pytest.approx((SCALP, 1, 7, 0))
    assert gyrus / white > 4


def test_chest_has_lungs_next_to_the_heart() -> None:
    points = np.array([[92.0, 0, 15], [-85, 0, 10], [0, 78, 0], [-88, 12, 30]])
    left, right, spine, lesion = thorax().mu_at(points)
    assert (left, right, spine) == pytest.approx((LUNG_PER_MM, LUNG_PER_MM, BONE_PER_MM))
    assert lesion > 3 * LUNG_PER_MM


def test_spheres_have_their_contrast_and_do_not_touch() -> None:
    centres = np.array(sphere_centres_mm())
    phantom = cylinder_with_spheres(contrast=4)
    np.testing.assert_allclose(phantom.activity_at(centres), 4)
    assert phantom.activity_at(np.zeros((1, 3))) == 0  # in the lung insert
    assert phantom.activity_at(np.array([[0.0, 90, 0]])) == 1
    for i, j in combinations(range(6), 2):
        radii = (NEMA_SPHERES_MM[i] + NEMA_SPHERES_MM[j]) / 2
        assert np.linalg.norm(centres[i] - centres[j]) > radii


def test_derenzo_neighbours_are_two_diameters_apart() -> None:
    for sector in derenzo_sectors():
        rods = np.array(sector.centres_mm)
        distance = np.linalg.norm(rods[:, None] - rods, axis=-1)
        nearest = np.where(distance > 0, distance, np.inf).min(axis=1)
        np.testing.assert_allclose(nearest, 2 * sector.diameter_mm)
        assert len(rods) >= 6


def test_derenzo_rods_do_not_touch_and_stay_inside() -> None:
    rods = [(np.array(c), s.diameter_mm) for s in derenzo_sectors() for c in s.centres_mm]
    assert {diameter for _, diameter in rods} == set(DERENZO_RODS_MM)
    assert max(np.linalg.norm(c) + d / 2 for c, d in rods) <= 20
    for (a, d_a), (b, d_b) in combinations(rods, 2):
        assert np.linalg.norm(a - b) > (d_a + d_b) / 2
    assert len(derenzo().shapes) == len(rods) + 1


def test_line_sources_are_three_parallel_lines() -> None:
    middle = three_line_sources().activity_at(np.array([[0.0, 0, 0], [50, 0, 70], [0, -100, -70]]))
    np.testing.assert_allclose(middle, 1)
    assert three_line_sources().activity_at(np.array([[0.0, 100, 0]])) == 0


def test_point_source_is_at_its_position() -> None:
    source = point(4.5, -3, 2, diameter_mm=1)
    assert source.activity_at(np.array([[4.5, -3, 2.4]])) == 1
    assert source.activity_at(np.array([[4.5, -3, 2.6]])) == 0
