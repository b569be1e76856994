"""Studies of the queue in words."""

from __future__ import annotations

from datetime import datetime

from app.language.translation import tr
from app.state.models.protocols.text import marked
from app.state.models.queue_model import state_of
from app.ui.theme.formatting import duration, sentence_case
from engine.jobs import QueueEntry

ICONS = {
    "waiting": "waiting",
    "paused": "pause",
    "running": "start",
    "finished": "ok",
    "failed": "missing",
}
COLOURS = {"finished": "ok", "failed": "missing", "running": "link"}
WISHES = {
    "pause": tr("Ends, then is paused"),
    "wait": tr("Ends, then waits"),
    "remove": tr("Ends, then goes"),
}
IN_RESULTS = tr("its image is in the tab Results")


def standing_of(entry: QueueEntry) -> str:
    """Return how a study stands, in one line."""
    state = state_of(entry)
    if state == "running":
        if entry.wish:
            return f"{WISHES[entry.wish]} …"
        share = f", {100 * entry.done:.0f} %" if entry.done else ""
        return f"{entry.doing or tr('Starting the engine')}{share}"
    if state == "finished":
        return tr("Finished{ended}; {IN_RESULTS}", ended=_ended(entry), IN_RESULTS=IN_RESULTS)
    if state == "failed":
        return tr("Failed{ended}: {text}", ended=_ended(entry), text=entry.text)
    if state == "paused":
        if entry.text:  # nobody asked for it
            return tr("Paused: {text}", text=entry.text)
        return tr("Paused; it goes on from its checkpoint") if entry.updates else tr("Paused")
    if entry.deaths or entry.is_abandoned:
        return tr("Waiting to go on; its engine ended")
    return tr("Waiting to go on from its checkpoint") if entry.updates else tr("Waiting")


def title_of(entry: QueueEntry, name: str) -> str:
    """Return the name of a study, then its scan and protocol."""
    title = marked(entry.title)
    return f"{name}, {title}" if name else title


def tip_of(entry: QueueEntry, name: str) -> str:
    """Return all that is known of a study in the queue."""
    rows = [title_of(entry, name), sentence_case(standing_of(entry))]
    rows.append(
        tr(
            "Added {local:%A, %d %B %Y %H:%M}, for {device}",
            local=_local(entry.added_utc),
            device=entry.device,
        )
    )
    if entry.output:
        rows.append(tr("Written to {output}, too", output=entry.output))
    return "\n".join(rows)


def _ended(entry: QueueEntry) -> str:
    if entry.ended_utc is None:
        return ""
    took = ""
    if entry.begun_utc is not None:
        took = tr(
            ", took {duration}",
            duration=duration((entry.ended_utc - entry.begun_utc).total_seconds()),
        )
    return f" {_local(entry.ended_utc):%a %H:%M}{took}"


def _local(when: datetime) -> datetime:
    return when.astimezone()
