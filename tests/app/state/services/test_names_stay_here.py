"""Test that titles, logs and written files contain no names of patients or files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from app.output.export.writing import provenance_of, write
from app.state.models.inputs import DATA, Input
from app.state.models.messages import Problem
from app.state.models.preferences import Preferences
from app.state.models.run_record import RunState
from engine.data.volume import Volume
from engine.geometry.grid import ImageGrid
from engine.io import save
from engine.modalities.studies import Study
from tests.app.conftest import PATIENCE_MS, Controls
from tests.app.engine_in_thread import EngineInThread

CANARIES = ("Mustermann", "Erika", "Zimmer7")
GRID = ImageGrid((2, 3, 4), (1.0, 1.0, 1.0))


def no_canary(text: str) -> bool:
    return not any(canary in text for canary in CANARIES)


@pytest.fixture
def scan(small_study: Study, tmp_path: Path) -> Path:
    path = tmp_path / "Zimmer7 Nord" / "Mustermann_Erika.h5"
    path.parent.mkdir()
    path.write_bytes(small_study.data.read_bytes())
    return path


def test_log_contains_pseudonyms(controls: Controls, scan: Path) -> None:
    session = controls.session
    session.study.inputs[DATA] = Input(str(scan), "a scan")
    session.add_log("info", f"Exported: {scan.with_name('image.h5')}")
    session.raise_problem(Problem("Mustermann_Erika.h5 is damaged.", f"{scan}: cut short."))
    assert all(no_canary(line.text) for line in session.log)
    assert "study-" in session.log[1].text and "cut short" in session.log[1].text
    session.identify = True
    session.add_log("info", f"Reading {scan.name}")
    assert "Mustermann_Erika.h5" in session.log[-1].text


def test_name_of_an_opened_file_is_only_on_the_screen(
    controls: Controls, tmp_path: Path, qtbot
) -> None:
    path = tmp_path / "Mustermann T1.nii.gz"
    save(Volume(np.ones(GRID.shape, np.float32), GRID, "1/mm", {"of": "Erika"}), path)
    session = controls.session
    controls.open_path(path)
    qtbot.waitUntil(lambda: bool(session.run.images), timeout=PATIENCE_MS)
    record, stored = session.run.record, session.run.record.images.items[0]
    assert stored.label == path.name and no_canary(record.title)
    write(stored.volume, tmp_path / "out.nii", provenance_of(record, stored))
    assert no_canary((tmp_path / "out.nii.provenance.json").read_text())
    assert all(no_canary(line.text) for line in session.log)


def test_run_in_the_window_writes_no_name(
    controls: Controls, scan: Path, small_study: Study, tmp_path: Path, qtbot
) -> None:
    session, controls.runner.engine = controls.session, EngineInThread
    session.study.use_protocol(small_study.protocol)
    controls.open_path(scan)
    qtbot.waitUntil(lambda: not session.obstacle(), timeout=PATIENCE_MS)
    controls.runner.start()
    qtbot.waitUntil(lambda: session.run.state is RunState.FINISHED, timeout=PATIENCE_MS)
    record = session.run.record
    assert record.title.startswith("study-") and no_canary(record.title)
    for i, image in enumerate(record.images.items):
        write(image.volume, tmp_path / f"{i}.nii", provenance_of(record, image))
        assert no_canary((tmp_path / f"{i}.nii.provenance.json").read_text())
    assert all(no_canary(line.text) for line in session.log)
    assert session.study.inputs[DATA].name == scan.name  # visible only to the user


def test_settings_with_scan_paths_are_readable_only_by_their_owner(
    tmp_path: Path, scan: Path
) -> None:
    preferences = Preferences(tmp_path / "settings")
    preferences.remember(scan)
    preferences.identify = True
    preferences.save()
    file = tmp_path / "settings" / "window.ini"
    assert file.stat().st_mode & 0o777 == 0o600
    assert Preferences(tmp_path / "settings").identify
