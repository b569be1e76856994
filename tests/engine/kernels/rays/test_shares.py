"""Contiguous shares of rows: the planes of each share, and sums that read no other plane."""

from __future__ import annotations

import numpy as np
import pytest

from engine.core.backend import cpu
from engine.geometry.grid import ImageGrid
from engine.kernels.rays import host_rays
from engine.kernels.rays import shares as module
from engine.kernels.rays.bricks import Bricks, Pairs
from engine.kernels.rays.shares import MARGIN, ImagePool, shares_of
from engine.operators.ray_rows import checked_rows
from engine.operators.rays import RayProjector, Rays

GRID = ImageGrid((40, 24, 20), (2.0, 2.5, 3.0), (4.0, -3.0, 1.0))
"""Multiples of 3 mm from the centre are faces between planes."""
N, BLOCK = 1200, 100


def crossing(rng, n: int = N, *, height_mm: float = 3.0) -> Rays:
    """Return rays that rise along z over a few planes; some are outside the image."""
    z = np.sort(rng.uniform(-55, 55, n)) + GRID.centre_mm[2]
    ends = rng.uniform(-45, 45, (2, n, 3))
    ends[..., 2] = z + rng.uniform(-height_mm, height_mm, (2, n))
    ends[0, ::7, :2] = ends[1, ::7, :2]  # along z
    ends[0, ::11, 2] = ends[1, ::11, 2]  # in one plane
    faces = GRID.centre_mm[2] + 3 * np.rint((z[::13] - GRID.centre_mm[2]) / 3)
    ends[:, ::13, 2] = faces  # along a face between planes
    return Rays(ends.reshape(-1, 3), np.stack([np.arange(n), np.arange(n) + n], 1).astype("i4"))


def rows_of(rays: Rays):
    return checked_rows(rays, GRID, None, np.dtype("float32"))


def shared(rays: Rays, threads: int, **options) -> RayProjector:
    return RayProjector(rays, GRID, on=cpu(threads), **options)


def undivided(rays: Rays, threads: int, **options) -> RayProjector:
    """Return a projector without shares: threads take blocks in turn and clear whole images."""
    projector = shared(rays, threads, **options)
    projector._tracer._found = []
    return projector


@pytest.mark.parametrize("threads", [2, 3, 4])
def test_planes_of_a_share_contain_all_its_sums(rng, threads):
    rays = crossing(rng)
    found = shares_of(rows_of(rays), GRID.shape, threads, BLOCK)

    assert [row for share in found for row in share.rows] == list(range(N))
    assert len(found) == threads and all(len(each.rows) % BLOCK == 0 for each in found)
    for share in found:
        part = Rays(rays.points_mm, rays.ends[share.rows.start : share.rows.stop])
        image = shared(part, 1, dtype="float64").adjoint(np.ones(len(share.rows)))
        reached = np.flatnonzero(image.any(axis=(1, 2)))
        assert share.planes.start <= reached[0] and reached[-1] < share.planes.stop
        # At most one row and one margin are unused.
        assert len(share.planes) <= reached[-1] - reached[0] + 1 + 2 * (MARGIN + 3)


def test_rows_outside_the_image_have_no_planes(rng):
    ends = [[90, -50, 0], [90, 50, 5], [-50, 90, 0], [50, 90, 5], [150, -50, 0], [-10, 150, 5]]
    one = rows_of(Rays(np.array(ends, float), np.arange(6, dtype=np.int32).reshape(3, 2)))
    assert [len(each.planes) for each in shares_of(one, GRID.shape, 1, BLOCK)] == [0]


def test_unsorted_and_many_rows_have_no_shares(rng):
    rays = crossing(rng)
    mixed = Rays(rays.points_mm, rng.permutation(rays.ends))
    assert shares_of(rows_of(rays), GRID.shape, 2, BLOCK)
    assert not shares_of(rows_of(mixed), GRID.shape, 2, BLOCK)
    assert not shares_of(rows_of(crossing(rng, 5000)), GRID.shape, 2, BLOCK)
    assert not shares_of(rows_of(Rays(rays.points_mm, rays.ends[:0])), GRID.shape, 2, BLOCK)


@pytest.mark.parametrize("reproducible", [True, False])
@pytest.mark.parametrize("pairs", [True, False])
def test_shares_give_the_same_sums_update_by_update(rng, monkeypatch, reproducible, pairs):
    monkeypatch.setattr(module, "_VOXELS_PER_ROW", 0)
    rays = crossing(rng)
    one, other = (make(rays, 3, reproducible=reproducible) for make in (shared, undivided))
    for each in (one, other):
        each._tracer._is_worth_pairs = lambda: pairs
    for image in rng.random((3, *GRID.shape)).astype(np.float32):
        found, expected = one.em_numerator(image)
        numerator, of_rows = other.em_numerator(image)
        np.testing.assert_array_equal(expected, of_rows)
        if reproducible:
            np.testing.assert_array_equal(found, numerator)
        np.testing.assert_allclose(found, numerator, rtol=1e-5, atol=1e-6 * numerator.max())
    back = [each.adjoint(np.ones(N, np.float32)) for each in (one, other)]
    np.testing.assert_allclose(*back, rtol=1e-5, atol=1e-6 * back[1].max())


def test_thread_clears_only_its_planes_and_memory_is_reused(rng, monkeypatch):
    cleared, addresses = [], []
    for layout in (Bricks, Pairs):
        clear = layout.clear

        def counted(self, part, planes, clear=clear):
            cleared.append(len(planes))
            clear(self, part, planes)

        monkeypatch.setattr(layout, "clear", counted)
    take = ImagePool.take

    def recorded(self, n_values, dtype):
        image = take(self, n_values, dtype)
        addresses.append(image.ctypes.data)
        return image

    monkeypatch.setattr(ImagePool, "take", recorded)
    rays, image = crossing(rng), rng.random(GRID.shape).astype(np.float32)
    projector = shared(rays, 2)
    for _ in range(3):
        projector.em_numerator(image)
    assert len(addresses) == 6 and len(set(addresses)) == 2
    assert sum(cleared) / 3 < 0.75 * 2 * GRID.shape[0]
    # Subsets are processed one after another, so they use the same memory.
    for k in range(2):
        projector.subset(k, 2).em_numerator(image)
    assert len(addresses) == 10 and len(set(addresses)) == 2


@pytest.mark.parametrize("reproducible", [False, True])
@pytest.mark.parametrize("voxels_per_row", [0, 200])
def test_reused_memory_of_images_has_no_old_sums(rng, monkeypatch, reproducible, voxels_per_row):
    # With 200, sums are stored next to the values; with 0, separately.
    monkeypatch.setattr(host_rays, "_VOXELS_PER_ROW", voxels_per_row)
    rays, images = crossing(rng), rng.random((3, *GRID.shape)).astype(np.float32)
    values = rng.random((3, N)).astype(np.float32)
    reused = undivided(rays, 2, reproducible=reproducible)
    for image, row_values in zip(images, values, strict=True):
        new = undivided(rays, 2, reproducible=reproducible)
        np.testing.assert_array_equal(reused.em_numerator(image)[0], new.em_numerator(image)[0])
        np.testing.assert_array_equal(reused.adjoint(row_values), new.adjoint(row_values))
    sizes = [len(free) for free in reused._tracer._pool._free.values()]
    assert sizes and set(sizes) == {2}  # one for each thread


def test_large_images_are_not_pooled(monkeypatch):
    pool = ImagePool()
    pool.give(pool.take(100, "f4"))
    assert pool.take(100, "f8").dtype == np.float64
    assert pool.take(100, "f4") is not None and not any(pool._free.values())
    monkeypatch.setattr(module, "_POOLED_BYTES", 399)
    pool.give(pool.take(100, "f4"))
    assert not any(pool._free.values())


def test_progress_counts_rows_and_can_stop(rng):
    ticks = []
    projector = shared(
        crossing(rng), 2, on_progress=lambda done, total: ticks.append((done, total))
    )
    projector.adjoint(np.ones(N, np.float32))
    assert ticks[-1] == (N, N) and all(total == N for _, total in ticks)

    def stop(done: int, total: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        shared(crossing(rng), 2, on_progress=stop).adjoint(np.ones(N, np.float32))
