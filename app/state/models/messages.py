"""Messages of the window: lines of the log, and problems."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Literal

from app.language.translation import named, tr

Level = Literal["info", "warning", "error"]
MAX_LOG_LINES = 1000
"""Newest lines of the log that stay; a night of runs must not fill the memory."""


@dataclass(frozen=True)
class LogLine:
    """One line of the log."""

    time: datetime
    level: Level
    text: str


@dataclass(frozen=True)
class Answer:
    """An action against a problem: text and tooltip of the button, and the function it calls."""

    text: str
    tip: str
    act: Callable[[], object]


@dataclass(frozen=True)
class Problem:
    """A problem: its cause, the saved state, and the possible actions."""

    title: str
    text: str
    safe: str = ""
    job: str = ""
    """Name of the job that can be resumed; empty if there is none."""
    cpu_job: str = ""
    """Name of the job that can run on the CPU instead; empty if the CPU does not help."""
    cpu_text: str = ""
    """Text of the button for it, with the estimated time."""
    is_fault: bool = True
    """False if the user caused it on purpose. It is then not logged as an error."""
    answer: Answer | None = None
    files: tuple[Path, ...] = ()
    """Files in the text that are not part of the study. The log replaces their names too."""


def protocol_replaced(name: str, last: str) -> str:
    """Return the message that a protocol was chosen automatically.

    Parameters
    ----------
    name
        name of the new protocol
    last
        name of the protocol of the previous scan
    """
    return tr(
        "Protocol {name!r} was chosen because it fits this scan; the previous scan used {last!r}.",
        name=name,
        last=last,
    )


def protocol_refused(name: str, wanted: str, open: str) -> str:
    """Return the message that a protocol does not fit the open scan.

    Parameters
    ----------
    name
        name of the protocol
    wanted
        kind of scan it is for, in English
    open
        kind of the open scan, in English
    """
    return tr(
        "Protocol {name!r} is for scans of type {wanted!r}, but the open scan has type {open!r}; "
        "open a matching scan first.",
        name=name,
        # The engine names modalities in English; `named` translates them.
        wanted=named(wanted),
        open=named(open),
    )
