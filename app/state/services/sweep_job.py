"""Slices with other values of the axis or the roll, made off the window's thread."""

from __future__ import annotations

from dataclasses import dataclass
from threading import Event
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from app.language.translation import tr
from app.state.models.session import Session
from app.state.services.commands import Commands
from app.state.services.previews import NO_ROOM
from app.state.services.threads import Task
from engine.core.errors import EngineError
from engine.modalities import Sweep

if TYPE_CHECKING:  # the engine's kernels are not needed to open the window
    from engine.modalities import Estimate


class StoppedError(Exception):
    """Nobody waits for the slices any more."""


@dataclass(frozen=True)
class Range:
    """Values to try: their middle, None for what a run would take, their distance and number."""

    around: float | None
    step: float
    n: int


class SweepJob(QObject):
    """Makes candidates of the scan and protocol that are at hand when it is made.

    Signals
    -------
    progressed : slices done and slices in all
    found : the values tried, with their slices and scores
    failed : why there are none, one sentence
    ended : nothing is at work any more

    Attributes
    ----------
    is_busy : whether slices are being made
    """

    progressed = Signal(int, int)
    found = Signal(object)
    failed = Signal(str)
    ended = Signal()

    def __init__(self, session: Session, commands: Commands, sweep: Sweep, parent: QObject) -> None:
        super().__init__(parent)
        self._session, self._commands, self._sweep = session, commands, sweep
        self._found = session.study.xray
        self._stop = Event()
        self.is_busy = False

    def start(self, wanted: Range) -> None:
        """Make slices; nothing must be at work."""
        self._stop.clear()
        device = self._session.device.named("cpu")
        threads = device.threads if device else None
        self.is_busy = True
        self._commands.run_task(
            lambda task: self._make(task, wanted, threads),
            self._took,
            failed=tr("The candidates could not be computed."),
            on_progress=self.progressed.emit,
            on_failure=self.failed.emit,
            on_end=self._ended,
        )

    def stop(self) -> None:
        """End after the slice at hand."""
        self._stop.set()

    def _make(self, task: Task, wanted: Range, threads: int | None) -> Estimate | str | None:
        """Make the slices, in a thread: them, why there are none, or None once stopped."""
        from engine.core.backend import cpu
        from engine.modalities import candidates

        if self._found is None:
            return tr("There is no scan to try the values on.")
        if self._found.scan.radiographs is None:
            return NO_ROOM

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

    def _took(self, result: Estimate | str | None) -> None:
        if isinstance(result, str):
            self.failed.emit(result)
        elif result is not None and not self._stop.is_set():
            self.found.emit(result)

    def _ended(self) -> None:
        self.is_busy = False
        self.ended.emit()
