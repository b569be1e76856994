"""Sums of products of shifted rows equal those of NumPy, and no other number changes."""

from __future__ import annotations

import numpy as np
import pytest

from engine.kernels.matrix.patches import (
    LANES,
    add_patches,
    beyond,
    lanes_covered,
    rows_covered,
)

PITCH, SOURCE_PITCH, SHIFTS = 80, 77, 7


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(
    ("n_rows", "n_columns"),
    [
        (1, 1),
        (4, 8),
        (5, 9),
        (6, 20),
        (8, 7),
        (12, 16),
        (13, 3),
        (19, 25),
        (3, 32),
        (14, 61),
        (16, 16),
        (32, 24),
        (28, 40),
    ],
)
@pytest.mark.parametrize("is_reversed", [0, 1])
def test_every_patch_adds_the_products_in_their_order(
    n_rows: int, n_columns: int, dtype: type, is_reversed: int
) -> None:
    rng = np.random.default_rng(n_rows)
    covered = rows_covered(n_rows), lanes_covered(n_columns)
    source = rng.random((covered[0] + SHIFTS, SOURCE_PITCH), dtype)
    # Two runs of four, then runs of three and two, and two single non-zeros. The last one is not
    # used.
    lengths, ends = [4, 4, 3, 2, 1, 1], (8, 11, 13, 15)
    firsts = rng.integers(0, SHIFTS - 3, (len(lengths), 2))
    shifts = np.concatenate(
        [first + _run(n, is_reversed) for first, n in zip(firsts, lengths, strict=True)]
    )
    shifts = np.append(shifts, [[0, 0]], axis=0)
    n = len(shifts) - 1
    weights, offsets = rng.random(n + 1, dtype), (shifts @ [SOURCE_PITCH, 1]).astype(np.int32)
    before = rng.random((rows_covered(n_rows) + 2, PITCH), dtype)
    found = before.copy()

    add_patches(
        found.ravel(), PITCH + 3, PITCH, n_rows, n_columns, source.ravel(), 0, SOURCE_PITCH,
        offsets, weights, ends, is_reversed,
    )  # fmt: skip

    expected, flat = before.copy(), np.append(source.ravel(), np.zeros(LANES, dtype))
    part = expected[1 : 1 + covered[0], 3 : 3 + covered[1]]
    for e in range(n):
        at = offsets[e] + np.arange(covered[0])[:, None] * SOURCE_PITCH + np.arange(covered[1])
        part += weights[e] * flat[at]
    assert np.allclose(found, expected, rtol=20 * np.finfo(dtype).eps, atol=0)
    outside = np.ones(before.shape, bool)
    outside[1 : 1 + covered[0], 3 : 3 + covered[1]] = False
    assert np.array_equal(found[outside], before[outside])


def _run(n: int, is_reversed: int) -> np.ndarray:
    """Return the shifts of a run of n non-zeros, relative to its first one."""
    down = np.arange(n)[:: -1 if is_reversed else 1]
    return np.column_stack([down, np.zeros(n, int)])


def test_small_products_are_summed_before_they_are_added() -> None:
    target, n = np.full(64, 2.0**24, np.float32), 8
    source, weights = np.ones(64, np.float32), np.full(n, 0.5, np.float32)
    add_patches(target, 0, 8, 4, 8, source, 0, 8, np.zeros(n, np.int32), weights, (0, 0, 0, n), 0)
    assert (target[:32] == 2.0**24 + n / 2).all()


def test_empty_patch_changes_nothing() -> None:
    target, source = np.ones(64, np.float32), np.full(64, np.nan, np.float32)
    add_patches(
        target,
        0,
        8,
        5,
        3,
        source,
        0,
        8,
        np.zeros(1, np.int32),
        np.ones(1, np.float32),
        (0, 0, 0, 0),
        0,
    )
    assert (target == 1).all()


@pytest.mark.parametrize("n_rows", [1, 4, 5, 9, 12])
def test_patches_at_the_end_of_an_image_stay_within_the_padding(n_rows: int) -> None:
    """The last number that is read or written is within the padding."""
    pitch, n_columns = 9, 9
    last_row, last_lane = rows_covered(n_rows) - 1, lanes_covered(n_columns) - 1
    assert last_row * pitch + last_lane < n_rows * pitch + beyond(pitch)
