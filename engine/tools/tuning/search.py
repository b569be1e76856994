"""One search: what is to be tuned, how long, and the form that is kept of it.

A form is kept as soon as it is the best, so that whatever ends a search loses none.
"""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from time import perf_counter

from engine.core.errors import EngineError, ResourceError
from engine.io.safety.locks import is_in_use, only_writer
from engine.selftest import named
from engine.tools.tuning.outcome import OnEvent, Outcome, SearchEvent, TriedForm
from engine.tools.tuning.problem import TuningProblem
from engine.tools.tuning.request import SearchRequest
from engine.tools.tuning.search_text import SearchEnded
from engine.tools.tuning.session import TuningSession
from engine.tools.tuning.storing import keep, stored_values
from engine.tools.tuning.trials import trials_path

ANOTHER = (
    "another search runs on this machine; wait until it ends: two at once would measure each other."
)


def problem_of(request: SearchRequest) -> TuningProblem:
    """Return what a request tunes: in the size of its study, or in the standard one."""
    on = named(request.device, request.threads)
    if not request.study:
        from engine.tools.tuning.problems import problems_of

        return problems_of(request.target, on)[0]
    from engine.modalities.studies import study_of_json
    from engine.tools.tuning.of_study import problem_of_study

    return problem_of_study(request.target, study_of_json(request.study), on)


class Search:
    """The search of a request for the forms of one problem.

    Parameters
    ----------
    problem : the kernel and its work
    request : how long, by which strategy
    on_event : called with what happens
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
            first=self._before,
            crashed=request.crashed,
            on_event=self._take,
        )

    @property
    def had_one(self) -> bool:
        """Whether a form was kept before."""
        return bool(self._before)

    def stop(self) -> None:
        """End after the run at hand."""
        self._session.stop()

    def run(self) -> tuple[Outcome, SearchEnded]:
        """Search, and keep what was found.

        Returns
        -------
        outcome
            all that was tried
        ended
            what came of it

        Raises
        ------
        ResourceError
            where another search runs, or Kernel Tuner is not installed
        """
        folder, begin = self.trials.parent, perf_counter()
        if is_in_use(folder):
            raise ResourceError(ANOTHER)
        with only_writer(folder):
            outcome = self._session.run()
            keep(self.problem, outcome)
        ended = SearchEnded(
            n_tried=len(outcome.tried),
            seconds=perf_counter() - begin,
            best=outcome.best,
            comparison=outcome.comparison,
            had_one=self.had_one,
            has_one=bool(stored_values(self.problem)),
            was_stopped=outcome.was_stopped,
            n_unsure=sum(one.is_unsure for one in outcome.tried),
            is_lost=outcome.is_lost,
        )
        return outcome, ended

    def _take(self, event: SearchEvent) -> None:
        if isinstance(event, TriedForm) and event.is_best:
            # at the end it is kept again, and what hinders that is said then
            with suppress(EngineError, OSError):
                keep(self.problem, self._session.outcome)
        if self._on_event is not None:
            self._on_event(event)
