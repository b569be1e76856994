"""Filtered back projection of a helix, compared with ellipsoids in closed form."""

import tracemalloc

import numpy as np
import pytest

from engine.core.backend import cpu
from engine.geometry.grid import ImageGrid
from engine.geometry.orbits import circle, helical
from engine.operators.xray.transform import XrayTransform
from engine.recon.filtering.fdk import fdk
from engine.recon.filtering.projections import planned
from engine.recon.filtering.settings import FilterSettings
from engine.recon.filtering.visibility import divided_by_visibility, turned_rad
from tests.engine.recon.filtering.ellipsoids import ball, integrals

TURNS = 3
OBJECTS = [
    (0.02, np.array([35.0, 30.0, 60.0]), np.zeros(3), 0.0),
    ball(9.0, (14.0, 0.0, 0.0), 0.02),
    ball(9.0, (0.0, 12.0, 28.0), 0.02),
    ball(9.0, (-12.0, -4.0, -20.0), -0.02),
]
GRID = ImageGrid((48, 40, 40), (2.5, 2.0, 2.0), (0.0, 0.0, 0.0))


def helix(pitch_mm, first_deg=0.0):
    return helical(
        circle(120 * TURNS, range_rad=TURNS * 2 * np.pi, first_rad=np.radians(first_deg)),
        pitch_mm=pitch_mm,
        z_mm=-pitch_mm * TURNS / 2,
        source_axis_mm=500.0,
        source_detector_mm=800.0,
        shape=(40, 96),
        pixel_mm=2.4,
    )


def mean_in(image, centre_mm, radius_mm=5.0):
    z, y, x = np.meshgrid(*(GRID.centres_mm(axis) for axis in (2, 1, 0)), indexing="ij")
    away = np.sqrt(sum((a - c) ** 2 for a, c in zip((x, y, z), centre_mm, strict=True)))
    return float(image[away < radius_mm].mean())


@pytest.mark.parametrize(("pitch_mm", "first_deg"), [(20.0, 0.0), (40.0, 33.0)])
def test_helix_has_the_right_level_wherever_it_covers_half_a_turn(pitch_mm, first_deg):
    geometry = helix(pitch_mm, first_deg)

    image = fdk(integrals(geometry, OBJECTS), geometry, GRID, on=cpu(2))

    expected = {(14.0, 0.0, 0.0): 0.04, (0.0, 12.0, 28.0): 0.04, (-12.0, -4.0, -20.0): 0.0}
    for centre, value in expected.items():
        assert mean_in(image, centre) == pytest.approx(value, abs=0.04 * 0.02), centre
    assert mean_in(image, (0.0, -15.0, 5.0)) == pytest.approx(0.02, rel=0.04)


def test_region_has_the_bits_of_the_whole():
    geometry = helix(40.0)
    data = integrals(geometry, OBJECTS)
    region = (slice(10, 14), slice(5, 30), slice(8, 20))

    part = fdk(data, geometry, GRID, region=region, on=cpu(2))

    np.testing.assert_array_equal(part, fdk(data, geometry, GRID, on=cpu(2))[region])


def test_voxels_in_few_views_are_left_out():
    geometry = helix(8.0)
    beyond = ImageGrid((2, 20, 20), (2.0, 2.0, 2.0), (0.0, 0.0, 200.0))

    image = fdk(np.ones((geometry.n_views, *geometry.shape), np.float32), geometry, beyond)

    assert not image.any()


def peak_bytes(work):
    """Return the additional peak memory of a task."""
    tracemalloc.start()
    work()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak


def test_views_in_batches_give_the_same_volume_with_limited_memory(monkeypatch):
    geometry = helix(20.0)
    grid = ImageGrid((60, 80, 80), (1.25, 1.0, 1.0))
    rows = np.ones((geometry.n_views, *geometry.shape), np.float32)
    plan = planned(rows, geometry, FilterSettings())
    A = XrayTransform(plan.geometry, grid, on=cpu(2))
    whole = divided_by_visibility(np.ones(grid.shape, np.float32), A, plan)
    monkeypatch.setattr("engine.recon.filtering.visibility.CHUNK_BYTES", 2**18)
    few = A.with_geometry(plan.geometry.select(slice(0, 17)))
    once = peak_bytes(lambda: few.back_project(rows[:17], weighting="fdk"))
    in_parts = np.ones(grid.shape, np.float32)

    peak = peak_bytes(lambda: divided_by_visibility(in_parts, A, plan))

    np.testing.assert_allclose(in_parts, whole, rtol=1e-5)
    assert peak < once + 1.3 * whole.nbytes


def test_turns_are_counted_and_have_equal_weight():
    geometry = helix(20.0)
    data = np.zeros((geometry.n_views, *geometry.shape), np.float32)
    plan = planned(data, geometry, FilterSettings())

    assert turned_rad(plan) == pytest.approx(TURNS * 2 * np.pi)
    np.testing.assert_allclose(plan.step_rad, 2 * np.pi / geometry.n_views, rtol=1e-6)
