"""Tests of reports about unusable frames and jumps of the angle."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from engine.core.arrays import Array
from engine.live.core.frame import Arrival, Frame, FrameKind, ShapeChanged
from engine.live.ct.frame_checks import Screening
from engine.live.ct.sequence import Sequence
from tests.engine.live.ct.live_scans import frames_of, texts_of


def screened(frames: list[Frame]) -> list[Arrival]:
    screening = Screening("scan")
    return [each for frame in frames for each in screening.screened(frame)]


def frame(index: int, values: Array | None = None, angle: float | None = None) -> Frame:
    pixels = np.ones((4, 8), np.float32) if values is None else values
    return Frame(FrameKind.PROJECTION, index, angle, pixels, 0.0)


def test_single_frame_of_another_size_is_skipped_and_two_change_the_size() -> None:
    small = np.ones((2, 8), np.float32)
    once = screened([frame(0), frame(1, small), frame(2)])
    assert [each.index for each in frames_of(once)] == [0, 2]
    assert (
        "projection 1 has 2 x 8 pixels (rows x columns), but earlier frames have 4 x 8"
        in texts_of(once)
    )
    for_good = screened([frame(0), *(frame(k, small) for k in range(1, 5))])
    assert [each.index for each in frames_of(for_good)] == [0, 2, 3, 4]
    changed = [each for each in for_good if isinstance(each, ShapeChanged)]
    assert [each.shape for each in changed] == [(2, 8)]


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_frames_with_nan_are_reported_once_and_not_used(value: float) -> None:
    bad = np.ones((4, 8), np.float32)
    bad[1, 2] = value
    arrivals = screened([frame(0), frame(1, bad), frame(2, bad), frame(3, bad), frame(4)])
    assert [each.index for each in frames_of(arrivals)] == [0, 4]
    text = texts_of(arrivals)
    assert "1 of 32 values of projection 1 are not finite" in text
    assert "3 frames with invalid values" in text
    assert len(text.splitlines()) == 2


def test_angle_jump_is_reported_and_the_frame_is_used() -> None:
    step = 0.1
    angles = [step * k for k in range(8)] + [1.9 + step * k for k in range(8)]
    arrivals = screened([frame(k, angle=angle) for k, angle in enumerate(angles)])
    assert len(frames_of(arrivals)) == 16
    text = texts_of(arrivals)
    assert "from 40.107° (projection 7) to 108.86° (projection 8)" in text
    assert len(text.splitlines()) == 1


def test_full_turns_golden_angles_and_missing_frames_are_not_jumps() -> None:
    turns = [(0.3 * k) % (2 * np.pi) for k in range(60)]
    golden = [(2.3999632 * k) % (2 * np.pi) for k in range(60)]
    for angles in (turns, golden):
        retained = [
            frame(k, angle=angle) for k, angle in enumerate(angles) if k not in (20, 21, 40)
        ]
        assert texts_of(screened(retained)) == ""


def test_random_angles_are_reported_only_a_few_times() -> None:
    angles = np.random.default_rng(1).uniform(0, 2 * np.pi, 200)
    text = texts_of(screened([frame(k, angle=float(a)) for k, a in enumerate(angles)]))
    assert len(text.splitlines()) == 3
    assert "Further ones are not reported" in text


def test_fast_path_for_normal_frames_gives_the_same_result(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    random, n_normal = Random(5), 0
    images = [
        np.ones((4, 8), np.uint16), np.zeros((4, 8), np.uint16), np.ones((4, 8), np.float32),
        np.ones((3, 8), np.uint16), np.full((4, 8), np.nan, np.float32),
    ]  # fmt: skip
    for _ in range(400):
        index, frames = 0, list[Frame | None]()
        for _ in range(30):
            index = max(0, index + random.choice([1] * 12 + [0, 2, 5, -1, -70, -index]))
            values = random.choices(images, [40, 2, 2, 2, 1])[0]
            kind = FrameKind.PROJECTION if random.random() < 0.95 else FrameKind.FLAT
            angle = None if random.random() < 0.8 else 0.1 * index
            frames.append(Frame(kind, index, angle, values, 0.0))
            if random.random() < 0.05:
                frames.append(None)  # new connection
        ways = []
        for is_short in (True, False):
            with monkeypatch.context() as patch:
                if not is_short:
                    patch.setattr(Screening, "passes", lambda *_: False)
                ways.append(followed(frames))
        assert ways[0] == ways[1]
        n_normal += sum(len(each) == 1 for each in ways[0][0])
    assert n_normal > 5000


def followed(frames: list[Frame | None]) -> tuple[list[list[object]], int, int, str]:
    """Return the arrivals for each frame of a sequence; None means a new connection."""
    sequence, found = Sequence("scan"), list[list[object]]()
    for each in frames:
        if each is None:
            sequence.reconnected()
            continue
        # The scan number can be known or unknown
        known = each.of_scan(sequence.scan) if each.index % 2 else each
        found.append(
            [
                (a.kind, a.index, a.angle_rad, a.lost, a.scan, id(a.values))
                if isinstance(a, Frame) else (type(a).__name__, a.text)
                for a in sequence.followed(known)
            ]
        )  # fmt: skip
    return found, sequence.n_projections, sequence.n_repeated, sequence.summary
