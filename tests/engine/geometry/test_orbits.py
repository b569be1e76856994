"""Orbits: formulas, limits, and the scans that ASTRA, RTK and XCIST write."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from engine.core.errors import GeometryError
from engine.geometry.orbits import (
    circle,
    circular_cone,
    fan,
    from_astra_vectors,
    helical,
    parallel,
    to_astra_vectors,
)
from engine.geometry.rtk import RtkParameters, from_rtk, to_rtk
from engine.geometry.xray import XrayGeometry
from tests.tolerances import FLOAT64_MM, FLOAT64_SUMS

Rng = np.random.Generator
CONE: dict[str, Any] = {
    "source_axis_mm": 100.0,
    "source_detector_mm": 150.0,
    "shape": (6, 9),
    "pixel_mm": (2.0, 1.5),
}
ANGLES = circle(5, first_rad=0.3)


def assert_same(one: XrayGeometry, other: XrayGeometry, atol: float = 1e-10) -> None:
    assert one.beam == other.beam
    assert one.shape == other.shape
    for name in ("source_mm", "detector_mm", "u_mm", "v_mm"):
        np.testing.assert_allclose(getattr(one, name), getattr(other, name), atol=atol)


def test_circle_of_views_follows_the_formula() -> None:
    cos, sin, zero = np.cos(ANGLES), np.sin(ANGLES), np.zeros(5)
    out, across = np.stack([cos, sin, zero], axis=1), np.stack([-sin, cos, zero], axis=1)
    orbit = circular_cone(ANGLES, **CONE, detector_shift_mm=(3.0, -4.0))
    up = np.array([0, 0, 1.0])
    expected = XrayGeometry(
        beam="cone",
        source_mm=100 * out,
        detector_mm=-50 * out + 3 * across - 4 * up,
        u_mm=2 * across,
        v_mm=np.tile(1.5 * up, (5, 1)),
        shape=(6, 9),
    )
    assert_same(orbit, expected)
    assert (np.sum(orbit.normal * out, axis=1) > 0.999).all()


@pytest.mark.parametrize(
    "more", [{}, {"roll_rad": 0.1, "tilt_rad": (0.05, -0.2)}, {"source_shift_mm": (4.0, 7.0)}]
)
def test_axis_is_projected_to_its_stated_column(more: dict[str, Any]) -> None:
    orbit = circular_cone(ANGLES, **CONE, **more, axis_column=2.75, axis_row=0.5)
    np.testing.assert_allclose(orbit.axis_seen, np.tile([2.75, 0.5], (5, 1)), atol=FLOAT64_MM)


def test_axis_is_projected_to_the_shift_of_the_facts() -> None:
    shifted = circular_cone(ANGLES, **CONE, detector_shift_mm=(((9 - 1) / 2 - 1.25) * 2.0, 0.0))
    assert_same(circular_cone(ANGLES, **CONE, axis_column=1.25), shifted)


def test_source_shift_differs_from_a_detector_shift() -> None:
    source = circular_cone(ANGLES, **CONE, source_shift_mm=(4.0, 0.0))
    # Shift the detector so that the axis appears in the same column.
    detector = circular_cone(ANGLES, **CONE, axis_column=float(source.axis_column[0]))
    assert source.axis_column == pytest.approx(4 - 4 * 50 / 100 / 2)
    off_axis = (0.0, 30.0, 0.0)
    assert np.abs(source.project(off_axis) - detector.project(off_axis)).max() > 0.3


def test_parallel_rays_are_those_of_a_far_source() -> None:
    far: dict[str, Any] = {"source_axis_mm": 1e9, "source_detector_mm": 1e9}
    options: dict[str, Any] = {"shape": (6, 9), "pixel_mm": (2.0, 1.5), "roll_rad": 0.2}
    options |= {"detector_shift_mm": (3.0, 1.0)}
    cone, beam = circular_cone(ANGLES, **far, **options), parallel(ANGLES, **options)
    points = np.array([[10.0, 4, -3], [-20, 7, 5], [0, 0, 0]])
    # The source is 1e9 mm away: points 20 mm deep shift by 20 / 1e9 of their position, and float64
    # rounds positions of 1e9 mm to 1e-7 mm.
    np.testing.assert_allclose(cone.project(points), beam.project(points), atol=1e-5)
    np.testing.assert_allclose(cone.angles_rad, beam.angles_rad, atol=FLOAT64_SUMS)
    np.testing.assert_allclose(cone.magnification, beam.magnification)
    # float64 rounds positions of 1e9 mm to 1e-7 mm.
    np.testing.assert_allclose(cone.axis_seen, beam.axis_seen, atol=1e-6)


def test_parallel_rays_project_the_axis_to_its_column() -> None:
    beam = parallel(ANGLES, shape=(2, 640), pixel_mm=1.0, axis_column=295.5, axis_row=1.0)
    np.testing.assert_allclose(beam.axis_seen, np.tile([295.5, 1.0], (5, 1)), atol=FLOAT64_SUMS)
    # A point at distance t from the axis, along u, projects t columns further.
    angle = ANGLES[:, None]
    points = 7 * np.concatenate([-np.sin(angle), np.cos(angle), 0 * angle], axis=1)
    projected = np.stack([beam.select([k]).project(point)[0] for k, point in enumerate(points)])
    np.testing.assert_allclose(projected[:, 0], 302.5, atol=FLOAT64_SUMS)


def test_helix_rises_by_its_pitch_per_turn() -> None:
    turns = circle(30, range_rad=6 * np.pi)
    helix = helical(turns, pitch_mm=12.0, z_mm=-5.0, **CONE)
    np.testing.assert_allclose(helix.source_mm[:, 2], -5 + 12 * np.arange(30) / 10)
    np.testing.assert_allclose(helix.detector_mm[:, 2], helix.source_mm[:, 2])
    np.testing.assert_allclose(helix.source_axis_mm, 100)
    np.testing.assert_allclose(helix.axis_seen, np.tile([4.0, 2.5], (30, 1)), atol=FLOAT64_MM)
    assert not helix.is_circular
    assert_same(helical(turns, pitch_mm=0.0, **CONE), circular_cone(turns, **CONE))


@pytest.mark.parametrize("kind", [np.float32, np.float64, np.int64, np.array])
def test_numbers_of_numpy_count_like_those_of_python(kind: Callable[[int], Any]) -> None:
    from_numpy, from_python = (
        parallel([0.0, 1.0], shape=(4, 6), pixel_mm=size) for size in (kind(2), 2)
    )
    assert_same(from_numpy, from_python, atol=0)
    assert_same(from_python.binned(np.int32(2)), from_python.binned((2, 2)), atol=0)
    with pytest.raises(TypeError):
        from_python.binned(2.5)


def test_fan_is_the_middle_row_of_a_cone() -> None:
    size = {"source_axis_mm": 100.0, "source_detector_mm": 150.0, "pixel_mm": 2.0}
    cone = circular_cone(ANGLES, shape=(5, 9), source_shift_mm=(1.0, 0.0), **size, axis_column=3.0)
    flat = fan(ANGLES, n_columns=9, source_shift_mm=1.0, **size, axis_column=3.0)
    assert_same(flat, cone.cropped(slice(2, 3), slice(None)))
    cone = circular_cone(ANGLES, shape=(5, 9), detector_shift_mm=(3.0, 0.0), **size)
    flat = fan(ANGLES, n_columns=9, detector_shift_mm=3.0, **size)
    assert_same(flat, cone.cropped(slice(2, 3), slice(None)))


@pytest.mark.parametrize("make", [circular_cone, parallel])
def test_astra_vectors_survive_a_round_trip(make: Any) -> None:
    options = CONE if make is circular_cone else {k: CONE[k] for k in ("shape", "pixel_mm")}
    orbit = make(ANGLES, **options, roll_rad=0.3, detector_shift_mm=(1.0, 2.0))
    vectors = to_astra_vectors(orbit)
    assert vectors.shape == (5, 12)
    assert_same(from_astra_vectors(vectors, shape=(6, 9), beam=orbit.beam), orbit, 0)


def test_astra_cone_angles_are_ours_after_a_quarter_turn() -> None:
    theta = ANGLES
    cos, sin, zero = np.cos(theta), np.sin(theta), np.zeros(5)
    # ASTRA "cone": source (sin θ, −cos θ, 0) D, u (cos θ, sin θ, 0), v (0, 0, 1).
    columns = [100 * sin, -100 * cos, zero, -50 * sin, 50 * cos, zero]
    columns += [2 * cos, 2 * sin, zero, zero, zero, zero + 1.5]
    astra = from_astra_vectors(np.stack(columns, axis=1), shape=(6, 9))
    assert_same(astra, circular_cone(theta - np.pi / 2, **CONE))


def test_chest_of_xcist_has_columns_in_the_opposite_direction() -> None:
    b = 2 * np.pi * np.arange(200) / 200
    cos, sin, zero = np.cos(b), np.sin(b), np.zeros(200)
    readme = XrayGeometry(
        beam="cone",
        source_mm=1000 * np.stack([-sin, cos, zero], axis=1),
        detector_mm=500 * np.stack([sin, -cos, zero], axis=1),
        u_mm=2.8 * np.stack([cos, sin, zero], axis=1),
        v_mm=2.8 * np.tile([0, 0, 1.0], (200, 1)),
        shape=(96, 256),
    )
    orbit = circular_cone(
        circle(200, first_rad=np.pi / 2),
        source_axis_mm=1000,
        source_detector_mm=1500,
        shape=(96, 256),
        pixel_mm=2.8,
    )
    assert_same(orbit.flipped(columns=True), readme)


def any_rtk(rng: Rng, n: int = 4) -> RtkParameters:
    return RtkParameters(
        gantry_rad=rng.uniform(-3, 3, n),
        out_of_plane_rad=rng.uniform(-0.2, 0.2, n),
        in_plane_rad=rng.uniform(-1, 1, n),
        source_isocentre_mm=rng.uniform(500, 700, n),
        source_detector_mm=rng.uniform(900, 1200, n),
        source_offset_mm=rng.uniform(-20, 20, (n, 2)),
        projection_offset_mm=rng.uniform(-20, 20, (n, 2)),
    )


def test_rtk_parameters_survive_a_round_trip(rng: Rng) -> None:
    expected = any_rtk(rng)
    actual = to_rtk(from_rtk(expected, shape=(6, 9), pixel_mm=(2.0, 1.5)))
    for name, values in vars(expected).items():
        np.testing.assert_allclose(getattr(actual, name), values, atol=FLOAT64_SUMS, err_msg=name)


def test_calibrated_orbit_survives_rtk() -> None:
    options: dict[str, Any] = {"roll_rad": 0.03, "tilt_rad": (0.02, 0.05)}
    options |= {"source_shift_mm": (1.0, 2.0), "detector_shift_mm": (-3.0, 4.0)}
    orbit = circular_cone(ANGLES, **CONE, **options)
    again = from_rtk(to_rtk(orbit), shape=(6, 9), pixel_mm=(2.0, 1.5))
    assert_same(again, orbit)


def test_gantry_angle_0_of_rtk_is_above_the_patient() -> None:
    angles, same, none = ANGLES, np.ones(5), np.zeros(5)
    p = RtkParameters(angles, none, none, 100 * same, 150 * same, *np.zeros((2, 5, 2)))
    orbit = circular_cone(angles - np.pi / 2, **CONE)
    assert_same(from_rtk(p, shape=(6, 9), pixel_mm=(2.0, 1.5)), orbit)


def test_origin_of_rtk_is_the_centre_of_the_first_pixel(rng: Rng) -> None:
    p = any_rtk(rng)
    size: dict[str, Any] = {"shape": (6, 9), "pixel_mm": (2.0, 1.5)}
    middle = from_rtk(p, **size)
    assert_same(from_rtk(p, **size, origin_mm=(-8.0, -3.75)), middle)
    moved = from_rtk(p, **size, origin_mm=(-8.0 + 2.0, -3.75 - 3.0))
    assert_same(moved, middle.shifted(columns=1, rows=-2))


def test_points_are_projected_as_by_rtk() -> None:
    """The matrices of RTK 2.7 map points of its frame to mm on the detector."""
    sid, sdd, gantry = 559.942378107477, 1026.8061663592975, 10.195081612366668
    p = RtkParameters(
        gantry_rad=np.radians([gantry]),
        out_of_plane_rad=np.radians([2.3550321851880014]),
        in_plane_rad=np.radians([1.8461617837000617]),
        source_isocentre_mm=np.array([sid]),
        source_detector_mm=np.array([sdd]),
        source_offset_mm=np.array([[-3.4896733721434963, 14.91629807367633]]),
        projection_offset_mm=np.array([[-15.028668940017443, 6.824976587745212]]),
    )
    rtk = np.array(
        [
            [-1.00826907e03, -3.35258296e01, 1.91659997e02, -1.00443908e04],
            [2.65239755e01, -1.02573886e03, -3.94035098e01, 1.07854730e04],
            [1.76850758e-01, -4.10914929e-02, 9.83379529e-01, -5.59942378e02],
        ]
    )
    point = np.array([30.0, -50.0, 80.0])
    a, b, den = rtk @ np.append(point, 1)
    x, y, z = point
    geometry = from_rtk(p, shape=(6, 9), pixel_mm=(2.0, 1.5), origin_mm=(0.0, 0.0))
    column, row = geometry.project((x, -z, y))[0]
    # The matrix above is printed with nine digits.
    assert (2.0 * column, 1.5 * row) == pytest.approx((a / den, b / den), abs=1e-5)


@pytest.mark.parametrize(
    ("fault", "geometry"),
    [
        ("The beam is parallel", parallel(ANGLES, shape=(3, 4), pixel_mm=1.0)),
        ("away from the source", circular_cone(ANGLES, **CONE).flipped(rows=True)),
        (
            "not perpendicular",
            XrayGeometry("cone", [[9, 0, 0]], [[-9, 0, 0]], [[0, 1, 0]], [[0, 0.1, 1]], (3, 4)),
        ),
        (
            "pixel size differs",
            XrayGeometry(
                "cone",
                [[9, 0, 0]] * 2,
                [[-9, 0, 0]] * 2,
                [[0, 1, 0], [0, 2, 0]],
                [[0, 0, 1]] * 2,
                (3, 4),
            ),
        ),
    ],
)
def test_orbit_that_rtk_cannot_describe_is_refused(fault: str, geometry: XrayGeometry) -> None:
    with pytest.raises(GeometryError, match=fault):
        to_rtk(geometry)


def test_impossible_scans_are_refused(rng: Rng) -> None:
    p = any_rtk(rng)
    endless = RtkParameters(**{**vars(p), "source_detector_mm": np.zeros(4)})
    for fault, call in {
        "must both be above 0": lambda: circular_cone(ANGLES, **{**CONE, "source_axis_mm": 0.0}),
        "pixels of 2 × 0 mm": lambda: circular_cone(ANGLES, **{**CONE, "pixel_mm": (2.0, 0.0)}),
        "one finite angle": lambda: parallel([0.0, np.nan], shape=(1, 3), pixel_mm=1.0),
        "expected .n_views, 12.": lambda: from_astra_vectors(np.ones((3, 6)), shape=(3, 4)),
        "means a parallel beam": lambda: from_rtk(endless, shape=(3, 4), pixel_mm=(1.0, 1.0)),
    }.items():
        with pytest.raises(GeometryError, match=fault):
            call()
