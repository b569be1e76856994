"""Tests of progress, the share of all steps, which never decreases."""

from __future__ import annotations

import pytest

from engine.data.runs.events import Progressed
from engine.protocols.run_context.progress import PassProgress


def numerator(message: list[Progressed]) -> list[float]:
    return [p.done / p.total for p in message]


def test_passes_add_up_to_the_stage() -> None:
    message: list[Progressed] = []
    passes = PassProgress(message.append)
    passes.begin("reconstruct", 2, 2)
    for step in (1, 2):
        for _ in range(2):
            for done in (2, 4):
                passes(done, 4)
        passes.reach(step)
    assert numerator(message) == [i / 8 for i in range(1, 9)]
    assert {p.stage for p in message} == {"reconstruct"}


def test_surplus_passes_wait_for_the_end_of_their_step() -> None:
    message: list[Progressed] = []
    passes = PassProgress(message.append)
    passes.begin("reconstruct", 4, 2)
    for _ in range(5):
        passes(1, 2)
        passes(2, 2)
    passes.reach(1)
    passes(1, 2)
    assert numerator(message[:10]) == [1 / 16, 1 / 8, 3 / 16] + 7 * [1 / 4]
    assert numerator(message[10:]) == [5 / 16]


def test_pass_after_the_last_step_does_not_exceed_the_total() -> None:
    message: list[Progressed] = []
    passes = PassProgress(message.append)
    passes.begin("reconstruct", 2, 1)
    passes.reach(2)
    passes(1, 2)
    passes(2, 2)
    assert numerator(message) == [1, 1]


def test_resumed_stage_starts_at_its_previous_progress() -> None:
    message: list[Progressed] = []
    passes = PassProgress(message.append)
    passes.begin("reconstruct", 4, 2)
    passes.reach(3)
    passes(0, 10)
    passes.begin("finish", 1, 1)
    passes(1, 2)
    assert numerator(message) == [3 / 4, 1 / 2]


def test_stage_that_ends_early_reaches_its_total() -> None:
    message: list[Progressed] = []
    passes = PassProgress(message.append)
    passes.begin("reconstruct", 4, 2)
    passes(1, 1)
    passes.reach(1)
    passes.end()
    assert numerator(message) == [1 / 8, 1]


@pytest.mark.parametrize("done", [0, 3])
def test_passes_before_the_first_step_count(done: int) -> None:
    message: list[Progressed] = []
    passes = PassProgress(message.append)
    passes.begin("reconstruct", 4, 2, done=done, before=2)
    for step in range(done, 4):
        for _ in range(4 if step == done else 2):
            passes(1, 1)
        passes.reach(step + 1)
    assert numerator(message) == [i / 10 for i in range(2 * done + 1, 11)]
