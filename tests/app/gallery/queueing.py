"""Screenshots of the queue: empty, with studies in every state, and with a failure."""

from __future__ import annotations

import shutil
from datetime import UTC, datetime, timedelta

from app.language.translation import tr
from app.workspace.queue.queue_dialog import QueueDialog
from engine.jobs.checkpoint.owner import Owner
from engine.jobs.queue import StudyQueue
from engine.jobs.queue.question import Question
from tests.app.gallery.photographer import Act, Photographer
from tests.app.gallery.systems import PET

NIGHT = datetime(2026, 11, 26, 1, 4, tzinfo=UTC)
SCANS = ("FDG-0412.l", "mouse-17.l", "FDG-0413.l", "mouse-18.l", "FDG-0414.l", "FDG-0415.l")
ASKING = "scan-0031.clm.safir"
QUESTION = Question(
    kind="scanner", text=f"{ASKING}: the crystal positions are unknown.", format="SAFIR list mode"
)
LOST = (
    "mouse-17.l: no such file. Restore the file, or add the study with its new location; "
    "then retry."
)
ENDED = {"begun_utc": NIGHT, "ended_utc": NIGHT + timedelta(minutes=11)}


def fill(shots: Photographer) -> None:
    """Put studies of each state into the queue."""
    study, queue = shots.make(PET), StudyQueue()
    at_work = {"state": "running", "owner": Owner.current(), "begun_utc": NIGHT}
    states: tuple[dict[str, object], ...] = (
        {"state": "finished", "done": 1.0, **ENDED},
        {"state": "failed", "text": LOST, **ENDED},
        at_work | {"doing": "Reconstructing with OSEM", "done": 0.45},
        {"state": "paused", "updates": 12},
        {},
        {},
    )
    for scan, values in zip(SCANS, states, strict=True):
        file = shots.demos / scan
        file.write_bytes(b"events")
        entry = queue.add(study.model_copy(update={"data": file}))
        queue.change(entry.id, lambda now, v=values: now.model_copy(update=v))  # type: ignore[misc]
    (shots.demos / ASKING).write_bytes(b"events")
    queue.add(study.model_copy(update={"data": shots.demos / ASKING}), question=QUESTION)
    queue.change_settings(runs=True, runner=Owner.current())


def show_queue(shots: Photographer, name: str, failed: str) -> None:
    """Show the running queue and the reason for a failure."""
    fill(shots)
    dialog = QueueDialog(shots.window, shots.window.context)
    dialog.show()
    shots.wait(lambda: dialog.list.count() == len(SCANS) + 1 and shots.is_calm())
    dialog.list.setCurrentRow(2)
    shots.shoot(name, dialog)
    dialog.list.setCurrentRow(1)
    shots.shoot(failed, dialog)
    dialog.close()
    shutil.rmtree(StudyQueue().folder)
    shots.window.context.queue.refresh()
    shots.wait(lambda: not shots.window.session.queue.entries and shots.is_calm())


def queueing(shots: Photographer) -> None:
    """Show an empty queue, a full one, and the menu entry that opens it."""
    window = shots.window
    shots.shoot_dialog("dialog-queue-empty", QueueDialog(window, window.context))
    show_queue(shots, "dialog-queue", "dialog-queue-failed")
    run = next(each.menu() for each in window.menuBar().actions() if each.text() == tr("&Run"))
    shots.shoot_menu("menu-run-queue", run)


QUEUEING = (
    Act(
        ("dialog-queue-empty", "dialog-queue", "dialog-queue-failed", "menu-run-queue"),
        queueing,
    ),
)
