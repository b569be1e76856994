"""Tests of the status bar: waiting studies, success messages, and missing requirements."""

from __future__ import annotations

from datetime import UTC, datetime

import numpy as np
from PySide6.QtGui import QAction

from app.shell.status_bar import StatusLine
from app.state.models.run_record import RunState
from engine.data import Volume
from engine.geometry.grid import ImageGrid
from engine.jobs import QueueEntry, QueueSettings


def test_status_bar_counts_waiting_studies_and_a_click_opens_the_queue(qtbot, controls):
    log, queue, shown = QAction("Log"), QAction("Queue …"), []
    queue.triggered.connect(lambda: shown.append(True))
    line = StatusLine(controls.context, log, queue, QAction("Studies …"), lambda: "")
    qtbot.addWidget(line)
    assert line.queue.isHidden()

    def take(*states: str) -> None:
        now = datetime.now(UTC)
        entries = tuple(
            QueueEntry(id=str(k), title="scan.l", added_utc=now, state=state)
            for k, state in enumerate(states)
        )
        controls.session.queue.take(entries, QueueSettings(), runs=False)

    take("waiting", "paused", "finished", "failed")
    assert line.queue.text() == "2 in queue, 1 failed"
    assert not line.queue.isHidden()
    assert "1 finished" in line.queue.toolTip()
    line.queue.click()
    assert shown == [True]
    queue.setVisible(False)  # as in the technician's mode
    assert line.queue.isHidden()
    queue.setVisible(True)
    take("finished")
    assert line.queue.isHidden()


def test_live_page_has_its_own_status(window):
    assert window.status.text.full_text == "Open a scan first."
    window.live.show()
    assert window.status.text.full_text == "Choose the source of the live scan."
    window.live.leave()
    assert window.status.text.full_text == "Open a scan first."


def test_open_image_is_not_asked_for_a_scan_first(window):
    grid = ImageGrid((2, 3, 4), (1.0, 1.0, 2.0))
    line, view = window.status.text, window.session.view
    view.set_volume(Volume(np.ones(grid.shape, np.float32), grid, "Bq/mL"))
    assert line.full_text == "To reconstruct, open a scan."
    view.set_volume(None)
    assert line.full_text == "Open a scan first."


def test_success_message_stays_readable_and_has_a_success_icon(window, monkeypatch):
    timers = []
    monkeypatch.setattr("app.shell.status_bar.QTimer.singleShot", lambda *args: timers.append(args))
    line = window.status
    line.succeed("archive accepted the report.")
    assert line._current_message() == ("ok", "ok", "archive accepted the report.")
    (ms, _, fade), *_ = timers
    assert ms >= 15_000
    line._set_busy("Reading the scan")
    assert line.text.full_text == "archive accepted the report.", (
        "the text of a task replaced the success message"
    )
    fade()
    assert line.text.full_text == "Reading the scan …"
    line.flash("Press a key")
    assert line._current_message()[:2] == ("info", "muted")


def test_requirements_return_when_a_setting_changes_after_a_run(opened, window):
    study, run = window.session.study, window.session.run
    opened()
    needs = study.requirements().describe()
    assert window.status.text.full_text == needs
    run.begin("small", study.to_study(), "job")
    run.set_state(RunState.FINISHED)
    assert window.status.text.full_text == "Finished."
    study.set_protocol(study.protocol.model_copy(update={"reproducible": True}))
    needs = study.requirements().describe()
    assert window.status.text.full_text.endswith(needs)
    study.undo()
    assert window.status.text.full_text == "Finished."


def test_failed_run_has_no_success_icon(opened, window):
    study, run = window.session.study, window.session.run
    opened()
    run.begin("small", study.to_study(), "job")
    run.set_state(RunState.FAILED)
    assert window.status._current_message() == ("missing", "missing", "Stopped by an error.")
    study.set_protocol(study.protocol.model_copy(update={"reproducible": True}))
    assert window.status._current_message()[0] == "ok", (
        "the error of the last run is shown for other settings"
    )
