"""Status of a followed source: its messages, and its state in one sentence."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

from app.language.translation import tr

if TYPE_CHECKING:
    from engine.live import SourceEvent

MAX_MESSAGES = 200
"""A source that loses its connection for hours would fill the memory with messages."""


class SourceStatus:
    """Collects what a source reports.

    Parameters
    ----------
    idle : state before the first data

    Attributes
    ----------
    messages : sentences from the source, the newest last
    waiting : reason why the source waits; empty when data arrive
    is_connecting, has_ended : state of the source
    """

    def __init__(self, idle: str) -> None:
        self._idle = idle
        self.messages: deque[str] = deque(maxlen=MAX_MESSAGES)
        self.clear()

    def clear(self) -> None:
        """Forget the source."""
        self.messages.clear()
        self.is_connecting = self.has_ended = False
        self._fault = self._warning = self.waiting = ""
        self._before_data = self._idle
        self._n_received = 0

    def begin(self) -> None:
        """Start with another source."""
        self.clear()
        self.is_connecting = True

    def add(self, event: SourceEvent) -> None:
        """Take an event of the source into account.

        Parameters
        ----------
        event
            an event
        """
        from engine.live import Ended, Resumed, ShapeChanged, SourceLost, Waiting

        if isinstance(event, Waiting):
            self._before_data = self.waiting = event.text
            return
        # A session repeats `Ended` at every poll.
        if isinstance(event, Ended) and self.has_ended:
            return
        self.messages.append(event.text)
        if isinstance(event, SourceLost | ShapeChanged):
            self._warning = event.text
        # The warning lasts until the source is connected again.
        elif isinstance(event, Resumed):
            self._warning = ""

    def count(self, n_received: int) -> None:
        """Take received data into account.

        Parameters
        ----------
        n_received
            number of frames or events so far
        """
        # Only new data end the wait; figures are also updated without any.
        if n_received > self._n_received:
            self.waiting = ""
        self._n_received = n_received

    def fail(self, fault: str) -> None:
        """Show an error instead of the state.

        Parameters
        ----------
        fault
            reason why the scan is not followed
        """
        self._fault = fault

    def text(self, *, is_open: bool, has_data: bool, wait: str) -> tuple[str, str]:
        """Return the state as text, and its tone: "", "ok", "warning", "muted" or "missing".

        Parameters
        ----------
        is_open
            True if there is a session
        has_data
            True if frames or events have been received
        wait
            reason why the image waits for further data; empty while images arrive
        """
        if self._fault:
            return self._fault, "missing"
        if self.is_connecting:
            return tr("Connecting …"), "muted"
        if not is_open:
            return "", ""
        if self.has_ended:
            return tr("The scan has ended"), "ok"
        if self._warning:
            return self._warning, "warning"
        if not has_data:
            return self._before_data, "warning"
        return (wait, "warning") if wait else (tr("Running"), "ok")
