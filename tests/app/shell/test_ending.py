"""Tests of the end of the window by the system: logout, closed terminal, stopped container."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QDialog

from app.shell.ending import Ending
from engine.jobs.checkpoint import jobs
from engine.modalities.studies import write_study
from engine.results import Results
from tests.app.conftest import PATIENCE_MS

ROOT = Path(__file__).parents[3]
WINDOW = """
import sys
from pathlib import Path
from app.shell import application
from engine.modalities.studies import read_study
make = application.make_window
def made(app):
    window = make(app)
    window.runner.open_and_start(read_study(Path(sys.argv[1])))
    return window
application.make_window = made
from app.shell.shutdown import leave
leave(application.run_window())
"""


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP"])
def test_sigterm_aborts_a_run_in_order(qtbot, long_study, tmp_path, monkeypatch, name) -> None:
    monkeypatch.setenv("ISOCENTER_HOME", str(tmp_path / "home"))
    write_study(long_study, tmp_path / "study.toml")
    command = [sys.executable, "-c", WINDOW, str(tmp_path / "study.toml")]
    started = subprocess.Popen(command, cwd=ROOT, stderr=subprocess.PIPE, start_new_session=True)
    try:
        qtbot.waitUntil(lambda: any(job.done for job in jobs()), timeout=PATIENCE_MS)
        # As at the end of a session: the signal reaches all processes of the window.
        os.killpg(started.pid, signal.Signals[name]) if name == "SIGHUP" else started.terminate()
        _, errors = started.communicate(timeout=60)
    finally:
        started.kill()
    assert started.returncode == 0 and b"Traceback" not in errors, errors.decode()
    assert len(Results().newest_first()) == 1, "the last image was not stored"


def test_open_dialogs_are_cancelled_without_a_question(window, monkeypatch, qtbot) -> None:
    asked: list[str] = []
    monkeypatch.setattr(window.dialogs, "confirm", lambda *words: asked.append(words[0]))
    monkeypatch.setattr("app.shell.ending.QApplication.quit", lambda: None)
    outer, inner = QDialog(window), QDialog(window)
    outcomes: list[int] = []

    def open_both() -> None:
        QTimer.singleShot(0, lambda: outcomes.append(inner.exec()))
        QTimer.singleShot(50, lambda: Ending(window).handle(signal.SIGTERM, None))
        outcomes.append(outer.exec())

    QTimer.singleShot(0, open_both)
    qtbot.waitUntil(lambda: len(outcomes) == 2 and not window.isVisible(), timeout=PATIENCE_MS)
    assert outcomes == [0, 0] and not asked


def test_unsaved_live_scan_does_not_prevent_the_end(window, monkeypatch) -> None:
    monkeypatch.setattr(type(window), "_may_close", lambda self: False)
    window.close()
    assert window.isVisible(), "the window closed although the user declined"
    window.is_ending = True
    assert window.close()
