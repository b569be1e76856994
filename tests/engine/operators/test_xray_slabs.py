"""Line integrals in slabs: the laws of the whole, also from files, within a memory budget."""

import tracemalloc

import numpy as np
import pytest

from engine.core.backend import cpu
from engine.core.errors import GeometryError, ResourceError
from engine.data.storage.columns import Scratch
from engine.geometry.grid import ImageGrid
from engine.geometry.orbits import circular_cone
from engine.operators.xray.parts import Parts, pieces
from engine.operators.xray.slabs import SlabbedXrayTransform, parts_within
from engine.operators.xray.transform import XrayTransform
from tests.engine.operators.test_xray_transform import GRID, fields, mismatch, vectors, views_of


def cut(geometry, grid, slices, views):
    return Parts(pieces(grid.shape[0], slices), pieces(geometry.n_views, views))


def slabbed(geometry, grid=GRID, slices=4, views=2, **options):
    parts = cut(geometry, grid, slices, views)
    return SlabbedXrayTransform(geometry, grid, parts, on=cpu(2), **options)


@pytest.mark.parametrize("beam", ["cone", "level", "climbing"])
@pytest.mark.parametrize("tilt", [0.0, 0.3])
@pytest.mark.parametrize("slices", [1, 4])
def test_slabs_add_up_to_the_whole(rng, beam, tilt, slices):
    geometry = views_of(beam, tilt)
    A, B = XrayTransform(geometry, GRID, on=cpu(2)), slabbed(geometry, slices=slices)
    x, y = fields(rng, A)
    whole, back = A(x), A.T(y)
    np.testing.assert_allclose(B(x), whole, atol=5e-6 * whole.max())
    np.testing.assert_allclose(B.T(y), back, atol=5e-6 * back.max())
    assert mismatch(B, x, y) < 1e-6


def test_steep_rays_equal_those_of_the_whole(rng):
    geometry = circular_cone(
        np.arange(4.0), source_axis_mm=30, source_detector_mm=40, shape=(60, 20), pixel_mm=3.0
    )
    A, B = XrayTransform(geometry, GRID, on=cpu(2)), slabbed(geometry)
    x, y = fields(rng, A)
    np.testing.assert_allclose(B(x), A(x), atol=5e-6 * A(x).max())
    np.testing.assert_allclose(B.T(y), A.T(y), atol=5e-6 * A.T(y).max())


def test_integrals_do_not_depend_on_the_threads(rng):
    geometry = vectors(6)
    parts = cut(geometry, GRID, 4, 2)
    one, two = (SlabbedXrayTransform(geometry, GRID, parts, on=cpu(n)) for n in (1, 2))
    x, _ = fields(rng, one)
    np.testing.assert_array_equal(one(x), two(x))


def test_only_rows_that_see_a_slab_are_computed():
    A = slabbed(vectors(6), slices=1)
    shares = [A._share(0, k) for k in range(len(A.parts.slabs))]
    rows = [0 if share is None else share[1].geometry.shape[0] for share in shares]
    assert 0 < max(rows) < A.out_shape[1] / 2


def test_subsets_are_those_views_in_the_same_slabs(rng):
    A = slabbed(vectors(7))
    x, y = fields(rng, A)
    parts = [A.subset(k, 3) for k in range(3)]
    for k, part in enumerate(parts):
        np.testing.assert_allclose(part(x), A(x)[k::3], rtol=1e-5, atol=1e-4)
    total = sum(part.T(A.subset_values(y, k, 3)) for k, part in enumerate(parts))
    np.testing.assert_allclose(total, A.T(y), rtol=1e-4, atol=1e-4)


def test_files_give_the_bits_of_memory(rng, tmp_path):
    scratch, geometry = Scratch(tmp_path), vectors(6)
    A, B = slabbed(geometry), slabbed(geometry, storage=scratch)
    x, y = fields(rng, A)
    np.testing.assert_array_equal(B(scratch.in_memory(x)), A(x))
    np.testing.assert_array_equal(B.T(scratch.in_memory(y)), A.T(y))


def test_work_stays_within_its_budget_and_reports_progress(rng, tmp_path):
    geometry, grid = vectors(12, pixel=3.0), ImageGrid((96, 48, 48), (0.5, 0.8, 0.4))
    budget, reported = 600_000, []
    shape = (geometry.n_views, *geometry.shape)
    parts = parts_within(shape, grid, budget_bytes=budget, threads=1)
    scratch = Scratch(tmp_path)
    A = SlabbedXrayTransform(
        geometry,
        grid,
        parts,
        on=cpu(1),
        storage=scratch,
        on_progress=lambda *done: reported.append(done),
    )
    x, y = (scratch.in_memory(values) for values in fields(rng, A))
    A.T(A(x))  # the first call loads modules, which must not count
    reported.clear()
    tracemalloc.start()
    A.T(y)
    A(x)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < budget < x.nbytes
    n = len(parts.slabs) * len(parts.views)
    assert n > 1 and reported.count((n, n)) == 2


def test_budget_below_a_slice_and_a_view_is_refused():
    with pytest.raises(ResourceError, match="larger voxels"):
        parts_within((3, *vectors(3).shape), GRID, budget_bytes=1000, threads=2)


def test_arrays_of_another_shape_are_refused():
    A = slabbed(vectors(3))
    with pytest.raises(GeometryError, match="expected"):
        A(np.zeros((2, 2, 2), np.float32))
    with pytest.raises(GeometryError, match="expected"):
        A.T(np.zeros((2, 2, 2), np.float32))
