"""Few slices and oblique slices, compared with sums in float64."""

from dataclasses import replace

import numpy as np
import pytest

from engine.core.backend import cpu
from engine.geometry.grid import ImageGrid
from engine.geometry.orbits import circle, circular_cone
from engine.geometry.plane import Plane
from engine.geometry.xray import XrayGeometry
from engine.kernels.cone import joseph_few_slices
from engine.operators.xray.slices import Slices
from engine.operators.xray.strip_slices import _strip_directions
from engine.operators.xray.transform import XrayTransform

SHAPE = (12, 40)
SLICES = ImageGrid((3, 30, 37), (1.0, 1.1, 1.2), (1.0, 2.0, -1.0))
GRIDS = {
    "even": SLICES,
    "one": replace(SLICES, shape=(1, 30, 37)),
    "of fine voxels": ImageGrid((2, 50, 90), (0.2, 0.25, 0.5)),
    "of coarse voxels": ImageGrid((2, 5, 6), (9.0, 8.0, 5.0)),
    "of narrow lines": ImageGrid((4, 3, 40), (1.0, 9.0, 2.0)),
    "many": ImageGrid((21, 30, 37), (1.0, 1.1, 1.2), (1.0, 2.0, -1.0)),
    "beyond the detector": ImageGrid((25, 20, 60), (1.0, 1.1, 2.0)),
}


def views(beam="cone", *, tilt=0.0, n=7, shape=SHAPE, pixel=1.6, source=90.0):
    angle = 0.1 + np.arange(n) * 2 * np.pi / n
    c, s, o = np.cos(angle), np.sin(angle), np.zeros(n)
    out, up = np.stack([c, s, o], axis=1), np.stack([o, o, o + 1], axis=1)
    return XrayGeometry(
        beam=beam,
        source_mm=source * out if beam == "cone" else -out,
        detector_mm=-40.0 * out,
        u_mm=pixel * np.stack([-s, c, o], axis=1),
        v_mm=pixel * (np.cos(tilt) * up + np.sin(tilt) * out),
        shape=shape,
    )


def back_in_float64(y, matrices, shape):
    """Return Σ y(a, b) / τ² for voxels, by the definition in `cone_back`."""
    z, y_, x = np.indices(shape) + 0.5
    points = np.stack([x, y_, z, np.ones(shape)])
    total = np.zeros(shape)
    for view, m in zip(np.pad(y.astype(float), ((0, 0), (1, 1), (1, 1))), matrices, strict=True):
        a, b, depth = np.einsum("ij,j...->i...", m, points)
        a, b = a / depth + 0.5, b / depth + 0.5
        seen = (depth > 0) & (a >= 0) & (a < view.shape[1] - 1) & (b >= 0) & (b < view.shape[0] - 1)
        a, b = np.where(seen, a, 0), np.where(seen, b, 0)
        i, j = a.astype(int), b.astype(int)
        a, b = a - i, b - j
        near = (1 - a) * view[j, i] + a * view[j, i + 1]
        far = (1 - a) * view[j + 1, i] + a * view[j + 1, i + 1]
        total += np.where(seen, ((1 - b) * near + b * far) / depth**2, 0)
    return total


def assert_near(got, want):
    # Pixel positions are float32; few views are summed.
    np.testing.assert_allclose(got, want, atol=1e-5 * np.abs(want).max())


@pytest.mark.parametrize("tilt", [0.0, 0.4, 1.3])
@pytest.mark.parametrize("grid", GRIDS)
def test_few_slices_equal_back_projection_in_float64(rng, grid, tilt):
    geometry, grid = views(tilt=tilt), GRIDS[grid]
    y = rng.random((geometry.n_views, *SHAPE), np.float32)
    actual = XrayTransform(geometry, grid, on=cpu(2)).back_project(y, weighting="fdk")
    assert_near(actual, back_in_float64(y, geometry.in_voxels(grid), grid.shape))


def test_back_projection_kernel_is_selected_by_the_scan():
    chosen = {name: _kernel(views(), grid) for name, grid in GRIDS.items()}
    assert chosen == {
        "even": "few slices", "one": "strips", "of fine voxels": "few slices",
        "of coarse voxels": "strips", "of narrow lines": "few slices", "many": "few slices",
        "beyond the detector": "few slices",
    }  # fmt: skip
    assert _kernel(views(), replace(SLICES, shape=(33, 30, 37))) == "upright"
    assert _kernel(views(tilt=0.3), replace(SLICES, shape=(33, 30, 37))) == "strips"
    assert _kernel(views(tilt=0.3), SLICES) == "strips"
    # No register may contain voxels behind the source, or more columns than two registers hold.
    assert _kernel(views(source=21.0), SLICES) == "strips"
    assert _kernel(views(pixel=0.2), SLICES) == "strips"
    assert _kernel(views("parallel"), SLICES) == "parallel"


def _kernel(geometry, grid):
    return XrayTransform(geometry, grid, on=cpu(1))._projector._kernel


@pytest.mark.parametrize("tilt", [0.0, 0.4])
@pytest.mark.parametrize("grid", ["even", "many"])
def test_boxes_and_threads_give_the_bits_of_the_whole(rng, grid, tilt):
    geometry, grid = views(tilt=tilt, n=37), GRIDS[grid]
    y = rng.random((geometry.n_views, *SHAPE), np.float32)
    one, other = (XrayTransform(geometry, grid, on=cpu(n)) for n in (1, 2))
    whole = one.back_project(y, weighting="fdk")
    np.testing.assert_array_equal(other.back_project(y, weighting="fdk"), whole)
    for box in (np.s_[1:3, 2:29, 5:24], np.s_[2:3, 7:8, 16:37], np.s_[0:1, :, 31:33]):
        np.testing.assert_array_equal(
            other.back_project(y, weighting="fdk", region=box), whole[box]
        )


def test_non_finite_values_affect_only_the_voxels_that_read_them(rng):
    geometry, grid = views(n=20), GRIDS["many"]
    y = rng.random((geometry.n_views, *SHAPE), np.float32)
    good = XrayTransform(geometry, grid, on=cpu(1)).back_project(y, weighting="fdk")
    y[3, 5, 20] = np.nan
    found = XrayTransform(geometry, grid, on=cpu(1)).back_project(y, weighting="fdk")
    expected = np.isnan(back_in_float64(y, geometry.in_voxels(grid), grid.shape))
    seen = np.isnan(found)
    assert seen[expected].all()
    # Rows of three values have weight 0 at some of their voxels.
    assert seen.sum() < 3 * expected.sum()
    np.testing.assert_array_equal(found[~seen], good[~seen])


def test_voxels_around_the_source_use_no_values_from_behind_it(rng):
    geometry = views(source=21.0)  # inside the slices
    y = rng.random((geometry.n_views, *SHAPE), np.float32)
    grid = ImageGrid((3, 40, 40), (2.0, 2.0, 2.0))
    matrices = geometry.in_voxels(grid)
    actual = XrayTransform(geometry, grid, on=cpu(1)).back_project(y, weighting="fdk")
    assert np.isfinite(actual).all()
    expected = back_in_float64(y, matrices, grid.shape)
    # Close to the source, 1/τ² is large and no digits are left, so voxels further away are
    # compared.
    z, y_, x = np.indices(grid.shape) + 0.5
    depth = np.einsum("vj,j...->v...", matrices[:, 2], np.stack([x, y_, z, np.ones(grid.shape)]))
    far = (np.abs(depth) > 0.05).all(axis=0)
    assert far.mean() > 0.5
    assert_near(actual[far], expected[far])


@pytest.mark.parametrize("beam", ["cone", "parallel"])
@pytest.mark.parametrize("columns", [1, 2, 3, 40])
@pytest.mark.parametrize("grid", GRIDS)
def test_line_integrals_of_few_slices_equal_those_of_single_rays(rng, grid, columns, beam):
    geometry, grid = views(beam, shape=(SHAPE[0], columns)), GRIDS[grid]
    A, B = (XrayTransform(geometry, grid, on=cpu(2)) for _ in range(2))
    assert A._projector._few
    B._projector._few = None  # ray by ray
    B._projector._is_upright = False
    x, y = rng.random(A.in_shape, np.float32), rng.random(A.out_shape, np.float32)
    expected = B(x)
    np.testing.assert_allclose(A(x), expected, atol=1e-5 * expected.max())
    back = B.T(y)
    np.testing.assert_allclose(A.T(y), back, atol=1e-5 * back.max())
    one, other = np.vdot(A(x).astype("f8"), y), np.vdot(x, A.T(y).astype("f8"))
    assert one == pytest.approx(other, rel=2e-6)  # rounding of positions in float32


def test_adjoint_has_the_same_bits_with_any_threads(rng):
    geometry = views()
    one, other = (XrayTransform(geometry, SLICES, on=cpu(n)) for n in (1, 2))
    y = rng.random(one.out_shape, np.float32)
    np.testing.assert_array_equal(one.T(y), other.T(y))


def test_rays_from_inside_the_volume_are_traced_one_by_one():
    inside = XrayTransform(views(source=21.0), SLICES, on=cpu(1))
    tall = XrayTransform(views(), replace(SLICES, shape=(60, 30, 37)), on=cpu(1))
    tilted = XrayTransform(views(tilt=0.3), SLICES, on=cpu(1))
    assert not any(A._projector._few for A in (inside, tall, tilted))


def test_runs_of_columns_cover_each_view_once():
    geometry = circular_cone(
        circle(9), source_axis_mm=40.0, source_detector_mm=60.0, shape=(1, 70), pixel_mm=1.5
    )
    rays = XrayTransform(geometry, SLICES, on=cpu(1))._projector._scene.rays
    runs = joseph_few_slices.column_runs(rays, 70)
    seen = np.zeros((9, 70), int)
    for axis, view, first, end in runs:
        seen[view, first:end] += 1
        directions = rays[view, 3] + np.arange(first, end)[:, None] * rays[view, 4]
        main, other = directions[:, axis], directions[:, 1 - axis]
        assert (np.abs(main) * (1 + 1e-4) >= np.abs(other)).all()
        assert len(set(np.sign(main))) == 1
    assert (seen == 1).all()
    assert runs[:, 0].tolist() == sorted(runs[:, 0])


ORIENTATIONS = {
    "flat": ((1, 0, 0), 0.0),
    "oblique": ((1, 2, 0.5), 0.8),
    "steep": ((1, 0, 0), 1.4),
    "upright and rotated": ((1, 0, 0), np.pi / 2),
}


@pytest.mark.parametrize("name", ORIENTATIONS)
def test_oblique_slices_equal_those_in_float64(rng, name):
    geometry = views(n=12, shape=(40, 44), pixel=1.0)
    plane = Plane((33, 35), 0.9, (2.0, -3.0, 1.0)).turned(*ORIENTATIONS[name])
    plane = plane.turned(tuple(plane.turn[:, 2]), 0.4)
    y = rng.random((12, 40, 44), np.float32)
    slices = Slices(geometry, [plane], on=cpu(2))
    slices.update(y)
    matrices = plane.seen(geometry).in_voxels(plane.grid)
    expected = back_in_float64(y, matrices, plane.grid.shape)[0]
    assert_near(slices.values()[0], expected)


def test_each_view_is_read_along_the_fewest_detector_rows():
    matrices = np.zeros((4, 3, 4))
    matrices[:, 2, 3] = 1
    # Detector (column, row) of the slice's axes (across, down).
    matrices[0, :2, :2] = [[1, 0], [0, 1]]
    matrices[1, :2, :2] = [[0.9, 1], [0.1, 0.9]]
    matrices[2, :2, :2] = [[0, 1], [1, 0]]
    matrices[3, :2, :2] = [[1, 0.1], [0.5, 1]]
    directions = _strip_directions(matrices, (10, 10))
    # Codes: 0 is across by rows, 1 down by rows, 2 across by columns, 3 down by columns.
    assert directions.tolist() == [0, 0, 1, 3]
