"""Line integrals of X-rays: closed forms, the adjoint, the same numbers on every code path."""

from dataclasses import replace

import numpy as np
import pytest

from engine.core.backend import cpu
from engine.core.errors import DataError, GeometryError
from engine.geometry.grid import ImageGrid
from engine.geometry.orbits import circle, circular_cone, parallel
from engine.geometry.xray import XrayGeometry
from engine.operators.xray.patches import Patches
from engine.operators.xray.transform import XrayTransform
from engine.recon.filtering.fdk import fdk

GRID = ImageGrid((15, 17, 19), (1.5, 1.4, 1.3), (1.0, 2.0, -3.0))
SHAPE = (20, 26)


def vectors(n_views, *, tilt=0.0, beam="cone", source=100.0, pixel=2.0):
    """Return a circle of views as vectors; `tilt` is the angle between detector rows and z."""
    angle = np.arange(n_views) * 2 * np.pi / n_views
    c, s, o = np.cos(angle), np.sin(angle), np.zeros(n_views)
    out = np.stack([c, s, o], axis=1)
    up = np.stack([o, o, o + 1], axis=1)
    return XrayGeometry(
        beam=beam,
        source_mm=source * out if beam == "cone" else -out,
        detector_mm=-50.0 * out,
        u_mm=pixel * np.stack([-s, c, o], axis=1),
        v_mm=pixel * (np.cos(tilt) * up + np.sin(tilt) * out),
        shape=SHAPE,
    )


def views_of(beam, tilt):
    """Return six views of a cone, of horizontal rays, or of oblique parallel rays."""
    views = vectors(6, tilt=tilt, beam="cone" if beam == "cone" else "parallel")
    climb = (0, 0, 0.2) if beam == "climbing" else (0, 0, 0)
    return replace(views, source_mm=views.source_mm + climb)


def transform(geometry, grid=GRID, **options):
    return XrayTransform(geometry, grid, on=cpu(2), **options)


def fields(rng, A):
    return rng.random(A.in_shape, np.float32), rng.random(A.out_shape, np.float32)


def mismatch(A, x, y):
    """Return the relative difference of <A x, y> and <x, A'y>."""
    one, other = np.vdot(A(x).astype("f8"), y), np.vdot(x, A.T(y).astype("f8"))
    return abs(one - other) / abs(one)


@pytest.mark.parametrize("beam", ["cone", "parallel"])
@pytest.mark.parametrize("tilt", [0.0, 0.3])
def test_matched_adjoint_is_the_transpose(rng, beam, tilt):
    A = transform(vectors(9, tilt=tilt, beam=beam))
    assert mismatch(A, *fields(rng, A)) < 1e-6


def test_every_entry_of_the_transpose_is_that_of_the_projector(rng):
    grid = ImageGrid((3, 4, 5), (3.0, 3.0, 3.0))
    A = transform(vectors(3), grid)
    pixels = rng.choice(np.prod(A.out_shape), 40, replace=False)
    forward = np.stack([A(e.reshape(A.in_shape)).ravel() for e in np.eye(60, dtype="f4")])
    for pixel in pixels:
        y = np.zeros(A.out_shape, np.float32)
        y.flat[pixel] = 1
        np.testing.assert_allclose(A.T(y).ravel(), forward[:, pixel], atol=1e-5)


@pytest.mark.parametrize("beam", ["cone", "parallel"])
def test_shortcut_for_rows_along_z_gives_the_same_result(rng, beam):
    short, long = (transform(vectors(7, tilt=tilt, beam=beam)) for tilt in (0.0, 1e-8))
    assert short._projector._is_upright
    assert not long._projector._is_upright
    x, y = fields(rng, short)
    for one, other in (
        (short(x), long(x)),
        (short.T(y), long.T(y)),
        (short.back_project(y, weighting="fdk"), long.back_project(y, weighting="fdk")),
    ):
        np.testing.assert_allclose(one, other, atol=5e-6 * np.abs(one).max())


def test_few_rows_equal_those_of_a_taller_detector(rng):
    tall = vectors(7)
    rows = slice(8, 12)
    short = replace(tall, shape=(4, SHAPE[1]))  # the middle rows
    x, y = fields(rng, transform(tall))
    y[:, : rows.start] = y[:, rows.stop :] = 0
    A, B = transform(tall), transform(short)
    assert A._projector._is_upright and not B._projector._is_upright
    np.testing.assert_allclose(B(x), A(x)[:, rows], atol=5e-6 * A(x).max())
    back = A.T(y)
    np.testing.assert_allclose(B.T(np.ascontiguousarray(y[:, rows])), back, atol=5e-6 * back.max())


def test_uniform_box_gives_its_chords_away_from_the_edges():
    grid = ImageGrid((40, 40, 40), (1.0, 1.0, 1.0))
    A = transform(vectors(8, source=200.0, pixel=1.0), grid)
    values = A(np.ones(grid.shape, np.float32))
    geometry = A.geometry
    for view in range(8):
        source = geometry.source_mm[view]
        ray = geometry.pixel_mm(view) - source
        with np.errstate(divide="ignore"):
            one, other = (-20 - source) / ray, (20 - source) / ray
        low = np.minimum(one, other).max(axis=-1)
        high = np.maximum(one, other).min(axis=-1)
        chord = np.maximum(high - low, 0) * np.linalg.norm(ray, axis=-1)
        inner = chord > 30  # Joseph's method blurs edges by half a voxel
        np.testing.assert_allclose(values[view][inner], chord[inner], rtol=0.03)
        assert values[view][inner].mean() == pytest.approx(chord[inner].mean(), rel=2e-3)


def test_sphere_projects_to_its_chords():
    grid = ImageGrid((64, 64, 64), (0.5, 0.5, 0.5))
    z, y, x = np.meshgrid(*(grid.centres_mm(axis) for axis in (2, 1, 0)), indexing="ij")
    ball = (x**2 + y**2 + z**2 < 12**2).astype(np.float32)
    A = transform(vectors(5, source=300.0, pixel=1.0), grid)
    geometry = A.geometry
    actual, expected = A(ball), np.empty(A.out_shape)
    for view in range(5):
        ray = geometry.pixel_mm(view) - geometry.source_mm[view]
        ray /= np.linalg.norm(ray, axis=-1, keepdims=True)
        across = np.linalg.norm(np.cross(ray, -geometry.source_mm[view]), axis=-1)
        expected[view] = 2 * np.sqrt(np.maximum(12**2 - across**2, 0))
    assert np.linalg.norm(actual - expected) / np.linalg.norm(expected) < 0.03


@pytest.mark.parametrize(("half_cone_deg", "most"), [(7.3, 1e-3), (23.0, 1e-3)])
def test_voxel_driven_adjoint_is_close_to_the_transpose(rng, half_cone_deg, most):
    n, pixel, sdd = 48, 2.0, 150.0
    sdd = n / 2 * pixel / np.tan(np.radians(half_cone_deg))
    sod = sdd / 1.5
    geometry = circular_cone(
        circle(24), source_axis_mm=sod, source_detector_mm=sdd, shape=(n, n), pixel_mm=pixel
    )
    voxel = pixel * sod / sdd
    grid = ImageGrid((24, 24, 24), (voxel,) * 3)
    A = transform(geometry, grid, adjoint="voxel")
    assert mismatch(A, *fields(rng, A)) < most


def test_moved_scene_gives_the_same_views(rng):
    geometry, shift = vectors(6), (3.0, -2.0, 5.0)
    moved = geometry.moved(np.eye(3), shift)
    centre = tuple(float(c + s) for c, s in zip(GRID.centre_mm, shift, strict=True))
    A = transform(geometry)
    B = transform(moved, ImageGrid(GRID.shape, GRID.voxel_mm, centre))
    x, y = fields(rng, A)
    np.testing.assert_allclose(B(x), A(x), rtol=1e-4, atol=1e-4)
    np.testing.assert_allclose(
        B.back_project(y, weighting="fdk"), A.back_project(y, weighting="fdk"), rtol=1e-3, atol=1e-4
    )


@pytest.mark.parametrize("tilt", [0.0, 0.3])
def test_box_of_the_volume_has_its_bits(rng, tilt):
    A = transform(vectors(6, tilt=tilt))
    _, y = fields(rng, A)
    volume = A.back_project(y, weighting="fdk")
    for box in (
        np.s_[7:8, :, :],
        np.s_[:, 3:4, :],
        np.s_[:, :, 18:],
        np.s_[2:9, 5:6, 1:-1],
    ):
        np.testing.assert_array_equal(A.back_project(y, weighting="fdk", region=box), volume[box])


@pytest.mark.parametrize("beam", ["cone", "parallel", "climbing"])
@pytest.mark.parametrize("tilt", [0.0, 0.3])
def test_thin_volume_is_a_part_of_a_thick_one(rng, tilt, beam):
    views = views_of(beam, tilt)
    thick = transform(views, replace(GRID, centre_mm=(1.0, 2.0, -2.6)))  # slice 9 is horizontal
    _, y = fields(rng, thick)
    expected = thick.back_project(y, weighting="fdk")[8:11]
    thin = transform(views, ImageGrid((3, *GRID.shape[1:]), GRID.voxel_mm, (1.0, 2.0, 0.0)))
    actual = thin.back_project(y, weighting="fdk")
    np.testing.assert_allclose(actual, expected, atol=1e-5 * expected.max())
    box = np.s_[1:2, 2:9, 3:4]
    np.testing.assert_allclose(
        thin.back_project(y, weighting="fdk", region=box), actual[box], atol=1e-6 * expected.max()
    )


@pytest.mark.parametrize("beam", ["cone", "parallel", "climbing"])
@pytest.mark.parametrize("tilt", [0.0, 0.3])
def test_box_of_a_thin_volume_has_its_bits(rng, tilt, beam):
    A = transform(views_of(beam, tilt), ImageGrid((3, 70, 70), (1.0, 1.0, 1.0)))
    _, y = fields(rng, A)
    volume = A.back_project(y, weighting="fdk")
    for box in (np.s_[1:2, :, :], np.s_[:, 3:44, 17:], np.s_[:, 20:21, 1:-1], np.s_[2:, :, 31:36]):
        np.testing.assert_array_equal(A.back_project(y, weighting="fdk", region=box), volume[box])


@pytest.mark.parametrize(
    "region",
    [np.s_[5:5, :, :], np.s_[3, :, :], np.s_[:, :], np.s_[:, :, :, :], np.s_[::2, :, :], 3, ()],
)
def test_region_that_is_not_a_box_is_refused(rng, region):
    A = transform(vectors(4))
    _, y = fields(rng, A)
    with pytest.raises(GeometryError, match=r"not a box .*; give three slices .* order z, y, x\.$"):
        A.back_project(y, weighting="fdk", region=region)
    with pytest.raises(GeometryError, match="not a box"):
        fdk(y, A.geometry, A.grid, region=region, on=A.on)


def test_complex_values_are_refused(rng):
    A = transform(vectors(4))
    x, y = fields(rng, A)
    with pytest.raises(DataError, match=r"complex type complex\d+, expected real numbers"):
        A(x * 1j)
    for back_projection in (
        A.T,
        lambda y: A.back_project(y, weighting="fdk"),
        lambda y: Patches(A, (1, 2, 3)).update(y),
        lambda y: fdk(y, A.geometry, A.grid, on=A.on),
    ):
        with pytest.raises(DataError, match="real numbers"):
            back_projection(y * 1j)


def test_subsets_add_up_to_the_whole(rng):
    A = transform(vectors(7))
    x, y = fields(rng, A)
    parts = [A.subset(k, 3) for k in range(3)]
    for k, part in enumerate(parts):
        np.testing.assert_array_equal(part(x), A(x)[k::3])
    total = sum(part.T(y[k::3]) for k, part in enumerate(parts))
    np.testing.assert_allclose(total, A.T(y), rtol=1e-4, atol=1e-4)


def test_values_do_not_depend_on_the_threads(rng):
    geometry = vectors(5)
    one, two = (XrayTransform(geometry, GRID, on=cpu(n)) for n in (1, 2))
    x, y = fields(rng, one)
    np.testing.assert_array_equal(one(x), two(x))
    np.testing.assert_array_equal(
        one.back_project(y, weighting="fdk"), two.back_project(y, weighting="fdk")
    )


def test_marker_is_projected_by_the_matrices():
    grid = ImageGrid((21, 21, 21), (1.0, 1.0, 1.0))
    geometry = vectors(8, pixel=1.2)
    x = np.zeros(grid.shape, np.float32)
    x[13, 4, 16] = 1  # off every axis of symmetry
    views = transform(geometry, grid)(x)
    a, b, depth = np.moveaxis(geometry.in_voxels(grid) @ (16.5, 4.5, 13.5, 1.0), 1, 0)
    rows, columns = np.arange(SHAPE[0]) + 0.5, np.arange(SHAPE[1]) + 0.5
    for view in range(8):
        weight = views[view] / views[view].sum()
        assert (weight.sum(0) * columns).sum() == pytest.approx(a[view] / depth[view], abs=0.15)
        assert (weight.sum(1) * rows).sum() == pytest.approx(b[view] / depth[view], abs=0.15)


def test_parallel_beam_is_the_limit_of_a_far_source(rng):
    near = parallel(np.arange(5) * 0.6, shape=SHAPE, pixel_mm=2.0)
    far = XrayGeometry("cone", -1e6 * near.source_mm, near.detector_mm, near.u_mm, near.v_mm, SHAPE)
    A, B = transform(near), transform(far)
    x, _ = fields(rng, A)
    np.testing.assert_allclose(B(x), A(x), atol=2e-3 * A(x).max())


def test_arrays_of_another_shape_are_refused():
    A = transform(vectors(4))
    with pytest.raises(GeometryError, match="XrayTransform"):
        A(np.zeros((2, 2, 2), np.float32))
