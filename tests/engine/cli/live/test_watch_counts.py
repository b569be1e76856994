"""Tests that frames skipped by the display do not count as lost by the network."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from engine.cli.console import Console
from engine.cli.live import watch
from engine.live.core.frame import Ended, Frame, FrameKind


def shown(arrived: int, dropped: int, losses: list[int], capsys: Any) -> str:
    """Return the last line of counts, for frames that report the losses before them."""
    arrivals: Any = SimpleNamespace(arrived=arrived, dropped=dropped)
    display = watch._Watch(Console(), arrivals)
    for k, lost in enumerate(losses):
        display.show(
            Frame(FrameKind.PROJECTION, k, None, np.zeros((2, 2)), arrived_s=float(k), lost=lost)
        )
    display.show_event(Ended("end"))
    return str(capsys.readouterr().out.splitlines()[-2])


@pytest.mark.parametrize(
    ("arrived", "dropped", "losses", "words"),
    [
        (3, 0, [0, 0, 0], "3 frames, 0 lost"),
        (3, 0, [0, 2, 0], "3 frames, 2 lost"),
        (288_000, 7362, [0, 7362, 0], "288,000 frames, 0 lost, 7,362 not displayed"),
        (10, 5, [1, 5, 2], "10 frames, 3 lost, 5 not displayed"),
        # dropped last, so no later frame reports them
        (10, 5, [0, 0], "10 frames, 0 lost, 5 not displayed"),
    ],
)
def test_lost_and_skipped_frames_are_counted_separately(
    arrived: int,
    dropped: int,
    losses: list[int],
    words: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert shown(arrived, dropped, losses, capsys).endswith(words)
