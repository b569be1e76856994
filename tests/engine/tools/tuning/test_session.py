"""A search keeps the fastest form whose numbers are right, never one that only looked faster."""

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
from engine.tools.tuning.comparing import LEAST_PAIRS, PAIRS, Comparison, compare
from engine.tools.tuning.outcome import TriedForm
from engine.tools.tuning.problem import worst
from engine.tools.tuning.search_text import SearchEnded
from engine.tools.tuning.session import TuningSession
from tests.engine.tools.tuning.bowl import BEST, RIGHT, Bowl

pytestmark = pytest.mark.skipif(  # found, not imported: that costs each worker a second
    find_spec("kernel_tuner") is None, reason="Kernel Tuner is not installed"
)


class Flat(Bowl):
    """Forms that are all as fast, but for noise."""

    def seconds(self, values):
        return 1e-3 * (1 + self.noise * self.rng.standard_normal())


def session(problem, **options):
    return TuningSession(problem, **{"strategy": "brute_force", "budget_s": 30.0} | options)


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_every_strategy_finds_a_form_faster_than_the_shipped_one(strategy):
    outcome = session(Bowl(), strategy=strategy).run()
    assert outcome.best == BEST and outcome.gain == pytest.approx(1.4)
    assert not outcome.was_stopped
    assert all(t.values["width"] < 32 or t.values["kind"] == "plain" for t in outcome.tried)


@pytest.mark.parametrize("odd", ["wrong", "nan", "crashes"])
def test_a_form_that_is_wrong_or_crashes_never_wins_however_fast_it_is(odd):
    problem = Bowl(odd=odd)
    outcome = session(problem).run()
    assert outcome.best == BEST
    bad = [t for t in outcome.tried if t.values["kind"] == "odd"]
    assert len(bad) == 5 and all(t.seconds is None and not t.is_best for t in bad)
    assert all(("wrong results" if odd != "crashes" else "illegal address") in t.fault for t in bad)


def test_a_wrong_shipped_form_ends_the_session_with_one_sentence():
    problem = Bowl(odd="wrong")
    problem.shipped = {"width": 2, "kind": "odd"}
    with pytest.raises(ResourceError, match=r"Fault: wrong results \(8 values, at worst"):
        session(problem).run()


@pytest.mark.parametrize("seed", range(25))
def test_noise_alone_never_replaces_the_shipped_form(seed):
    problem = Flat(noise=0.1)
    problem.rng = np.random.default_rng(seed)
    assert session(problem).run().best is None


def test_the_best_is_found_through_noise():
    assert session(Bowl(noise=0.03)).run().best == BEST


def test_an_interrupt_keeps_the_best_so_far():
    class Interrupted(Bowl):
        def result(self, values):
            if values["width"] == 16:
                raise KeyboardInterrupt
            return super().result(values)

    outcome = session(Interrupted()).run()
    assert outcome.was_stopped and outcome.best == BEST


def test_a_listener_sees_every_form_and_may_stop_the_search():
    seen = []

    def listen(event):
        if isinstance(event, TriedForm):
            seen.append(event)
        if len(seen) == 3:
            running.stop()

    running = session(Bowl(), on_event=listen)
    outcome = running.run()
    assert outcome.tried == seen and len(seen) == 3 and outcome.was_stopped
    left = [t.seconds_left for t in seen]
    assert left == sorted(left, reverse=True) and left[0] <= 30


def test_a_second_session_starts_from_what_the_first_one_tried(tmp_path):
    cache = tmp_path / "trials.json"
    first, second = Bowl(), Bowl()
    assert session(first, cache=cache).run().best == BEST
    outcome = session(second, cache=cache).run()
    assert outcome.best == BEST
    # the shipped form and the three best of the first session are run again, no other
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
def test_a_torn_file_of_trials_costs_nothing_but_time(tmp_path, cut):
    cache = tmp_path / "trials.json"
    session(Bowl(), cache=cache).run()
    cache.write_bytes(cache.read_bytes()[:cut])
    assert session(Bowl(), cache=cache).run().best == BEST


def test_trials_of_other_parameters_are_left(tmp_path):
    cache, other = tmp_path / "trials.json", Bowl()
    other.parameters = {"kind": other.parameters["kind"], "width": other.parameters["width"]}
    session(other, cache=cache).run()
    assert session(Bowl(), cache=cache).run().best == BEST


def test_a_form_that_took_the_process_with_it_is_not_run_again(tmp_path):
    cache = tmp_path / "trials.json"
    session(Bowl(), cache=cache).run()
    rows = json.loads(cache.read_text())
    del rows["cache"]["8,plain"]
    cache.write_text(json.dumps(rows, indent="")[:-3] + ",")
    cache.with_suffix(".trying").write_text("8,plain")
    outcome = session(Bowl(), cache=cache).run()
    (dead,) = [t for t in outcome.tried if t.values == BEST]
    assert dead.fault == "the program ended while it ran" and dead.from_file
    assert outcome.best == {"width": 8, "kind": "odd"}  # the next best


@pytest.mark.parametrize("options", [{"strategy": "luck"}, {"budget_s": 0.0}])
def test_what_cannot_be_is_refused_in_one_sentence(options):
    with pytest.raises(SettingsError):
        TuningSession(Bowl(), **options)


def test_without_kernel_tuner_the_way_out_is_named(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "engine.tools.tuning.runner", None)
    with pytest.raises(ResourceError, match="pip install kernel-tuner"):
        session(Bowl()).run()


def test_a_comparison_needs_all_its_pairs_to_believe_and_few_to_give_up():
    slower = compare(lambda: 1.2, lambda: 1.0, lambda: True)
    faster = compare(lambda: 0.8, lambda: 1.0, lambda: True)
    assert slower.pairs == LEAST_PAIRS and not slower.is_faster
    assert faster.pairs == PAIRS and faster.is_faster and faster.ratio == pytest.approx(0.8)
    assert compare(lambda: 0.8, lambda: 1.0, lambda: False) is None
    # median and interval of a known sample: quartiles 0.9 and 1.1
    known = Comparison.of([0.8, 0.9, 1.0, 1.1, 1.2])
    assert known.ratio == 1 and known.high == pytest.approx(1 + 1.58 * 0.2 / 5**0.5)


def test_wrong_numbers_are_told_with_the_worst_of_them():
    assert worst(RIGHT, RIGHT, 0.0) == ""
    assert worst(RIGHT[:3], RIGHT, 0.0).startswith("wrong results")
    assert worst(RIGHT.astype(np.float64), RIGHT, 0.0).startswith("wrong results")
    off = RIGHT.copy()
    off[2], off[5] = 2.5, 9
    assert worst(off, RIGHT, 0.1) == "wrong results (2 values, at worst 9 instead of 5)"


def test_no_comparison_is_begun_that_the_budget_cannot_end():
    outcome = session(Bowl(), budget_s=0.05).run()  # 60 runs of 1.4 ms take longer
    assert outcome.best is None and len(outcome.tried) > 1
    assert all(tried.comparison is None for tried in outcome.tried)


def test_a_form_that_was_kept_is_compared_however_it_looks():
    slow = {"width": 1, "kind": "plain"}
    first, *_ = session(Bowl(), first=(slow,)).run().tried
    assert first.values == slow and not first.comparison.is_faster and not first.is_best


def test_a_file_of_trials_that_cannot_be_written_costs_nothing(tmp_path):
    (tmp_path / "trials.json").mkdir()
    assert session(Bowl(), cache=tmp_path / "trials.json").run().best == BEST
    assert session(Bowl(), cache=tmp_path / "gone" / "trials.json").run().best == BEST


@pytest.mark.parametrize("fault", [RuntimeError, MemoryError, TypeError, RecursionError])
def test_whatever_a_form_raises_is_its_own_fault(fault):
    class Raising(Bowl):
        def seconds(self, values):
            if values["kind"] == "odd":
                raise fault("in the middle")
            return super().seconds(values)

    outcome = session(Raising()).run()
    assert outcome.best == BEST
    assert {t.fault for t in outcome.tried} == {"", f"{fault.__name__}: in the middle"}


def test_a_machine_that_is_slow_in_spells_is_not_believed():
    spells = iter([1.0, 0.5, 1.0, 0.6, 1.0, 0.9] * 10)
    busy = compare(lambda: 0.8 * next(spells), lambda: 1.0, lambda: True)
    assert busy.ratio < 0.9 and not busy.is_faster and busy.is_unsure
    assert Comparison(0.9, 0.88, 0.92, PAIRS).is_faster
    assert not Comparison(0.8, 0.7, 0.9, PAIRS).is_faster
    assert not Comparison(0.9, 0.88, 0.92, PAIRS).is_unsure  # believed
    assert not Comparison(1.2, 1.1, 1.3, PAIRS).is_unsure  # slower, however busy it was
    some = SearchEnded(9, 60.0, None, None, had_one=False, has_one=False, was_stopped=False)
    assert some.verdict.endswith("than the default.")
    assert "seemed faster while the machine was busy: 2" in replace(some, n_unsure=2).verdict


def test_a_form_that_leaves_nothing_else_running_ends_the_session():
    class Fragile(Bowl):
        """A card: after an illegal address nothing runs on it in this process."""

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
    # the next process is told of it, and goes on
    outcome = session(Bowl(odd="slow"), crashed=(last.values,)).run()
    assert not outcome.is_lost and outcome.best == BEST and len(outcome.tried) == 11
    assert [t.fault for t in outcome.tried if t.fault] == ["the program ended while it ran"]


def test_a_comparison_ends_with_the_budget():
    class Slowing(Bowl):
        """A machine that takes other work up as soon as forms are compared."""

        def seconds(self, values):
            self.n_runs = getattr(self, "n_runs", 0) + 1
            if self.n_runs > 30:
                time.sleep(0.1)
            return super().seconds(values)

    problem = Slowing()
    outcome = session(problem, budget_s=0.4).run()
    # four more runs fit into the budget, and one pair may end beyond it
    assert outcome.best is None and problem.n_runs <= 30 + 4 + 2
