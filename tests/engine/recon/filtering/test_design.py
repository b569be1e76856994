"""Tests of decisions about a scan before filtering, and of their messages."""

import numpy as np
import pytest

from engine.core.backend import cpu
from engine.core.errors import GeometryError
from engine.geometry.orbits import circle, circular_cone, fan, helical, parallel
from engine.recon.filtering.design import plan_for
from engine.recon.filtering.detector import axis_column
from engine.recon.filtering.orbit import orbit_of
from engine.recon.filtering.projections import density, filtered, planned
from engine.recon.filtering.settings import FilterSettings
from tests.tolerances import FLOAT64, FLOAT64_SUMS

CONE = {"source_axis_mm": 500.0, "source_detector_mm": 750.0, "shape": (5, 100), "pixel_mm": 2.0}
"""The half fan angle is 7.6°."""
PARALLEL = {"shape": (5, 100), "pixel_mm": 2.0}


def degrees(first, stop, step=1.0):
    return np.radians(np.arange(first, stop, step))


@pytest.mark.parametrize(
    ("geometry", "kind", "sum_deg"),
    [
        (circular_cone(degrees(0, 360), **CONE), "full circle", 360),
        (circular_cone(degrees(0, 361), **CONE), "full circle", 360),
        (circular_cone(degrees(90, -270, -1), **CONE), "full circle", 360),
        (circular_cone(degrees(0, 720, 0.9), **CONE), "full circle", 360),
        (circular_cone(degrees(0, 200), **CONE), "short scan", 200),
        (circular_cone(degrees(0, 195), **CONE), "short scan", 195),
        (circular_cone(degrees(0, 190), **CONE), "limited angle", 190),
        (circular_cone(degrees(0, 120), **CONE), "limited angle", 120),
        (circular_cone(degrees(0, 360), axis_column=30.0, **CONE), "half fan", 360),
        (circular_cone(degrees(0, 360), axis_column=45.0, **CONE), "full circle", 360),
        (parallel(degrees(0, 180), **PARALLEL), "half circle", 180),
        (parallel(degrees(0, 181), **PARALLEL), "half circle", 180),
        (parallel(degrees(0, 270), **PARALLEL), "half circle", 180),
        (parallel(degrees(0, 360), **PARALLEL), "full circle", 360),
        (parallel(degrees(0, 360), axis_column=30.0, **PARALLEL), "half fan", 360),
        (parallel(degrees(0, 140), **PARALLEL), "limited angle", 140),
    ],
)
def test_kind_of_scan_is_detected(geometry, kind, sum_deg):
    plan = plan_for(geometry)
    assert plan.kind == kind
    assert np.degrees(plan.step_rad.sum()) == pytest.approx(sum_deg)
    assert bool(plan.warnings) == (kind == "limited angle")
    assert all(text.endswith(".") for text in plan.messages + plan.warnings)


@pytest.mark.parametrize("turn", [1, -1])
@pytest.mark.parametrize("beam", ["cone", "tilted", "parallel"])
def test_opposite_ray_is_at_its_fan_angle(beam, turn):
    angles = turn * degrees(10, 370, 5)
    if beam == "parallel":
        geometry = parallel(angles, axis_column=40.0, **PARALLEL)
    else:
        options = {"tilt_rad": (0.1, 0.2), "roll_rad": 0.1} if beam == "tilted" else {}
        geometry = circular_cone(angles, axis_column=40.0, **options, **CONE)
    orbit = orbit_of(geometry)
    for view in (0, 7, 50):
        pixels, fan_of = geometry.pixel_mm(view)[..., :2], orbit.fan(view)
        beta = orbit.angles_rad[view]
        # the opposite ray is the same line with the opposite sign of the distance
        if beam == "parallel":
            across = np.array([-np.sin(beta), np.cos(beta)])
            np.testing.assert_allclose(np.broadcast_to(fan_of, pixels.shape[:2]), -pixels @ across)
            continue
        twin = beta + np.pi + 2 * fan_of
        source = geometry.source_mm[view, :2]
        ray = pixels - source
        to_twin = 500 * np.stack([np.cos(twin), np.sin(twin)], -1) - source
        turned = ray[..., 0] * to_twin[..., 1] - ray[..., 1] * to_twin[..., 0]
        lengths = np.linalg.norm(ray, axis=-1) * np.linalg.norm(to_twin, axis=-1)
        np.testing.assert_allclose(turned / lengths, 0, atol=FLOAT64)
        assert (np.sum(ray * to_twin, axis=-1) > 0).all()


@pytest.mark.parametrize("axis_column", [20.0, 71.0])
def test_half_fan_is_extended_symmetrically(axis_column):
    geometry = circular_cone(degrees(0, 360), axis_column=axis_column, **CONE)
    plan = plan_for(geometry)
    middle = (plan.geometry.shape[1] - 1) / 2
    assert plan.geometry.axis_column[0] == pytest.approx(middle, abs=0.51)
    before, after = plan.added_columns
    assert (before > 0) != (after > 0)
    shifted = geometry.pixel_mm(3) - plan.geometry.pixel_mm(3)[:, before : before + 100]
    np.testing.assert_allclose(shifted, 0, atol=FLOAT64_SUMS)
    assert plan.weight_map().shape == (360, 100)
    outside = plan.weights(0)[0, :before] if before else plan.weights(0)[0, -after:]
    assert outside.max() < 1e-12


def test_truncated_short_side_uses_half_fan_weights():
    geometry = circular_cone(degrees(0, 360), axis_column=47.0, **CONE)
    assert plan_for(geometry).kind == "full circle"
    assert plan_for(geometry, cut_sides=(True, False)).kind == "half fan"
    assert plan_for(geometry, cut_sides=(False, True)).kind == "full circle"
    assert plan_for(geometry, cut_sides=(True, False), half_fan="off").kind == "full circle"
    assert plan_for(geometry, half_fan="on").kind == "half fan"


def test_half_fan_of_a_short_scan_gives_a_warning():
    plan = plan_for(circular_cone(degrees(0, 220), axis_column=30.0, **CONE))
    assert plan.kind == "short scan"
    assert any("full circle" in text for text in plan.warnings)


@pytest.mark.parametrize("column", [-7.5, 20.25, 110.0])
@pytest.mark.parametrize("beam", [circular_cone, parallel])
def test_axis_projects_to_its_column_on_and_off_the_detector(beam, column):
    options = CONE if beam is circular_cone else PARALLEL
    off_centre = beam(degrees(0, 360, 10), axis_column=column, **options)
    assert axis_column(orbit_of(off_centre)) == pytest.approx(column)
    assert axis_column(orbit_of(off_centre.flipped(columns=True))) == pytest.approx(99 - column)


def test_manual_settings_are_respected():
    whole = circular_cone(degrees(0, 360), **CONE)
    part = circular_cone(degrees(0, 210), **CONE)
    assert plan_for(whole, short_scan="on").kind == "short scan"
    np.testing.assert_allclose(plan_for(part, short_scan="off").weight_map(), 180 / 210)
    np.testing.assert_allclose(plan_for(whole, short_scan="off").weight_map(), 0.5)


def test_axis_of_a_moved_scanner_is_found():
    turn = np.array([[1, 0, 0], [0, 0, -1], [0, 1, 0]], float)
    shift = np.array([40.0, -30.0, 12.0])
    for still in (
        circular_cone(degrees(0, 200), **CONE),
        parallel(degrees(0, 180), axis_column=40.0, **PARALLEL),
    ):
        moved = orbit_of(still.moved(turn, shift))
        assert abs(moved.axis @ turn[:, 2]) == pytest.approx(1)
        off = np.cross(moved.point_mm - shift, moved.axis)
        np.testing.assert_allclose(off, 0, atol=1e-6)
        plan, other = plan_for(still), plan_for(still.moved(turn, shift))
        assert plan.kind == other.kind
        np.testing.assert_allclose(other.step_rad, plan.step_rad)
        np.testing.assert_allclose(other.weight_map(), plan.weight_map(), atol=FLOAT64_SUMS)


def test_repeated_and_lost_views_are_reported():
    again = plan_for(circular_cone(degrees(0, 361), **CONE))
    assert any("last view repeats the first" in text for text in again.messages)
    incomplete = np.delete(degrees(0, 360), [100, 101])
    assert any("largest gap is" in text for text in plan_for(fan_of(incomplete)).warnings)


def fan_of(angles):
    return fan(angles, source_axis_mm=500.0, source_detector_mm=750.0, n_columns=100, pixel_mm=2.0)


def test_helix_gives_a_warning():
    plan = plan_for(helical(degrees(0, 360), pitch_mm=50.0, **CONE))
    assert any("along its axis" in text for text in plan.warnings)
    assert any("Helical orbit" in text for text in plan.messages)
    assert not any("measured twice" in text for text in plan.messages)


def test_detector_on_its_side_is_refused():
    geometry = circular_cone(circle(90), roll_rad=np.pi / 2, **CONE)
    with pytest.raises(GeometryError, match="swap rows and columns"):
        plan_for(geometry)


def test_rays_along_the_axis_are_refused():
    turn = np.array([[0, 0, -1], [0, 1, 0], [1, 0, 0]], float)
    along = parallel(np.zeros(9), **PARALLEL).moved(turn)
    with pytest.raises(GeometryError, match="parallel to the axis of rotation"):
        plan_for(along)


def test_softened_rows_are_means_of_three(rng):
    geometry = parallel(circle(6), shape=(5, 16), pixel_mm=1.0)
    values = rng.random((6, 5, 16)).astype("f4")
    sharp, soft = (
        filtered(values, planned(values, geometry, chosen), chosen, on=cpu(1))
        for chosen in (FilterSettings(soften_rows=s, truncation="off") for s in (False, True))
    )
    expected = sharp[:, :-2] / 4 + sharp[:, 1:-1] / 2 + sharp[:, 2:] / 4
    np.testing.assert_allclose(soft[:, 1:-1], expected, atol=1e-6)
    np.testing.assert_allclose(soft[:, 0], 0.75 * sharp[:, 0] + 0.25 * sharp[:, 1], atol=1e-6)


@pytest.mark.parametrize("tilt", [(0.0, 0.0), (0.3, -0.2)])
def test_density_of_lines_is_that_of_each_ray(tilt):
    """|a' × d| / D, with the vectors of every pixel."""
    scan = circular_cone(
        circle(5), source_axis_mm=60.0, source_detector_mm=90.0, shape=(7, 9), pixel_mm=4.0,
        tilt_rad=tilt, roll_rad=tilt[0],
    )  # fmt: skip
    orbit, view = orbit_of(scan), 3
    rays = scan.pixel_mm(view) - scan.source_mm[view]
    d = rays / np.linalg.norm(rays, axis=-1, keepdims=True)
    moved = np.linalg.norm(np.cross(orbit.radius_mm[view] * orbit.tangent[view], d), axis=-1)
    along = scan.u_mm[view] / np.linalg.norm(scan.u_mm[view])
    distance = np.linalg.norm(np.cross(rays, along), axis=-1)
    np.testing.assert_allclose(density(orbit, view), moved / distance, rtol=FLOAT64)
