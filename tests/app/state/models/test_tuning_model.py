"""Tests of the description of a kernel search: variants, the best one, and the end."""

from __future__ import annotations

import pytest

from app.state.models.tuning_model import Phase, TuningModel
from engine.tools.tuning import (
    Began,
    Comparison,
    Refused,
    SearchEnded,
    SearchPrepared,
    TriedVariant,
    Trying,
)

BETTER = Comparison(0.8, 0.78, 0.82, 15)


def form(width, seconds, **facts):
    ratio = None if seconds is None else seconds / 0.1
    fault = "wrong results: 1 for 2" if seconds is None else ""
    return TriedVariant({"width": width}, seconds, ratio, fault, 50.0, **facts)


@pytest.fixture
def model(tmp_path):
    tuning = TuningModel()
    tuning.begin(60)
    work = {"was_stored": False, "trials": tmp_path, "facts": {}}
    tuning.take(SearchPrepared("update", "CPU, 2 threads", "9 events", **work))
    assert (
        tuning.phase is Phase.PREPARING
        and tuning.work == "Update. Device: CPU, 2 threads. Work: 9 events."
    )
    tuning.take(Began(shipped_seconds=0.1, seconds_left=55))
    return tuning


def test_variants_become_points_and_the_best_one_a_line(model):
    assert model.times.shipped == 100 and model.best_text.startswith(
        "No variant is measurably faster"
    )
    model.take(Trying({"width": 1}))
    model.take(form(1, 0.12))
    model.take(form(2, 0.08, comparison=BETTER, is_best=True))
    model.take(form(3, None))
    model.take(form(4, 0.3, from_file=True))
    times = model.times
    assert times.tried == ((1, 120), (2, 80)) and times.known == ((4, 300),) and times.n == 4
    assert times.faulty == (3,) and times.best == pytest.approx((100, 80, 80, 80))
    assert "width 2. Speed relative to the default: 1.25 (1.22 to 1.28)" in model.best_text
    assert model.state_text.startswith("4 variants tried. 1 failed or gave wrong results.")


def test_repeated_variant_is_one_point(model):
    model.take(form(2, 0.09, from_file=True))
    model.take(form(2, 0.08, comparison=BETTER, is_best=True))
    assert model.times.tried == ((1, 80),) and model.times.known == ()
    assert model.times.best == pytest.approx((80,))


def test_ended_search_states_the_gain_and_that_it_is_used(model):
    model.take(form(2, 0.08, comparison=BETTER, is_best=True))
    model.ask_to_stop()
    assert model.phase is Phase.STOPPING and model.state_text.endswith("Stopping.")
    model.take(SearchEnded(1, 9.0, {"width": 2}, BETTER, False, True, was_stopped=True))
    words = model.state_text
    assert model.is_faster and words.startswith(
        "Stopped. Variants tried: 1, in 9 s. The fastest is stored: width 2. Its speed"
    )
    assert (
        "Later runs with images of this size will use this variant" in words
        and model.best_text == ""
    )
    model.ask_to_stop()
    assert model.phase is Phase.ENDED


def test_search_without_gain_states_that_nothing_changes(model):
    model.take(SearchEnded(3, 60.0, None, None, False, False, was_stopped=False))
    assert (
        not model.is_faster
        and "than the default. Later runs will still use the default variant." in model.state_text
    )


def test_refused_search_is_reported_and_the_next_one_starts_clean(model):
    model.take(form(1, 0.12))
    model.take(Refused("scan.h5: nothing is in it."))
    assert model.phase is Phase.REFUSED and model.state_text == "scan.h5: nothing is in it."
    model.begin(5)
    assert model.times.n == 0 and model.phase.is_active and model.seconds_left <= 5
