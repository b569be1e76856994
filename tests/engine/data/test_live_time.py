"""Tests of live times: a step function, and its mean over frames against closed forms."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from engine.data.timing.live_time import LiveTimes


def test_frames_covering_the_scan_have_its_mean():
    rng = np.random.default_rng(4)
    live = LiveTimes(np.arange(0, 5000, 37), rng.random(136) + 0.1)
    edges = [0, 13, 700, 701, 3000, 5000]
    parts = [np.array([span]) for span in pairwise(edges)]
    total = sum(live.ratio(each, over_ms=5000) * np.diff(each).item() for each in parts)
    assert total == pytest.approx(5000, rel=1e-12)
    assert live.ratio(np.array([[0, 5000]]), over_ms=5000) == 1
    split = live.ratio(np.concatenate(parts[::2]), over_ms=5000)
    lengths = [np.diff(each).item() for each in parts[::2]]
    ratios = [live.ratio(each, over_ms=5000) for each in parts[::2]]
    assert split == pytest.approx(np.average(ratios, weights=lengths), rel=1e-12)


def test_value_holds_until_the_next_and_before_the_first():
    live = LiveTimes(np.array([1000, 2000]), np.array([1.0, 0.5]))
    whole = (2 * 1.0 + 2 * 0.5) / 4
    for span, mean in [((0, 500), 1.0), ((1500, 2500), 0.75), ((3000, 4000), 0.5)]:
        assert live.ratio(np.array([span]), over_ms=4000) == pytest.approx(mean / whole)


def test_pair_is_live_while_both_crystals_are():
    equal = np.full(5, 0.8)
    live = LiveTimes.of([20, 0], [equal, 1.25 * equal], weights=np.array([1, 2, 0, 4, 5]))
    assert live.starts_ms.tolist() == [0, 20]
    assert live.pairs == pytest.approx([1.0, 0.64])


def test_crystals_are_weighted_by_their_counts():
    live = LiveTimes.of([0], [np.array([1.0, 0.5, 0.0])], weights=np.array([3, 1, 0]))
    assert live.pairs == pytest.approx([((3 + 0.5) / 4) ** 2])
