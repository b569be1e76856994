"""Test that the progress of a run is translated completely."""

from __future__ import annotations

import re

import numpy as np
import pytest

from app.language.translation import ENGLISH, use_language
from app.run.progress_panel import _steps
from app.shell.running_page import progress_text, time_text
from app.state.models.run_record import RunState
from engine.data import TimeFrame, Volume
from engine.data.runs.events import Preview, StageStarted
from engine.geometry import ImageGrid

GRID = ImageGrid((2, 2, 2), (1.0, 1.0, 1.0))
FRAGMENTS = re.compile(r"\b(of|left|subset|update|iteration|frame|thousand|finishing|paused)\b")
"""English words; "Iteration" with a capital is German, too."""


@pytest.fixture
def german():
    use_language("de")
    yield
    use_language(ENGLISH)


def preview(frame: TimeFrame | None, subsets: int) -> Preview:
    volume = Volume(np.zeros(GRID.shape, np.float32), GRID, "counts/mm")
    return Preview(volume, 1, 4, 2, subsets, 0.5, frame=frame)


@pytest.mark.parametrize("subsets", [1, 8])
@pytest.mark.parametrize("frame", [None, TimeFrame(0, 1000)])
def test_german_progress_contains_no_english_word(german, controls, frame, subsets):
    session = controls.session
    session.run.begin("a")
    session.run.take(StageStarted("reconstruct", "Reconstructing"))
    session.run.record.take(preview(frame, subsets))
    messages = [progress_text(session), *(text for _, text in _steps(session.run.record.latest))]
    for state in (RunState.RUNNING, RunState.PAUSED, RunState.FINISHING):
        session.run.set_state(state)
        messages.append(time_text(session))
    assert all(messages)
    assert [each for each in messages if FRAGMENTS.search(each)] == []
    session.run.set_state(RunState.IDLE)
