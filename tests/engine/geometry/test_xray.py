"""X-ray geometry: projection matrices, rigid motion, parts of the detector, signs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from engine.core.errors import GeometryError
from engine.geometry.grid import ImageGrid
from engine.geometry.orbits import circle, circular_cone, parallel
from engine.geometry.vectors import about_z
from engine.geometry.xray import XrayGeometry
from tests.tolerances import FLOAT64, FLOAT64_MM, FLOAT64_SUMS

Rng = np.random.Generator
BEAMS = ("cone", "parallel")


def any_geometry(rng: Rng, beam: Any, shape: tuple[int, int] = (5, 7)) -> XrayGeometry:
    """Return random sources, detectors and pixels."""
    n = 6
    source = rng.normal((500, 0, 0), 1, (n, 3))
    return XrayGeometry(
        beam=beam,
        source_mm=source * rng.uniform(0.5, 2, (n, 1)),
        detector_mm=rng.normal((-300, 0, 0), 20, (n, 3)),
        u_mm=rng.normal((0, rng.choice([-1, 1]), 0), 0.3, (n, 3)),
        v_mm=rng.normal((0, 0, rng.choice([-2, 2])), 0.3, (n, 3)),
        shape=shape,
    )


def any_rotation(rng: Rng) -> np.ndarray:
    q, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    return np.asarray(q * np.sign(np.linalg.det(q)))


def pixels(geometry: XrayGeometry) -> np.ndarray:
    """Return (n_views, n_rows, n_columns, 3) centres."""
    return np.stack([geometry.pixel_mm(view) for view in range(geometry.n_views)])


@pytest.mark.parametrize("beam", BEAMS)
def test_centre_of_a_pixel_projects_to_its_row_and_column(rng: Rng, beam: str) -> None:
    geometry = any_geometry(rng, beam)
    points = np.concatenate([pixels(geometry), np.ones((6, 5, 7, 1))], axis=-1)
    a, b, den = np.einsum("vki,vrci->kvrc", geometry.matrices(), points)
    row, column = np.indices((5, 7)) + 0.5
    np.testing.assert_allclose(den, 1, atol=FLOAT64)
    np.testing.assert_allclose(a / den, np.broadcast_to(column, a.shape), atol=FLOAT64)
    np.testing.assert_allclose(b / den, np.broadcast_to(row, b.shape), atol=FLOAT64)


@pytest.mark.parametrize("beam", BEAMS)
def test_all_points_of_a_ray_project_to_its_pixel(rng: Rng, beam: str) -> None:
    geometry = any_geometry(rng, beam)
    for view in range(geometry.n_views):
        positions = geometry.pixel_mm(view)
        source = geometry.source_mm[view]
        ray = positions - source if beam == "cone" else source
        points = positions - rng.uniform(0.01, 0.9, (5, 7, 1)) * ray
        row, column = np.indices((5, 7))
        projected = geometry.project(points)[view]
        np.testing.assert_allclose(projected, np.stack([column, row], axis=-1), atol=FLOAT64_MM)


def test_depth_is_relative_to_that_of_the_detector(rng: Rng) -> None:
    geometry = any_geometry(rng, "cone")
    point = rng.normal(0, 30, 3)
    den = geometry.matrices()[:, 2] @ np.append(point, 1)
    to_point = np.sum((point - geometry.source_mm) * geometry.normal, axis=1)
    np.testing.assert_allclose(den, np.abs(to_point) / geometry.source_detector_mm, rtol=FLOAT64)


def test_voxels_are_projected_at_their_positions(rng: Rng) -> None:
    grid = ImageGrid((4, 5, 6), (1.5, 0.7, 2.0), (3.0, -8.0, 11.0))
    geometry = any_geometry(rng, "cone")
    index = rng.integers(0, 4, (10, 3)) + 0.5
    places = grid.lower_mm + index * grid.voxel_mm
    in_voxels = geometry.in_voxels(grid) @ np.append(index, np.ones((10, 1)), axis=1).T
    projected = (in_voxels[:, :2] / in_voxels[:, 2:]).transpose(0, 2, 1) - 0.5
    np.testing.assert_allclose(projected, geometry.project(places), atol=FLOAT64_MM)


@pytest.mark.parametrize("beam", BEAMS)
def test_common_rigid_motion_of_points_and_scanner_changes_nothing(rng: Rng, beam: str) -> None:
    geometry, points = any_geometry(rng, beam), rng.normal(0, 40, (20, 3))
    turn, shift = any_rotation(rng), rng.normal(0, 100, 3)
    moved = geometry.moved(turn, shift).project(points @ turn.T + shift)
    np.testing.assert_allclose(moved, geometry.project(points), atol=FLOAT64_SUMS)


def test_views_are_moved_one_by_one(rng: Rng) -> None:
    geometry = any_geometry(rng, "cone")
    turns = np.stack([any_rotation(rng) for _ in range(6)])
    shifts = rng.normal(0, 100, (6, 3))
    moved = geometry.moved(turns, shifts)
    for view in range(6):
        single_view = geometry.select([view]).moved(turns[view], shifts[view])
        np.testing.assert_allclose(moved.pixel_mm(view), single_view.pixel_mm(0), atol=FLOAT64_MM)


def test_rotation_about_z_adds_to_the_angles() -> None:
    orbit = circular_cone(
        circle(8), source_axis_mm=100, source_detector_mm=150, shape=(3, 4), pixel_mm=2.0
    )
    np.testing.assert_allclose(
        orbit.rotated(0.3).angles_rad, circle(8, first_rad=0.3), atol=FLOAT64
    )


@pytest.mark.parametrize("beam", BEAMS)
def test_selected_views_have_their_pixels(rng: Rng, beam: str) -> None:
    geometry = any_geometry(rng, beam)
    for views in (slice(1, None, 2), [4, 0], np.array([True, False, True, False, False, True])):
        np.testing.assert_array_equal(pixels(geometry.select(views)), pixels(geometry)[views])


@pytest.mark.parametrize("beam", BEAMS)
def test_crop_preserves_the_position_of_its_pixels(rng: Rng, beam: str) -> None:
    geometry = any_geometry(rng, beam)
    part = geometry.cropped(slice(1, 4), slice(2, None))
    assert part.shape == (3, 5)
    np.testing.assert_allclose(pixels(part), pixels(geometry)[:, 1:4, 2:], atol=FLOAT64_MM)
    np.testing.assert_array_equal(part.source_mm, geometry.source_mm)


def test_binned_pixel_is_the_centre_of_its_pixels(rng: Rng) -> None:
    geometry = any_geometry(rng, "cone")
    binned = geometry.binned((2, 3))
    assert binned.shape == (2, 2)
    middles = pixels(geometry)[:, :4, :6].reshape(6, 2, 2, 2, 3, 3).mean(axis=(2, 4))
    np.testing.assert_allclose(pixels(binned), middles, atol=FLOAT64_MM)
    np.testing.assert_allclose(geometry.binned(2).u_mm, 2 * geometry.u_mm)


def test_shifted_detector_sees_points_at_smaller_rows_and_columns(rng: Rng) -> None:
    geometry, points = any_geometry(rng, "cone"), rng.normal(0, 20, (9, 3))
    columns = rng.normal(size=6)
    projected = geometry.shifted(columns=columns, rows=1.5).project(points)
    away = np.stack([columns, np.full(6, 1.5)], axis=1)[:, None]
    np.testing.assert_allclose(projected, geometry.project(points) - away, atol=FLOAT64_SUMS)


@pytest.mark.parametrize("flip", [{}, {"columns": True}, {"rows": True}])
def test_roll_rotates_u_towards_v_about_the_centre(flip: dict[str, bool]) -> None:
    orbit = parallel([0.4], shape=(9, 9), pixel_mm=1.0).flipped(**flip)
    rolled = orbit.rolled(np.pi / 2)
    np.testing.assert_allclose(rolled.u_mm, orbit.v_mm, atol=FLOAT64)
    np.testing.assert_allclose(rolled.v_mm, -orbit.u_mm, atol=FLOAT64)
    np.testing.assert_array_equal(rolled.detector_mm, orbit.detector_mm)


def test_tilted_detector_has_a_rotated_normal() -> None:
    orbit = parallel([0.0], shape=(9, 9), pixel_mm=1.0)
    about_u, about_v = orbit.tilted(about_u_rad=0.1), orbit.tilted(about_v_rad=0.1)
    np.testing.assert_array_equal(about_u.u_mm, orbit.u_mm)
    np.testing.assert_array_equal(about_v.v_mm, orbit.v_mm)
    for tilted in (about_u, about_v):
        assert tilted.normal[0] @ orbit.normal[0] == pytest.approx(np.cos(0.1))
    np.testing.assert_allclose(about_u.v_mm[0], [np.sin(0.1), 0, np.cos(0.1)], atol=FLOAT64)
    np.testing.assert_allclose(about_v.u_mm[0], [-np.sin(0.1), np.cos(0.1), 0], atol=FLOAT64)


def test_flip_counts_from_the_other_side(rng: Rng) -> None:
    geometry = any_geometry(rng, "cone")
    np.testing.assert_allclose(
        pixels(geometry.flipped(columns=True)), pixels(geometry)[:, :, ::-1], atol=FLOAT64_MM
    )
    np.testing.assert_allclose(
        pixels(geometry.flipped(rows=True)), pixels(geometry)[:, ::-1], atol=FLOAT64_MM
    )


@pytest.mark.parametrize("beam", BEAMS)
@pytest.mark.parametrize("wrong", ["rotation", "columns", "rows", "axis"])
def test_marker_detects_a_wrong_sign(beam: str, wrong: str) -> None:
    """A marker is at +x, and after a quarter turn at +y, above the centre."""
    angles = circle(4)
    scan: dict[str, Any] = {"shape": (21, 21), "pixel_mm": 1.0}
    make = parallel if beam == "parallel" else circular_cone
    if beam == "cone":
        scan |= {"source_axis_mm": 1000, "source_detector_mm": 1000.0}
    truth = make(angles, **scan)
    marker = (4.0, 2.0, 3.0)
    projected = truth.project(marker).round()
    np.testing.assert_array_equal(projected, [[12, 13], [6, 13], [8, 13], [14, 13]])
    other = {
        "rotation": make(-angles, **scan),
        "columns": truth.flipped(columns=True),
        "rows": truth.flipped(rows=True),
        "axis": truth.moved(np.diag([1.0, -1.0, -1.0])),
    }[wrong]
    assert np.abs(other.project(marker) - projected).max() > 2


def test_circular_orbit_is_recognised_with_its_distances() -> None:
    angles = circle(7, first_rad=1.0)
    orbit = circular_cone(
        angles, source_axis_mm=120, source_detector_mm=180, shape=(4, 6), pixel_mm=2.0
    )
    np.testing.assert_allclose(orbit.angles_rad, np.mod(angles, 2 * np.pi), atol=FLOAT64)
    np.testing.assert_allclose(orbit.source_axis_mm, 120)
    np.testing.assert_allclose(orbit.source_detector_mm, 180)
    np.testing.assert_allclose(orbit.magnification, 1.5)
    np.testing.assert_allclose(orbit.axis_column, 2.5, atol=FLOAT64)
    assert orbit.pixel_size_mm == pytest.approx((2.0, 2.0))
    assert orbit.is_circular
    assert orbit.is_upright
    assert orbit.select([3, 1, 6]).is_circular
    assert orbit.rolled(0.1).is_circular
    assert not orbit.rolled(0.1).is_upright
    assert not orbit.moved(shift_mm=(1.0, 0, 0)).is_circular
    assert not orbit.shifted(columns=np.arange(7) / 100).is_circular


def test_angle_of_a_full_turn_is_zero() -> None:
    orbit = parallel([0.0, 2 * np.pi, -1e-16], shape=(1, 3), pixel_mm=1.0)
    np.testing.assert_allclose(orbit.angles_rad, 0, atol=FLOAT64)


def test_ray_directions_are_normalised(rng: Rng) -> None:
    geometry = any_geometry(rng, "parallel")
    np.testing.assert_allclose(np.linalg.norm(geometry.source_mm, axis=1), 1)


def test_vectors_are_read_only() -> None:
    source = np.array([[100.0, 0, 0]])
    geometry = XrayGeometry("cone", source, -source, [[0, 1, 0]], [[0, 0, 1]], (3, 3))
    source[:] = 7
    assert geometry.source_mm[0, 0] == 100
    with pytest.raises(ValueError, match="read-only"):
        geometry.u_mm[0, 0] = 1


GOOD: dict[str, Any] = {
    "beam": "cone",
    "source_mm": [[100.0, 0, 0]] * 2,
    "detector_mm": [[-50.0, 0, 0]] * 2,
    "u_mm": [[0, 1.0, 0]] * 2,
    "v_mm": [[0, 0, 1.0]] * 2,
    "shape": (3, 4),
}


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({"beam": "fan"}, 'beam is "fan"'),
        ({"source_mm": [100.0, 0, 0]}, r"source_mm has shape \(3,\)"),
        ({"source_mm": np.zeros((0, 3))}, "source_mm has shape"),
        ({"source_mm": [["a", 0, 0]] * 2}, "must contain three numbers"),
        ({"source_mm": [[100.0, 0, 0]] * 3}, r"different numbers of views \(source_mm 3"),
        ({"detector_mm": [[-50.0, 0, 0], [0, np.nan, 0]]}, "detector_mm of view 1 is"),
        ({"u_mm": [[0, np.inf, 0]] * 2}, "u_mm of view 0 is"),
        ({"u_mm": [[0, 1.0, 0], [0, 0, 0]]}, "view 1: the step between columns"),
        ({"v_mm": [[0, 0, 0]] * 2}, "view 0: the step between rows"),
        ({"v_mm": [[0, -2.0, 0]] * 2}, "are parallel"),
        ({"source_mm": [[100.0, 0, 0], [-50, 7, 9]]}, "view 1: the source lies in the plane"),
        ({"source_mm": [[-50.0, 0, 0]] * 2}, "the source lies in the plane"),
        ({"beam": "parallel", "source_mm": [[0, 1.0, 1.0]] * 2}, "the rays are parallel"),
        ({"beam": "parallel", "source_mm": [[0.0, 0, 0]] * 2}, "have no direction"),
        ({"shape": (0, 4)}, "detector shape is"),
        ({"shape": (3, 4, 5)}, "detector shape is"),
        ({"shape": (3, 4.5)}, "detector shape is"),
    ],
)
def test_invalid_geometry_is_refused(change: dict[str, Any], fault: str) -> None:
    XrayGeometry(**GOOD)
    with pytest.raises(GeometryError, match=fault) as message:
        XrayGeometry(**{**GOOD, **change})
    assert "\n" not in str(message.value)


def test_missing_parts_are_refused() -> None:
    geometry = XrayGeometry(**GOOD)
    for fault, call in {
        "rows: the range 3 to 9 is empty or has gaps": lambda: geometry.cropped(
            slice(3, 9), slice(None)
        ),
        "columns: the range 0 to 4 is empty or has gaps": lambda: geometry.cropped(
            slice(None), slice(0, 4, 2)
        ),
        "binning by 4 × 4": lambda: geometry.binned(4),
        "one .x, y, z. for each": lambda: geometry.select([]),
    }.items():
        with pytest.raises(GeometryError, match=fault):
            call()


def test_rotation_turns_x_towards_y() -> None:
    # The cosine of a float64 quarter turn is 6e-17.
    np.testing.assert_allclose(about_z(np.pi / 2) @ (1, 0, 0), [0, 1, 0], atol=1e-15)
    assert about_z(np.zeros(4)).shape == (4, 3, 3)
