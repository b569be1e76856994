"""Test that files are replaced only after a question, and inputs of the study never."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication, QMessageBox, QWidget

from app.state.models.device_choice import DeviceChoice
from app.state.models.inputs import DATA, Input
from app.state.models.session import Session
from app.state.services.saving import REPLACE, ask_target, inputs_of, may_write, question_of
from engine.modalities.opening import scan_at
from engine.modalities.studies import Study


@pytest.fixture
def parent(qtbot) -> QWidget:
    widget = QWidget()
    qtbot.addWidget(widget)
    return widget


@pytest.fixture
def session(small_study: Study) -> Session:
    new_session = Session(DeviceChoice())
    new_session.study.inputs[DATA] = Input(str(small_study.data), "a scan")
    return new_session


def answering(parent: QWidget, target: Path, session: Session, press: str) -> tuple[bool, str]:
    """Press a button of the next message box; return the answer and the text of the box."""
    messages = []

    def answer() -> None:
        box = QApplication.activeModalWidget()
        assert isinstance(box, QMessageBox)
        messages.append(box.text())
        default = box.defaultButton()
        assert default is None or default.text() != REPLACE
        buttons = {button.text().replace("&", ""): button for button in box.buttons()}
        buttons[press].click()

    QTimer.singleShot(0, answer)
    return may_write(parent, target, session), messages[0]


def test_new_file_is_written_without_a_question(parent, session, tmp_path):
    assert may_write(parent, tmp_path / "new.h5", session)


@pytest.mark.parametrize(
    ("typed", "written"),
    [
        ("norm", "norm.h5"),
        ("norm.2026.11", "norm.2026.11.h5"),
        ("norm.H5", "norm.H5"),
        ("norm.2026.hdf5", "norm.2026.hdf5"),
        ("h5", "h5.h5"),
    ],
)
def test_a_name_gets_a_suffix_of_its_format(parent, session, tmp_path, monkeypatch, typed, written):
    monkeypatch.setattr("app.state.services.saving.ask_save", lambda *_: tmp_path / typed)
    kinds = "Normalisation (*.h5 *.hdf5);;All files (*)"
    target = ask_target(parent, session, "Save", tmp_path / "normalisation.h5", kinds)
    assert target == tmp_path / written


@pytest.mark.parametrize(("press", "agreed"), [(REPLACE, True), ("Cancel", False)])
def test_existing_file_is_replaced_only_after_a_question(parent, session, tmp_path, press, agreed):
    target = tmp_path / "old.h5"
    target.write_bytes(bytes(1500))
    written, message = answering(parent, target, session, press)
    assert written is agreed
    assert "old.h5" in message and "1,500 bytes" in message and str(tmp_path) in message


def test_existing_sidecar_causes_the_question_too(tmp_path):
    (tmp_path / "a.provenance.json").write_text("{}")
    assert "a.provenance.json" in question_of(tmp_path / "a.nii.gz")


@pytest.mark.parametrize("manner", ["path", "link", "hard link"])
def test_scan_is_never_replaced(parent, session, small_study, tmp_path, manner):
    scan = small_study.data
    before = scan.read_bytes()
    target = tmp_path / "image.h5"
    if manner == "path":
        target = scan
    elif manner == "link":
        target.symlink_to(scan)
    else:
        target.hardlink_to(scan)
    written, message = answering(parent, target, session, "OK")
    assert not written and "never overwritten" in message
    assert scan.read_bytes() == before and inputs_of(session) == (scan,)


def test_file_that_the_scan_links_to_is_never_replaced(parent, session, small_study, tmp_path):
    values = tmp_path / "values.h5"
    values.write_bytes(b"counts of the detector")
    scan = replace(scan_at(small_study.data, None, False), linked=(values,))
    session.study.inputs[DATA] = Input(str(small_study.data), "a scan", scan)
    written, message = answering(parent, values, session, "OK")
    assert not written and "never overwritten" in message


def test_several_files_are_listed_in_the_question(tmp_path):
    for name in ("a.nii.gz", "a.provenance.json"):
        (tmp_path / name).touch()
    assert "\na.nii.gz: 0 bytes" in question_of(tmp_path / "a.nii.gz")
    assert "<U+" not in question_of(tmp_path / "a.nii.gz")
