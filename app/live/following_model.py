"""Model of a running scan: newest update and state.

The engine's session runs in its own thread and never waits for the window. A timer polls the newest
update; updates between two polls are not displayed.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

from PySide6.QtCore import QObject, QTimer, Signal

from app.language.translation import tr
from app.live.source_status import SourceStatus
from app.state.models.messages import Problem
from app.state.services.context import AppContext
from app.ui.theme.formatting import sentence_case
from engine.core.errors import EngineError

if TYPE_CHECKING:
    from engine.jobs import Loader
    from engine.live import HasSenders, RefusedSender
    from engine.modalities import Study

# Polling bounds the work of the window, however fast the engine updates.
POLL_MS = 33
"""Interval between two polls: 30 images per second look continuous."""
STOPPED = tr("Isocenter stopped following the scan")
MAX_AT_ONCE = 50
"""Messages handled in one poll."""

R = TypeVar("R")
U = TypeVar("U")
U_co = TypeVar("U_co", covariant=True)


class Followed(Protocol[U_co]):
    """Session of the engine that follows a source."""

    def take(self, timeout_s: float | None = None) -> object:
        """Return the next event of the source or update of the images, or None.

        Parameters
        ----------
        timeout_s
            time to wait for one [s]; None: without limit
        """

    @property
    def newest(self) -> U_co:
        """Newest images and figures."""

    @property
    def senders(self) -> HasSenders | None:
        """Source that refuses senders; None for other sources."""

    def close(self) -> None:
        """Stop."""

    def scan_saved(self) -> None:
        """Delete the recording on the disk if the saved scan has all of its data."""

    def discard_recording(self) -> None:
        """Delete the recording on the disk."""


S = TypeVar("S", bound=Followed[object])


class FollowingModel(QObject, Generic[R, S, U]):
    """Follow one scan at a time. R is the request, S the session, U its updates.

    Signals
    -------
    updated : newer images or figures are available
    state_changed : the scan starts, waits, runs or has ended

    Attributes
    ----------
    request : current or last request; None before the first
    update : newest update; None before the first
    status : messages and state of the source
    is_running : True while a source is followed
    is_saved : True if the scan is in a file, or need not be saved
    """

    updated = Signal()
    state_changed = Signal()
    waits = tr("Waiting for frames.")
    """State before the first data."""

    def __init__(self, context: AppContext, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._context, self._commands = context, context.commands
        self._session: S | None = None
        self._timer = QTimer(self, interval=POLL_MS)
        # The timer runs in the thread of the window, so the model needs no lock.
        self._timer.timeout.connect(self.poll)
        self.request: R | None = None
        self.update: U | None = None
        self.status = SourceStatus(self.waits)
        self.is_saved = True
        self._serial = 0

    # specific to each kind of scan

    @abstractmethod
    def opener(self, request: R) -> Callable[[Loader], S]:
        """Return a function that opens the source in a thread.

        Parameters
        ----------
        request
            source to open; settings are read now, before the thread starts
        """

    @abstractmethod
    def n_received(self, update: U) -> int:
        """Return the number of frames or events received so far."""

    @abstractmethod
    def waiting_for(self, update: U) -> str:
        """Return the reason why the image waits.

        Parameters
        ----------
        update
            newest update

        Returns
        -------
        str
            sentence for the user; empty while images arrive
        """

    @property
    @abstractmethod
    def has_scan(self) -> bool:
        """True if the received data can be saved as a scan."""

    @abstractmethod
    def writer(self) -> Callable[[Path], object]:
        """Stop following, and return a function that writes the received scan to a file."""

    @abstractmethod
    def study_of(self, path: Path) -> Study:
        """Return the study that reconstructs the saved scan.

        Parameters
        ----------
        path
            file of the saved scan
        """

    def handle_update(self, update: U) -> None:
        """Handle newer images."""

    def ended(self) -> None:
        """Handle the end of the source."""

    @property
    def is_running(self) -> bool:
        """True if a source is being followed."""
        return self._session is not None and not self.status.has_ended

    @property
    def state(self) -> tuple[str, str]:
        """The state as text, and its tone."""
        update = self.update
        return self.status.text(
            is_open=self._session is not None,
            has_data=update is not None and self.n_received(update) > 0,
            wait="" if update is None else self.waiting_for(update),
        )

    @property
    def _state_texts(self) -> tuple[object, ...]:
        """All state texts of the pages."""
        messages = self.status.messages
        newest = messages[-1] if messages else ""
        return self.state, self.status.waiting, newest, self.refused_senders

    @property
    def refused_senders(self) -> tuple[RefusedSender, ...]:
        """Refused senders."""
        senders = None if self._session is None else self._session.senders
        return () if senders is None else senders.refused_senders

    # actions of the user

    def use_sender(self, identity: str) -> None:
        """Accept only one sender from now on; its data are another scan.

        Parameters
        ----------
        identity
            identity of a refused sender
        """
        senders = None if self._session is None else self._session.senders
        if senders is not None:
            senders.use_sender(identity)
            self.status.messages.append(
                tr("Only the sender {name} is accepted now.", name=identity)
            )
            self.state_changed.emit()

    def start(self, request: R) -> None:
        """Follow a source; the previous one is closed.

        Parameters
        ----------
        request
            source to follow; it is opened in a thread, and errors become the state
        """
        self.stop()
        self._serial += 1
        # A slow connection may open after the user has chosen another source. The serial number
        # identifies the request.
        serial, opener = self._serial, self.opener(request)
        self.request, self.update, self.is_saved = request, None, True
        self.status.begin()
        self.state_changed.emit()
        self._commands.run_task(
            lambda _: self._open_session(opener),
            lambda found: self._use_session(found, serial),
            failed=tr("The scan cannot be followed."),
        )

    def _open_session(self, opener: Callable[[Loader], S]) -> S | str:
        try:
            return opener(self._commands.loader())
        except EngineError as e:
            return str(e)

    def _use_session(self, found: S | str, serial: int) -> None:
        # The user has stopped or started another source meanwhile, so this session is closed at
        # once.
        if serial != self._serial:
            if not isinstance(found, str):
                found.close()
            return
        self.status.is_connecting = False
        if isinstance(found, str):
            self.status.fail(found)
        else:
            self._session = found
            self._timer.start()
        self.state_changed.emit()

    def stop(self) -> None:
        """Stop following. The received data stay displayed and can be saved."""
        self._serial += 1
        self.status.is_connecting = False
        # The timer runs as long as the session is open.
        if self._timer.isActive():
            # What has arrived since the last poll is still shown.
            self.poll()
            if not self.status.has_ended:
                self.status.messages.append(tr("Stopped by the user."))
            self.status.has_ended = True
            self.close_session()
        self.state_changed.emit()

    def close_session(self) -> None:
        """Close the session; its last update stays on the screen."""
        self._timer.stop()
        if self._session is not None:
            self._session.close()
            # Closing may finish another update after the last poll.
            self.update = self._session.newest  # type: ignore[assignment]  # bound of S
            self.updated.emit()

    def forget(self) -> None:
        """Close the scan and discard its images."""
        self.stop()
        self._session = self.update = self.request = None
        self.is_saved = True
        self.status.clear()
        self.state_changed.emit()

    def mark_saved(self) -> None:
        """Note that the scan is in a file; its recording is no longer needed."""
        self.is_saved = True
        if self._session is not None:
            self._session.scan_saved()

    def discard(self) -> None:
        """Stop, and delete the recording of a scan that the user does not want."""
        self.stop()
        if self._session is not None:
            self._session.discard_recording()

    # events of the source

    def poll(self) -> None:
        """Read new events and updates."""
        session = self._session
        if session is None:
            return
        # Signals repaint the page; they are sent only if a text has changed.
        before = self._state_texts
        try:
            self._handle_news(session)
        except EngineError as e:
            self._end(str(e))
        except Exception as e:  # noqa: BLE001  the error is shown, and the window stays open
            self._end(tr("Internal error: {name}: {e}", name=type(e).__name__, e=e))
        if self._state_texts != before:
            self.state_changed.emit()

    def _handle_news(self, session: S) -> None:
        from engine.live import Ended, SourceEvent

        is_new = has_ended = False
        # A limit, so that a source that sends faster than this loop runs cannot block the window.
        for _ in range(MAX_AT_ONCE):
            news = session.take(0)
            if news is None:
                break
            if isinstance(news, SourceEvent):
                if has_ended and isinstance(news, Ended):
                    break  # a session repeats `Ended`
                has_ended = has_ended or isinstance(news, Ended)
                self.status.add(news)
            else:
                self.update, is_new = news, True  # type: ignore[assignment]  # no other news
                # New data make an earlier file incomplete.
                self.is_saved = self.is_saved and not self.has_scan
        if is_new and self.update is not None:
            self.status.count(self.n_received(self.update))
            self.handle_update(self.update)
            self.updated.emit()
        if has_ended:
            self._end("")

    def _end(self, fault: str) -> None:
        """Handle the end of the source, or an error that ends the session."""
        if fault:
            self.status.has_ended = True
            # With images on the screen the state is short, and the details are in the problem
            # dialog.
            self.status.fail(STOPPED if self.update is not None else fault)
            self.close_session()
            problem = Problem(f"{STOPPED}.", sentence_case(fault))
            self._context.session.raise_problem(problem)
        elif not self.status.has_ended:
            self.status.has_ended = True
            self.ended()
