"""How an attempt at a study ended, and what that makes of its entry in the queue."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal

from engine.jobs.queue.entry import QueueEntry, State

MOST_DEATHS = 3
"""Times in a row that the engine of a study may die with no newer checkpoint in between."""


@dataclass(frozen=True)
class Ending:
    """How an attempt ended.

    Attributes
    ----------
    kind : its image is a result; it failed; it was told to stop; its process died; or it rests,
        since nobody is left who works on it
    text : what went wrong, one sentence
    result : name of the result, empty without one
    updates : updates behind its newest checkpoint
    """

    kind: Literal["finished", "failed", "stopped", "died", "rests"]
    text: str = ""
    result: str = ""
    updates: int = 0


def ended(entry: QueueEntry, ending: Ending) -> QueueEntry:
    """Return the entry of a study after an attempt: done, failed, or waiting for the next one.

    An engine that dies is no fault of the study until it has died `MOST_DEATHS` times at one place.
    """
    state, text, deaths = _state_after(entry, ending)
    is_over = state in ("finished", "failed")
    return entry.model_copy(
        update={
            "state": state,
            "text": text,
            "result": ending.result or entry.result,
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
    if ending.kind == "rests":
        return "paused", ending.text, 0
    deaths = 0
    if ending.kind == "died":
        deaths = 1 if ending.updates > entry.updates else entry.deaths + 1
    if deaths >= MOST_DEATHS:
        return "failed", f"{ending.text} That was {deaths} times at the same place.", 0
    return ("paused" if entry.wish == "pause" else "waiting"), "", deaths
