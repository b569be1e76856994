"""Test the queue overnight: ten studies, two bad files, a killed engine, a new window."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from app.shell.application import make_window
from app.workspace.queue.queue_dialog import QueueDialog
from engine.core import paths
from engine.core.errors import EngineError
from engine.jobs.checkpoint import Job
from engine.jobs.queue import StudyQueue
from engine.results import Results
from tests.app.conftest import PATIENCE_MS

BAD = (2, 6)
NIGHT_MS = 20 * PATIENCE_MS
pytestmark = [pytest.mark.slow, pytest.mark.timeout(NIGHT_MS // 1000)]


def fill(queue: StudyQueue, study, folder: Path) -> None:
    """Queue ten studies; one has an invalid scan, one a missing scan."""
    noise, lost = folder / "noise.h5", folder / "lost.h5"
    noise.write_bytes(b"no scan at all")
    lost.write_bytes(b"gone before its turn")
    scans = dict(zip(BAD, (noise, lost), strict=True))
    for k in range(10):
        iterations = 40 if k else 1000  # the first one is killed
        algorithm = study.protocol.algorithm.model_copy(update={"iterations": iterations})
        protocol = study.protocol.model_copy(update={"name": f"S {k}", "algorithm": algorithm})
        scan = scans.get(k, study.data)
        queue.add(study.model_copy(update={"data": scan, "protocol": protocol}))
    lost.unlink()


def a_window(qtbot, qapp, preferences, loader):
    window = make_window(qapp, preferences, loader)
    qtbot.addWidget(window)
    window.show()
    return window


def close(qtbot, window) -> None:
    window.close()
    qtbot.waitUntil(lambda: not window.commands.is_busy, timeout=PATIENCE_MS)


def kill_its_engine(qtbot, queue: StudyQueue) -> str:
    """Kill the engine of the running study once it has a checkpoint; return its name."""

    def id_in_progress() -> str:
        for entry in queue.entries():
            with suppress(EngineError):  # it may have ended in the meantime
                if entry.state == "running" and Job(paths.jobs_dir() / entry.run).info.done:
                    return entry.id
        return ""

    qtbot.waitUntil(lambda: bool(id_in_progress()), timeout=NIGHT_MS)
    id = id_in_progress()
    os.kill(Job(paths.jobs_dir() / queue.get(id).run).record.owner.pid, signal.SIGKILL)
    return id


@pytest.fixture
def queue(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[StudyQueue]:
    """Return a separate queue; check that no worker remains."""
    monkeypatch.setenv(paths.HOME_VARIABLE, str(tmp_path / "home"))
    new_queue = StudyQueue()
    yield new_queue
    new_queue.set_running(False)


def test_queue_produces_eight_results_and_two_reasons(
    qtbot, qapp, preferences, loader, small_study, queue: StudyQueue, tmp_path: Path
) -> None:
    fill(queue, small_study, tmp_path)
    evening = a_window(qtbot, qapp, preferences, loader)
    dialog = QueueDialog(evening, evening.context)
    dialog.show()
    qtbot.waitUntil(lambda: dialog.list.count() == 10 and dialog.run.isEnabled())
    dialog.run.click()
    killed = kill_its_engine(qtbot, queue)
    close(qtbot, evening)
    morning = a_window(qtbot, qapp, preferences, loader)
    model, listed = morning.session.queue, morning.session.results
    over = lambda: {e.state for e in model.entries} == {"finished", "failed"}  # noqa: E731
    qtbot.waitUntil(over, timeout=NIGHT_MS)
    states = [entry.state for entry in model.entries]
    assert states.count("finished") == 8 and [states[k] for k in BAD] == ["failed"] * 2
    assert queue.get(killed).state == "finished"
    noise, lost = (model.entries[k].text for k in BAD)
    assert "noise.h5" in noise and "lost.h5" in lost and noise != lost
    qtbot.waitUntil(lambda: len(listed.items) == 8, timeout=PATIENCE_MS)
    assert len(Results().newest_first()) == 8
    qtbot.waitUntil(lambda: not queue.settings.has_runner, timeout=PATIENCE_MS)
    close(qtbot, morning)
