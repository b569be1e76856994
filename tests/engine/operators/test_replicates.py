"""EM numerators of several replicates, compared with repeated rays."""

from dataclasses import replace

import numpy as np
import pytest

from engine.core.backend import cpu
from engine.core.errors import ResourceError
from engine.geometry.tof import TofBins
from engine.kernels.rays.event_weights import Draws, key_of, weights_of
from engine.operators.rays import RayProjector
from tests.engine.operators.ray_oracles import GRID, octant_rays

TOF = TofBins(fwhm_ps=100, bin_ps=40, n_bins=9)
N, N_REPLICATES = 400, 11
DRAWS = Draws(key_of(4), 0, 1, N_REPLICATES)


@pytest.fixture(params=[False, True], ids=["lines", "TOF"])
def rays(request, rng):
    many = octant_rays(rng, N, GRID)
    bins = rng.integers(0, 9, len(many.ends)).astype(np.int16)
    return replace(many, tof_bins=bins) if request.param else many


def projector(rays, *, threads=2, exact=False):
    return RayProjector(rays, GRID, on=cpu(threads), tof=TOF, reproducible=exact)


def images_of(rng):
    return rng.random((N_REPLICATES, *GRID.shape)).astype(np.float32) + np.float32(0.1)


def repeated(A, counts, images, background):
    """Return the numerators with each ray repeated as often as its count."""
    for c, image in enumerate(images):
        numbers = weights_of(DRAWS, c, A.out_shape[0], counts).astype(int)
        rows = np.repeat(np.arange(len(numbers)), numbers)
        yield A.selected(rows).em_numerator(image, background[rows])[0]


@pytest.mark.parametrize("with_counts", [False, True])
def test_weighted_rays_equal_repeated_rays(rng, rays, with_counts):
    A, images = projector(rays), images_of(rng)
    background = rng.random(A.out_shape[0]).astype(np.float32)
    counts = rng.integers(0, 4, A.out_shape[0]).astype(np.float32) if with_counts else None

    found = A.em_numerators(images, background, counts, DRAWS)

    for one, other in zip(found, repeated(A, counts, images, background), strict=True):
        np.testing.assert_allclose(one, other, rtol=0, atol=2e-5 * other.max())


def test_integer_sums_have_the_bits_of_repeated_rays(rng, rays):
    A, images = projector(rays, exact=True), images_of(rng)
    background = rng.random(A.out_shape[0]).astype(np.float32)

    found = A.em_numerators(images, background, None, DRAWS)

    for one, other in zip(found, repeated(A, None, images, background), strict=True):
        np.testing.assert_array_equal(one, other)


def test_zero_images_stay_zero(rng, rays):
    A, images = projector(rays), images_of(rng)
    images[3] = 0

    found = A.em_numerators(images, None, None, DRAWS)

    assert not found[3].any() and np.isfinite(found).all()


def test_integer_sums_do_not_depend_on_threads(rng, rays):
    images = images_of(rng)
    one, three = (projector(rays, threads=n, exact=True) for n in (1, 3))

    np.testing.assert_array_equal(
        one.em_numerators(images, None, None, DRAWS), three.em_numerators(images, None, None, DRAWS)
    )


def test_subsets_have_the_weights_of_their_events(rng, rays):
    A, images = projector(rays), images_of(rng)
    parts = [
        A.subset(k, 3).em_numerators(images, None, None, DRAWS.of_rows(k, 3)) for k in range(3)
    ]

    whole = A.em_numerators(images, None, None, DRAWS)
    np.testing.assert_allclose(sum(parts), whole, rtol=0, atol=2e-5 * whole.max())


def test_other_projectors_are_refused(rng, rays):
    A = RayProjector(rays, GRID, on=cpu(1), tof=TOF, dtype="float64")

    with pytest.raises(ResourceError, match="use em_numerator for each replicate"):
        A.em_numerators(images_of(rng).astype(np.float64), None, None, DRAWS)


def test_selected_rays_on_a_gpu_equal_those_of_the_cpu(rng, rays, on_gpu):
    rows = rng.integers(0, len(rays.ends), 50)
    x = rng.random(GRID.shape).astype(np.float32)
    there = RayProjector(rays, GRID, on=on_gpu, tof=TOF).selected(rows)

    np.testing.assert_allclose(
        on_gpu.to_host(there(x)), projector(rays)(x)[rows], rtol=0, atol=1e-4
    )


@pytest.mark.parametrize("with_counts", [False, True])
def test_noise_is_the_back_projection_of_changed_counts(rng, rays, with_counts):
    A = projector(rays)
    n_rows = A.out_shape[0]
    inverse = rng.random(n_rows).astype(np.float32)
    inverse[::7] = 0
    counts = rng.integers(0, 4, n_rows).astype(np.float32) if with_counts else None

    found = A.noise_of_replicates(counts, inverse, DRAWS)

    for c, one in enumerate(found):
        changes = weights_of(DRAWS, c, n_rows, counts) - (1 if counts is None else counts)
        other = A.T(changes * inverse)
        np.testing.assert_allclose(one, other, rtol=0, atol=2e-5 * abs(other).max())


def test_curvature_projects_all_images(rng, rays):
    A = projector(rays)
    images = images_of(rng) - np.float32(0.6)
    weights = rng.random(A.out_shape[0]).astype(np.float32)

    found = A.curvature_times(images, weights)

    for one, image in zip(found, images, strict=True):
        other = A.T(weights * A(image))
        np.testing.assert_allclose(one, other, rtol=0, atol=2e-5 * abs(other).max())


def test_reproducible_rays_project_images_one_by_one(rng, rays):
    A = projector(rays, exact=True)

    assert not A.projects_batches
    with pytest.raises(ResourceError, match="project them one by one"):
        A.curvature_times(images_of(rng), np.ones(A.out_shape, np.float32))
