"""Prefetching is only a hint: rows are the same for any images and block limits."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from engine.core.backend import cpu
from engine.geometry.grid import ImageGrid
from engine.kernels.blocks import padded
from engine.kernels.rays import ray_tracing as kernels
from engine.kernels.rays.bricks import Bricks
from engine.kernels.rows_ahead import tap_buffers
from engine.operators.ray_rows import checked_rows
from engine.operators.rays import RayProjector, Rays
from tests.engine.operators.ray_oracles import octant_rays

pytestmark = pytest.mark.slow

GRID = ImageGrid((9, 31, 40), (2.0, 3.0, 2.5))
N = 300
NEAR, FAR = 0, 1 << 40
"""Bytes of images that fit the caches, and of images that do not."""


@pytest.fixture
def rows(rng):
    return checked_rows(octant_rays(rng, N, GRID), GRID, None, np.dtype("float32"))


def sums_of_size(n_bytes):
    return tap_buffers(padded(GRID.shape), "float32", n_bytes)


def updated(rows, image, n_bytes, blocks):
    """Return expected counts and sums of an update, processed in blocks of rows."""
    arranged, rest = Bricks(GRID.shape, "float32").arranged(image), np.empty(0, np.float32)
    sums, expected = np.zeros_like(arranged), np.full(N, np.nan, np.float32)
    for start, stop in pairwise(blocks):
        trace = rows, padded(GRID.shape), sums_of_size(n_bytes)
        kernels.update(start, stop, *trace, arranged, rest, expected, 1.0, sums)
    return expected, sums


def test_rows_are_the_same_with_and_without_prefetching(rng, rows):
    image, values = rng.random(GRID.shape), rng.random(N, np.float32)
    arranged = Bricks(GRID.shape, "float32").arranged(image)
    found = []
    for n_bytes in (NEAR, FAR):
        out, sums = np.full(N, np.nan, np.float32), np.zeros_like(arranged)
        trace = rows, padded(GRID.shape), sums_of_size(n_bytes)
        kernels.forward(0, N, *trace, arranged, out)
        kernels.back(0, N, *trace, values, 1.0, sums)
        found.append((out, sums, *updated(rows, image, n_bytes, [0, N])))

    for near, far in zip(*found, strict=True):
        # Taps are summed in pieces, so the order differs.
        np.testing.assert_allclose(far, near, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("n_bytes", [NEAR, FAR])
def test_block_starts_and_ends_with_its_own_rows(rng, rows, n_bytes):
    image = rng.random(GRID.shape)

    whole = updated(rows, image, n_bytes, [0, N])
    blocks = updated(rows, image, n_bytes, [0, 1, 2, 9, 10, 150, N])

    np.testing.assert_array_equal(blocks[0], whole[0])
    np.testing.assert_array_equal(blocks[1], whole[1])


def test_block_writes_only_its_own_rows(rng, rows):
    arranged = Bricks(GRID.shape, "float32").arranged(rng.random(GRID.shape))
    out = np.full(N, np.nan, np.float32)

    kernels.forward(7, 9, rows, padded(GRID.shape), sums_of_size(FAR), arranged, out)

    assert np.flatnonzero(np.isfinite(out)).tolist() == [7, 8]


def test_rows_through_an_image_larger_than_the_caches_have_their_length(rng):
    grid = ImageGrid((4, 1700, 1700), (1.0, 1.0, 1.0))  # 48 MB
    low, high = np.array([-900.0, -800.0, -1.9]), np.array([900.0, 800.0, 1.9])
    starts, stops = (rng.uniform(low, high, (N, 3)) for _ in range(2))
    starts[:, 0], stops[:, 0] = -900.0, 900.0  # from side to side, x from -850 to 850
    points_mm = np.concatenate([starts, stops])
    ends = np.stack([np.arange(N), np.arange(N) + N], axis=1).astype(np.int32)
    project = RayProjector(Rays(points_mm, ends), grid, on=cpu(2))
    lengths_mm = np.linalg.norm(stops - starts, axis=1) * 1700 / 1800

    through_ones = project(np.ones(grid.shape, np.float32))
    back = project.adjoint(np.ones(N, np.float32))
    shares, expected = project.em_numerator(np.ones(grid.shape, np.float32))

    np.testing.assert_allclose(through_ones, lengths_mm, rtol=2e-6)
    np.testing.assert_allclose(expected, lengths_mm, rtol=2e-6)
    assert back.sum(dtype=np.float64) == pytest.approx(lengths_mm.sum(), rel=1e-6)
    assert shares.sum(dtype=np.float64) == pytest.approx(N, rel=1e-6)
