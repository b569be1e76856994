"""Tests of time frames: parsing, partition of events and of the expected background."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from engine.core.errors import DataError
from engine.data.listmode import ListMode
from engine.data.timing.frame_request import FrameRequest
from engine.data.timing.time_division import FrameShares, TimeDivision
from engine.data.timing.time_frames import TimeFrame
from engine.geometry.ring import RingScanner, RingSettings

RING = RingScanner(
    RingSettings(
        name="tiny", n_rings=2, n_crystals_per_ring=16, radius_mm=60, ring_pitch_mm=5,
        max_ring_difference=1, n_tangential=9, fov_mm=(60, 10), voxel_mm=(3, 3, 3),
    )
)  # fmt: skip


def scan(n: int = 1000, *, delayed: bool = True, seed: int = 1) -> ListMode:
    rng = np.random.default_rng(seed)
    return ListMode(
        RING,
        rng.integers(32, size=(n, 2), dtype=np.int32),
        delayed=rng.random(n) < 0.2 if delayed else None,
        time_ms=rng.integers(6000, size=n, dtype=np.uint32),
        duration_s=6.0,
    )


@pytest.mark.parametrize(
    ("text", "ends_ms"),
    [
        ("2x60,300", (60_000, 120_000, 420_000)),
        ("33x0.05", tuple(range(50, 1651, 50))),
        ("1.5 2 × 0.25; .5", (1500, 1750, 2000, 2500)),
    ],
)
def test_frame_lengths_are_parsed_as_consecutive_frames(text: str, ends_ms: tuple[int, ...]):
    expected, long = FrameRequest.of(text), replace(scan(), duration_s=1000.0)
    frames = expected.divide(long).frames
    assert expected.warning(frames) == ""
    assert tuple(frame.end_ms for frame in frames) == ends_ms
    assert [frame.start_ms for frame in frames] == [0, *ends_ms[:-1]]


@pytest.mark.parametrize(
    ("text", "spans_ms"),
    [
        ("0-60, 120-180, 600-900", ((0, 60_000), (120_000, 180_000), (600_000, 900_000))),
        ("0.5 - .75;1.25\N{EN DASH}3", ((500, 750), (1250, 3000))),
        ("10-20 20-30", ((10_000, 20_000), (20_000, 30_000))),
    ],
)
def test_starts_and_ends_are_parsed(text: str, spans_ms: tuple[tuple[int, int], ...]):
    expected, long = FrameRequest.of(text), replace(scan(), duration_s=1000.0)
    frames = expected.divide(long).frames
    assert tuple((frame.start_ms, frame.end_ms) for frame in frames) == spans_ms
    assert expected.n_frames == len(spans_ms) and expected.warning(frames) == ""


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("60-60", "frame 60-60 s must end after it begins"),
        ("60-30", "must end after it begins"),
        ("0-60,30-90", "frame 30-90 s begins before the previous one ends at 60 s"),
        ("60-90,0-30", "give frames in order"),
        ("0-60,60", "'60' is not a frame of this list. Durations and times cannot be mixed"),
        (
            "2x60,120-180",
            "'120-180' is not a frame of this list. Durations and times cannot be mixed",
        ),
        ("0-60-90", "'0-60-90' is not a frame of this list. Expected"),
        ("0-0.0004", "0.0004 s is finer than the time resolution of the events"),
        (",".join(f"{k}-{k + 1}" for k in range(1001)), "1001 frames"),
        ("10y60", "'10y60' is not a frame of this list. Expected durations in seconds"),
        ("-5", "not a frame"),
        ("0x60", "0 frames, expected 1 to 1000"),
        ("0.0004", "finer than the time resolution"),
        ("0", "a frame of 0 s"),
        ("1001x1", "1001 frames"),
        ("n=0", "0 frames"),
        ("n=1e3", "not a frame"),
    ],
)
def test_invalid_frames_are_refused(text: str, why: str):
    with pytest.raises(ValueError, match=why):
        FrameRequest.of(text)


def test_empty_text_means_one_scan():
    assert FrameRequest.of("  ") is None


def test_every_event_is_in_one_frame():
    data = scan()
    division = FrameRequest.of("3x0.5,2x2.25").divide(data)
    places = division.place_of(data.time_ms)
    for k, frame in enumerate(division.frames):
        in_frame = (data.time_ms >= frame.start_ms) & (data.time_ms < frame.end_ms)
        np.testing.assert_array_equal(places == k, in_frame)
    assert places.min() == 0


@pytest.mark.parametrize("n", [1, 7, 20])
def test_equal_count_frames_hold_equally_many_prompts(n: int):
    data = scan(20_000)
    division = FrameRequest.of(f"n={n}").divide(data)
    counts = np.bincount(division.place_of(data.prompts.time_ms))
    assert len(division.frames) == len(counts) == n and sum(counts) == data.n_prompts
    most = np.bincount(data.prompts.time_ms).max()  # events of one millisecond are in one frame
    assert max(counts) - min(counts) <= 2 * most


def test_scan_with_missing_or_too_few_times_has_no_frames():
    with pytest.raises(DataError, match="the scan has no event times"):
        FrameRequest.of("2x1").divide(ListMode(RING, np.zeros((3, 2), np.int32)))
    with pytest.raises(DataError, match="choose fewer frames"):
        FrameRequest.of("n=900").divide(scan(1000))


def test_frames_are_cut_at_the_end_of_the_scan_and_reported():
    expected = FrameRequest.of("3x2.5,60")
    frames = expected.divide(scan()).frames
    assert [frame.end_ms for frame in frames] == [2500, 5000, 6000]
    assert expected.warning(frames) == (
        "The scan ends after 6 s: frame 3 lasts 1 s, and 1 of 4 frames are not used."
    )


def test_frames_after_the_scan_are_dropped_and_reported():
    expected = FrameRequest.of("1-2,4-5,8-9")
    frames = expected.divide(scan()).frames
    assert [(frame.start_s, frame.duration_s) for frame in frames] == [(1, 1), (4, 1)]
    message = "The scan ends before frame 3 begins: 1 of 3 frames are not used."
    assert expected.warning(frames) == message
    cut = FrameRequest.of("1-2,4-9")
    assert cut.warning(cut.divide(scan()).frames) == "The scan ends after 6 s: frame 2 lasts 2 s."
    with pytest.raises(DataError, match="first frame begins at 7 s, but the scan ends after 6 s"):
        FrameRequest.of("7-8").divide(scan())


def test_frames_with_gaps_take_the_background_of_their_own_time():
    data = scan(40_000)
    cut = FrameShares.of(data, FrameRequest.of("0.5-1,2-4.5").divide(data))
    whole = FrameShares.of(data, FrameRequest.of("0.5,0.5,1,2.5,1.5").divide(data))
    np.testing.assert_allclose(cut.randoms, whole.randoms[[1, 3]], rtol=1e-12)
    np.testing.assert_allclose(cut.scatter, whole.scatter[[1, 3]], rtol=1e-12)


@pytest.mark.parametrize("delayed", [True, False])
def test_background_shares_add_up_to_one(delayed: bool):
    data = scan(delayed=delayed)
    shares = FrameShares.of(data, FrameRequest.of("4x0.5,4").divide(data))
    assert shares.randoms.sum() == pytest.approx(1, rel=1e-12)
    assert shares.scatter.sum() == pytest.approx(1, rel=1e-12)
    if not delayed:
        np.testing.assert_allclose(shares.randoms, [1 / 12] * 4 + [2 / 3], rtol=1e-12)


def test_frames_of_part_of_the_scan_take_part_of_the_background():
    data = scan(40_000)
    shares = FrameShares.of(data, TimeDivision.of((TimeFrame(0, 1500), TimeFrame(1500, 3000))))
    assert shares.randoms == pytest.approx([0.25, 0.25], rel=0.05)
    assert shares.scatter == pytest.approx([0.25, 0.25], rel=0.05)


def test_frame_with_more_delayeds_than_prompts_has_no_scatter():
    data = scan()
    late = data.delayed | (data.time_ms < 500)
    shares = FrameShares.of(ListMode(RING, data.crystals, late, time_ms=data.time_ms),
                            TimeDivision.of((TimeFrame(0, 500), TimeFrame(500, 6000))))  # fmt: skip
    assert shares.scatter[0] == 0
    assert shares.scatter.sum() == pytest.approx(1)
