"""Tests of the alignment dialog: drag the mu-map over the image, save it, and use it."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt

from app.shell.panels import CorrectionsStep
from app.state.models.alignment import Placing
from app.workspace.steps.align_dialog import AlignDialog
from engine.corrections.attenuation import ATTENUATION_MAP
from engine.data import Volume
from engine.geometry import ImageGrid
from engine.io import read_volume, save
from tests.app.conftest import PATIENCE_MS
from tests.app.engine_in_thread import EngineInThread


@pytest.fixture
def mu_map(tmp_path: Path) -> Path:
    """Return a block of water that fills a part of the field of view."""
    values = np.zeros((12, 24, 24), np.float32)
    values[2:10, 6:18, 4:20] = 0.0096
    volume = Volume(values, ImageGrid(values.shape, (3.0, 3.0, 3.0)), "1/mm")
    save(replace(volume, info={"axes": "LPS"}), tmp_path / "mu.h5")
    return tmp_path / "mu.h5"


@pytest.fixture
def dialog(qtbot, controls, small_study, mu_map) -> AlignDialog:
    """Return the dialog of a scan and its map, before it opens."""
    wait = lambda: qtbot.waitUntil(lambda: not controls.commands.is_busy, timeout=PATIENCE_MS)  # noqa: E731
    controls.commands.open_study(small_study)
    wait()
    controls.commands.set_input(ATTENUATION_MAP.key, str(mu_map))
    wait()
    step = CorrectionsStep(2, controls.context)
    qtbot.addWidget(step)
    offered = [role.key for new_dialog, role in step._aligners if not new_dialog.isHidden()]
    assert offered == [ATTENUATION_MAP.key]
    new_dialog = AlignDialog(step, controls.context, ATTENUATION_MAP)
    new_dialog.job.engine = EngineInThread
    return new_dialog


@pytest.mark.slow
def test_lines_follow_the_pointer_and_the_map_is_saved_and_used(
    qtbot, controls, dialog, tmp_path, choose_file
):
    dialog.open()
    qtbot.waitUntil(lambda: not dialog.job.is_busy, timeout=PATIENCE_MS)
    assert dialog.model.image is not None and dialog.model.has_motion
    dialog.as_filed.click()
    assert not dialog.use.isEnabled()
    axial = dialog.panes[0]
    before = np.concatenate(axial.contours)
    pixels = QPoint(30, -12)
    middle = axial.rect().center()
    qtbot.mousePress(axial, Qt.MouseButton.LeftButton, pos=middle)
    qtbot.mouseMove(axial, middle + pixels)
    qtbot.mouseRelease(axial, Qt.MouseButton.LeftButton, pos=middle + pixels)
    per_px = 1 / axial.viewport.px_per_mm
    shift = dialog.model.motion.shift_mm
    assert shift == pytest.approx((30 * per_px, -12 * per_px, 0.0))
    moved = np.concatenate(axial.contours).mean(axis=0) - before.mean(axis=0)
    assert moved == pytest.approx(shift[:2], abs=0.5)
    assert dialog.words.text().startswith("The μ-map was moved by hand:")

    dialog.row.boxes[5].lineEdit().setText("10")
    dialog.row.boxes[5].lineEdit().editingFinished.emit()
    assert dialog.model.numbers == pytest.approx((*shift, 0, 0, 10)), (
        "typing one number changed the others"
    )
    choose_file(tmp_path / "put.h5")
    dialog.use.click()
    qtbot.waitUntil(lambda: not controls.commands.is_busy, timeout=PATIENCE_MS)
    used = controls.session.study.inputs[ATTENUATION_MAP.key]
    assert Path(used.value) == tmp_path / "put.h5"
    stored = read_volume(tmp_path / "put.h5")
    assert stored.info["registration"]["turn_deg"] == [0, 0, 10]
    assert stored.grid.centre_mm == pytest.approx(shift, abs=1e-5)


def test_invalid_number_moves_nothing(controls, dialog):
    problems = []
    controls.session.problem_raised.connect(problems.append)
    dialog.row.boxes[0].lineEdit().setText("far")
    dialog.row.boxes[0].lineEdit().editingFinished.emit()
    assert "expected six numbers" in problems[0].text
    assert dialog.model.placing is Placing.FILE
    assert dialog.row.boxes[0].text() == "0"


def test_dialog_closes_if_another_scan_opens_behind_it(qtbot, controls, dialog, tmp_path):
    """Otherwise the map of one patient could be used for the scan of another."""
    study, closed = controls.session.study, []
    other = Path(shutil.copy(study.inputs["data"].value, tmp_path / "other.h5"))
    dialog.show()
    dialog.finished.connect(closed.append)
    controls.open_path(other)
    opened = lambda: study.inputs["data"].value == str(other) and not controls.commands.is_busy  # noqa: E731
    qtbot.waitUntil(opened, timeout=PATIENCE_MS)
    assert closed == [0] and ATTENUATION_MAP.key not in study.inputs
