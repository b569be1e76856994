"""Tests of crashes: the engine or the window is killed, and the run is resumed."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtWidgets import QPushButton

from app.shell.application import make_window
from app.state.models.run_record import RunState
from engine.core.backend import cpu
from engine.data.runs.events import Finished
from engine.jobs.checkpoint import jobs
from engine.jobs.reconstruction import run
from engine.modalities.studies import write_study
from tests.app.conftest import PATIENCE_MS

ROOT = Path(__file__).parents[3]
ITERATIONS = 80
WINDOW = """
import sys
from pathlib import Path
from app.shell.application import make_app, make_window
from app.shell.shutdown import leave
from engine.modalities.studies import read_study
app = make_app()
window = make_window(app)
window.show()
window.runner.open_and_start(read_study(Path(sys.argv[1])))
leave(app.exec())
"""


@pytest.fixture
def exact_study(long_study):
    """Return a long study with reproducible bits."""
    algorithm = long_study.protocol.algorithm.model_copy(update={"iterations": ITERATIONS})
    changes = {"algorithm": algorithm, "reproducible": True}
    return long_study.model_copy(
        update={"protocol": long_study.protocol.model_copy(update=changes)}
    )


def at_iteration(window) -> int:
    """Return the iteration of the run; 0 before its first image."""
    latest = window.session.run.record.latest
    return latest.iteration if latest else 0


@pytest.mark.usefixtures("own_process")
@pytest.mark.parametrize("n_kills", [1, pytest.param(10, marks=pytest.mark.slow)])
def test_run_killed_at_random_and_resumed_gives_the_same_bits(
    qtbot, window, opened, exact_study, rng, n_kills
):
    *_, last = run(exact_study, on=cpu(2))
    assert isinstance(last, Finished)
    opened(exact_study)
    window.runner.start()
    n_resumed = 0
    for place in sorted(rng.integers(0, ITERATIONS // 2, n_kills)):
        qtbot.waitUntil(lambda: window.runner.job.process.pid is not None, timeout=PATIENCE_MS)
        qtbot.waitUntil(lambda: at_iteration(window) >= place, timeout=PATIENCE_MS)  # noqa: B023
        if window.session.run.state is RunState.FINISHED:
            break
        os.kill(window.runner.job.process.pid, signal.SIGKILL)
        qtbot.waitUntil(lambda: window.centre.message_bar.problem is not None, timeout=PATIENCE_MS)
        assert "SIGKILL" in window.centre.message_bar.text
        qtbot.waitUntil(lambda: window.runner.job is None, timeout=PATIENCE_MS)
        assert window.session.run.state is RunState.FAILED
        if window.runner.has_checkpoint:
            resume(qtbot, window)
            n_resumed += 1
        else:  # killed before the first image: start again
            window.runner.start()
    assert n_resumed > 0
    qtbot.waitUntil(lambda: not window.session.run.state.is_active, timeout=PATIENCE_MS)
    assert window.session.run.state is RunState.FINISHED
    final = window.session.run.record.images.items[-1].volume
    np.testing.assert_array_equal(final.values, last.volume.values)


def resume(qtbot, window) -> None:
    """Resume the killed run; its image stays visible until the next one."""
    run = window.session.run
    qtbot.waitUntil(lambda: run.record.result_id != "", timeout=PATIENCE_MS)
    stored = run.images
    window.centre.message_bar.resume.click()
    assert run.state.is_active
    assert run.images == stored, "stored images disappear only when the resumed run replaces them"
    assert f" of {ITERATIONS}" in window.centre.scrubber.text()
    qtbot.waitUntil(lambda: run.record.latest is not None, timeout=PATIENCE_MS)
    assert run.record.latest.update > 1, (
        "the run started again instead of resuming at its checkpoint"
    )
    assert window.centre.message_bar.problem is None


@pytest.mark.slow
@pytest.mark.usefixtures("own_process")
def test_changed_or_crashing_files_do_not_affect_a_run(
    qtbot, window, opened, exact_study, tmp_path
):
    scan = tmp_path / "scan.h5"
    shutil.copy(exact_study.data, scan)
    *_, last = run(exact_study, on=cpu(2))
    opened(exact_study.model_copy(update={"data": scan}))
    window.runner.start()
    qtbot.waitUntil(lambda: window.session.run.record.latest is not None, timeout=PATIENCE_MS)
    with scan.open("r+b") as file:  # like a lost network share, or a restarted copy
        file.truncate(1000)
    hostile = tmp_path / "hostile.mat"
    hostile.write_bytes(b"MATLAB 5.0".ljust(128, b"\0") + bytes(range(256)))
    for path in (scan, hostile):
        window.centre.message_bar.clear()
        window.commands.open_path(path)
        assert window.centre.message_bar.text == (
            f"{path.name} cannot be opened. A reconstruction is running; finish or abort it before "
            "changing the study. The run continues."
        )
    assert window.session.run.state.is_active
    qtbot.waitUntil(lambda: not window.session.run.state.is_active, timeout=PATIENCE_MS)
    assert window.session.run.state is RunState.FINISHED
    final = window.session.run.record.images.items[-1].volume
    np.testing.assert_array_equal(final.values, last.volume.values)
    window.commands.open_path(scan)  # the file is read again, but does not become the study
    qtbot.waitUntil(lambda: not window.commands.is_busy, timeout=PATIENCE_MS)
    assert window.centre.message_bar.text.startswith("scan.h5 cannot be opened. scan.h5: ")


@pytest.mark.essential
@pytest.mark.skipif(os.name != "posix", reason="needs SIGKILL")
def test_job_of_a_killed_window_is_offered_at_the_next_start(
    qtbot, qapp, preferences, loader, long_study, tmp_path, monkeypatch
):
    home = tmp_path / "isocenter-home"
    monkeypatch.setenv("ISOCENTER_HOME", str(home))
    study = tmp_path / "study.toml"
    write_study(long_study, study)
    command = [sys.executable, "-c", WINDOW, str(study)]
    killed = subprocess.Popen(command, cwd=ROOT, stderr=subprocess.DEVNULL)
    try:
        qtbot.waitUntil(lambda: any(job.done for job in jobs()), timeout=PATIENCE_MS)
    finally:
        killed.kill()
        killed.wait(timeout=60)
    window = make_window(qapp, preferences, loader)
    qtbot.addWidget(window)
    window.show()

    def offered():
        words = [b.text() + b.accessibleName() for b in window.findChildren(QPushButton)]
        return any("Resume" in text and "small.h5" in text for text in words)

    qtbot.waitUntil(offered, timeout=PATIENCE_MS)
    window.runner.shut_down()
    window.commands.wait()
