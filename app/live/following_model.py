"""The model of a running scan: newest update and state.

The engine's session runs in a thread of its own and never waits for the window: a timer looks
for what is newest, and what was not looked at in time is not shown.
"""

from __future__ import annotations

from abc import abstractmethod
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

from PySide6.QtCore import QObject, QTimer, Signal

from app.language.translation import tr
from app.state.models.messages import Problem
from app.state.services.context import AppContext
from app.ui.theme.formatting import sentence_case
from engine.core.errors import EngineError

if TYPE_CHECKING:
    from engine.jobs import Loader
    from engine.modalities import Study

POLL_MS = 33
"""Interval between two polls: 30 images per second look continuous."""
MOST_SAID = 200
STOPPED = tr("The scan is no longer followed")
MOST_AT_ONCE = 50
"""Messages handled in one poll."""

R = TypeVar("R")
U = TypeVar("U")
U_co = TypeVar("U_co", covariant=True)


class Followed(Protocol[U_co]):
    """A session of the engine that follows a source."""

    def take(self, timeout_s: float | None = None) -> object:
        """Return the newest event of the source or update of the images, or None."""

    @property
    def newest(self) -> U_co:
        """The newest images and figures."""

    def close(self) -> None:
        """Stop."""


S = TypeVar("S", bound=Followed[object])


class FollowingModel(QObject, Generic[R, S, U]):
    """Follows one scan at a time; R is what is asked for, S a session, U what it hands over.

    Signals
    -------
    updated : there are newer images or figures
    state_changed : it begins, waits, runs, has ended

    Attributes
    ----------
    request : what is followed, or was; None before
    update : what is newest; None before there is anything
    messages : sentences from the source, the newest last
    waiting : what the source waits for, until something comes
    is_connecting, is_running, has_ended : what happens
    is_saved : True if the scan is in a file, or need not be saved
    """

    updated = Signal()
    state_changed = Signal()
    waits = tr("Waiting for frames.")
    """State before anything has come."""

    def __init__(self, context: AppContext, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._context, self._commands = context, context.commands
        self._session: S | None = None
        self._timer = QTimer(self, interval=POLL_MS)
        self._timer.timeout.connect(self.poll)
        self.request: R | None = None
        self.update: U | None = None
        self.messages: deque[str] = deque(maxlen=MOST_SAID)
        self.is_connecting = self.has_ended = False
        self.is_saved = True
        self._fault = self._warning = ""
        self._waits, self.waiting = self.waits, ""
        self._came = self._serial = 0

    # what each kind of scan knows

    @abstractmethod
    def beginning(self, request: R) -> Callable[[Loader], S]:
        """Return a function that opens the source in a thread, with the current settings."""

    @abstractmethod
    def came(self, update: U) -> int:
        """Return how much has come: frames or events."""

    @abstractmethod
    def waiting_for(self, update: U) -> str:
        """Return the reason why the image waits, or "" while it runs."""

    @property
    @abstractmethod
    def has_scan(self) -> bool:
        """True if there is something that can be kept as a scan."""

    @abstractmethod
    def writer(self) -> Callable[[Path], object]:
        """Stop following, and return a function that writes the received scan to a file."""

    @abstractmethod
    def study_of(self, path: Path) -> Study:
        """Return the study that reconstructs the saved scan."""

    def took(self, update: U) -> None:
        """Handle newer images."""

    def ended(self) -> None:
        """Handle the end of the source."""

    @property
    def is_running(self) -> bool:
        """True if a source is being followed."""
        return self._session is not None and not self.has_ended

    @property
    def state(self) -> tuple[str, str]:
        """The state as text, and its tone: "", "ok", "look" or "missing"."""
        if self._fault:
            return self._fault, "missing"
        if self.is_connecting:
            return tr("Connecting …"), "muted"
        if self._session is None:
            return "", ""
        if self.has_ended:
            return tr("The scan has ended"), "ok"
        if self._warning:
            return self._warning, "look"
        if self.update is None or not self.came(self.update):
            return self._waits, "look"
        waits = self.waiting_for(self.update)
        return (waits, "look") if waits else (tr("Running"), "ok")

    @property
    def _words(self) -> tuple[object, ...]:
        """All state texts of the pages."""
        return self.state, self.waiting, self.messages[-1] if self.messages else ""

    # what the user does

    def start(self, request: R) -> None:
        """Follow a source; the one before is let go of."""
        self.stop()
        self._serial += 1
        serial, begin = self._serial, self.beginning(request)
        self.request, self.update, self._fault, self._warning = request, None, "", ""
        self.messages.clear()
        self._waits, self.waiting, self._came = self.waits, "", 0
        self.is_connecting, self.has_ended, self.is_saved = True, False, True
        self.state_changed.emit()
        self._commands.run_task(
            lambda _: self._opened(begin),
            lambda found: self._connected(found, serial),
            failed=tr("The scan cannot be followed."),
        )

    def _opened(self, begin: Callable[[Loader], S]) -> S | str:
        try:
            return begin(self._commands.loader())
        except EngineError as e:
            return str(e)

    def _connected(self, found: S | str, serial: int) -> None:
        if serial != self._serial:
            if not isinstance(found, str):
                found.close()
            return
        self.is_connecting = False
        if isinstance(found, str):
            self._fault = found
        else:
            self._session = found
            self._timer.start()
        self.state_changed.emit()

    def stop(self) -> None:
        """Stop following. The received data stay displayed and can be saved."""
        self._serial += 1
        self.is_connecting = False
        if self._timer.isActive():
            self.poll()
            if not self.has_ended:
                self.messages.append(tr("The user stopped it here."))
            self.has_ended = True
            self.let_go()
        self.state_changed.emit()

    def let_go(self) -> None:
        """Close the session after its newest update."""
        self._timer.stop()
        if self._session is not None:
            self._session.close()
            self.update = self._session.newest  # type: ignore[assignment]  # bound of S
            self.updated.emit()

    def forget(self) -> None:
        """Let go of the scan and its images."""
        self.stop()
        self._session = self.update = self.request = None
        self.has_ended, self.is_saved, self._fault, self._warning = False, True, "", ""
        self.messages.clear()
        self.state_changed.emit()

    # what happens

    def poll(self) -> None:
        """Read new events and updates."""
        session = self._session
        if session is None:
            return
        before = self._words
        try:
            self._take_up(session)
        except EngineError as e:
            self._end(str(e))
        except Exception as e:  # noqa: BLE001  whatever ends the thread is said, the window stays
            self._end(tr("Internal error: {name}: {e}", name=type(e).__name__, e=e))
        if self._words != before:
            self.state_changed.emit()

    def _take_up(self, session: S) -> None:
        from engine.live import Ended, Gone, Resumed, ShapeChanged, SourceEvent, Waiting

        is_new = has_ended = False
        for _ in range(MOST_AT_ONCE):
            news = session.take(0)
            if news is None:
                break
            if not isinstance(news, SourceEvent):
                self.update, is_new = news, True  # type: ignore[assignment]  # no other news
                self.is_saved = self.is_saved and not self.has_scan
            elif isinstance(news, Ended):
                if has_ended:
                    break  # it is all that comes
                has_ended = True
                if not self.has_ended:
                    self.messages.append(news.text)
            elif isinstance(news, Waiting):
                self._waits = self.waiting = news.text
            else:
                self.messages.append(news.text)
                if isinstance(news, Gone | ShapeChanged):
                    self._warning = news.text
                elif isinstance(news, Resumed):
                    self._warning = ""
        if is_new and self.update is not None:
            came = self.came(self.update)
            if came > self._came:
                self.waiting = ""
            self._came = came
            self.took(self.update)
            self.updated.emit()
        if has_ended:
            self._end("")

    def _end(self, fault: str) -> None:
        """The source has ended, or a fault has ended all."""
        if fault:
            self.has_ended = True
            self._fault = STOPPED if self.update is not None else fault
            self.let_go()
            problem = Problem(f"{STOPPED}.", sentence_case(fault))
            self._context.session.raise_problem(problem)
        elif not self.has_ended:
            self.has_ended = True
            self.ended()
