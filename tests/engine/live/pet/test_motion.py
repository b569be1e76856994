"""Tests of motion detection, in contrast to noise, changing count rates and uptake."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from engine.data.listmode import ListMode
from engine.live.pet.activity_moments import PAIRS, LineMeans, Mask, sums_of
from engine.live.pet.event_batch import joined
from engine.live.pet.motion import Motion, MotionWatch, rigid
from engine.simulate import ShapePhantom, simulate_listmode
from engine.simulate.shapes import Ellipsoid
from tests.engine.live.pet.running_events import ring

MOMENT_MS = 250
PER_MOMENT = 5000


@cache
def pool(x_mm: float = 0.0, turn_deg: float = 0.0, spot: bool = False) -> ListMode:
    """Return prompts of a long ellipsoid, or of a hot spot inside it."""
    shape = Ellipsoid((x_mm, 4.0, 0.0), (12, 30, 9), activity=1.0, turn_deg=turn_deg)
    if spot:
        shape = Ellipsoid((x_mm + 4, 12.0, 0.0), (4, 4, 4), activity=1.0)
    data = simulate_listmode(
        ShapePhantom("object", (shape,)), ring(), n_prompts=30_000, seed=5, randoms_fraction=0.2,
        attenuation=False,
    )  # fmt: skip
    return replace(data, mu_map=None)


def drawn(
    parts: Callable[[int], list[tuple[ListMode, float]]], n: int, *, timed: bool = True
) -> list[ListMode]:
    """Draw n time intervals; `parts` gives the prompts and rates of each."""
    rng, out = np.random.default_rng(11), []
    for k in range(n):
        chosen = [
            data.select(rng.integers(data.n_events, size=rng.poisson(PER_MOMENT * rate)))
            for data, rate in parts(k)
        ]
        events = joined(chosen)
        times = np.sort(rng.integers(MOMENT_MS, size=events.n_events)) + k * MOMENT_MS
        events = replace(events, time_ms=times.astype(np.uint32))
        out.append(events if timed else replace(events, tof_bins=None))
    return out


def detected(moments: list[ListMode]) -> list[tuple[float, Motion]]:
    """Return the detected motions with the event time of each detection [s]."""
    watch = MotionWatch()
    found = [
        (float(events.time_ms[-1]) / 1e3, motion)  # type: ignore[index]
        for events in moments
        for motion in watch.add(events)
    ]
    assert watch.is_watching or found
    return found


@pytest.mark.parametrize("timed", [True, False])
def test_shift_is_detected_at_once_and_measured(timed: bool) -> None:
    first, last = detected(drawn(lambda k: [(pool(5.0 * (k >= 48)), 1.0)], 60, timed=timed))
    assert 12 <= first[0] <= 13.5
    assert first[1].at_s == pytest.approx(12, abs=0.26)
    assert last[1].is_measured
    assert last[1].shift_mm[0] == pytest.approx(5, abs=0.8)
    assert abs(last[1].shift_mm[1:]).max() < 0.8


def test_rotation_is_detected_and_measured() -> None:
    first, last = detected(drawn(lambda k: [(pool(0.0, 12.0 * (k >= 48)), 1.0)], 60))
    assert 12 <= first[0] <= 14
    assert last[1].turn_deg[2] == pytest.approx(12, abs=4)
    assert last[1].mm < 1


@pytest.mark.slow
def test_changing_count_rates_are_not_motion() -> None:
    def parts(k: int) -> list[tuple[ListMode, float]]:
        return [(pool(), (0.2, 1.0, 3.0, 0.5)[k // 20 % 4] * 0.99**k)]

    assert detected(drawn(parts, 160)) == []


@pytest.mark.slow
def test_uptake_within_the_object_is_not_motion() -> None:
    def parts(k: int) -> list[tuple[ListMode, float]]:
        return [(pool(), 0.8 * np.exp(-k / 400)), (pool(spot=True), 0.5 * (1 - np.exp(-k / 120)))]

    assert detected(drawn(parts, 200)) == []


def test_errors_are_those_of_counting() -> None:
    """χ² of nine numbers, averaged over many draws, is 9."""
    data, mask = pool(), Mask(np.array([0.0, 4.0, 0.0]), np.diag([60.0, 250.0, 40.0]))
    means, rng = LineMeans(), np.random.default_rng(3)
    truth = means.place_of(sums_of(data, mask))
    assert truth is not None
    found = []
    for _ in range(200):
        draw = data.select(rng.integers(data.n_events, size=rng.poisson(3000)))
        place = means.place_of(sums_of(draw, mask))
        assert place is not None
        away = place.values - truth.values
        found.append(away @ np.linalg.solve(place.errors, away))
    assert np.mean(found) == pytest.approx(9, abs=4 * np.sqrt(18 / 200))


def test_lines_without_tof_give_centre_and_covariance() -> None:
    """Without TOF, for decays in all directions around a ring."""
    data = pool(6.0)
    means, timed = LineMeans(), LineMeans().place_of(sums_of(data))
    without_tof = replace(data, tof_bins=None)
    means.add(without_tof)
    place = means.place_of(sums_of(without_tof))
    assert timed is not None and place is not None
    np.testing.assert_allclose(place.centre_mm[:2], [6, 4], atol=0.8)
    expected = [12**2 / 5, 30**2 / 5]
    np.testing.assert_allclose(np.diag(place.covariance)[:2], expected, atol=40)


def test_rotation_of_a_round_object_is_not_reported() -> None:
    moments = [pool(), pool().select(slice(0, 20_000))]
    places = [LineMeans().place_of(sums_of(each)) for each in moments]
    assert places[0] is not None
    round_moments = places[0].values.copy()
    round_moments[3 + PAIRS.index((0, 0))] = round_moments[3 + PAIRS.index((1, 1))]
    round_moments[3 + PAIRS.index((0, 1))] = 0
    motion = rigid(
        replace(places[0], values=round_moments), replace(places[0], values=round_moments), 0.0
    )
    assert motion is not None
    assert motion.chi2 == pytest.approx(0)
    assert motion.turn_deg[2] == pytest.approx(0)


def test_no_events_or_no_times_give_no_motion() -> None:
    watch = MotionWatch()
    assert watch.add(pool().select(slice(0, 0))) == []
    assert watch.add(replace(pool(), time_ms=None)) == []
    assert watch.place is None
