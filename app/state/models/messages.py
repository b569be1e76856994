"""What the window tells the user: lines of the log, and problems."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Literal

from app.language.translation import named, tr

Level = Literal["info", "warning", "error"]


@dataclass(frozen=True)
class LogLine:
    """One line of the log."""

    time: datetime
    level: Level
    text: str


@dataclass(frozen=True)
class Answer:
    """What the user may do about a problem: words on a button, what they mean, and the deed."""

    text: str
    tip: str
    act: Callable[[], object]


@dataclass(frozen=True)
class Problem:
    """Something that went wrong: what happened, what is safe, what to press."""

    title: str
    text: str
    safe: str = ""
    job: str = ""
    """Name of the job that can be resumed, empty if there is none."""
    cpu_job: str = ""
    """Name of the job that can be done on the CPU instead, empty if that is no help."""
    cpu_text: str = ""
    """What to press for it, with the time it would take."""
    is_fault: bool = True
    """False where the user asked for it."""
    answer: Answer | None = None
    files: tuple[Path, ...] = ()
    """Files it names that are not of the study."""


def protocol_taken(name: str, last: str) -> str:
    """Say that a protocol was taken that nobody asked for."""
    return tr(
        "Protocol {name!r} was chosen because it fits this scan; {last!r} was for the previous "
        "one.",
        name=name,
        last=last,
    )


def protocol_refused(name: str, wanted: str, open: str) -> str:
    """Say that a protocol is for another kind of scan than the open one is."""
    return tr(
        "Protocol {name!r} is for {wanted}, but the open scan is {open}; open a {wanted} scan "
        "first.",
        name=name,
        wanted=named(wanted),
        open=named(open),
    )
