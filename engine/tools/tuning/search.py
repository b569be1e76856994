"""One search: problem, time, and storing the best variant.

A variant is stored as soon as it is the best, so that a crash of the search loses none.
"""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from time import perf_counter

from engine.core.errors import EngineError, ResourceError
from engine.io.safety.locks import is_in_use, only_writer
from engine.selftest import named
from engine.tools.tuning.outcome import OnEvent, Outcome, SearchEvent, TriedVariant
from engine.tools.tuning.problem import TuningProblem
from engine.tools.tuning.request import SearchRequest
from engine.tools.tuning.search_text import SearchEnded
from engine.tools.tuning.session import TuningSession
from engine.tools.tuning.storing import keep, stored_values
from engine.tools.tuning.trials import trials_path

ANOTHER = (
    "another search is running on this machine; wait until it ends, so that its times stay correct."
)


def problem_of(request: SearchRequest) -> TuningProblem:
    """Return the tuning problem of a request.

    Parameters
    ----------
    request
        target, device and perhaps a study

    Returns
    -------
    problem
        in the size of the study, or in the standard size

    Raises
    ------
    DataError
        if another scan has taken the place of that of the study
    """
    on = named(request.device, request.threads)
    if not request.study:
        from engine.tools.tuning.problems import problems_of

        return problems_of(request.target, on)[0]
    from engine.modalities.studies import study_of_json
    from engine.protocols.study.study import refuse_changed_files
    from engine.tools.tuning.of_study import problem_of_study

    study = study_of_json(request.study)
    refuse_changed_files(study)
    problem = problem_of_study(request.target, study, on)
    refuse_changed_files(study)  # the scan may have been replaced while it was read
    return problem


class Search:
    """The search of a request for one problem.

    Parameters
    ----------
    problem : kernel and problem size
    request : search time and strategy
    on_event : called with events
    """

    def __init__(
        self, problem: TuningProblem, request: SearchRequest, on_event: OnEvent | None = None
    ) -> None:
        self.problem, self._on_event = problem, on_event
        self.trials: Path = trials_path(problem.on, problem.slot, problem.work)
        self._before = stored_values(problem)
        self._session = TuningSession(
            problem,
            budget_s=request.budget_s,
            strategy=request.strategy,
            seed=request.seed,
            cache=self.trials,
            # The stored variant is confirmed or deleted by each search
            first=self._before,
            crashed=request.crashed,
            on_event=self._take,
        )

    @property
    def was_stored(self) -> bool:
        """True if a variant was stored before."""
        return bool(self._before)

    def stop(self) -> None:
        """Stop after the current run."""
        self._session.stop()

    def run(self) -> tuple[Outcome, SearchEnded]:
        """Search, and store the best variant.

        Returns
        -------
        outcome
            all tried variants
        ended
            summary

        Raises
        ------
        ResourceError
            if another search is running, or Kernel Tuner is not installed
        """
        folder, begin = self.trials.parent, perf_counter()
        # The lock excludes a second search; this gives its own message
        if is_in_use(folder):
            raise ResourceError(ANOTHER)
        # Two searches would measure each other's load
        with only_writer(folder):
            outcome = self._session.run()
            keep(self.problem, outcome)
        ended = SearchEnded(
            n_tried=len(outcome.tried),
            seconds=perf_counter() - begin,
            best=outcome.best,
            comparison=outcome.comparison,
            was_stored=self.was_stored,
            is_stored=bool(stored_values(self.problem)),
            was_stopped=outcome.was_stopped,
            n_unsure=sum(one.is_unsure for one in outcome.tried),
            is_lost=outcome.is_lost,
        )
        return outcome, ended

    def _take(self, event: SearchEvent) -> None:
        # At once: the process may die with the next variant
        if isinstance(event, TriedVariant) and event.is_best:
            # stored again at the end, when an error is reported
            with suppress(EngineError, OSError):
                keep(self.problem, self._session.outcome)
        if self._on_event is not None:
            self._on_event(event)
