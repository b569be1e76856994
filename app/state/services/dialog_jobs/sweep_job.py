"""Slices with other values of rotation axis or roll, computed outside the window's thread."""

from __future__ import annotations

from dataclasses import dataclass
from threading import Event
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from app.language.translation import tr
from app.state.models.session import Session
from app.state.services.commands import Commands
from app.state.services.dialog_jobs.dialog_job import DialogJob
from app.state.services.previews import NO_SPACE
from app.state.services.threads import Task
from engine.core.errors import EngineError
from engine.modalities import Sweep

if TYPE_CHECKING:  # the engine's kernels are not needed to open the window
    from engine.modalities import Estimate


class StoppedError(Exception):
    """The slices are no longer needed."""


@dataclass(frozen=True)
class Range:
    """Values to try: centre (None for the value of a run), step and number."""

    around: float | None
    step: float
    n: int


class SweepJob(DialogJob):
    """Computes candidate slices. Scan and protocol are those at the time of its creation.

    Signals
    -------
    progressed : number of finished slices, and of all
    found : the values, with their slices and scores
    """

    progressed = Signal(int, int)
    found = Signal(object)

    def __init__(self, session: Session, commands: Commands, sweep: Sweep, parent: QObject) -> None:
        super().__init__(commands, parent)
        self._session, self._sweep = session, sweep
        # Fixed now: the dialog compares candidates of one scan, whatever changes behind it.
        self._found = session.study.xray
        self._stop = Event()

    def start(self, wanted: Range) -> None:
        """Compute slices. No other computation may be running.

        Parameters
        ----------
        wanted
            values to try
        """
        self._stop.clear()
        device = self._session.device.named("cpu")
        threads = device.threads if device else None
        self._run(
            lambda task: self._make(task, wanted, threads),
            tr("The candidate slices could not be computed."),
            done=self._emit_result,
            on_progress=self.progressed.emit,
        )

    def stop(self) -> None:
        """Stop after the current slice."""
        self._stop.set()

    def _make(self, task: Task, wanted: Range, threads: int | None) -> Estimate | str | None:
        """Compute the slices, in a thread; a text is a failure, None means stopped."""
        from engine.core.backend import cpu
        from engine.modalities import candidates

        if self._found is None:
            return tr("Open a scan first.")
        if self._found.scan.radiographs is None:
            return NO_SPACE

        # An exception is the only way to leave the engine's loop early.
        def on_progress(done: int, total: int) -> None:
            if self._stop.is_set() or task.isInterruptionRequested():
                raise StoppedError
            task.progressed.emit(done, total)

        try:
            return candidates(
                self._found.scan.radiographs.scan,
                self._found.protocol,
                of=self._sweep.key,
                on=cpu(threads),
                around=wanted.around,
                step=wanted.step,
                n=wanted.n,
                on_progress=on_progress,
            )
        except StoppedError:
            return None
        except EngineError as e:
            return str(e)

    def _emit_result(self, result: Estimate | str | None) -> None:
        if isinstance(result, str):
            self.failed.emit(result)
        elif result is not None and not self._stop.is_set():
            self.found.emit(result)
