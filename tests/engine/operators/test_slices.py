"""Oblique slices equal those of a volume, and those of a rotated volume."""

import numpy as np
import pytest

from engine.core.backend import cpu, cuda
from engine.core.errors import GeometryError
from engine.geometry.grid import ImageGrid
from engine.geometry.orbits import circle, circular_cone, parallel
from engine.geometry.plane import Plane, orthogonal
from engine.operators.xray.slices import Slices
from engine.operators.xray.transform import XrayTransform
from tests.emulator import EmulatedGpu
from tests.tolerances import FLOAT64, FLOAT64_SUMS

N_VIEWS = 40
CONE = {"source_axis_mm": 60.0, "source_detector_mm": 90.0, "shape": (6, 9), "pixel_mm": 2.0}
SCANS = {
    "upright": circular_cone(circle(N_VIEWS), **CONE),
    "tilted": circular_cone(circle(N_VIEWS), tilt_rad=(0.1, 0.2), **CONE),
    "parallel": parallel(circle(N_VIEWS), shape=(6, 9), pixel_mm=1.3),
}
S = np.sqrt(0.5)
OBLIQUE = Plane((4, 5), 1.1, (0.3, -1.0, 0.7), (S, S, 0.0), (0.0, 0.0, -1.0))


@pytest.fixture(params=["cpu", "emulated", "reversed", pytest.param("card", marks=pytest.mark.gpu)])
def on(request):
    """Return all devices; the emulated GPU has exact fractions."""
    if request.param == "cpu":
        return cpu(2)
    if request.param == "card":
        return cuda()
    return cuda(EmulatedGpu(exact_textures=True, reverse=request.param == "reversed"))


def tolerance(on):
    return 1e-5 if on.gpu is None or isinstance(on.gpu, EmulatedGpu) else 1 / 200


def data(rng, geometry):
    return 0.5 + rng.random((geometry.n_views, *geometry.shape), np.float32)


@pytest.mark.parametrize("scan", SCANS)
def test_orthogonal_slices_equal_those_of_the_volume(rng, on, scan):
    geometry, y = SCANS[scan], data(rng, SCANS[scan])
    middle = (-1.0, 2.0, 0.5)
    slices = Slices(geometry, orthogonal((5, 5), 1.1, middle), on=on)
    slices.update(y)

    cube = XrayTransform(geometry, ImageGrid((5, 5, 5), (1.1,) * 3, middle), on=cpu(2))
    volume = cube.back_project(y, weighting="fdk")
    orthogonal_slices = volume[2], volume[:, 2], volume[:, :, 2]
    for actual, expected in zip(slices.values(), orthogonal_slices, strict=True):
        atol = tolerance(on) * volume.max()
        np.testing.assert_allclose(on.to_host(actual), expected, rtol=0, atol=atol)


def test_slices_can_be_moved_and_get_new_projections(rng, on):
    geometry = SCANS["tilted"]
    one, other = data(rng, geometry), data(rng, geometry)
    first = Plane((4, 5), 1.1)
    slices = Slices(geometry, (first, first), on=on)
    slices.update(one)
    before = on.to_host(slices.values()[0]).copy()
    slices.place((first, OBLIQUE))
    slices.update(other[3:], first=3)
    still, moved = (on.to_host(values) for values in slices.values())

    mixed = np.concatenate([one[:3], other[3:]])
    for actual, plane in ((still, first), (moved, OBLIQUE)):
        A = XrayTransform(plane.seen(geometry), plane.grid, on=cpu(1))
        expected = A.back_project(mixed, weighting="fdk")[0]
        np.testing.assert_allclose(actual, expected, rtol=0, atol=tolerance(on) * expected.max())
    assert np.abs(still - before).max() > 0.01 * before.max()


@pytest.mark.parametrize("plane", [OBLIQUE, *orthogonal((3, 4), 2.0, (1.0, 2.0, 3.0))])
def test_slice_in_a_moved_scan_has_the_matrices_of_its_position(plane):
    geometry = SCANS["tilted"]
    moved = plane.seen(geometry).in_voxels(plane.grid)
    np.testing.assert_allclose(moved, geometry.matrices() @ plane.to_mm, rtol=0, atol=FLOAT64_SUMS)


def test_pixels_of_a_slice_follow_across_and_down():
    at = OBLIQUE.to_mm @ np.array([[2.5, 2.0, 0.5, 1], [3.5, 2.0, 0.5, 1], [2.5, 3.0, 0.5, 1]]).T
    middle, right, below = at[:3].T
    np.testing.assert_allclose(middle, OBLIQUE.centre_mm, atol=FLOAT64)
    np.testing.assert_allclose(right - middle, 1.1 * np.array(OBLIQUE.across), atol=FLOAT64)
    np.testing.assert_allclose(below - middle, 1.1 * np.array(OBLIQUE.down), atol=FLOAT64)


def test_slice_rotates_right_handed_about_its_centre():
    axial, coronal, _ = orthogonal((3, 4), 2.0, (1.0, 2.0, 3.0))
    assert axial.turned((1.0, 0.0, 0.0), np.pi / 2) == coronal
    axis = np.array((0.3, -0.5, 0.7))
    angle = 2 * np.pi / 7
    found = OBLIQUE.turned(tuple(axis), angle)
    assert found.centre_mm == OBLIQUE.centre_mm
    np.testing.assert_allclose(axis @ found.turn, axis @ OBLIQUE.turn, atol=FLOAT64)
    turn = found.turn @ OBLIQUE.turn.T
    assert np.trace(turn) == pytest.approx(1 + 2 * np.cos(angle))
    for _ in range(6):
        found = found.turned(tuple(axis), angle)
    np.testing.assert_allclose(found.turn, OBLIQUE.turn, atol=FLOAT64)


def test_directions_of_a_slice_must_be_perpendicular():
    for across, down in (((1.0, 0.0, 0.0), (S, S, 0.0)), ((2.0, 0.0, 0.0), (0.0, 1.0, 0.0))):
        with pytest.raises(GeometryError, match="perpendicular"):
            Plane((2, 2), 1.0, across=across, down=down)


def test_slices_keep_their_shapes():
    slices = Slices(SCANS["upright"], (Plane((4, 5), 1.0),), on=cpu(1))
    with pytest.raises(GeometryError, match=r"new slices have the shapes \[\(4, 6\)\]"):
        slices.place((Plane((4, 6), 1.0),))
