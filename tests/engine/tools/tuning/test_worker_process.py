"""Tests of a search in a separate process: a failing form does not stop the others."""

from __future__ import annotations

import time
from importlib.util import find_spec

import pytest

from engine.core.errors import ResourceError
from engine.core.paths import cache_dir, made
from engine.io.safety.locks import only_writer
from engine.jobs.process.side_process import Refused
from engine.kernels.stored_variants import Slot, stored_record
from engine.tools.tuning.outcome import Began, TriedVariant
from engine.tools.tuning.request import SearchRequest
from engine.tools.tuning.search import Search
from engine.tools.tuning.search_process import SearchPrepared
from engine.tools.tuning.search_text import SearchEnded
from engine.tools.tuning.storing import forget_stored, stored_forms
from engine.tools.tuning.worker_process import search_in_processes
from tests.engine.tools.tuning.bowl import BEST, Bowl
from tests.engine.tools.tuning.planted import DEADLY, WRONG, deadly, endless, planted, refused

pytestmark = [
    pytest.mark.skipif(  # find_spec, because the import takes each worker a second
        find_spec("kernel_tuner") is None, reason="Kernel Tuner is not installed"
    ),
    pytest.mark.slow,
]


@pytest.fixture(autouse=True)
def own_home(tmp_path, monkeypatch):
    monkeypatch.setenv("ISOCENTER_HOME", str(tmp_path))


def request(problem, **options):
    return SearchRequest("listmode", **{"problem": problem, "strategy": "brute_force"} | options)


def test_crashing_form_and_wrong_form_cost_only_themselves():
    events = list(search_in_processes(request(planted)))
    assert (
        isinstance(events[0], SearchPrepared) and sum(isinstance(one, Began) for one in events) == 1
    )
    ended, tried = events[-1], [each for each in events if isinstance(each, TriedVariant)]
    assert isinstance(ended, SearchEnded) and ended.best == BEST and ended.n_tried == 11
    faults = {tuple(one.values.items()): one.fault for one in tried if one.fault}
    assert set(faults) == {tuple(WRONG.items()), tuple(DEADLY.items())}
    assert "SIGKILL" in faults[tuple(DEADLY.items())]
    assert "wrong results" in faults[tuple(WRONG.items())]
    problem = Bowl()
    assert stored_record(problem.on, problem.slot)["values"] == BEST and "width 8" in ended.verdict
    (stored,) = stored_forms()
    assert stored.is_current and stored.kernel == "rays" and stored.shape == "bowl"
    forget_stored(stored)
    assert stored_forms() == [] and stored_record(problem.on, problem.slot) is None


@pytest.mark.slow
def test_stop_request_ends_a_form_that_never_ends():
    stop_requested_s = []

    def should_stop():
        return bool(stop_requested_s)

    best = None
    for event in search_in_processes(request(endless), should_stop):
        if isinstance(event, TriedVariant) and event.values == {"width": 8, "kind": "odd"}:
            stop_requested_s.append(time.monotonic())  # the next form is the endless one
        best = event.values if isinstance(event, TriedVariant) and event.is_best else best
    assert isinstance(event, SearchEnded) and event.was_stopped and event.best == best == BEST
    problem = Bowl()
    assert stored_record(problem.on, problem.slot)["values"] == BEST
    # we ended it, so it is not recorded as a fault
    assert list(cache_dir().rglob("*.trying")) == []


@pytest.mark.parametrize(("problem", "words"), [
    (refused, "nothing is in it"), (deadly, "exit code 3"),
])  # fmt: skip
def test_invalid_search_gives_one_sentence(problem, words):
    (event,) = search_in_processes(request(problem))
    assert isinstance(event, Refused) and words in event.text


def test_two_concurrent_searches_are_refused():
    with (
        only_writer(made(cache_dir() / "tuning")),
        pytest.raises(ResourceError, match="another search is running"),
    ):
        Search(Bowl(), request(planted)).run()


def test_damaged_file_is_not_a_stored_form():
    problem = Bowl()
    Search(problem, request(planted)).run()
    path = problem.slot.path(problem.on)
    path.write_text(path.read_text().replace("bowl", "bowls"))
    assert stored_forms() == [] and Slot("rays", "bowl").path(problem.on).exists()
