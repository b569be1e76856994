"""Tests of the description of a run in German, and in English as by the engine."""

from __future__ import annotations

from itertools import product

import pytest

from app.language.translation import ENGLISH, use_language
from app.state.models.run_text import ENDINGS, algorithm_of, ending_of, run_of
from engine.data import RecordedRun
from engine.data.runs.record import WORDS
from engine.modalities import ListModeProtocol
from engine.results import unrecorded

DONE, SUBSETS = (0.0, 0.8, 1.0, 2.5, 6.0, 12.0), ((), (1,), (8,), (2, 8))


@pytest.fixture(scope="module")
def runs() -> list[RecordedRun]:
    """Return runs with all endings: with frames, early ends, interruptions and reasons."""
    base = unrecorded(ListModeProtocol(name="P"))
    found = []
    for ending, done, subsets in product(WORDS, DONE, SUBSETS):
        for more in (
            {"algorithm": "OSEM"},
            {"algorithm": "", "may_end_early": True, "resumed": 1},
            {"algorithm": "FDK", "iterates": False, "resumed": 3, "reason": "The disk is full."},
            {"algorithm": "OSEM", "frames_planned": 5, "frames_done": 3},
        ):
            values = {"ending": ending, "iterations_done": done, "subsets": subsets}
            found.append(base.model_copy(update={**values, "iterations_planned": 12, **more}))
    return found


def test_english_description_equals_that_of_the_engine(runs):
    assert set(ENDINGS) == set(WORDS)
    assert len(runs) == 576
    for run in runs:
        assert algorithm_of(run) == run.describe_algorithm()
        assert ending_of(run) == run.describe_ending()
        assert run_of(run) == run.describe_run()


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"iterations_done": 1.0}, "OSEM, 1 Iteration"),
        ({"iterations_done": 2.5, "subsets": (2, 8)}, "OSEM, 2.5 Iterationen × 2 bis 8 Teilmengen"),
    ],
)
def test_german_description_contains_no_english_words(values, words):
    use_language("de")
    try:
        run = unrecorded(ListModeProtocol(name="P"))
        run = run.model_copy(update={"algorithm": "OSEM", "subsets": (), **values})
        assert algorithm_of(run) == words
        cut = run.model_copy(update={"iterations_planned": 12, "resumed": 2, "ending": "aborted"})
        assert run_of(cut).endswith(" von 12, 2-mal fortgesetzt")
    finally:
        use_language(ENGLISH)
