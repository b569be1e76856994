"""Progress of a run in steps, which never decreases.

Operators tell how far each pass is, from nothing to all; a stage is some steps of so many passes.
"""

from __future__ import annotations

from collections.abc import Callable

from engine.data.runs.events import Progressed

PARTS = 1000
"""Parts of a pass between which progress is reported."""


class PassProgress:
    """Progress of one stage after another.

    Parameters
    ----------
    report : hears of progress; may raise to stop
    """

    def __init__(self, report: Callable[[Progressed], None]) -> None:
        self._report = report
        self.begin("", 1, 1)

    def begin(
        self, stage: str, n_steps: int, passes: int, *, done: int = 0, before: int = 0
    ) -> None:
        """Begin a stage of so many steps, each of so many passes.

        done : steps that are done; before : passes that come before the next
        """
        self._stage, self._n_steps, self._passes = stage, n_steps, passes
        self._first, self._before = done, before
        self._messages = 0
        self.reach(done)

    def reach(self, step: int) -> None:
        """Know that so many steps are done, whatever their passes said."""
        self._steps, self._seen = step, 0

    def end(self) -> None:
        """Tell that the stage is done, whether all its steps were needed or not."""
        self.reach(self._n_steps)
        self(1, 1)

    def __call__(self, done: int, total: int) -> None:
        """Tell how far the stage is, `done` of `total` into a pass."""
        whole = done >= total
        part = 0 if whole else PARTS * done // total
        self._seen += whole
        is_first = self._steps == self._first
        of_step = self._passes + (self._before if is_first else 0)
        in_step = min(self._seen * PARTS + part, of_step * PARTS)
        total = (self._before + self._n_steps * self._passes) * PARTS
        behind = self._steps * self._passes + (0 if is_first else self._before)
        now = behind * PARTS + in_step
        self._messages = max(
            self._messages, min(now, total)
        )  # there may be passes after the last step
        self._report(Progressed(self._stage, self._messages, total))
