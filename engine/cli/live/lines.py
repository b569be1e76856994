"""Follow a live scan in a terminal: print its messages at once, and its figures once a second."""

from __future__ import annotations

import json
from collections.abc import Callable
from time import monotonic
from typing import Generic, TypeVar

from engine.cli.console import Console
from engine.cli.live.ending import Ending
from engine.core.json_types import Plain
from engine.live.core.frame import Ended, SourceEvent
from engine.live.following_thread import FollowingThread

EVERY_S = 1.0
"""Time between two lines of figures, in seconds."""

U = TypeVar("U")


class Lines(Generic[U]):
    """Prints messages and figures for people.

    Parameters
    ----------
    console : receives the lines
    figures : returns the figures of an update in one line
    note : end of each line of figures
    """

    def __init__(self, console: Console, figures: Callable[[U], str], note: str = "") -> None:
        self._console, self._figures, self._note = console, figures, note

    def show(self, update: U) -> None:
        """Print the figures of an update, unless the console is quiet."""
        self._console.log(f"  {self._figures(update)}{self._note}")

    def show_text(self, kind: str, text: str) -> None:
        """Print a message; only JSON lines state its kind."""
        self._console.line(text)

    def show_event(self, event: SourceEvent) -> None:
        """Print an event of the source."""
        self.show_text(type(event).__name__.lower(), event.text)


class JsonLines(Lines[U]):
    """Prints messages and figures as JSON lines.

    Parameters
    ----------
    console : receives the lines
    figures : returns the values of an update in one line of JSON
    """

    def __init__(self, console: Console, figures: Callable[[U], Plain]) -> None:
        super().__init__(console, lambda update: json.dumps(figures(update)))

    def show(self, update: U) -> None:
        """Print the figures of an update."""
        self._console.line(self._figures(update))

    def show_text(self, kind: str, text: str) -> None:
        """Print a message with its kind."""
        self._console.line(json.dumps({"event": kind, "text": text}))


def follow(
    session: FollowingThread[U],
    lines: Lines[U],
    ending: Ending,
    warning: Callable[[], str | None] = lambda: None,
) -> BaseException | None:
    """Print updates until the scan ends.

    Parameters
    ----------
    session
        session that follows the source
    lines
        prints messages and figures
    ending
        handles signals while the scan runs
    warning
        returns a new warning after an update; None if there is none

    Returns
    -------
    fault
        the exception that ended the scan early, also Ctrl+C: the caller saves the data received so
        far before it raises it again; None without one
    """
    shown_s = monotonic()
    try:
        while True:
            news = session.take()
            if isinstance(news, SourceEvent):
                if isinstance(news, Ended):
                    lines.show(session.newest)
                lines.show_event(news)
                if isinstance(news, Ended):
                    return None
            elif news is not None:
                if text := warning():
                    lines.show_text("noticed", text)
                # The source can deliver thousands of updates per second
                if monotonic() - shown_s >= EVERY_S:
                    shown_s = monotonic()
                    lines.show(news)
    except (KeyboardInterrupt, Exception) as e:  # noqa: BLE001  raised again after saving
        return e
    finally:
        ending.is_following = False
