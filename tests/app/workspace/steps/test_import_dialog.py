"""Tests of the import assistant: guesses, answers, sidecar file, and opening the scan."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QRectF
from PySide6.QtGui import QFontMetricsF
from PySide6.QtWidgets import QLineEdit

from app.state.services.raw_projections import OFFER
from app.views.colour.grey_raster import PAD_PX, TILE_PX, WORDS_FLAGS, RasterTile, grey_image
from app.workspace.steps.import_dialog import READINGS, ImportDialog
from engine.io import read_projections
from engine.raw_import import Reading, preview_of, write_draft
from tests.app.conftest import PATIENCE_MS
from tests.engine.raw_import.scans import N_VIEWS, integrals
from tests.engine.raw_import.test_datasets import ANSWERS
from tests.engine.raw_import.test_datasets import scan as hdf5


@pytest.fixture
def open_dialog(qtbot, controls) -> Callable[[Path], ImportDialog]:
    """Return a function that opens the assistant for a file."""

    def opened(path: Path) -> ImportDialog:
        dialog = ImportDialog(None, controls.context, path)
        qtbot.addWidget(dialog)
        return dialog

    return opened


@pytest.fixture
def scan(tmp_path: Path) -> Path:
    np.save(tmp_path / "scan.npy", integrals())
    return tmp_path / "scan.npy"


def show_preview(dialog: ImportDialog) -> None:
    """Give the dialog a preview of the current answers, with empty images."""
    answers = dict(dialog.model.answers)
    found = preview_of(dialog.model.source, answers, with_images=False)
    now = bool(answers.get("clockwise")), bool(answers.get("mirrored"))
    order = (now, *(key for key in READINGS if key != now))
    readings = tuple(Reading(*key, np.eye(8, dtype=np.float32)) for key in order)
    dialog.model.take(answers, replace(found, readings=readings))


def type_in(dialog: ImportDialog, key: str, text: str) -> None:
    editor = dialog.fields.editors[key]
    assert isinstance(editor, QLineEdit)
    editor.setText(text)
    editor.editingFinished.emit()


def test_answered_dialog_writes_the_description_and_opens_the_scan(
    qtbot, controls, open_dialog, scan
):
    dialog = open_dialog(scan)
    offered = []
    controls.commands.offered.connect(lambda role, path: offered.append((role, path)))
    dialog.job.stop()  # the test passes in the previews
    show_preview(dialog)
    assert not dialog.write.isEnabled()
    assert "beam, pixel" in dialog.words.text()
    assert not dialog.fields.editors["columns"].isVisibleTo(dialog)
    assert dialog.tiles[False, False].isChecked()
    for key, text in (("beam", "100,400"), ("pixel", "0.05")):
        type_in(dialog, key, text)
    show_preview(dialog)
    dialog.tiles[True, False].click()
    show_preview(dialog)
    assert dialog.tiles[True, False].isChecked()
    assert dialog.slice.has_raster
    assert dialog.write.isEnabled()
    dialog.write.click()
    qtbot.waitUntil(lambda: bool(offered), timeout=PATIENCE_MS)
    assert offered == [("", scan.with_suffix(".toml"))]
    data = read_projections(scan)
    assert data.n_views == N_VIEWS
    assert np.diff(np.unwrap(data.geometry.angles_rad)).max() < 0


def test_datasets_are_picked_and_reused_for_the_next_file(qtbot, controls, open_dialog, tmp_path):
    answers = ANSWERS | {"angles": "/e/motor"}
    first, second = hdf5(tmp_path / "a", n_views=6), hdf5(tmp_path / "b", n_views=6)
    dialog = open_dialog(first)
    dialog.job.stop()
    show_preview(dialog)
    roles = dialog.datasets.roles
    assert set(roles) == {"/e/imgs", "/e/one", "/e/two", "/e/motor", "/e/clock"}
    assert roles["/e/imgs"].currentText() == "Projections"
    assert not dialog.datasets.like.isVisibleTo(dialog)
    for name, title in (("/e/one", "Flats"), ("/e/two", "Darks"), ("/e/motor", "Angles")):
        combo = roles[name]
        combo.setCurrentIndex(combo.findText(title))
        combo.activated.emit(combo.currentIndex())
        show_preview(dialog)
        assert combo.currentText() == title
    for key in ("beam", "pixel"):
        type_in(dialog, key, answers[key])
    show_preview(dialog)
    assert dialog.model.answers == {key: answers[key] for key in answers if key != "array"}
    combo = roles["/e/two"]
    combo.setCurrentIndex(0)
    combo.activated.emit(0)
    show_preview(dialog)
    assert "darks" not in dialog.model.draft.table
    text = write_draft(dialog.model.draft)
    other = open_dialog(second)
    other.job.stop()
    show_preview(other)
    assert "a/scan.toml" in other.datasets.similar_text.text()
    other.datasets.like.click()
    show_preview(other)
    assert not other.datasets.like.isVisibleTo(other)
    assert other.write.isEnabled()
    assert other.model.draft.table == tomllib.loads(text.read_text())


def test_bad_pick_is_reported_and_can_be_corrected(qtbot, controls, open_dialog, tmp_path):
    dialog = open_dialog(hdf5(tmp_path))
    dialog.job.stop()
    show_preview(dialog)
    dialog.model.pick_dataset("/e/clock", "angles")
    show_preview(dialog)
    assert "/e/clock: the dataset has 40 values, expected one finite angle" in dialog.words.text()
    assert not dialog.write.isEnabled()
    assert dialog.datasets.roles["/e/clock"].currentText() == "Angles"
    dialog.model.pick_dataset("/e/motor", "angles")
    show_preview(dialog)
    assert dialog.datasets.roles["/e/motor"].currentText() == "Angles"
    assert "no angles" not in dialog.words.text()


def test_existing_description_is_not_replaced(qtbot, controls, open_dialog, scan):
    scan.with_suffix(".toml").write_text("mine")
    dialog = open_dialog(scan)
    dialog.job.stop()
    dialog.model.answers = {"beam": "parallel", "pixel": "1"}
    show_preview(dialog)
    dialog.write.click()
    qtbot.waitUntil(lambda: "already exists" in dialog.words.text(), timeout=PATIENCE_MS)
    assert scan.with_suffix(".toml").read_text() == "mine"
    dialog.name.setText("other.toml")
    dialog.write.click()
    qtbot.waitUntil(lambda: scan.with_name("other.toml").exists(), timeout=PATIENCE_MS)
    qtbot.waitUntil(lambda: not controls.commands.is_busy, timeout=PATIENCE_MS)


def test_description_is_refused_for_files_that_replaced_those_of_the_preview(
    qtbot, controls, open_dialog, scan
):
    """The answers apply only to the files of the preview."""
    dialog = open_dialog(scan)
    offered = []
    controls.commands.offered.connect(lambda role, path: offered.append((role, path)))
    dialog.job.stop()
    show_preview(dialog)
    for key, text in (("beam", "100,400"), ("pixel", "0.05")):
        type_in(dialog, key, text)
    show_preview(dialog)
    np.save(scan, 2 * integrals())
    dialog.write.click()
    qtbot.waitUntil(lambda: "since this preview" in dialog.words.text(), timeout=PATIENCE_MS)
    qtbot.waitUntil(lambda: not controls.commands.is_busy, timeout=PATIENCE_MS)
    assert not offered and not scan.with_suffix(".toml").exists()
    show_preview(dialog)
    dialog.write.click()
    qtbot.waitUntil(lambda: bool(offered), timeout=PATIENCE_MS)


def test_import_is_offered_instead_of_an_error(qtbot, controls, scan):
    problems, expected = [], []
    controls.session.problem_raised.connect(problems.append)
    controls.commands.import_requested.connect(expected.append)
    text = scan.with_name("notes.txt")
    text.write_text("nothing of the kind")
    for path in (scan, scan.parent, text):
        controls.open_path(path)
    qtbot.waitUntil(lambda: len(problems) == 3, timeout=PATIENCE_MS)
    for problem, path in zip(problems, (scan, scan.parent), strict=False):
        assert problem.text == OFFER
        assert not problem.is_fault
        problem.answer.act()
        assert expected[-1] == path
    assert problems[2].answer is None
    assert problems[2].is_fault


def test_grey_images_span_their_values():
    values = np.linspace(-5, 7, 400, dtype=np.float32).reshape(20, 20)
    values[3, 3] = np.nan
    image = grey_image(values)
    assert (image.width(), image.height()) == (20, 20)
    assert image.pixelColor(0, 0).value() == 0
    assert image.pixelColor(19, 19).value() == 255
    assert grey_image(np.full((2, 2), np.nan, np.float32)).width() == 2


def test_caption_of_a_tile_is_never_cut(qtbot):
    for words in ("clockwise", "gegen den Uhrzeigersinn, gespiegelt"):
        tile = RasterTile(words, "tip")
        qtbot.addWidget(tile)
        area = QRectF(0, 0, TILE_PX, tile.sizeHint().height() - TILE_PX - 2 * PAD_PX)
        drawn = QFontMetricsF(tile.font()).boundingRect(area, WORDS_FLAGS, words)
        assert area.adjusted(-1, -1, 1, 1).contains(drawn)
