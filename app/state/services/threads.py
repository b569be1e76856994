"""Threads of the window: `EngineThread` reads a reconstruction's events, `Task` runs one function.

Only signals cross to the window. Between two redraws only the newest preview counts. The images at
the end of iterations all arrive.
"""

from __future__ import annotations

import traceback
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, QThread, QTimer, Signal

from app.language.internal_errors import internal_error
from app.language.translation import tr
from app.views.volume_facts import looked_through
from engine.core.errors import EngineError
from engine.data.runs.events import Aborted, EarlyPreview, Event, Failed, Finished, Preview
from engine.tools.diagnostics import keep_fault

if TYPE_CHECKING:  # the engine's process is not needed to open the window
    from engine.jobs import EngineProcess

DRAWINGS_PER_SECOND = 12


class EngineThread(QThread):
    """Reads the events of one engine process until the last.

    Signals
    -------
    event_received : every event except previews
    iteration_ended : the preview at the end of each iteration
    preview : the newest preview, at most twelve times a second
    """

    event_received = Signal(object)
    iteration_ended = Signal(object)
    preview = Signal(object)

    def __init__(self, process: EngineProcess, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.process = process
        self._newest: deque[Preview] = deque(maxlen=1)
        self._has_drawn = False
        """True after the first preview, which does not wait for the timer."""
        # The timer lives in the window's thread, which therefore sets the redraw rate.
        self._timer = QTimer(self)
        self._timer.setInterval(1000 // DRAWINGS_PER_SECOND)
        self._timer.timeout.connect(self._emit_newest)
        self.started.connect(self._timer.start)
        self.finished.connect(self._timer.stop)

    def run(self) -> None:
        try:
            for event in self.process.events():
                self._forward(event)
        except EngineError as e:
            self.event_received.emit(Failed(str(e), user_fault=True))
        except Exception as e:  # noqa: BLE001  a thread has no caller, so the window gets the error
            text = tr(
                "The engine could not be started ({name}: {e}); please report this error.",
                name=type(e).__name__,
                e=e,
            )
            self.event_received.emit(Failed(text, user_fault=False, detail=traceback.format_exc()))

    def _forward(self, event: Event) -> None:
        if isinstance(event, Preview):
            if event.slices is not None:
                looked_through(event.volume)  # in this thread: it can be larger than the memory
            self._newest.append(event)
            if not self._has_drawn:
                self._has_drawn = True
                self._emit_newest()
            if event.ends_iteration:
                self.iteration_ended.emit(event)
            return
        if isinstance(event, EarlyPreview | Finished) and event.volume.is_in_file:
            looked_through(event.volume)
        # The last preview must arrive before the event that ends the run.
        if isinstance(event, Finished | Failed | Aborted):
            self._emit_newest()
        self.event_received.emit(event)

    def _emit_newest(self) -> None:
        """Emit the newest preview unless it was emitted before. Both threads call this."""
        # `pop` of a deque is atomic, so each preview is emitted once without a lock.
        with suppress(IndexError):
            self.preview.emit(self._newest.pop())


class Task(QThread):
    """One function call in a thread: `done` with its result, or `failed` with a sentence."""

    done = Signal(object)
    failed = Signal(str)
    progressed = Signal(int, int)

    def __init__(self, work: Callable[[Task], Any], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._work = work

    def run(self) -> None:
        try:
            result = self._work(self)
        except EngineError as e:
            self.failed.emit(str(e))
        except Exception as e:  # noqa: BLE001  no error of a thread may be lost
            keep_fault(e)
            self.failed.emit(internal_error(e))
        else:
            self.done.emit(result)
