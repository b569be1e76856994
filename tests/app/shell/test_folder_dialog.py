"""Tests of folders and several files that are dropped on the window or opened."""

from __future__ import annotations

import shutil
from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import QDropEvent

from app.shell.dialogs.folder_dialog import FolderDialog
from app.workspace.queue.queue_dialog import QueueDialog
from engine.core.paths import HOME_VARIABLE
from engine.io import save
from engine.jobs import StudyQueue
from engine.modalities import digest_of, modality_of
from tests.app.conftest import PATIENCE_MS
from tests.engine.io.test_folder_contents import IMAGE
from tests.engine.io.xray.xray_files import dxchange


def drop(window, *paths):
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path)) for path in paths])
    no_key, left_button = Qt.KeyboardModifier.NoModifier, Qt.MouseButton.LeftButton
    window.dropEvent(QDropEvent(QPointF(9, 9), Qt.DropAction.CopyAction, data, left_button, no_key))


def dialog_of(qtbot, window) -> FolderDialog:
    qtbot.waitUntil(lambda: bool(window.findChildren(FolderDialog)), timeout=PATIENCE_MS)
    return window.findChildren(FolderDialog)[0]


def test_folder_with_one_hdf5_scan_opens(qtbot, window, tmp_path):
    folder = tmp_path / "tooth"
    folder.mkdir()
    dxchange(folder)
    drop(window, folder)
    qtbot.waitUntil(lambda: "data" in window.session.study.inputs, timeout=PATIENCE_MS)
    facts = dict(window.session.study.inputs.scan.facts)
    assert facts["Format"] == "Data Exchange (HDF5)"


def test_patient_folder_lists_its_content_and_the_chosen_scan_opens(qtbot, window, tmp_path):
    folder = tmp_path / "patient"
    for name, level in (("CT", 1), ("PET", 7)):
        (folder / name).mkdir(parents=True)
        values = np.full_like(IMAGE.values, level)
        save(replace(IMAGE, values=values), folder / name / "image.nii.gz")
    drop(window, folder)
    dialog = dialog_of(qtbot, window)
    rows = [dialog.tree.topLevelItem(k) for k in range(dialog.tree.topLevelItemCount())]
    assert [row.text(0) for row in rows] == ["CT/image.nii.gz", "PET/image.nii.gz"]
    assert rows[0].text(1) == "NIfTI-1"
    dialog.tree.setCurrentItem(rows[1])
    dialog.open_chosen.click()
    qtbot.waitUntil(lambda: window.centre.shows_views, timeout=PATIENCE_MS)
    assert window.session.view.volume.values.max() == 7


def test_folder_without_scans_is_refused(qtbot, window, tmp_path):
    (tmp_path / "junk").mkdir()
    (tmp_path / "junk" / "letter.docx").write_text("no scan")
    drop(window, tmp_path / "junk")
    bar = window.centre.message_bar
    qtbot.waitUntil(lambda: bar.problem is not None, timeout=PATIENCE_MS)
    assert (
        "contains no scan or image that can be opened directly (number of files: 1, endings: .docx)"
        in bar.problem.text
    )


def test_three_dropped_scans_are_queued_and_none_opens(
    qtbot, window, small_study, tmp_path, monkeypatch
):
    """Each scan gets its own protocol; changes of the open study do not apply to it."""
    second, tooth = tmp_path / "second.h5", tmp_path / "tooth"
    shutil.copy(small_study.data, second)
    tooth.mkdir()
    dxchange(tooth)
    monkeypatch.setenv(HOME_VARIABLE, str(tmp_path / "home"))
    monkeypatch.setattr(window.context.queue, "start_runner", lambda _: None)
    study = window.session.study
    own = study.protocol
    study.set_protocol(own.model_copy(update={"reproducible": not own.reproducible}))
    drop(window, small_study.data, second, tooth)
    qtbot.waitUntil(lambda: len(window.session.queue.entries) == 3, timeout=PATIENCE_MS)
    entries = StudyQueue().entries()
    studies = [each.to_study() for each in entries]
    scans = [small_study.data, second, tooth / "scan.h5"]
    assert [each.data for each in studies] == scans
    assert digest_of(studies[1].protocol) == digest_of(own)
    assert modality_of(studies[2].protocol).key == "ct"
    assert [each.state for each in entries] == ["waiting", "waiting", "asking"]
    assert study.inputs == {} and not window.centre.shows_views
    dialog = window.findChild(QueueDialog)
    assert dialog is not None and dialog.isVisible() and dialog.list.count() == 3


def test_one_click_queues_all_scans_of_a_folder(qtbot, window, small_study, tmp_path, monkeypatch):
    monkeypatch.setenv(HOME_VARIABLE, str(tmp_path / "home"))
    monkeypatch.setattr(window.context.queue, "start_runner", lambda _: None)
    night = tmp_path / "night"
    for name in ("one", "two"):
        (night / name).mkdir(parents=True)
        shutil.copy(small_study.data, night / name / "scan.h5")
    save(replace(IMAGE, unit="Bq/mL"), night / "image.nii.gz")
    drop(window, night)
    dialog_of(qtbot, window).queue_all.click()
    qtbot.waitUntil(lambda: len(window.session.queue.entries) == 2, timeout=PATIENCE_MS)
    assert not any(each.question for each in window.session.queue.entries)


def test_open_accepts_a_folder(qtbot, window, tmp_path, monkeypatch: pytest.MonkeyPatch):
    folder = tmp_path / "tooth"
    folder.mkdir()
    dxchange(folder)
    # Qt's own dialog
    monkeypatch.setattr("app.shell.dialogs.file_choice.ask_folder", lambda *_: folder)
    window.actions_.open_folder.trigger()
    qtbot.waitUntil(lambda: "data" in window.session.study.inputs, timeout=PATIENCE_MS)
