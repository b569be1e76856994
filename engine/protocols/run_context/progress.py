"""Progress of a run in steps, which never decreases.

Operators report how much of each pass is done. A stage has a number of steps with equal numbers of
passes.
"""

from __future__ import annotations

from collections.abc import Callable

from engine.data.runs.events import Progressed

PARTS = 1000
"""Number of parts of a pass between which progress is reported."""


class PassProgress:
    """Progress of one stage after another.

    Parameters
    ----------
    report : callback for progress; may raise to stop
    """

    def __init__(self, report: Callable[[Progressed], None]) -> None:
        self._report = report
        self.begin("", 1, 1)

    def begin(
        self, stage: str, n_steps: int, passes: int, *, done: int = 0, before: int = 0
    ) -> None:
        """Begin a stage.

        Parameters
        ----------
        stage
            name of the stage
        n_steps
            number of steps in the stage
        passes
            number of passes in each step
        done
            number of steps that are already done
        before
            number of passes before the first step, such as the sensitivity
        """
        self._stage, self._n_steps, self._passes = stage, n_steps, passes
        self._first, self._before = done, before
        self._messages = 0
        self.reach(done)

    def reach(self, step: int) -> None:
        """Record that a number of steps is done, regardless of the reported passes.

        Parameters
        ----------
        step
            number of steps that are done
        """
        # The estimate of passes can be wrong; the end of a step corrects it.
        self._steps, self._seen = step, 0

    def end(self) -> None:
        """Report the end of the stage, even if not all steps were needed."""
        self.reach(self._n_steps)
        self(1, 1)

    def __call__(self, done: int, total: int) -> None:
        """Report that `done` of `total` of a pass are done."""
        whole = done >= total
        part = 0 if whole else PARTS * done // total
        # A finished pass counts as a whole, so that rounding of its parts does not add up.
        self._seen += whole
        is_first = self._steps == self._first
        of_step = self._passes + (self._before if is_first else 0)
        # Extra passes, such as a line search, must not run beyond the end of the step.
        in_step = min(self._seen * PARTS + part, of_step * PARTS)
        total = (self._before + self._n_steps * self._passes) * PARTS
        behind = self._steps * self._passes + (0 if is_first else self._before)
        now = behind * PARTS + in_step
        self._messages = max(
            self._messages, min(now, total)
        )  # there may be passes after the last step
        self._report(Progressed(self._stage, self._messages, total))
