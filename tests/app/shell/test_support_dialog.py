"""Tests of the support dialog, which shows the complete bundle before it is saved."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication, QFileDialog, QMessageBox, QWidget
from pytestqt.qtbot import QtBot

from app.shell.dialogs.support_dialog import SupportDialog, show_and_save
from app.state.services.saving import REPLACE
from engine.tools.diagnostics import SupportBundle


@pytest.fixture
def bundle() -> SupportBundle:
    """Return two files, one with text that Qt would interpret as rich text."""
    return SupportBundle({"README.txt": "first\n", "log.txt": "<b>12:00</b> opened [1]\n"})


def test_every_file_is_listed_and_shown_as_saved(
    qtbot: QtBot, bundle: SupportBundle, tmp_path: Path
) -> None:
    dialog = SupportDialog(None, bundle)
    qtbot.addWidget(dialog)
    shown = {}
    for row in range(dialog.names.count()):
        dialog.names.setCurrentRow(row)
        shown[dialog.names.currentItem().text()] = dialog.text.toPlainText()
    assert shown == bundle.files
    bundle.write(tmp_path / "bundle.zip")
    with zipfile.ZipFile(tmp_path / "bundle.zip") as archive:
        assert {name: archive.read(name).decode() for name in archive.namelist()} == shown


def test_bundle_cannot_change_between_preview_and_saving(
    qtbot: QtBot, bundle: SupportBundle
) -> None:
    dialog = SupportDialog(None, bundle)
    qtbot.addWidget(dialog)
    assert dialog.text.isReadOnly()
    dialog.save.click()
    assert dialog.result() == SupportDialog.DialogCode.Accepted


@pytest.mark.parametrize(("press", "replaced"), [(REPLACE, True), ("Cancel", False)])
def test_existing_file_is_replaced_only_after_a_question(
    qtbot: QtBot,
    qapp: QApplication,
    controls,
    bundle: SupportBundle,
    tmp_path: Path,
    press,
    replaced,
) -> None:
    parent, target = QWidget(), tmp_path / "letter.zip"
    qtbot.addWidget(parent)
    target.write_bytes(b"of somebody else")
    asked: list[str] = []

    def answer() -> None:
        match qapp.activeModalWidget():
            case QFileDialog() as dialog:
                dialog.setDirectory(str(tmp_path))
                dialog.selectFile("letter.zip")
                QTimer.singleShot(0, qapp, answer)
                dialog.accept()
            case QMessageBox() as box:
                asked.append(box.windowTitle())
                next(each for each in box.buttons() if each.text() == press).click()
            case SupportDialog() as shown:
                QTimer.singleShot(0, qapp, answer)
                shown.accept()

    QTimer.singleShot(0, qapp, answer)
    show_and_save(parent, controls.context, bundle)
    qtbot.waitUntil(lambda: not controls.commands.is_busy)
    assert asked == ["Replace existing files"]
    assert zipfile.is_zipfile(target) is replaced
