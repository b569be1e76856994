"""Tests of gates: parsing, partition of whole cycles, excluded cycles."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from engine.core.errors import DataError
from engine.data.timing.decay import decayed
from engine.data.timing.frame_request import FrameRequest
from engine.data.timing.gating import GateRequest
from engine.data.timing.time_division import TimeDivision
from engine.data.timing.time_frames import Gate, TimeFrame, join_up
from engine.data.timing.triggers import OF_FILE, Triggers

OVER_MS = 60_000


def beats(name: str = "ecg", *, seed: int = 1, mean_ms: float = 900, n: int = 60) -> Triggers:
    rng = np.random.default_rng(seed)
    return Triggers.at(name, np.cumsum(rng.normal(mean_ms, 40, n).astype(np.int64)))


@pytest.mark.parametrize("n", [1, 2, 7, 8])
def test_each_moment_belongs_to_the_gate_of_its_phase(n: int):
    signal = beats()
    division = GateRequest(n).divide([signal], OVER_MS)
    moments = np.arange(OVER_MS)
    places = division.place_of(moments)
    inside = np.searchsorted(signal.time_ms, moments, side="right") - 1
    whole = (inside >= 0) & (inside < len(signal.time_ms) - 1)
    np.testing.assert_array_equal(places >= 0, whole)
    start, length = signal.time_ms[inside[whole]], np.diff(signal.time_ms)[inside[whole]]
    # gates begin at whole ms, so at most 1 ms earlier
    phase = (moments[whole] - start + 1) / length
    np.testing.assert_array_less(places[whole] / n - 1e-9, phase)
    np.testing.assert_array_less(phase - 1 / length - 1e-9, (places[whole] + 1) / n)


def test_gates_cover_their_cycles_once():
    signal = beats()
    division = GateRequest(8).divide([signal], OVER_MS)
    used_ms = [frame.gate.used_ms for frame in division.frames]
    assert sum(used_ms) == signal.time_ms[-1] - signal.time_ms[0]
    assert [frame.duration_s for frame in division.frames] == [each / 1000 for each in used_ms]
    for k, each in enumerate(used_ms):
        starts, ends = division.parts_ms(k).T
        assert (ends - starts).sum() == each
        assert all(b <= a for (_, b), (a, _) in pairwise(zip(starts, ends, strict=True)))
    assert not join_up(division.frames)


def test_cycles_of_unusual_length_are_excluded_and_reported():
    times = np.cumsum([0, *[1000] * 20, 2500, *[1000] * 10, 300, 700, *[1000] * 10, 1150])
    signal = Triggers.at("ecg", times)
    default, strict = GateRequest(4), GateRequest.of("gates=4 of ECG within 10%")
    assert default.divide([signal], OVER_MS).place_of(np.array([20_500, 32_600])).tolist() == [
        -1,
        -1,
    ]
    assert default.warning([signal], OVER_MS).endswith(
        "; 2 of 44 are rejected (those shorter than half or longer than twice the median)"
    )
    assert strict.warning([signal], OVER_MS).endswith(
        "; 4 of 44 are rejected (those that differ by more than 10 %)"
    )
    even = Triggers.at("respiration", np.arange(0, 50_000, 4000))
    assert default.warning([even], OVER_MS) == (
        "Gated by respiration: 12 cycles of 4 s (9 of 10 from 4 to 4 s)"
    )


def test_cycles_outside_the_scan_are_excluded():
    signal = Triggers.at("ecg", np.array([-500, 400, 1400, 2400, 3400]))
    division = GateRequest(2).divide([signal], 3000)
    assert division.edges_ms.tolist() == [400, 900, 1400, 1400, 1900, 2400]
    assert [(f.start_ms, f.end_ms, f.gate) for f in division.frames] == [
        (400, 1900, Gate(1, 2, 1000)), (900, 2400, Gate(2, 2, 1000)),
    ]  # fmt: skip


def test_gate_decay_follows_its_intervals():
    """A gate that is nearly always open decays like the scan, one of many cycles like its mean."""
    signal = Triggers.at("ecg", np.arange(0, 60_001, 10))
    division = GateRequest(2).divide([signal], OVER_MS)
    half_life = 20.0
    for k in range(2):
        starts, ends = division.parts_ms(k).T / 1000
        fine = np.exp2(-(starts + ends) / 2 / half_life).mean()  # parts of 5 ms are nearly constant
        single_gate = np.exp2(-np.linspace(0, 30, 300_001) / half_life).mean()
        assert division.decayed(k, half_life) == pytest.approx(fine / single_gate, rel=1e-5)
    frames = TimeDivision.of([TimeFrame(10_000, 20_000), TimeFrame(30_000, 45_000)])
    assert frames.decayed(1, half_life) == pytest.approx(decayed(30, half_life), rel=1e-12)


@pytest.mark.parametrize(
    ("text", "want"),
    [
        ("gates=8", GateRequest(8)),
        ("Gates = 6 of respiration", GateRequest(6, "respiration")),
        ("gates=8 of ecg 2 within 12.5 %", GateRequest(8, "ecg 2", 12.5)),
        ("gates=4 within 20%", GateRequest(4, "", 20.0)),
    ],
)
def test_gates_are_parsed(text: str, want: GateRequest):
    request = FrameRequest.of(text)
    assert request.gates == want and request.n_frames == want.n_gates


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("gates=0", "0 gates, expected 1 to 100"),
        ("gates=101", "101 gates"),
        ("gates", "does not describe gates. Expected gates=8"),
        ("gates=8 by ecg", "does not describe gates"),
        ("gates=8,10x60", "does not describe gates"),
    ],
)
def test_invalid_gates_are_refused(text: str, why: str):
    with pytest.raises(ValueError, match=why):
        FrameRequest.of(text)


def test_ambiguous_signal_is_refused():
    both = [beats("ecg"), beats("respiration", mean_ms=4000, n=14)]
    with pytest.raises(
        DataError, match=r"triggers of several signals \(ecg, respiration\); choose one"
    ):
        GateRequest(8).divide(both, OVER_MS)
    with pytest.raises(DataError, match="no triggers named 'pulse'; choose from ecg"):
        GateRequest(8, "pulse").divide(both, OVER_MS)
    with pytest.raises(DataError, match="load a file of trigger times"):
        GateRequest(8).divide([], OVER_MS)
    named = GateRequest(3, "respiration").divide(both, OVER_MS)
    assert named.frames[0].start_ms == both[1].time_ms[0]
    file = beats(OF_FILE, seed=3)
    assert GateRequest(3).divide([*both, file], OVER_MS).frames[0].start_ms == file.time_ms[0]


def test_scan_without_a_whole_cycle_has_no_gates():
    with pytest.raises(DataError, match="none of the 0 cycles of 'ecg'"):
        GateRequest(8).divide([Triggers.at("ecg", np.array([500]))], OVER_MS)
