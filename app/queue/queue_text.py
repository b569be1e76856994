"""Studies of the queue in words."""

from __future__ import annotations

from datetime import datetime

from app.look.formatting import duration, sentence_case
from app.models.queue_model import state_of
from engine.jobs import QueueEntry

ICONS = {
    "waiting": "waiting",
    "paused": "pause",
    "running": "start",
    "finished": "ok",
    "failed": "missing",
}
COLOURS = {"finished": "ok", "failed": "missing", "running": "link"}
WISHES = {"pause": "Ends, then is paused", "wait": "Ends, then waits", "remove": "Ends, then goes"}
IN_RESULTS = "its image is in the tab Results"


def standing_of(entry: QueueEntry) -> str:
    """Return how a study stands, in one line."""
    state = state_of(entry)
    if state == "running":
        if entry.wish:
            return f"{WISHES[entry.wish]} …"
        share = f", {100 * entry.done:.0f} %" if entry.done else ""
        return f"{entry.doing or 'Starting the engine'}{share}"
    if state == "finished":
        return f"Finished{_ended(entry)}; {IN_RESULTS}"
    if state == "failed":
        return f"Failed{_ended(entry)}: {entry.text}"
    if state == "paused":
        if entry.text:  # nobody asked for it
            return f"Paused: {entry.text}"
        return "Paused; it goes on from its checkpoint" if entry.updates else "Paused"
    if entry.deaths or entry.is_abandoned:
        return "Waiting to go on; its engine ended"
    return "Waiting to go on from its checkpoint" if entry.updates else "Waiting"


def tip_of(entry: QueueEntry) -> str:
    """Return all that is known of a study in the queue."""
    rows = [entry.title, sentence_case(standing_of(entry))]
    rows.append(f"Added {_local(entry.added_utc):%A, %d %B %Y %H:%M}, for {entry.device}")
    if entry.output:
        rows.append(f"Written to {entry.output}, too")
    return "\n".join(rows)


def _ended(entry: QueueEntry) -> str:
    if entry.ended_utc is None:
        return ""
    took = ""
    if entry.begun_utc is not None:
        took = f", took {duration((entry.ended_utc - entry.begun_utc).total_seconds())}"
    return f" {_local(entry.ended_utc):%a %H:%M}{took}"


def _local(when: datetime) -> datetime:
    return when.astimezone()
