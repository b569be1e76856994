import numba
import numpy as np
import pytest

from engine.core.backend import cpu
from engine.geometry.grid import ImageGrid
from engine.kernels.rays import host_rays
from engine.kernels.vectors.pack import MAX_LANES, pack_row
from engine.operators.rays import RayProjector
from tests.engine.operators.ray_oracles import octant_rays


@numba.njit(nogil=True)
def packed(values, places, n, packed_values, places_out, end):
    return pack_row(values, places, n, packed_values, places_out, end)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("n", [0, 1, 7, 8, 16, 17, 37, 64])
def test_nonzero_values_are_packed_in_order(rng, dtype, n):
    values = np.where(rng.random(64 + MAX_LANES) < 0.5, rng.normal(size=64 + MAX_LANES), 0)
    values = values.astype(dtype)
    values[:n][3::9] = np.nan
    places = rng.integers(1 << 32, size=values.size, dtype=np.uint32)
    retained, places_out = np.zeros(90, dtype), np.zeros(90, np.uint32)
    retained[:2] = 7.0

    end = packed(values, places, n, retained, places_out, 2)

    is_any = values[:n] != 0
    np.testing.assert_array_equal(retained[:end], [7, 7, *values[:n][is_any]])
    np.testing.assert_array_equal(places_out[2:end], places[:n][is_any])


def test_sums_next_to_their_voxels_equal_those_of_a_separate_image(rng, monkeypatch):
    grid = ImageGrid((7, 9, 8), (2.0, 3.0, 2.5))
    project = RayProjector(octant_rays(rng, 500, grid), grid, on=cpu(2), dtype="float64")
    image = rng.random(grid.shape)
    background = rng.random(project.out_shape)

    interleaved = project.em_numerator(image, background)
    monkeypatch.setattr(host_rays, "_VOXELS_PER_ROW", 0)
    separate = project.em_numerator(image, background)

    # The same operations in the same order, with another memory layout.
    np.testing.assert_array_equal(interleaved[0], separate[0])
    np.testing.assert_array_equal(interleaved[1], separate[1])
