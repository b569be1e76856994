"""Tests of the actions Copy as Python and Copy as command."""

from __future__ import annotations

import shlex
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtWidgets import QApplication

import isocenter as iso
from app.shell.scripting.copying import NO_FILES, NO_STUDY
from app.state.models.run_record import RunState
from engine.cli.main import main
from tests.app.conftest import PATIENCE_MS

pytestmark = pytest.mark.essential


def copied() -> str:
    return QApplication.clipboard().text()


def test_tooltips_without_a_scan_state_the_reason(window):
    for action in (window.scripts.python, window.scripts.command):
        assert not action.isEnabled()
        assert NO_STUDY in action.toolTip()
        assert action in window.menuBar().actions()[0].menu().actions()


def test_copied_script_and_command_give_the_bits_of_the_window(
    qtbot, window, opened, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened()
    monkeypatch.chdir(tmp_path)
    window.runner.start()
    qtbot.waitUntil(lambda: window.session.run.state is RunState.FINISHED, timeout=PATIENCE_MS)
    shown = window.session.run.record.result.values
    # Later changes do not apply to the displayed image
    window.session.study.use_quality("fast")
    window.scripts.python.trigger()
    exec(compile(copied(), "script", "exec"), {})
    assert same(shown, Path("image.nii.gz"))
    window.scripts.command.trigger()
    words = shlex.split(copied())
    assert main([*words[1:], "--force", "--quiet"]) == 0
    assert same(shown, Path("image.nii.gz"))
    assert "was copied to the clipboard" in window.session.log[-1].text
    # The page Prepare copies its current settings
    window.pages.show("prepare")
    of_image = copied()
    window.scripts.command.trigger()
    assert copied() != of_image
    assert "grid.voxel_mm" in copied()


def test_image_from_a_file_has_no_study_to_copy(qtbot, window, opened, tmp_path: Path) -> None:
    opened()
    assert window.scripts.python.isEnabled()
    grid = iso.ImageGrid(shape=(4, 5, 6), voxel_mm=(2, 2, 2))
    iso.save(iso.Volume(np.ones(grid.shape, np.float32), grid, "1/mm"), tmp_path / "volume.h5")
    window.open_path(tmp_path / "volume.h5")
    qtbot.waitUntil(lambda: not window.commands.is_busy, timeout=PATIENCE_MS)
    window.pages.show("judge")
    assert not window.scripts.command.isEnabled()
    assert NO_FILES in window.scripts.command.toolTip()


def same(values: np.ndarray, path: Path) -> bool:
    found = iso.read(path)
    assert isinstance(found, iso.Volume)
    return found.values.tobytes() == values.tobytes()
