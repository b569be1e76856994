"""Integer sums of parts of the events add up to the update of all, on every device."""

from __future__ import annotations

import numpy as np
import pytest

from engine.core.backend import Backend, cpu
from engine.geometry.grid import ImageGrid
from engine.geometry.tof import TofBins
from engine.kernels.units import in_units, share_unit
from engine.kernels.variants import RayVariant
from engine.operators.rays import RayProjector, Rays

GRID = ImageGrid((5, 6, 9), (4.0, 4.0, 4.0))
TOF = TofBins(fwhm_ps=200, bin_ps=150, n_bins=7)
N, PARTS = 600, 4


def events(rng: np.random.Generator) -> tuple[Rays, np.ndarray]:
    points = rng.normal(size=(40, 3))
    points *= 60 / np.linalg.norm(points, axis=1, keepdims=True)
    ends = rng.integers(0, 20, (N, 2)).astype(np.int32) + np.array([0, 20], np.int32)
    bins = rng.integers(0, TOF.n_bins, N).astype(np.int16)
    return Rays(points, ends, bins), rng.uniform(0, 0.5, N).astype(np.float32)


def sums_of_parts(A: RayProjector, x: np.ndarray, background: np.ndarray) -> np.ndarray:
    parts = [A.subset(k, PARTS).em_sums(x, background[k::PARTS], N)[0] for k in range(PARTS)]
    return sum(parts[::-1])


def test_parts_add_up_to_the_whole(rng: np.random.Generator) -> None:
    rays, background = events(rng)
    A = RayProjector(rays, GRID, on=cpu(1), tof=TOF, reproducible=True)
    x = rng.uniform(0, 3, GRID.shape).astype(np.float32)
    whole, _ = A.em_numerator(x, background)
    added = in_units(sums_of_parts(A, x, background), share_unit(N), np.float32)
    np.testing.assert_array_equal(added, whole)


@pytest.mark.parametrize("order", ["linear", "tiles"])
def test_devices_give_the_integers_of_the_host(
    rng: np.random.Generator, device: Backend, order: str
) -> None:
    rays, background = events(rng)
    x = rng.uniform(0, 3, GRID.shape).astype(np.float32)
    host = RayProjector(rays, GRID, on=cpu(1), tof=TOF, reproducible=True)
    variant = RayVariant("thread", sums="fixed", order=order)
    A = RayProjector(rays, GRID, on=device, tof=TOF, reproducible=True, variant=variant)
    found, _ = A.em_sums(x, background, N)
    np.testing.assert_array_equal(found, host.em_sums(x, background, N)[0])
    np.testing.assert_array_equal(found, sums_of_parts(A, x, background))


def test_rounded_sums_are_refused(rng: np.random.Generator) -> None:
    rays, background = events(rng)
    A = RayProjector(rays, GRID, on=cpu(1), tof=TOF)
    with pytest.raises(ValueError, match="needs reproducible rays"):
        A.em_sums(np.ones(GRID.shape, np.float32), background, N)
