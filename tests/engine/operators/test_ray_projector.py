from dataclasses import replace

import numpy as np
import pytest

from engine.core.backend import cpu
from engine.core.errors import DataError, GeometryError, NumericalError
from engine.geometry.tof import TofBins
from engine.operators.rays import RayProjector, Rays
from tests.engine.operators.ray_oracles import GRID, axis_rays, lattice_rays, octant_rays
from tests.tolerances import FLOAT64

TOF = TofBins(fwhm_ps=100, bin_ps=40, n_bins=9)
KINDS = {"octants": octant_rays, "lattice": lattice_rays, "axis": axis_rays}


def timed(rays: Rays, rng: np.random.Generator) -> Rays:
    return replace(rays, tof_bins=rng.integers(0, TOF.n_bins, len(rays.ends)).astype(np.int16))


@pytest.fixture
def rays(rng):
    return timed(octant_rays(rng, 100, GRID), rng)


@pytest.mark.parametrize("reproducible", [False, True])
@pytest.mark.parametrize(("dtype", "rtol"), [("float32", 1e-5), ("float64", 1e-12)])
@pytest.mark.parametrize("tof", [None, TOF])
@pytest.mark.parametrize("kind", KINDS)
def test_back_projection_is_the_adjoint(rng, kind, tof, dtype, rtol, reproducible):
    rays = timed(KINDS[kind](rng, 120, GRID), rng)
    A = RayProjector(rays, GRID, on=cpu(2), tof=tof, dtype=dtype, reproducible=reproducible)
    x, y = rng.random(GRID.shape).astype(dtype), rng.random(A.out_shape).astype(dtype)

    forward = np.sum(A(x) * y, dtype=np.float64)
    back = np.sum(x * A.T(y), dtype=np.float64)

    assert forward > 0
    # Fixed-point sums round each of about 10 000 taps by 2**-62 of the largest possible sum.
    assert back == pytest.approx(forward, rel=max(rtol, 1e-11) if reproducible else rtol)


@pytest.mark.parametrize("with_background", [False, True])
@pytest.mark.parametrize("tof", [None, TOF])
def test_em_shares_equal_the_two_passes(rng, rays, tof, with_background):
    A = RayProjector(rays, GRID, on=cpu(2), tof=tof, dtype="float64")
    x = rng.random(GRID.shape)
    background = 0.1 + rng.random(A.out_shape) if with_background else None

    numerator, expected = A.em_numerator(x, background)

    q = A(x) + (0 if background is None else background)
    ratio = np.divide(1, q, out=np.zeros_like(q), where=q > 0)
    np.testing.assert_allclose(expected, q, rtol=FLOAT64)
    np.testing.assert_allclose(numerator, x * A.T(ratio), rtol=1e-11, atol=1e-14)


@pytest.mark.parametrize("reproducible", [False, True])
def test_each_event_distributes_one_count(rng, rays, reproducible):
    A = RayProjector(rays, GRID, on=cpu(2), reproducible=reproducible)

    numerator, expected = A.em_numerator(rng.random(GRID.shape).astype(np.float32))

    n_crossing = np.count_nonzero(expected)
    assert 0 < n_crossing < len(rays.ends)  # rays that miss the box add nothing
    assert numerator.sum(dtype=np.float64) == pytest.approx(n_crossing, rel=1e-6)


def test_empty_image_expects_and_distributes_nothing(rays):
    numerator, expected = RayProjector(rays, GRID, on=cpu(2)).em_numerator(
        np.zeros(GRID.shape, "f4")
    )

    assert not numerator.any()
    assert not expected.any()


def test_subsets_are_the_rows_of_the_whole(rng, rays):
    A = RayProjector(rays, GRID, on=cpu(2), tof=TOF)
    x = rng.random(GRID.shape).astype(np.float32)

    parts = [A.subset(k, 3)(x) for k in range(3)]

    assert A.subset(1, 3) is A.subset(1, 3)
    for k, part in enumerate(parts):
        np.testing.assert_array_equal(part, A(x)[k::3])


def test_caller_can_change_its_arrays_afterwards(rng, rays):
    A = RayProjector(rays, GRID, on=cpu(1), tof=TOF)
    x = rng.random(GRID.shape).astype(np.float32)
    before = A(x)

    rays.ends[:] = 10**9

    np.testing.assert_array_equal(A(x), before)


def test_projector_without_rays_gives_an_empty_image():
    none = Rays(np.zeros((2, 3)), np.zeros((0, 2), np.int32))
    A = RayProjector(none, GRID, on=cpu(2), reproducible=True)

    assert A(np.ones(GRID.shape, np.float32)).shape == (0,)
    assert not A.T(np.zeros(0, np.float32)).any()
    assert not A.em_numerator(np.ones(GRID.shape, np.float32))[0].any()


@pytest.mark.parametrize("bad", [-1, 400, 2**31 - 1])
def test_ends_beyond_the_points_are_refused(rng, bad):
    rays = octant_rays(rng, 25, GRID)
    rays.ends[17, 1] = bad

    with pytest.raises(DataError, match="event 17 "):
        RayProjector(rays, GRID, on=cpu(1))


@pytest.mark.parametrize("bad", [-1, TOF.n_bins])
def test_time_bins_beyond_the_scanner_are_refused(rays, bad):
    rays.tof_bins[23] = bad

    with pytest.raises(DataError, match=f"event 23 .* bin {bad}"):
        RayProjector(rays, GRID, on=cpu(1), tof=TOF)


@pytest.mark.parametrize("bad", [np.nan, np.inf, 1e12])
def test_impossible_points_are_refused(rays, bad):
    rays.points_mm[5, 2] = bad

    with pytest.raises(DataError, match="point 5 "):
        RayProjector(rays, GRID, on=cpu(1))


def test_arrays_of_wrong_shape_are_refused(rays):
    A = RayProjector(rays, GRID, on=cpu(1))

    for call in (A, A.T, A.forward, A.adjoint, A.em_numerator):
        with pytest.raises(GeometryError):
            call(np.ones(3, np.float32))
    with pytest.raises(DataError, match="TOF bin"):
        RayProjector(replace(rays, tof_bins=rays.tof_bins[:3]), GRID, on=cpu(1), tof=TOF)


def test_invalid_counts_are_refused(rays):
    A = RayProjector(rays, GRID, on=cpu(1))
    image, background = np.ones(GRID.shape, np.float32), np.ones(A.out_shape, np.float32)

    with pytest.raises(NumericalError):
        A.em_numerator(-image)
    with pytest.raises(NumericalError):
        A.em_numerator(image * np.nan)
    with pytest.raises(NumericalError):
        A.em_numerator(image * np.float32(3e38))
    background[7] = -1
    with pytest.raises(DataError, match="event 7 "):
        A.em_numerator(image, background)


def test_tick_can_stop_the_work(rays):
    class StoppedError(Exception): ...

    def stop(done: int, total: int) -> None:
        raise StoppedError

    A = RayProjector(rays, GRID, on=cpu(2), on_progress=stop)

    for call in (A, A.em_numerator):
        with pytest.raises(StoppedError):
            call(np.ones(GRID.shape, np.float32))
