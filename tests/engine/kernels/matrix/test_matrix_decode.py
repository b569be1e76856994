"""Nothing is lost as rows are decoded; pairs come first, and groups are what they say."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from engine.kernels.matrix import correlation
from engine.kernels.matrix.codes import ROWS, phase_of, u_of, v_of
from engine.kernels.matrix.decode import (
    DecodeBuffers,
    GroupLimits,
    decode,
    n_paired_of,
    rectangle_of,
    size_of,
)

EDGE, MARGIN, HEIGHT, WIDTH = 3, 2, 26, 23
WINDOW = (-4, 2, HEIGHT, WIDTH)
PARTS = (0.0, 0.02, 0.2, 0.6, 1.0)
"""How many voxels of a window are not zero."""


class Decoded:
    """Two rows of two planes, each plane with another part of its voxels."""

    def __init__(self, together: GroupLimits, *, is_turned: bool, seed: int = 6) -> None:
        rng = np.random.default_rng(seed)
        planes = [_places(rng.random((HEIGHT, WIDTH)) < part) for part in PARTS[1:]]
        n = [len(plane) for plane in planes]
        places = np.concatenate([np.zeros(7, np.uint16), *planes])
        values, scales = rng.random(sum(n), np.float32), np.array([2.0, 0.5], np.float32)
        self.starts = np.array([[0, n[0], n[0] + n[1]], [sum(n[:2]), sum(n[:3]), sum(n)]])
        windows = np.tile(np.array(WINDOW, np.int16), (2, 2, 1))
        self.codes, self.weights = np.zeros(sum(n), np.int32), np.zeros(sum(n), np.float32)
        self.groups = np.zeros(sum(n), np.int32)
        room = DecodeBuffers(
            *(np.empty(max(n), np.int32) for _ in range(3)), np.empty(max(n), bool)
        )
        layout = self.starts[:, 0] + 7, np.array([is_turned] * 2), self.starts, windows
        for row in range(2):  # each alone, as threads do
            of_row = values[self.starts[row, 0] : self.starts[row, -1]]
            decode(
                row, row + 1, *layout, EDGE, MARGIN, together, places, of_row, scales, room,
                self.codes, self.weights, self.groups,
            )  # fmt: skip
        self.places, scale = places[7:].astype(int), np.repeat(scales, [n[0] + n[1], n[2] + n[3]])
        self.wanted = values * scale

    def planes(self) -> list[slice]:
        """Where the non-zeros of each plane lie."""
        return [slice(*pair) for row in self.starts for pair in itertools.pairwise(row)]

    def members(self, plane: slice) -> list[tuple[int, np.ndarray]]:
        """Each group of a plane and the codes of its non-zeros, pairs before others."""
        found, e, k = [], plane.start, plane.start
        while e < plane.stop:
            n = size_of.py_func(int(self.groups[k]))
            assert 0 < n <= plane.stop - e
            found.append((int(self.groups[k]), self.codes[e : e + n].astype(int)))
            e, k = e + n, k + 1
        return found


def _places(is_there: np.ndarray) -> np.ndarray:
    """Places of a window, by phase, then by row and column."""
    j, k = np.nonzero(is_there)
    phase = (j + WINDOW[0]) % EDGE * EDGE + (k + WINDOW[1]) % EDGE
    return (j * WIDTH + k)[np.lexsort((k, j, phase))].astype(np.uint16)


def _code(place: int, is_turned: bool) -> int:
    j, k = place // WIDTH + WINDOW[0], place % WIDTH + WINDOW[1]
    j, k = (k, j) if is_turned else (j, k)
    phase = j % EDGE << 4 | k % EDGE
    return phase << 22 | j // EDGE + MARGIN << 11 | k // EDGE + MARGIN


@pytest.mark.parametrize("is_turned", [False, True])
@pytest.mark.parametrize("together", [correlation.FORWARD, correlation.BACK, GroupLimits(2, 1)])
def test_each_non_zero_keeps_its_voxel_and_its_value(
    together: GroupLimits, is_turned: bool
) -> None:
    decoded = Decoded(together, is_turned=is_turned)
    for plane in decoded.planes():
        wanted = [_code(int(place), is_turned) for place in decoded.places[plane]]
        expected = dict(zip(wanted, decoded.wanted[plane].tolist(), strict=True))
        found = zip(decoded.codes[plane].tolist(), decoded.weights[plane].tolist(), strict=True)
        assert dict(found) == expected and len(expected) == plane.stop - plane.start


@pytest.mark.parametrize("is_turned", [False, True])
@pytest.mark.parametrize("together", [correlation.FORWARD, correlation.BACK, GroupLimits(2, 1)])
def test_pairs_come_first_and_the_second_lies_a_pitch_further(
    together: GroupLimits, is_turned: bool
) -> None:
    decoded, n_paired = Decoded(together, is_turned=is_turned), 0
    for group, codes in [each for plane in decoded.planes() for each in decoded.members(plane)]:
        here = n_paired_of.py_func(group)
        pairs = codes[:here].reshape(-1, 2)
        assert here <= len(codes) <= together.most
        assert (pairs[:, 1] - pairs[:, 0] == ROWS).all()
        n_paired += here
    assert n_paired > len(decoded.codes) / 3


@pytest.mark.parametrize("together", [correlation.FORWARD, correlation.BACK])
def test_of_a_run_of_neighbours_all_pairs_are_made(together: GroupLimits) -> None:
    decoded = Decoded(together, is_turned=False)
    for plane in decoded.planes():
        found = sum(n_paired_of.py_func(group) for group, _ in decoded.members(plane)) // 2
        assert found == _runs(set(decoded.codes[plane].tolist()))


@pytest.mark.parametrize("is_turned", [False, True])
@pytest.mark.parametrize("together", [correlation.BACK, GroupLimits(2, 1), GroupLimits(127, 15)])
def test_a_group_reaches_the_rectangle_that_it_says(together: GroupLimits, is_turned: bool) -> None:
    decoded = Decoded(together, is_turned=is_turned)
    for group, codes in [each for plane in decoded.planes() for each in decoded.members(plane)]:
        u = np.array([u_of.py_func(int(code)) for code in codes])
        v = np.array([v_of.py_func(int(code)) for code in codes])
        reached = rectangle_of(group, int(codes[0]))
        assert reached == (u.min(), v.min(), np.ptp(u), np.ptp(v))
        assert max(np.ptp(u), np.ptp(v)) <= together.far
        assert len({phase_of.py_func(int(code)) for code in codes}) == 1


def _runs(codes: set[int]) -> int:
    """Return how many pairs can be made of runs of codes a pitch apart."""
    found = 0
    for code in codes:
        if code - ROWS not in codes:
            n = 1
            while code + n * ROWS in codes:
                n += 1
            found += n // 2
    return found
