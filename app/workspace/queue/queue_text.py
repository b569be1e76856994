"""Describe studies in the queue."""

from __future__ import annotations

from datetime import datetime

from app.language.translation import tr
from app.state.models.protocols.text import marked
from app.state.models.queue_model import state_of
from app.ui.theme.formatting import duration, sentence_case
from engine.jobs import QueueEntry

ICONS = {
    "waiting": "waiting",
    "asking": "help",
    "paused": "pause",
    "running": "start",
    "finished": "ok",
    "failed": "missing",
}
COLOURS = {"asking": "warning", "finished": "ok", "failed": "missing", "running": "link"}
WISHES = {
    "pause": tr("Pausing"),
    "wait": tr("Stopping and returning to the queue"),
    "remove": tr("Stopping and removing"),
}
QUESTIONS = {
    "scanner": tr("Which scanner recorded this scan?"),
    "complete_events": tr("Use only the complete part of this scan?"),
    "import": tr("The data have no description. Which geometry and direction of rotation apply?"),
    "assumption": tr("The file leaves a value open. Accept this assumption?"),
    "protocol": tr("No protocol fits this scan. Choose another one, or reconstruct anyway."),
    "input": tr("Do these files belong to this scan?"),
    "unreadable": tr("This scan cannot be read. Replace the file, and read it again."),
}
"""Questions of scans by their kind."""
IN_RESULTS = tr("The image is in the panel Results.")


def describe_state(entry: QueueEntry) -> str:
    """Describe the state of a study in one line.

    Parameters
    ----------
    entry
        entry of the queue
    """
    state = state_of(entry)
    if state == "running":
        if entry.wish:
            return f"{WISHES[entry.wish]} …"
        share = f", {100 * entry.done:.0f} %" if entry.done else ""
        return f"{entry.doing or tr('Starting the engine')}{share}"
    if state == "finished":
        return f"{tr('Finished')}{_end_text(entry)}. {IN_RESULTS}"
    if state == "failed":
        return f"{tr('Failed')}{_end_text(entry)}: {entry.text}"
    if state == "asking":
        asked = entry.open_question
        return QUESTIONS[asked.kind] if asked is not None else tr("Question")
    if state == "paused":
        # A text without a request of the user means that the queue paused the study itself.
        if entry.text:  # without a request of the user
            return tr("Paused: {text}", text=entry.text)
        return tr("Paused; will continue from its checkpoint") if entry.updates else tr("Paused")
    # A crash is worth mentioning, even though the queue will continue the study itself.
    if entry.deaths or entry.is_abandoned:
        return tr("Waiting to continue after its process ended unexpectedly")
    return tr("Waiting to continue from its checkpoint") if entry.updates else tr("Waiting")


def title_of(entry: QueueEntry, name: str, folder: str = "") -> str:
    """Return the title of a study: name, scan and protocol.

    Parameters
    ----------
    entry
        entry of the queue
    name
        short name of its image; "" for none
    folder
        folder of the scan, if another scan has the same file name; "" otherwise
    """
    # A placeholder is not a protocol of the scan, so only the scan is named.
    title = marked(entry.title) if entry.has_protocol else entry.files[0].name
    title = f"{name}, {title}" if name else title
    return f"{title} ({folder})" if folder else title


def tip_of(entry: QueueEntry, name: str) -> str:
    """Return everything that is known of a queued study.

    Parameters
    ----------
    entry
        entry of the queue
    name
        short name of its image; "" for none
    """
    rows = [title_of(entry, name), sentence_case(describe_state(entry))]
    rows.append(
        tr(
            "Added {local:%A, %d %B %Y %H:%M}, for {device}",
            local=_local_time(entry.added_utc),
            device=entry.device,
        )
    )
    if entry.files:
        rows.append(str(entry.files[0]))
    if entry.text:
        rows.append(entry.text)
    if entry.output:
        rows.append(tr("Also saved to {output}", output=entry.output))
    return "\n".join(rows)


def _end_text(entry: QueueEntry) -> str:
    if entry.ended_utc is None:
        return ""
    ended = f" {_local_time(entry.ended_utc):%a %H:%M}"
    if entry.begun_utc is None:
        return ended
    seconds = (entry.ended_utc - entry.begun_utc).total_seconds()
    return f"{ended}, {tr('took {duration}', duration=duration(seconds))}"


def _local_time(when: datetime) -> datetime:
    # The queue stores UTC, since its process may run in another time zone.
    return when.astimezone()
