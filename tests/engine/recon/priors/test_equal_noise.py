"""Prior strength for a typical voxel: its counts, and the voxels that share a count."""

from __future__ import annotations

import numpy as np
import pytest

from engine.recon.priors.equal_noise import (
    SHARING,
    TypicalVoxel,
    random_signs,
    typical_activity_of,
    typical_voxel,
)

SHAPE = (6, 24, 24)


def body(hot=1.0):
    """Return an object of activity 1 in air with an organ, and its row sums without background."""
    first = np.zeros(SHAPE)
    first[:, 4:20, 4:20] = 1
    first[2:4, 8:12, 8:12] = hot
    return first, 9 / np.where(first > 0, first, 1e-3)


def found(first, row_sums, activity, width):
    """Return the typical voxel if each count can come from any of `width` voxels along x."""
    signs = random_signs(SHAPE, np.dtype(float))
    probe = signs * first.clip(max=typical_activity_of(first, row_sums, activity))
    runs = probe.reshape(6, 24, -1, width)
    mean_over_width = np.broadcast_to(runs.mean(axis=3, keepdims=True), runs.shape).reshape(SHAPE)
    return typical_voxel(row_sums, first, activity, probe, row_sums * mean_over_width)


@pytest.mark.parametrize("width", [1, 4, 8])
def test_voxels_that_share_a_count_are_estimated(width):
    typical = found(*body(), 1.0, width)
    assert typical.counts == pytest.approx(9)
    assert typical.sharing == pytest.approx(width, rel=0.15)


def test_units_and_a_hot_organ_do_not_change_the_prior_factor():
    """The factor is strength · f̄."""
    first, row_sums = body()
    expected = found(first, row_sums, 1.0, 4)
    hot = found(*body(hot=50.0), 20.0, 4)
    assert 20 * hot.factor == pytest.approx(expected.factor, rel=0.05)
    scaled = found(first / 8, 64 * row_sums, 1 / 8, 4)
    assert scaled.factor == pytest.approx(expected.factor)


def test_noise_is_the_same_for_all_counts_and_sharing():
    """The noise is k d / (n w⁴), with w³ = strength · d."""
    noise = list[float]()
    for n, d in ((1.0, 16.0), (16.0, 16.0), (4.0, 300.0), (90.0, 30.0)):
        w = (TypicalVoxel(n, d).factor * d) ** (1 / 3)
        noise.append(d / (n * w**4))
    assert noise == pytest.approx([noise[0]] * 4)
    assert TypicalVoxel(1.0).factor == 1


def test_scan_without_counts_has_a_strength():
    zeros = np.zeros(SHAPE)
    empty = typical_voxel(zeros, zeros, 1.0, zeros, zeros)
    assert (empty.counts, empty.sharing, empty.activity) == (0, SHARING, 1)


def test_signs_are_balanced_and_reproducible():
    signs = random_signs((20, 30, 40), np.dtype("f4"))
    assert signs.dtype == np.float32 and set(np.unique(signs)) == {-1, 1}
    assert abs(signs.mean()) < 4 / np.sqrt(signs.size)
    for axis in range(3):
        assert abs((signs * np.roll(signs, 1, axis)).mean()) < 4 / np.sqrt(signs.size)
    assert random_signs((1, 1, 8), np.dtype("f8")).ravel().tolist() == [1, -1, -1, 1, -1, -1, -1, 1]
