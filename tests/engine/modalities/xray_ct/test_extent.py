"""Tests of the voxels that iterations need outside the requested volume."""

import numpy as np
import pytest

from engine.data.projections import Projections
from engine.geometry.grid import ImageGrid
from engine.geometry.orbits import circle, circular_cone, fan, helical, parallel
from engine.modalities.xray_ct.extent import extent_mm, grown, growth_limit
from engine.simulate.integrals import line_integrals
from engine.simulate.phantom import ShapePhantom
from engine.simulate.shapes import Cylinder, sphere

CONE = {"source_axis_mm": 200.0, "source_detector_mm": 300.0, "shape": (64, 96), "pixel_mm": 1.5}
SCANS = {
    "cone": circular_cone(circle(60), **CONE),
    "helix": helical(circle(120, range_rad=4 * np.pi), pitch_mm=10, z_mm=-10, **CONE),
    "parallel": parallel(circle(60, range_rad=np.pi), shape=(64, 96), pixel_mm=1.0),
}


def scan_of(geometry, *shapes):
    values = line_integrals(ShapePhantom("of a test", shapes), geometry, threads=2)
    return Projections(values=values, geometry=geometry, kind="integrals")


@pytest.mark.parametrize("name", SCANS)
def test_off_axis_ball_is_within_the_detected_extent(name):
    radius, bottom, top = extent_mm(
        scan_of(SCANS[name], sphere((12.0, -5.0, 3.0), 18.0, mu_per_mm=0.02))
    )
    assert radius == pytest.approx(13 + 9, abs=1.0)
    # rays along the upper side of the cylinder leave it lower down
    assert -6 - 5 < bottom < -6 + 0.6
    assert 12 - 0.6 < top < 12 + 5


def test_object_longer_than_the_detector_extends_to_the_outer_rays():
    scan = scan_of(SCANS["cone"], Cylinder((0, 0, 0), (20, 20, 300), mu_per_mm=0.02))
    radius, bottom, top = extent_mm(scan)
    edge = 63 / 2 * 1.5 / 300  # slope of the rays to the last row
    assert radius == pytest.approx(20, abs=1)
    assert top == pytest.approx(edge * (200 + radius), rel=0.01)
    assert bottom == pytest.approx(-top)


def test_volume_keeps_its_voxels_within_the_grown_one():
    scan = scan_of(SCANS["cone"], sphere((12.0, -5.0, 3.0), 18.0, mu_per_mm=0.02))
    grid = ImageGrid((5, 7, 9), (1.5, 1.2, 0.8), (10.0, -4.0, 1.0))
    whole, (z, y, x) = grown(scan, grid)
    for axis, part in enumerate((x, y, z)):
        assert np.allclose(whole.centres_mm(axis)[part], grid.centres_mm(axis))
    radius, bottom, top = extent_mm(scan)
    assert (whole.lower_mm <= (-radius, -radius, bottom)).all()
    assert (whole.upper_mm >= (radius, radius, top)).all()
    assert (whole.size_mm <= np.array([2 * radius, 2 * radius, top - bottom]) + 4 * 1.5).all()


@pytest.mark.parametrize("name", ["large", "fan", "nothing", "steep"])
def test_sufficient_volume_does_not_grow(name):
    scan, grid = scan_of(SCANS["cone"], sphere((0, 0, 0), 18.0, mu_per_mm=0.02)), (40, 60, 60)
    if name == "fan":
        geometry = fan(
            circle(60), source_axis_mm=200, source_detector_mm=300, n_columns=96, pixel_mm=1.5
        )
        scan, grid = scan_of(geometry, sphere((0, 0, 0), 18.0, mu_per_mm=0.02)), (1, 60, 60)
    elif name == "nothing":
        scan, grid = scan_of(SCANS["cone"]), (2, 2, 2)
    elif name == "steep":
        turn = np.array([[1.0, 0, 0], [0, 0, -1], [0, 1, 0]])
        scan = Projections(values=scan.values, geometry=scan.geometry.moved(turn), kind="integrals")
        grid = (2, 2, 2)
    grid = ImageGrid(grid, (1.0, 1.0, 1.0))
    whole, region = grown(scan, grid)
    assert whole == grid
    assert np.zeros(grid.shape)[region].shape == grid.shape


TALL = circular_cone(circle(30), **(CONE | {"shape": (500, 96)}))
"""Rays of the first and last rows are steeper than 45 degrees."""


@pytest.mark.parametrize("geometry", [*SCANS.values(), TALL], ids=[*SCANS, "tall"])
def test_growth_of_any_volume_is_at_most_the_forecast(geometry, rng):
    grid = ImageGrid((3, 5, 4), (2.0, 2.5, 3.0), (4.0, -6.0, 1.0))
    most = growth_limit(geometry, grid)
    for _ in range(10):
        centre, radius_mm = rng.uniform(-30, 30, 3), rng.uniform(3, 40)
        whole, _ = grown(scan_of(geometry, sphere(tuple(centre), radius_mm, mu_per_mm=0.02)), grid)
        assert (most.lower_mm <= whole.lower_mm + 1e-9).all()
        assert (most.upper_mm >= whole.upper_mm - 1e-9).all()


@pytest.mark.parametrize("name", SCANS)
def test_object_that_fills_the_detector_grows_by_the_forecast(name):
    geometry = SCANS[name]
    values = np.ones((geometry.n_views, *geometry.shape), np.float32)
    grid = ImageGrid((3, 5, 4), (2.0, 2.5, 3.0), (4.0, -6.0, 1.0))
    scan = Projections(values=values, geometry=geometry, kind="integrals")
    assert grown(scan, grid)[0] == growth_limit(geometry, grid) != grid
