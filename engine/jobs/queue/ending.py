"""How an attempt ended, and the state of its queue entry afterwards."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal

from engine.jobs.queue.entry import QueueEntry, State
from engine.jobs.queue.question import Question

MAX_DEATHS = 3
"""Times in a row that a study's engine may die without a newer checkpoint in between."""


@dataclass(frozen=True)
class Ending:
    """How an attempt ended.

    Attributes
    ----------
    kind : "finished" with a result, "failed", "stopped" on request, "died" with its process,
        "rests" because no worker is left, or "asks" because a value had to be assumed
    text : reason, one sentence
    result : name of the result, empty without one
    updates : updates before its newest checkpoint
    """

    kind: Literal["finished", "failed", "stopped", "died", "rests", "asks"]
    text: str = ""
    result: str = ""
    updates: int = 0


def ended(entry: QueueEntry, ending: Ending) -> QueueEntry:
    """Return the entry of a study after an attempt: finished, failed, or waiting for the next one.

    A study fails only after its engine has died `MAX_DEATHS` times without progress.

    Parameters
    ----------
    entry
        entry before the attempt
    ending
        how the attempt ended
    """
    state, text, deaths = _state_after(entry, ending)
    is_over = state in ("finished", "failed")
    return entry.model_copy(
        update={
            "state": state,
            "text": text,
            "question": _question(ending),
            "result": ending.result or entry.result,
            # Only a removal is still to be done: the runner deletes the entry next
            "wish": entry.wish if entry.wish == "remove" else "",
            "doing": "",
            "done": 1.0 if state == "finished" else entry.done,
            "deaths": deaths,
            "updates": ending.updates,
            "left_by": "",
            "ended_utc": datetime.now(UTC) if is_over else None,
        }
    )


def _state_after(entry: QueueEntry, ending: Ending) -> tuple[State, str, int]:
    if ending.kind in ("finished", "failed"):
        return ("finished" if ending.kind == "finished" else "failed"), ending.text, 0
    if ending.kind == "asks":
        return "asking", ending.text, 0
    if ending.kind == "rests":
        return "paused", ending.text, 0
    deaths = 0
    if ending.kind == "died":
        # Progress since the last death: another cause is likely, so the count starts again
        deaths = 1 if ending.updates > entry.updates else entry.deaths + 1
    if deaths >= MAX_DEATHS:
        return "failed", f"{ending.text} This happened {deaths} times at the same point.", 0
    return ("paused" if entry.wish == "pause" else "waiting"), "", deaths


def _question(ending: Ending) -> str:
    """Return the question about an assumed value as JSON; empty without one."""
    if ending.kind != "asks":
        return ""
    asked = Question(kind="assumption", text=ending.text, assumed=(ending.text,), has_protocol=True)
    return asked.model_dump_json()
