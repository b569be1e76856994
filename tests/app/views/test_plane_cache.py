"""Tests of the cache of slices: equal values, reading ahead, and memory."""

from __future__ import annotations

import math

import numpy as np
import pytest

from app.views.slices import plane_cache
from app.views.slices.plane_cache import slice_of
from engine.data.volume import Volume
from engine.geometry import orientation
from engine.geometry.grid import ImageGrid


@pytest.mark.parametrize("n_x", [1, 3, 8, 21])
def test_every_slice_equals_that_of_the_volume(rng, n_x):
    grid = ImageGrid((5, 7, n_x), (1.0, 1.0, 1.0))
    volumes = [Volume(rng.random(grid.shape).astype(np.float32), grid, "HU") for _ in range(2)]
    for plane in ("axial", "coronal", "sagittal"):
        view = orientation(plane)
        n = grid.shape[2 - view.normal]
        for index in (*range(n), *rng.integers(0, n, 10)):
            for volume in volumes:
                found = slice_of(volume, view, int(index))
                np.testing.assert_array_equal(found, view.extract(volume.values, int(index)))
                found[:] = -1  # change the returned copy; the cache must not change


def test_deleted_volume_frees_its_slices(rng):
    grid = ImageGrid((5, 7, 9), (1.0, 1.0, 1.0))
    before = len(plane_cache._CACHE)
    volume = Volume(rng.random(grid.shape).astype(np.float32), grid, "HU")
    slice_of(volume, orientation("sagittal"), 3)
    assert len(plane_cache._CACHE) == before + 1
    del volume
    assert len(plane_cache._CACHE) == before


def test_only_the_newest_groups_are_cached(rng):
    grid = ImageGrid((5, 7, 80), (1.0, 1.0, 1.0))
    volume = Volume(rng.random(grid.shape).astype(np.float32), grid, "HU")
    for index in (*range(80), *range(79, -1, -1)):
        slice_of(volume, orientation("sagittal"), index)
        assert len(plane_cache._CACHE[id(volume)].groups) <= plane_cache.MAX_CACHED


N_Z = 64
UP, DOWN = range(80, 160), range(79, -1, -1)
STEPS = {
    "up": UP,
    "down": DOWN,
    "in twos": range(3, 160, 2),
    "in twos, down": range(155, 0, -2),
    "turned back": [*range(43, 67), *range(65, 3, -1)],
    "blended, up": [each + k for each in UP[:-1] for k in (0, 1)],
    "blended, down": [each + k for each in DOWN for k in (0, 1)],
}
"""Sequences of slice steps; a blend of two volumes needs two adjacent slices."""


@pytest.fixture
def values(rng):
    return rng.random((N_Z, 5, 160)).astype(np.float32)


@pytest.fixture
def n_rows_read(monkeypatch):
    """Return the list of numbers of rows that were read ahead."""
    found, read_rows = [], plane_cache._Group.read_rows

    def counted(group, n):
        before = group.n_rows
        read_rows(group, n)
        found.append(group.n_rows - before)

    monkeypatch.setattr(plane_cache._Group, "read_rows", counted)
    return found


@pytest.mark.parametrize("steps", STEPS.values(), ids=STEPS)
def test_each_step_reads_a_small_part_of_a_group(values, n_rows_read, steps):
    groups, most = plane_cache._Groups(), []
    for index in steps:
        n_rows_read.clear()
        np.testing.assert_array_equal(groups.slice(values, index), values[:, :, index])
        most.append(sum(n_rows_read))
    # Each step through a group reads an equal share of the next; the first steps read more.
    longest = 2 if abs(steps[1] - steps[0]) == abs(steps[2] - steps[1]) == 2 else 1
    share = math.ceil(longest * N_Z / plane_cache.N_READ)
    assert max(most) <= share + plane_cache.LAST_SHARE * N_Z
    assert max(most[4 * plane_cache.N_READ :]) <= share


@pytest.mark.parametrize("steps", STEPS.values(), ids=STEPS)
def test_steps_find_their_slices_read_ahead(values, steps, monkeypatch):
    groups, alone = plane_cache._Groups(), []  # indices of the sequence
    read_alone = groups._single_slice

    def counted(*args):
        alone.append(n)
        return read_alone(*args)

    monkeypatch.setattr(groups, "_single_slice", counted)
    for n, index in enumerate(steps):  # noqa: B007
        np.testing.assert_array_equal(groups.slice(values, index), values[:, :, index])
    # the first group is read at once, and the second too if the first was entered near its end
    assert 0 in alone
    assert max(alone) < 4 * plane_cache.N_READ + 2


def test_pair_of_slices_is_read_once(values, monkeypatch):
    read, blocks = [], plane_cache._blocks
    monkeypatch.setattr(plane_cache, "_blocks", lambda part: read.append(part) or blocks(part))
    groups = plane_cache._Groups()
    for index in (20, 21, 20, 21):
        np.testing.assert_array_equal(groups._single_slice(values, index), values[:, :, index])
    assert len(read) == 2  # first read of the pair


def test_steps_reuse_the_memory_of_old_groups(values):
    groups, found = plane_cache._Groups(), set()
    for index in (*range(160), *range(158, -1, -1)):
        groups.slice(values, index)
        found |= {each.read.ctypes.data for each in groups.groups.values()}
    assert len(found) == plane_cache.MAX_CACHED


def test_jump_reads_only_its_slice(values, n_rows_read):
    groups = plane_cache._Groups()
    for index in (70, 3, 100, 96, 40):
        np.testing.assert_array_equal(groups.slice(values, index), values[:, :, index])
    assert n_rows_read == []
