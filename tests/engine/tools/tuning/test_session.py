"""Tests of a search, which finds the fastest correct form in spite of noise."""

from __future__ import annotations

import json
import time
from dataclasses import replace
from importlib.util import find_spec

import numpy as np
import pytest

from engine.core.backend import cpu
from engine.core.errors import DeviceError, ResourceError, SettingsError
from engine.tools.tuning.choices import STRATEGIES
from engine.tools.tuning.comparing import MIN_PAIRS, PAIRS, Comparison, compare
from engine.tools.tuning.outcome import TriedVariant
from engine.tools.tuning.problem import worst
from engine.tools.tuning.search_text import SearchEnded
from engine.tools.tuning.session import TuningSession
from tests.engine.tools.tuning.bowl import BEST, RIGHT, Bowl

pytestmark = pytest.mark.skipif(  # find_spec, because the import takes each worker a second
    find_spec("kernel_tuner") is None, reason="Kernel Tuner is not installed"
)


class Flat(Bowl):
    """A problem with forms of equal speed, except for noise."""

    def seconds(self, values):
        return 1e-3 * (1 + self.noise * self.rng.standard_normal())


def session(problem, **options):
    return TuningSession(problem, **{"strategy": "brute_force", "budget_s": 30.0} | options)


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_every_strategy_finds_a_faster_form_than_the_shipped_one(strategy):
    outcome = session(Bowl(), strategy=strategy).run()
    assert outcome.best == BEST and outcome.gain == pytest.approx(1.4)
    assert not outcome.was_stopped
    assert all(t.values["width"] < 32 or t.values["kind"] == "plain" for t in outcome.tried)


@pytest.mark.parametrize("odd", ["wrong", "nan", "crashes"])
def test_wrong_or_crashing_form_never_wins(odd):
    problem = Bowl(odd=odd)
    outcome = session(problem).run()
    assert outcome.best == BEST
    bad = [t for t in outcome.tried if t.values["kind"] == "odd"]
    assert len(bad) == 5 and all(t.seconds is None and not t.is_best for t in bad)
    assert all(("wrong results" if odd != "crashes" else "illegal address") in t.fault for t in bad)


def test_wrong_shipped_form_ends_the_session_with_one_sentence():
    problem = Bowl(odd="wrong")
    problem.shipped = {"width": 2, "kind": "odd"}
    with pytest.raises(ResourceError, match=r"Fault: wrong results \(8 values, at worst"):
        session(problem).run()


@pytest.mark.parametrize("seed", range(25))
def test_noise_alone_never_replaces_the_shipped_form(seed):
    problem = Flat(noise=0.1)
    problem.rng = np.random.default_rng(seed)
    assert session(problem).run().best is None


def test_best_form_is_found_in_noise():
    assert session(Bowl(noise=0.03)).run().best == BEST


def test_interrupt_keeps_the_best_so_far():
    class Interrupted(Bowl):
        def result(self, values):
            if values["width"] == 16:
                raise KeyboardInterrupt
            return super().result(values)

    outcome = session(Interrupted()).run()
    assert outcome.was_stopped and outcome.best == BEST


def test_listener_sees_every_form_and_can_stop_the_search():
    trials = []

    def listen(event):
        if isinstance(event, TriedVariant):
            trials.append(event)
        if len(trials) == 3:
            running.stop()

    running = session(Bowl(), on_event=listen)
    outcome = running.run()
    assert outcome.tried == trials and len(trials) == 3 and outcome.was_stopped
    left = [t.seconds_left for t in trials]
    assert left == sorted(left, reverse=True) and left[0] <= 30


def test_second_session_reuses_earlier_trials(tmp_path):
    cache = tmp_path / "trials.json"
    first, second = Bowl(), Bowl()
    assert session(first, cache=cache).run().best == BEST
    outcome = session(second, cache=cache).run()
    assert outcome.best == BEST
    # only the default form and the three best of the first session run again
    assert first.n_results == 12 and second.n_results == 4
    assert sum(t.from_file for t in outcome.tried) == 8


def test_kernel_tuner_reads_the_file_of_trials(tmp_path):
    from kernel_tuner import util

    cache = tmp_path / "trials.json"
    session(Bowl(odd="wrong"), cache=cache).run()
    found = util.read_cache(str(cache), open_cache=False)
    assert found["device_name"] == cpu(2).machine and found["kernel_name"] == "rays"
    assert len(found["cache"]) == 11
    assert found["cache"]["8,plain"]["time"] == pytest.approx(1)
    assert isinstance(found["cache"]["8,odd"]["__error__"], util.InvalidConfig)
    best = util.get_best_config(list(found["cache"].values()), "time", False)
    assert {name: best[name] for name in BEST} == BEST


@pytest.mark.parametrize("cut", [0, 1, 40, 200, 500, 900])
def test_torn_file_of_trials_costs_only_time(tmp_path, cut):
    cache = tmp_path / "trials.json"
    session(Bowl(), cache=cache).run()
    cache.write_bytes(cache.read_bytes()[:cut])
    assert session(Bowl(), cache=cache).run().best == BEST


def test_trials_of_other_parameters_are_ignored(tmp_path):
    cache, other = tmp_path / "trials.json", Bowl()
    other.parameters = {"kind": other.parameters["kind"], "width": other.parameters["width"]}
    session(other, cache=cache).run()
    assert session(Bowl(), cache=cache).run().best == BEST


def test_form_that_killed_the_process_is_not_run_again(tmp_path):
    cache = tmp_path / "trials.json"
    session(Bowl(), cache=cache).run()
    rows = json.loads(cache.read_text())
    del rows["cache"]["8,plain"]
    cache.write_text(json.dumps(rows, indent="")[:-3] + ",")
    cache.with_suffix(".trying").write_text("8,plain")
    outcome = session(Bowl(), cache=cache).run()
    (dead,) = [t for t in outcome.tried if t.values == BEST]
    assert dead.fault == "the program ended while it ran" and dead.from_file
    assert outcome.best == {"width": 8, "kind": "odd"}  # the second-best form


@pytest.mark.parametrize("options", [{"strategy": "luck"}, {"budget_s": 0.0}])
def test_invalid_options_give_one_sentence(options):
    with pytest.raises(SettingsError):
        TuningSession(Bowl(), **options)


def test_missing_kernel_tuner_is_reported_with_a_remedy(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "engine.tools.tuning.runner", None)
    with pytest.raises(ResourceError, match="pip install kernel-tuner"):
        session(Bowl()).run()


def test_comparison_requires_all_pairs_to_accept_and_few_to_reject():
    slower = compare(lambda: 1.2, lambda: 1.0, lambda: True)
    faster = compare(lambda: 0.8, lambda: 1.0, lambda: True)
    assert slower.pairs == MIN_PAIRS and not slower.is_faster
    assert faster.pairs == PAIRS and faster.is_faster and faster.ratio == pytest.approx(0.8)
    assert compare(lambda: 0.8, lambda: 1.0, lambda: False) is None
    # median and interval of a known sample: quartiles 0.9 and 1.1
    known = Comparison.of([0.8, 0.9, 1.0, 1.1, 1.2])
    assert known.ratio == 1 and known.high == pytest.approx(1 + 1.58 * 0.2 / 5**0.5)


def test_wrong_numbers_are_reported_with_the_worst_value():
    assert worst(RIGHT, RIGHT, 0.0) == ""
    assert worst(RIGHT[:3], RIGHT, 0.0).startswith("wrong results")
    assert worst(RIGHT.astype(np.float64), RIGHT, 0.0).startswith("wrong results")
    off = RIGHT.copy()
    off[2], off[5] = 2.5, 9
    assert worst(off, RIGHT, 0.1) == "wrong results (2 values, at worst 9 instead of 5)"


def test_comparison_exceeding_the_budget_is_not_started():
    outcome = session(Bowl(), budget_s=0.05).run()  # 60 runs of 1.4 ms take longer
    assert outcome.best is None and len(outcome.tried) > 1
    assert all(tried.comparison is None for tried in outcome.tried)


def test_stored_form_is_always_compared():
    slow = {"width": 1, "kind": "plain"}
    first, *_ = session(Bowl(), first=(slow,)).run().tried
    assert first.values == slow and not first.comparison.is_faster and not first.is_best


def test_unwritable_file_of_trials_is_tolerated(tmp_path):
    (tmp_path / "trials.json").mkdir()
    assert session(Bowl(), cache=tmp_path / "trials.json").run().best == BEST
    assert session(Bowl(), cache=tmp_path / "gone" / "trials.json").run().best == BEST


@pytest.mark.parametrize("fault", [RuntimeError, MemoryError, TypeError, RecursionError])
def test_exception_of_a_form_is_its_fault(fault):
    class Raising(Bowl):
        def seconds(self, values):
            if values["kind"] == "odd":
                raise fault("in the middle")
            return super().seconds(values)

    outcome = session(Raising()).run()
    assert outcome.best == BEST
    assert {t.fault for t in outcome.tried} == {"", f"{fault.__name__}: in the middle"}


def test_unstable_machine_gives_no_accepted_form():
    factors = iter([1.0, 0.5, 1.0, 0.6, 1.0, 0.9] * 10)
    busy = compare(lambda: 0.8 * next(factors), lambda: 1.0, lambda: True)
    assert busy.ratio < 0.9 and not busy.is_faster and busy.is_unsure
    assert Comparison(0.9, 0.88, 0.92, PAIRS).is_faster
    assert not Comparison(0.8, 0.7, 0.9, PAIRS).is_faster
    assert not Comparison(0.9, 0.88, 0.92, PAIRS).is_unsure  # accepted
    assert not Comparison(1.2, 1.1, 1.3, PAIRS).is_unsure  # slower even with noise
    some = SearchEnded(9, 60.0, None, None, was_stored=False, is_stored=False, was_stopped=False)
    assert some.verdict.endswith("than the default.")
    assert "seemed faster while the machine was busy: 2" in replace(some, n_unsure=2).verdict


def test_form_that_breaks_the_process_ends_the_session():
    class Fragile(Bowl):
        """A GPU that is unusable in this process after an illegal address."""

        is_broken = False

        def seconds(self, values):
            self.is_broken = self.is_broken or values == {"width": 4, "kind": "odd"}
            if self.is_broken:
                raise DeviceError("an illegal address")
            return super().seconds(values)

    outcome = session(Fragile(odd="right")).run()
    *others, last = outcome.tried
    assert outcome.is_lost and last.values == {"width": 4, "kind": "odd"} and last.fault
    assert not any(tried.fault for tried in others) and len(others) < 10
    # the next process reads the trial and continues
    outcome = session(Bowl(odd="slow"), crashed=(last.values,)).run()
    assert not outcome.is_lost and outcome.best == BEST and len(outcome.tried) == 11
    assert [t.fault for t in outcome.tried if t.fault] == ["the program ended while it ran"]


def test_comparison_ends_with_the_budget():
    class Slowing(Bowl):
        """A machine that becomes busy when forms are compared."""

        def seconds(self, values):
            self.n_runs = getattr(self, "n_runs", 0) + 1
            if self.n_runs > 30:
                time.sleep(0.1)
            return super().seconds(values)

    problem = Slowing()
    outcome = session(problem, budget_s=0.4).run()
    # four more runs fit into the budget, and one pair may exceed it
    assert outcome.best is None and problem.n_runs <= 30 + 4 + 2
