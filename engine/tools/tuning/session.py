"""Search for the fastest variant of one kernel on this machine.

Every variant runs once, and its result is compared with the reference. Only then it is timed,
together with the default, so that a machine that slows down meanwhile favours neither. A variant
that seems faster than the best so far is compared with the default in pairs
(`engine.tools.tuning.comparing`), twice. It is accepted only if it is significantly faster both
times. A session can be stopped at any time without losing its result.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from time import perf_counter

from engine.core.errors import EngineError, ResourceError
from engine.core.json_types import Plain
from engine.io.safety.atomic_write import write_atomically
from engine.tools.tuning.choices import NEEDS_TUNER, STRATEGIES, check_choices
from engine.tools.tuning.comparing import PAIRS, WORTH, Comparison, compare
from engine.tools.tuning.outcome import Began, OnEvent, Outcome, TriedVariant, Trying
from engine.tools.tuning.problem import TuningProblem, Values

HOPELESS = 1.15
"""A variant that takes this multiple of the default's time is not timed again."""
MAX_REMEMBERED = 3
"""Variants of an earlier session that are compared first."""
CRASHED = "the program ended while it ran"
WRONG, FAILED = "InvalidConfig", "RuntimeFailedConfig"
"""Kernel Tuner's names for wrong results and for variants that cannot run."""


class TuningSession:
    """Tunes one kernel; see the head of this file.

    Parameters
    ----------
    problem : kernel and problem size
    budget_s : search time; a run that is in progress at its end is finished
    strategy : strategy of Kernel Tuner, see `STRATEGIES`
    seed : random seed of the strategy
    cache : file of trials in the format of Kernel Tuner; None for no file
    first : variants to compare before all others, such as the stored one
    crashed : variants that crashed an earlier process, which are not run
    on_event : called with events; may call `stop`
    """

    def __init__(
        self,
        problem: TuningProblem,
        *,
        budget_s: float = 60.0,
        strategy: str = STRATEGIES[0],
        seed: int = 1,
        cache: Path | None = None,
        first: tuple[Values, ...] = (),
        crashed: tuple[Values, ...] = (),
        on_event: OnEvent | None = None,
    ) -> None:
        check_choices(strategy, budget_s)
        self.problem, self._budget_s = problem, budget_s
        self._strategy, self._seed, self._cache, self._first = strategy, seed, cache, first
        self._on_event: OnEvent = on_event or (lambda _: None)
        self.outcome, self._until, self._stopped = Outcome(), 0.0, False
        self._crashed = crashed

    def stop(self) -> None:
        """Stop after the current run; the result so far remains."""
        self._stopped = True

    @property
    def seconds_left(self) -> float:
        """Remaining search time [s]."""
        return max(0.0, self._until - perf_counter())

    def run(self) -> Outcome:
        """Search, and return the outcome, even if it was interrupted."""
        search = _search()
        begin = perf_counter()
        self._until = begin + self._budget_s
        try:
            self.problem.prepare()
            self._time_shipped()
            self._on_event(Began(self.outcome.shipped_seconds, self.seconds_left))
            # Promising variants first, in case the time is short
            for values in (*self._first, *self._remembered()):
                self._try(values, None)
            left = self.seconds_left
            if left and not self._stopped:
                search(
                    self.problem, self._try, cache=self._cache, seconds=left,
                    strategy=self._strategy, seed=self._seed,
                )  # fmt: skip
        except KeyboardInterrupt:
            self._stopped = True
        self.outcome.seconds = perf_counter() - begin
        self.outcome.was_stopped = self._stopped
        return self.outcome

    def _time_shipped(self) -> None:
        """Run the default variant, which must be correct."""
        shipped = self.problem.shipped
        fault = self.problem.fault_of(self.problem.result(shipped))
        if fault:
            raise ResourceError(
                f"{self.problem.title}: tuning cannot start, because the default variant fails on "
                f"{self.problem.on.label!r}. Fault: {fault}. Run `isocenter doctor`."
            )
        # The median of three: the first run may find cold caches
        times = sorted(self.problem.seconds(shipped) for _ in range(3))
        self.outcome.shipped_seconds = times[1]

    def _remembered(self) -> list[Values]:
        """Return the fastest variants of earlier sessions."""
        from engine.tools.tuning.trials import fastest_of, mark_unfinished

        if self._cache is None:
            return []
        mark_unfinished(self._cache, FAILED)
        return fastest_of(self._cache, self.problem, MAX_REMEMBERED)

    def _try(self, values: Values, known: Plain | None) -> Plain | None:
        """Try a variant, unless it was tried; return its trial for Kernel Tuner, None to stop."""
        if self._stopped or self.outcome.is_lost or not self.seconds_left:
            return None
        done = next((one for one in self.outcome.tried if one.values == values), None)
        if known is None and done is not None:
            return _as_row(done)
        tried = self._measured(values) if known is None else self._of_file(values, known)
        if done is None:
            self.outcome.tried.append(tried)
            self._on_event(tried)
        return known or _as_row(tried)

    def _of_file(self, values: Values, known: Plain) -> TriedVariant:
        fault = str(known.get("fault", known.get("__error__", "")))
        seconds = None if fault else float(known["time"]) / 1e3
        ratio = None if fault else float(known["ratio"])
        return TriedVariant(values, seconds, ratio, fault, self.seconds_left, from_file=True)

    def _measured(self, values: Values) -> TriedVariant:
        ratio = seconds = comparison = None
        if values in self._crashed:
            return TriedVariant(values, None, None, CRASHED, self.seconds_left)
        self._on_event(Trying(values))
        # A crash of the driver ends the process without an exception
        with _under_trial(self._cache, values):
            try:
                fault = self.problem.fault_of(self.problem.result(values))
                if not fault:
                    ratio, seconds = self._pair(values)
                    comparison = self._compared(values, ratio)
            except Exception as e:  # noqa: BLE001  one form of many: whatever it raises is its fault
                ratio = seconds = comparison = None
                fault = f"{type(e).__name__}: {e}"
                # After some errors, a CUDA context cannot be used any more
                self.outcome.is_lost = not self._runs_shipped()
        is_best = comparison is not None and self._is_best(values, comparison)
        return TriedVariant(values, seconds, ratio, fault, self.seconds_left, comparison, is_best)

    def _runs_shipped(self) -> bool:
        """Return True if the default still runs: after some errors of a GPU nothing does."""
        try:
            self.problem.seconds(self.problem.shipped)
        except Exception:  # noqa: BLE001  whatever it raises
            return False
        return True

    def _pair(self, values: Values) -> tuple[float, float]:
        """Return the time relative to the default's, and in seconds as if nothing else ran."""
        seconds, shipped = self.problem.seconds, self.problem.shipped
        mine, other = seconds(values), seconds(shipped)
        if mine < HOPELESS * other:
            # The shorter of two runs each: other programs only make a run longer
            mine, other = min(mine, seconds(values)), min(other, seconds(shipped))
        return mine / other, mine / other * self.outcome.shipped_seconds

    def _compared(self, values: Values, ratio: float) -> Comparison | None:
        """Compare a variant that seems to be the best with the default."""
        best = self.outcome.comparison
        looks_slower = ratio >= (WORTH if best is None else best.ratio)
        # a stored variant is compared in any case: it is confirmed or deleted
        if values == self.problem.shipped or (looks_slower and values not in self._first):
            return None
        seconds, shipped = self.problem.seconds, self.problem.shipped
        # only if there is time to finish; otherwise the next search begins with this variant
        if self.seconds_left < 4 * PAIRS * self.outcome.shipped_seconds:
            return None
        may_go_on = lambda: not self._stopped and self.seconds_left > 0  # noqa: E731
        pairs = (lambda: seconds(values)), (lambda: seconds(shipped)), may_go_on
        found = compare(*pairs)
        # twice: among many equally fast variants one seems faster by chance, but rarely twice. The
        # second comparison is reported, since it had no part in the choice
        return compare(*pairs) if found is not None and found.is_faster else found

    def _is_best(self, values: Values, comparison: Comparison) -> bool:
        best = self.outcome.comparison
        if not comparison.is_faster or (best is not None and comparison.ratio >= best.ratio):
            return False
        self.outcome.best, self.outcome.comparison = dict(values), comparison
        return True


def _as_row(tried: TriedVariant) -> Plain:
    """Return a trial for Kernel Tuner: its time [ms] and ratio, or an error."""
    if tried.seconds is None:
        error = WRONG if tried.fault.startswith("wrong") else FAILED
        return {"__error__": _error(error), "time": _error(error), "fault": tried.fault}
    return {"time": 1e3 * tried.seconds, "ratio": tried.ratio}


def _error(name: str) -> object:
    from kernel_tuner import util

    return getattr(util, name)()


def _search() -> Callable[..., None]:
    try:
        from engine.tools.tuning.runner import search
    except ImportError as e:
        raise ResourceError(NEEDS_TUNER) from e
    return search


@contextmanager
def _under_trial(cache: Path | None, values: Values) -> Iterator[None]:
    """Leave a note while a variant runs: if it crashes the process, the next one skips it."""
    if cache is None:
        yield
        return
    note = cache.with_suffix(".trying")
    with suppress(EngineError, OSError):
        write_atomically(",".join(map(str, values.values())).encode(), note)
    try:
        yield
    finally:
        with suppress(OSError):
            note.unlink()
