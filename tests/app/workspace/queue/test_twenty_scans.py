"""Test twenty dropped scans overnight: nineteen images, one question, and its answer."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import QDropEvent

from app.shell.application import make_window
from app.workspace.queue.queue_dialog import QueueDialog
from engine.core import paths
from engine.io import write_listmode
from engine.jobs.queue import StudyQueue
from engine.results import Results
from engine.simulate import simulate_listmode, uniform_cylinder
from tests.app.conftest import PATIENCE_MS
from tests.farm.scans import write_crystal_map, write_safir

N_PATIENTS = 19
NIGHT_MS = 20 * PATIENCE_MS
pytestmark = [pytest.mark.slow, pytest.mark.timeout(NIGHT_MS // 1000)]


@pytest.fixture
def queue(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[StudyQueue]:
    """Return a separate queue; check that no worker remains."""
    monkeypatch.setenv(paths.HOME_VARIABLE, str(tmp_path / "home"))
    new_queue = StudyQueue()
    yield new_queue
    new_queue.set_running(False)


@pytest.fixture
def scans(tiny_ring, tmp_path) -> list[Path]:
    """Return scans with one name in folders of nineteen patients, and one without its scanner."""
    body, paths = uniform_cylinder(diameter_mm=60, length_mm=30), []
    for k in range(N_PATIENTS):
        (tmp_path / f"patient {k}").mkdir()
        paths.append(tmp_path / f"patient {k}" / "scan.h5")
        data = simulate_listmode(body, tiny_ring, n_prompts=3000, seed=k, attenuation=False)
        write_listmode(data, paths[-1])
    (tmp_path / "nameless").mkdir()
    paths.insert(5, tmp_path / "nameless" / "scan.clm.safir")
    write_safir(paths[5], tiny_ring, seed=1)
    write_crystal_map(tmp_path / "places.txt", tiny_ring)
    return paths


def drop(window, files: list[Path]) -> None:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path)) for path in files])
    no_key, left_button = Qt.KeyboardModifier.NoModifier, Qt.MouseButton.LeftButton
    window.dropEvent(QDropEvent(QPointF(9, 9), Qt.DropAction.CopyAction, data, left_button, no_key))


def a_window(qtbot, qapp, preferences, loader):
    window = make_window(qapp, preferences, loader)
    qtbot.addWidget(window)
    window.show()
    return window


def close(qtbot, window) -> None:
    window.close()
    qtbot.waitUntil(lambda: not window.commands.is_busy, timeout=PATIENCE_MS)


def test_nineteen_images_are_ready_by_morning_and_the_last_after_its_answer(
    qtbot, qapp, preferences, loader, scans, queue: StudyQueue, tmp_path
) -> None:
    evening = a_window(qtbot, qapp, preferences, loader)
    drop(evening, scans)
    qtbot.waitUntil(lambda: len(queue.entries()) == len(scans) == 20, timeout=NIGHT_MS)
    dialog = evening.findChild(QueueDialog)
    assert dialog is not None and dialog.isVisible()
    assert evening.session.study.inputs == {}, "a dropped scan was opened"
    assert [entry.files[0] for entry in queue.entries()] == scans
    assert [entry.state for entry in queue.entries()].count("asking") == 1
    lost = scans[3].read_bytes()
    scans[3].unlink()  # exactly one scan has a question
    qtbot.waitUntil(dialog.run.isEnabled, timeout=PATIENCE_MS)
    dialog.run.click()
    qtbot.waitUntil(lambda: queue.settings.runs, timeout=PATIENCE_MS)
    close(qtbot, evening)
    morning = a_window(qtbot, qapp, preferences, loader)
    model = morning.session.queue
    over = lambda: {e.state for e in model.entries} == {"finished", "failed", "asking"}  # noqa: E731
    qtbot.waitUntil(over, timeout=NIGHT_MS)
    states = [entry.state for entry in model.entries]
    assert states.count("finished") == 18 and (states[3], states[5]) == ("failed", "asking")
    scans[3].write_bytes(lost)
    morning.context.queue.retry(model.entries[3].id)
    morning.dialogs.queue()
    shown = morning.findChild(QueueDialog)
    shown.list.setCurrentRow(5)
    assert shown.question.isVisible()
    shown.question.use_scanner(tmp_path / "places.txt")
    done = lambda: {e.state for e in model.entries} == {"finished"}  # noqa: E731
    qtbot.waitUntil(done, timeout=NIGHT_MS)
    results = {entry.id: Results().open(entry.result) for entry in model.entries}
    assert len({result.id for result in results.values()}) == 20
    for entry in model.entries:
        assert results[entry.id].record.job.startswith(f"{entry.run} of ")
        assert Path(str(results[entry.id].study.data)) == entry.files[0], (
            "a result belongs to another scan"
        )
    images = [results[entry.id].volume().values.tobytes() for entry in model.entries]
    assert len(set(images)) == 20, "two images are equal"
    assert np.isfinite(results[model.entries[5].id].volume().values).all()
    qtbot.waitUntil(lambda: not queue.settings.has_runner, timeout=PATIENCE_MS)
    close(qtbot, morning)
