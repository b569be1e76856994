from dataclasses import replace

import numpy as np
import pytest

from engine.core.backend import cpu
from engine.geometry.grid import ImageGrid
from engine.geometry.tof import TofBins
from engine.kernels.processor import HAS_LANES
from engine.operators.rays import RayProjector
from tests.engine.kernels import cuda_cases
from tests.engine.operators.ray_oracles import GRID, axis_rays, lattice_rays, octant_rays

KINDS = {
    "all octants": lambda rng: octant_rays(rng, 12, GRID),
    "lattice": lambda rng: lattice_rays(rng, 96, GRID),
    "axis-parallel": lambda rng: axis_rays(rng, 30, GRID),
    "long": lambda rng: cuda_cases.along_rays(rng, 40),
    "long, along faces": lambda rng: cuda_cases.face_rays(rng, 40),
}
TIMES = {
    "none": None,
    "bins": TofBins(fwhm_ps=150, bin_ps=60, n_bins=15),
    "narrow bins": TofBins(fwhm_ps=400, bin_ps=30, n_bins=15),
}
pytestmark = pytest.mark.skipif(
    not HAS_LANES, reason="the processor has no suitable vector instructions"
)


@pytest.mark.parametrize("times", TIMES)
@pytest.mark.parametrize("kind", KINDS)
def test_vectorised_taps_equal_those_slab_by_slab(rng, kind, times):
    """float32 uses vectors, float64 goes slab by slab."""
    tof, rays = TIMES[times], KINDS[kind](rng)
    grid: ImageGrid = cuda_cases.GRID if kind.startswith("long") else GRID
    bins = None if tof is None else rng.integers(0, tof.n_bins, len(rays.ends)).astype(np.int16)
    rays = replace(rays, tof_bins=bins)
    single, double = (
        RayProjector(rays, grid, on=cpu(1), tof=tof, dtype=dtype)
        for dtype in ("float32", "float64")
    )
    assert tof is None or single._tracer.rows.in_lanes.size

    for _ in range(3):
        few = (rng.random(grid.shape) < 0.05).astype(np.float32)
        sums, truth = single(few), double(few.astype(np.float64))
        assert truth.any()
        np.testing.assert_allclose(sums, truth, atol=1e-4)  # mm; positions are float32
        values = (rng.random(len(rays.ends)) < 0.1).astype(np.float32)
        image, truth = single.T(values), double.T(values.astype(np.float64))
        np.testing.assert_allclose(image, truth, atol=1e-4)
