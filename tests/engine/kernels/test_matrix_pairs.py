"""Neighbours come together, and nothing is lost, added or moved to another phase."""

from __future__ import annotations

import numpy as np
import pytest

from engine.kernels.matrix_pairs import neighbours_together, pairs_first

PITCH, EDGE, HEIGHT, WIDTH = 50, 3, 14, 11


def test_pairs_come_first_and_the_second_reads_a_row_further() -> None:
    offsets = np.array([9, 7, 7 + PITCH, 3, 90, 90 - PITCH, 4, 5], np.int32)
    weights = np.arange(8, dtype=np.float32)
    near, of_near = np.zeros(7, np.int32), np.zeros(7, np.float32)
    assert pairs_first(offsets, weights, 1, 8, PITCH, near, of_near) == 4
    assert near[:4].tolist() == [7, 7 + PITCH, 90 - PITCH, 90]
    assert of_near[:4].tolist() == [1, 2, 5, 4]
    rest = dict(zip(near[4:].tolist(), of_near[4:].tolist(), strict=True))
    assert rest == {3: 3, 4: 6, 5: 7}


@pytest.mark.parametrize("part", [0.0, 0.2, 0.6, 1.0])
def test_neighbours_a_pitch_apart_follow_one_another(part: float) -> None:
    rng = np.random.default_rng(6)
    window = np.array([[[-4, 2, HEIGHT, WIDTH]]], np.int16)
    j, k = np.nonzero(rng.random((HEIGHT, WIDTH)) < part)
    phase = (j - 4) % EDGE * EDGE + (k + 2) % EDGE
    order = np.lexsort((k, j, phase))
    places, phase = (j * WIDTH + k)[order].astype(np.uint16), phase[order]
    weights, starts = rng.random(len(places)), np.array([[0, len(places)]])
    found, of_found = np.zeros_like(places), np.zeros_like(weights)
    neighbours_together(
        np.array([0]), starts, window, EDGE, places, weights, np.empty(len(places), bool), found,
        of_found,
    )  # fmt: skip

    row, column = np.divmod(found.astype(int), WIDTH)
    assert np.array_equal((row - 4) % EDGE * EDGE + (column + 2) % EDGE, phase)
    value = dict(zip(places.tolist(), weights.tolist(), strict=True))
    assert dict(zip(found.tolist(), of_found.tolist(), strict=True)) == value
    # of a run of n neighbours n // 2 pairs can be made
    wanted = sum(_runs(set(places.tolist())))
    n, e = 0, 0
    while e < len(found):
        is_pair = e + 1 < len(found) and int(found[e + 1]) - int(found[e]) == EDGE * WIDTH
        n, e = n + is_pair, e + 1 + is_pair
    assert n == wanted


def _runs(places: set[int]) -> list[int]:
    """Pairs of each run of places a pitch apart."""
    found = []
    for place in places:
        if place - EDGE * WIDTH not in places:
            n = 1
            while place + n * EDGE * WIDTH in places:
                n += 1
            found.append(n // 2)
    return found
