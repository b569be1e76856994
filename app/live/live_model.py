"""A running scan as the window knows it: its newest images and figures, its state in words.

The engine's session runs in a thread of its own and never waits for the window: a timer looks
for what is newest, and what was not looked at in time is not shown.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal

from app.control.context import AppContext
from app.live.live_request import LiveRequest, begin, live_settings
from app.look.formatting import sentence_case
from app.models.messages import Problem
from engine.errors import EngineError
from engine.geometry import Plane

if TYPE_CHECKING:
    from engine.data import Plain, Projections
    from engine.live import LiveImages, LiveSession, LiveUpdate
    from engine.modalities import CtProtocol
    from engine.settings import Settings

LOOK_MS = 33
"""Between two looks: thirty images a second are more than anybody tells apart."""
MOST_SAID = 200
WAITS, STOPPED = "Waits for frames.", "The scan is not followed any more"
MOST_AT_ONCE = 50
"""Sentences taken up in one look."""


class LiveModel(QObject):
    """Follows one scan at a time.

    Signals
    -------
    updated : there are newer images or figures
    state_changed : it begins, waits, runs, has ended

    Attributes
    ----------
    request : what is followed, or was; None before
    update : what is newest; None before there is anything
    said : sentences of the source, the newest last
    is_connecting, is_running, has_ended : what happens
    is_kept : whether the scan lies in a file, or was not to be kept
    """

    updated = Signal()
    state_changed = Signal()

    def __init__(self, context: AppContext, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._context, self._commands = context, context.commands
        self._session: LiveSession | None = None
        self._timer = QTimer(self, interval=LOOK_MS)
        self._timer.timeout.connect(self.look)
        self.request: LiveRequest | None = None
        self.update: LiveUpdate | None = None
        self.said: deque[str] = deque(maxlen=MOST_SAID)
        self.is_connecting = self.has_ended = False
        self.is_kept = True
        self._fault = self._warning = ""
        self._waits = WAITS
        self._serial = 0
        self._begun = self.protocol(), datetime.now(UTC)

    @property
    def is_running(self) -> bool:
        """Whether a source is being followed."""
        return self._session is not None and not self.has_ended

    @property
    def can_place(self) -> bool:
        """Whether slices can be made elsewhere: also of a scan that has ended by itself."""
        return self._session is not None and self._timer.isActive()

    @property
    def has_scan(self) -> bool:
        """Whether there are views that can be kept as a scan."""
        request, update = self.request, self.update
        is_growing = request is not None and request.mode == "growing"
        return is_growing and update is not None and update.images is not None

    @property
    def state(self) -> tuple[str, str]:
        """What happens in words, and their tone: "", "ok", "look" or "missing"."""
        if self._fault:
            return self._fault, "missing"
        if self.is_connecting:
            return "Connecting …", "muted"
        if self._session is None:
            return "", ""
        if self.has_ended:
            return "The scan has ended", "ok"
        if self._warning:
            return self._warning, "look"
        update = self.update
        if update is None or (update.images is None and not update.statistics.frames):
            return self._waits, "look"
        if update.state:
            return _waiting(update.state), "look"
        return "Running", "ok"

    # what the user does

    def start(self, request: LiveRequest) -> None:
        """Follow a source; the one before is let go of."""
        self.stop()
        self._serial += 1
        serial, protocol = self._serial, self.protocol()
        self.request, self.update, self._fault, self._warning = request, None, "", ""
        self._begun = protocol, datetime.now(UTC)
        self.said.clear()
        self._waits = WAITS
        self.is_connecting, self.has_ended, self.is_kept = True, False, True
        self.state_changed.emit()
        self._commands.run_task(
            lambda _: self._opened(request, protocol),
            lambda found: self._connected(found, serial),
            failed="The scan cannot be followed.",
        )

    def _opened(self, request: LiveRequest, protocol: CtProtocol) -> LiveSession | str:
        try:
            return begin(request, protocol, self._commands.loader())
        except EngineError as e:
            return str(e)

    def _connected(self, found: LiveSession | str, serial: int) -> None:
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
        """End following; what came stays on show and can be kept."""
        self._serial += 1
        self.is_connecting = False
        if self._timer.isActive():
            self.look()
            if not self.has_ended:
                self.said.append("It was stopped here.")
            self.has_ended = True
            self._let_go()
        self.state_changed.emit()

    def _let_go(self) -> None:
        self._timer.stop()
        if self._session is not None:
            self._session.close()
            self.update = self._session.newest
            self.updated.emit()

    def forget(self) -> None:
        """Let go of the scan and its images."""
        self.stop()
        self._session = self.update = self.request = None
        self.has_ended, self.is_kept, self._fault, self._warning = False, True, "", ""
        self.said.clear()
        self.state_changed.emit()

    def place(self, planes: Sequence[Plane]) -> None:
        """Put the slices elsewhere."""
        if self._session is not None:
            self._session.place(planes)

    def see_axis(self, column: float) -> None:
        """Take the axis to be seen at a column."""
        if self._session is not None:
            self._session.see_axis(column)

    def find_axis(self) -> None:
        """Look for the axis in the views that are held."""
        if self._session is not None:
            self._session.find_axis()

    def roll(self, degrees: float) -> None:
        """Take the detector to be turned in its plane."""
        if self._session is not None:
            self._session.roll(degrees)

    def use_filter(self, settings: Settings) -> None:
        """Filter all views in another way."""
        from engine.live import FilterSettings

        if self._session is not None and isinstance(settings, FilterSettings):
            self._session.filter(settings)

    def filter(self) -> Settings:
        """The filter of rows that the protocol at hand begins with."""
        from engine.live import LiveSettings, choices_of

        return choices_of(self.protocol(), LiveSettings()).filter

    def provenance(self, images: LiveImages) -> Callable[[], Plain]:
        """Return what tells of images of this scan what made them, also when another has begun."""
        session, request, (protocol, begun_utc) = self._session, self.request, self._begun
        if session is None or request is None:
            raise EngineError("there is no scan.")

        def made() -> Plain:
            from engine.live import LiveOrigin, provenance_of

            origin = LiveOrigin(
                request.source,
                request.replay,
                request.geometry,
                protocol,
                live_settings(request),
                begun_utc,
            )
            return provenance_of(session, images, origin)

        return made

    def scan(self) -> Projections:
        """Return the scan as it came; following ends."""
        if self._session is None:
            raise EngineError("there is no scan.")
        self.stop()
        return self._session.scan()

    # what happens

    def look(self) -> None:
        """Take up what is new."""
        session = self._session
        if session is None:
            return
        before = self.state
        try:
            self._take_up(session)
        except EngineError as e:
            self._end(str(e))
        except Exception as e:  # noqa: BLE001  whatever ends the thread is said, the window stays
            self._end(f"A fault of ours: {type(e).__name__}: {e}")
        if self.state != before:
            self.state_changed.emit()

    def _take_up(self, session: LiveSession) -> None:
        from engine.live import Ended, Gone, LiveUpdate, Resumed, ShapeChanged, Waiting

        is_new = False
        for _ in range(MOST_AT_ONCE):
            news = session.take(0)
            if news is None:
                break
            if isinstance(news, LiveUpdate):
                self.update, is_new = news, True
                self.is_kept = self.is_kept and not self.has_scan
            elif isinstance(news, Ended):
                self.said.append(news.text)
                self._end("")
            else:
                self.said.append(news.text)
                if isinstance(news, Waiting):
                    self._waits = news.text
                if isinstance(news, Gone | ShapeChanged):
                    self._warning = news.text
                elif isinstance(news, Resumed):
                    self._warning = ""
        if is_new:
            self.updated.emit()

    def _end(self, fault: str) -> None:
        """The source has ended, and slices can still be moved; or a fault has ended all."""
        self.has_ended = True
        if fault:
            self._fault = STOPPED if self.update is not None else fault
            self._let_go()
            problem = Problem(f"{STOPPED}.", sentence_case(fault))
            self._context.session.raise_problem(problem)
        elif self.request is not None and self.request.finds_axis:
            self.find_axis()

    def protocol(self) -> CtProtocol:
        """The protocol of X-ray CT at hand, the usual one if another kind is."""
        from engine.modalities import CtProtocol

        protocol = self._context.session.study.protocol
        return protocol if isinstance(protocol, CtProtocol) else CtProtocol()


def _waiting(text: str) -> str:
    """Say what is waited for: a part of a sentence, or the sentence of a step."""
    whole = f"{text.rstrip('.')}."
    return sentence_case(whole) if text.startswith("wait") else f"Waiting: {whole}"
