"""Decoding of rows preserves all values, long runs come first, groups have their stated form."""

from __future__ import annotations

import itertools
from collections import Counter

import numpy as np
import pytest

from engine.kernels.matrix import correlation
from engine.kernels.matrix.codes import MAX_PITCHES, ROWS, phase_of, u_of, v_of
from engine.kernels.matrix.decode import (
    FAR,
    LONGEST,
    MAX_COUNT,
    DecodeBuffers,
    GroupLimits,
    decode,
    ends_of,
    rectangle_of,
)
from engine.kernels.matrix.patches import LANES, LOW, RUNS

EDGE, MARGIN, HEIGHT, WIDTH = 3, 2, 26, 23
WINDOW = (-4, 2, HEIGHT, WIDTH)
PARTS = (0.0, 0.02, 0.2, 0.6, 1.0)
"""Fraction of nonzero voxels of a window."""
SMALLEST = GroupLimits(LONGEST, LONGEST - 1, 1)
ALL = [correlation.FORWARD, correlation.BACK, correlation.BACK_IN_LANES, SMALLEST]


class Decoded:
    """Two rows of two planes; each plane has other nonzero voxels."""

    def __init__(self, limits: GroupLimits, *, is_turned: bool, seed: int = 6) -> None:
        rng = np.random.default_rng(seed)
        planes = [_places(rng.random((HEIGHT, WIDTH)) < part) for part in PARTS[1:]]
        n = [len(plane) for plane in planes]
        places = np.concatenate([np.zeros(7, np.uint16), *planes])
        values, scales = rng.random(sum(n), np.float32), np.array([2.0, 0.5], np.float32)
        self.starts = np.array([[0, n[0], n[0] + n[1]], [sum(n[:2]), sum(n[:3]), sum(n)]])
        windows = np.tile(np.array(WINDOW, np.int16), (2, 2, 1))
        self.codes, self.weights = np.zeros(sum(n), np.int32), np.zeros(sum(n), np.float32)
        self.groups = np.zeros(sum(n), np.int32)
        of_columns, ends = np.empty(MAX_PITCHES + 1, np.int32), np.empty(LONGEST + 1, np.int32)
        buffers = DecodeBuffers(*np.empty((4, max(n)), np.int32), of_columns, ends)
        layout = self.starts[:, 0] + 7, np.array([is_turned] * 2), self.starts, windows
        self.reach = np.tile([limits.far, limits.wide], (2, 1))
        for row in range(2):  # one row at a time, as threads do
            of_row = values[self.starts[row, 0] : self.starts[row, -1]]
            decode(
                row, row + 1, *layout, EDGE, MARGIN, limits.most, self.reach, places, of_row,
                scales, buffers, self.codes, self.weights, self.groups,
            )  # fmt: skip
        self.places, scale = places[7:].astype(int), np.repeat(scales, [n[0] + n[1], n[2] + n[3]])
        self.expected_weights = values * scale

    def planes(self) -> list[slice]:
        """Return the slices of the non-zeros of each plane."""
        return [slice(*pair) for row in self.starts for pair in itertools.pairwise(row)]

    def members(self, plane: slice) -> list[tuple[int, np.ndarray]]:
        """Return start and codes of each group of a plane; long runs come first."""
        found, e = [], plane.start
        while e < plane.stop:
            n = self.ends(e)[-1]
            assert 0 < n <= plane.stop - e
            found.append((e, self.codes[e : e + n].astype(int)))
            e += n
        return found

    def ends(self, place: int) -> tuple[int, ...]:
        """Return the ends of the runs of a group."""
        found: tuple[int, ...] = ends_of.py_func(int(self.groups[place]))
        return found


def _places(is_there: np.ndarray) -> np.ndarray:
    """Return positions in a window, sorted by phase, then by row and column."""
    j, k = np.nonzero(is_there)
    phase = (j + WINDOW[0]) % EDGE * EDGE + (k + WINDOW[1]) % EDGE
    return (j * WIDTH + k)[np.lexsort((k, j, phase))].astype(np.uint16)


def _code(place: int, is_turned: bool) -> int:
    j, k = place // WIDTH + WINDOW[0], place % WIDTH + WINDOW[1]
    j, k = (k, j) if is_turned else (j, k)
    phase = j % EDGE << 4 | k % EDGE
    return phase << 22 | j // EDGE + MARGIN << 11 | k // EDGE + MARGIN


@pytest.mark.parametrize("is_turned", [False, True])
@pytest.mark.parametrize("limits", ALL)
def test_each_non_zero_keeps_its_voxel_and_its_value(limits: GroupLimits, is_turned: bool) -> None:
    decoded = Decoded(limits, is_turned=is_turned)
    for plane in decoded.planes():
        expected_codes = [_code(int(place), is_turned) for place in decoded.places[plane]]
        expected = dict(zip(expected_codes, decoded.expected_weights[plane].tolist(), strict=True))
        found = zip(decoded.codes[plane].tolist(), decoded.weights[plane].tolist(), strict=True)
        assert dict(found) == expected and len(expected) == plane.stop - plane.start


@pytest.mark.parametrize("is_turned", [False, True])
@pytest.mark.parametrize("limits", ALL)
def test_long_runs_come_first_with_non_zeros_at_one_pitch(
    limits: GroupLimits, is_turned: bool
) -> None:
    decoded, n_in_runs = Decoded(limits, is_turned=is_turned), 0
    for group, codes in [each for plane in decoded.planes() for each in decoded.members(plane)]:
        start, ends = 0, decoded.ends(group)
        assert 0 < len(codes) <= limits.most
        for length, end in zip(RUNS, ends, strict=True):
            runs = codes[start:end].reshape(-1, length)
            assert (runs - runs[:, :1] == ROWS * np.arange(length)).all()
            n_in_runs += runs.size if length > 1 else 0
            start = end
    assert n_in_runs > len(decoded.codes) / 3


@pytest.mark.parametrize("is_turned", [False, True])
@pytest.mark.parametrize("limits", ALL)
def test_neighbours_are_divided_into_fours_and_none_is_single(
    limits: GroupLimits, is_turned: bool
) -> None:
    decoded = Decoded(limits, is_turned=is_turned)
    for plane in decoded.planes():
        found: Counter[int] = Counter()
        for group, _ in decoded.members(plane):
            sizes = np.diff([0, *decoded.ends(group)]) // RUNS
            found.update(dict(zip(RUNS, sizes.tolist(), strict=True)))
        expected = Counter(
            length for n in _neighbours(decoded.codes[plane].tolist()) for length in _divided(n)
        )
        assert found == expected


@pytest.mark.parametrize("is_turned", [False, True])
@pytest.mark.parametrize(
    "limits",
    [correlation.BACK, correlation.BACK_IN_LANES, SMALLEST, GroupLimits(MAX_COUNT, FAR, FAR)],
)
def test_group_covers_its_stated_rectangle(limits: GroupLimits, is_turned: bool) -> None:
    decoded = Decoded(limits, is_turned=is_turned)
    for group, codes in [each for plane in decoded.planes() for each in decoded.members(plane)]:
        u = np.array([u_of.py_func(int(code)) for code in codes])
        v = np.array([v_of.py_func(int(code)) for code in codes])
        reached = rectangle_of(decoded.groups, group, len(codes), int(codes[0]))
        assert reached == (u.min(), v.min(), np.ptp(u), np.ptp(v))
        assert np.ptp(u) <= limits.far and np.ptp(v) <= limits.wide
        assert len({phase_of.py_func(int(code)) for code in codes}) == 1


@pytest.mark.parametrize("limits", [correlation.BACK, correlation.BACK_IN_LANES])
@pytest.mark.parametrize("lanes", [1, 8])
def test_groups_extend_to_the_size_of_their_patches(limits: GroupLimits, lanes: int) -> None:
    shapes = np.stack(np.meshgrid(np.arange(1, 105), np.arange(1, 73)), axis=-1).reshape(-1, 2)
    far, wide = limits.reach(shapes, lanes).T
    assert ((shapes[:, 0] + far) % LOW == 0).all()
    assert ((shapes[:, 1] + wide) * lanes % LANES == 0).all()
    assert far.min() == limits.far and wide.min() == limits.wide
    assert (far.max(), wide.max()) == limits.farthest(lanes) <= (FAR, FAR)


def test_groups_of_arbitrary_positions_have_no_rectangle() -> None:
    assert (correlation.FORWARD.reach(np.array([[5, 7], [1, 1]]), 1) == 0).all()
    assert correlation.FORWARD.farthest(1) == (0, 0)


def _neighbours(codes: list[int]) -> list[int]:
    """Return the length of each unbroken sequence of neighbours along u."""
    present, found = set(codes), []
    for code in present:
        if code - ROWS not in present:
            n = 1
            while code + n * ROWS in present:
                n += 1
            found.append(n)
    return found


def _divided(n: int) -> list[int]:
    """Return the runs of n neighbours: fours, but five that remain become three and two."""
    if n == LONGEST + 1:
        return [3, 2]
    return [n] if n <= LONGEST else [LONGEST, *_divided(n - LONGEST)]
