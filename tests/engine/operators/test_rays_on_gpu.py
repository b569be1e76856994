"""The projector on a GPU: laws, values of the CPU, and equal bits where promised."""

import numpy as np
import pytest

from engine.core.backend import cpu
from engine.core.errors import DataError, NumericalError
from engine.geometry.grid import ImageGrid
from engine.geometry.tof import TofBins
from engine.kernels.variants import RayVariant
from engine.operators.rays import RayProjector, Rays

GRID = ImageGrid((7, 9, 11), (2.0, 2.5, 3.0))
TOF = TofBins(fwhm_ps=120, bin_ps=90, n_bins=9)
N = 300
TIMED = [False, True]


def rays_of(rng, *, timed=False):
    """Return rays of all directions: some along an axis, some that miss, one of zero length."""
    points = rng.normal(size=(2 * N, 3)) * 30
    points[:40:2] = points[1:40:2] + np.repeat(np.eye(3) * 60, [6, 7, 7], axis=0)
    points[40] = points[41]
    ends = np.arange(2 * N, dtype=np.int32).reshape(N, 2)
    return Rays(points, ends, rng.integers(0, 9, N).astype(np.int16) if timed else None)


def projector(rays, on, **options):
    return RayProjector(rays, GRID, on=on, tof=TOF, **options)


def image_of(rng):
    return rng.random(GRID.shape, np.float32)


def close(got, want, rtol):
    assert np.abs(got - want).max() <= rtol * np.abs(want).max()


@pytest.mark.parametrize("timed", TIMED)
def test_gpu_projector_is_linear_and_adjoint(rng, on_gpu, timed):
    A = projector(rays_of(rng, timed=timed), on_gpu)
    x, other = image_of(rng), image_of(rng)
    y = rng.random(N, np.float32)
    Ax, Aty = on_gpu.to_host(A(x)), on_gpu.to_host(A.T(y))
    close(on_gpu.to_host(A(2 * x + other)), 2 * Ax + on_gpu.to_host(A(other)), 1e-5)
    assert np.vdot(Ax, y) == pytest.approx(np.vdot(x, Aty), rel=1e-5)


def test_uniform_image_gives_the_chords_of_the_box(rng, on_gpu):
    rays = rays_of(rng)
    actual = on_gpu.to_host(projector(rays, on_gpu)(np.ones(GRID.shape, np.float32)))
    start, stop = rays.points_mm[rays.ends[:, 0]], rays.points_mm[rays.ends[:, 1]]
    half = np.array(GRID.size_mm) / 2
    with np.errstate(divide="ignore", invalid="ignore"):
        one, other = (-half - start) / (stop - start), (half - start) / (stop - start)
    within = np.abs(start) < half
    still = start == stop
    low = np.where(still, np.where(within, 0, 2), np.minimum(one, other)).max(axis=1)
    high = np.where(still, np.where(within, 1, -2), np.maximum(one, other)).min(axis=1)
    chord = np.maximum(np.minimum(high, 1) - np.maximum(low, 0), 0)
    np.testing.assert_allclose(actual, chord * np.linalg.norm(stop - start, axis=1), atol=1e-3)


def test_time_bins_add_up_to_the_whole(rng, on_gpu):
    rays, x = rays_of(rng), image_of(rng)
    wide = TofBins(fwhm_ps=120, bin_ps=90, n_bins=61)
    total = np.zeros(N)
    for k in range(wide.n_bins):
        bins = Rays(rays.points_mm, rays.ends, np.full(N, k, np.int16))
        total += on_gpu.to_host(RayProjector(bins, GRID, on=on_gpu, tof=wide)(x))
    close(total, on_gpu.to_host(projector(rays, on_gpu)(x)), 1e-5)


@pytest.mark.parametrize("timed", TIMED)
def test_gpu_gives_the_values_of_the_cpu(rng, on_gpu, timed):
    rays, x, y = rays_of(rng, timed=timed), image_of(rng), rng.random(N, np.float32)
    background = rng.random(N, np.float32)
    on_host, on_device = projector(rays, cpu(2)), projector(rays, on_gpu)
    close(on_gpu.to_host(on_device(x)), on_host(x), 1e-5)
    close(on_gpu.to_host(on_device.T(y)), on_host.T(y), 5e-5)
    for actual, expected in zip(
        on_device.em_numerator(x, background), on_host.em_numerator(x, background), strict=True
    ):
        close(on_gpu.to_host(actual), expected, 5e-5)


@pytest.mark.parametrize("timed", TIMED)
@pytest.mark.parametrize("mapping", ["thread", "warp", "block"])
@pytest.mark.parametrize("order", ["linear", "tiles"])
def test_reproducible_bits_equal_those_of_the_cpu(rng, on_gpu, timed, mapping, order):
    rays, x, y = rays_of(rng, timed=timed), image_of(rng), rng.random(N, np.float32)
    background = rng.random(N, np.float32)
    variant = RayVariant(mapping, order, "fixed", block=64)
    on_host = projector(rays, cpu(2), reproducible=True)
    on_device = projector(rays, on_gpu, reproducible=True, variant=variant)
    for actual, expected in (
        (on_device(x), on_host(x)),
        (on_device.T(y), on_host.T(y)),
        *zip(
            on_device.em_numerator(x, background), on_host.em_numerator(x, background), strict=True
        ),
    ):
        np.testing.assert_array_equal(on_gpu.to_host(actual), expected)


def test_reproducible_bits_do_not_depend_on_the_order_of_events(rng, on_gpu):
    rays, x = rays_of(rng, timed=True), image_of(rng)
    shuffled = rng.permutation(N)
    other = Rays(rays.points_mm, rays.ends[shuffled], rays.tof_bins[shuffled])
    one, two = (projector(r, on_gpu, reproducible=True).em_numerator(x)[0] for r in (rays, other))
    np.testing.assert_array_equal(on_gpu.to_host(one), on_gpu.to_host(two))


def test_subset_is_its_rows(rng, on_gpu):
    rays, x, y = rays_of(rng, timed=True), image_of(rng), rng.random(N, np.float32)
    A = projector(rays, on_gpu, reproducible=True)
    part = A.subset(1, 3).subset(1, 2)
    np.testing.assert_array_equal(on_gpu.to_host(part(x)), on_gpu.to_host(A(x))[1::3][1::2])
    only = np.zeros_like(y)
    only[1::3][1::2] = y[1::3][1::2]
    np.testing.assert_allclose(
        on_gpu.to_host(part.T(y[1::3][1::2])), on_gpu.to_host(A.T(only)), rtol=1e-6
    )


def test_device_arrays_are_used_without_a_copy(rng, on_gpu):
    rays, x = rays_of(rng, timed=True), image_of(rng)
    on_device = Rays(rays.points_mm, on_gpu.to_device(rays.ends), on_gpu.to_device(rays.tof_bins))
    actual = projector(on_device, on_gpu, reproducible=True)(on_gpu.to_device(x))
    expected = projector(rays, on_gpu, reproducible=True)(x)
    np.testing.assert_array_equal(on_gpu.to_host(actual), on_gpu.to_host(expected))


def test_projector_without_rays_gives_zeros(on_gpu):
    none = Rays(np.zeros((1, 3)), np.empty((0, 2), np.int32))
    A = RayProjector(none, GRID, on=on_gpu)
    assert on_gpu.to_host(A(np.ones(GRID.shape, "f4"))).shape == (0,)
    assert not on_gpu.to_host(A.T(np.empty(0, "f4"))).any()


def test_missing_crystal_is_reported(rng, on_gpu):
    rays = rays_of(rng)
    ends = on_gpu.to_device(np.array([[0, 1], [2, 2 * N]], np.int32))
    with pytest.raises(DataError, match=r"event 1 has the crystals \(2, 600\)"):
        projector(Rays(rays.points_mm, ends), on_gpu)


def test_image_with_nan_is_refused(rng, on_gpu):
    x = image_of(rng)
    x[3, 3, 3] = np.nan
    with pytest.raises(NumericalError, match="its expected counts cannot be computed"):
        projector(rays_of(rng), on_gpu).em_numerator(on_gpu.to_device(x))


def test_work_can_be_stopped_and_the_device_used_again(rng, on_gpu, monkeypatch):
    class StopError(Exception): ...

    def stop(done, total):
        assert 0 < done < total
        raise StopError

    monkeypatch.setattr("engine.kernels.rays.device_rays.SLABS_PER_LAUNCH", 64 * max(GRID.shape))
    rays, x = rays_of(rng), image_of(rng)
    variant = RayVariant(block=64)
    with pytest.raises(StopError):
        projector(rays, on_gpu, on_progress=stop, variant=variant)(x)
    on_host = projector(rays, cpu(1))(x)
    close(on_gpu.to_host(projector(rays, on_gpu, variant=variant)(x)), on_host, 1e-5)
