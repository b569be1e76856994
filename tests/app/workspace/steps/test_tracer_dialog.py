"""Tests of the tracer dialog: available units, its file, and the scan of the file."""

from __future__ import annotations

from dataclasses import replace

import pytest

from app.workspace.steps.tracer_binding import UNBOUND
from app.workspace.steps.tracer_dialog import ROLE, TracerDialog
from engine.data import Tracer
from engine.io.auxiliary.tracer_file import read_tracer, write_tracer
from engine.io.scan_fingerprint import fingerprint_of
from tests.app.conftest import PATIENCE_MS
from tests.app.gallery.calibrating import enter


@pytest.fixture
def dialog(qtbot, controls, parent, small_study):
    controls.commands.open_study(small_study)
    opened = lambda: "data" in controls.session.study.inputs and not controls.commands.is_busy  # noqa: E731
    qtbot.waitUntil(opened, timeout=PATIENCE_MS)
    new_dialog = TracerDialog(parent, controls.context)
    new_dialog.show()
    return new_dialog


def write(dialog, name: str, text: str) -> None:
    """Type into a text field."""
    editor = dialog.form._rows[name].editor
    editor._line.setText(text)
    editor._line.editingFinished.emit()


def fill(dialog) -> None:
    """Enter all values that SUV by weight needs."""
    enter(dialog.form, nuclide="F-18", dose_mbq=370.0, weight_kg=70.0)
    write(dialog, "injected_at", "2026-11-22 10:00")
    write(dialog, "scan_start", "2026-11-22 11:00")


def test_dialog_states_missing_values_and_available_units(dialog):
    assert "SUV is not available yet. The weight is not known. The dose" in dialog.units.text()
    fill(dialog)
    assert dialog.given.text() == "370 MBq of F-18, injected 60 min before the scan began."
    assert "Available: SUV by body weight." in dialog.units.text()
    text = dialog.units.text()
    assert "(Janmahasatian). The height is not known." in text
    assert "add a calibration" in dialog.units.text()
    enter(dialog.form, height_cm=175.0, sex="F")
    assert "is not known" not in dialog.units.text()


@pytest.mark.parametrize("text", ["20261122", "2026-11-22", "1763805600", "yesterday 10:00"])
def test_invalid_time_is_never_accepted(dialog, text):
    write(dialog, "scan_start", text)
    fault = dialog.form._rows["scan_start"]._fault
    assert "write date and time" in fault.text().lower() and not dialog.save.isEnabled()
    write(dialog, "scan_start", "2026-11-22 11:00:05+01:00")
    assert dialog.save.isEnabled()


def test_tracer_file_belongs_to_the_scan_and_is_loaded_again(
    qtbot, controls, dialog, parent, small_study, tmp_path, monkeypatch
):
    fill(dialog)
    target = tmp_path / "small-tracer.toml"
    asked: list[str] = []

    def ask(dialog, title, start, kinds):
        asked.append(start.name)
        return target

    monkeypatch.setattr("app.workspace.steps.tracer_dialog.ask_save", ask)
    dialog.save.click()
    study = controls.session.study
    used = lambda: ROLE in study.inputs and not controls.commands.is_busy  # noqa: E731
    qtbot.waitUntil(used, timeout=PATIENCE_MS)
    assert asked == ["small-tracer.toml"] and study.inputs[ROLE].text == "370 MBq, F-18, 70 kg"
    written = read_tracer(target)
    assert (written.injected_bq, written.weight_kg, written.sex) == (370e6, 70.0, None)
    again = TracerDialog(parent, controls.context)
    assert written.of_scan == fingerprint_of(small_study.data)
    assert again.form.value() == written.model_copy(update={"of_scan": None})
    assert controls.commands.is_remembered(ROLE) is None  # it is not remembered for other scans
    other = small_study.data.with_name("other.h5")
    other.write_bytes(small_study.data.read_bytes())
    again.show()
    closed: list[int] = []
    again.finished.connect(closed.append)
    controls.commands.open_path(other)
    is_replaced = lambda: study.inputs["data"].value == str(other) and not controls.commands.is_busy  # noqa: E731
    qtbot.waitUntil(is_replaced, timeout=PATIENCE_MS)
    assert ROLE not in study.inputs and closed == [0]


def test_dialog_saves_no_dose_without_the_fingerprint_of_the_scan(
    controls, dialog, parent, tmp_path, monkeypatch
):
    study, target, problems = controls.session.study, tmp_path / "tracer.toml", []
    study.inputs["data"] = replace(study.inputs["data"], fingerprint="")
    controls.session.problem_raised.connect(problems.append)
    again = TracerDialog(parent, controls.context)
    fill(again)
    monkeypatch.setattr("app.workspace.steps.tracer_dialog.ask_save", lambda *_: target)
    again.save.click()
    assert [each.title for each in problems] == ["tracer.toml was not saved."]
    assert problems[0].text.endswith("Open the scan again.")
    assert not target.exists() and ROLE not in study.inputs
    again.reject()


def test_dialog_states_that_a_tracer_file_names_no_scan(qtbot, controls, dialog, parent, tmp_path):
    study, path = controls.session.study, tmp_path / "tracer.toml"
    write_tracer(Tracer(nuclide="F-18", weight_kg=70), path)
    controls.commands.set_input(ROLE, str(path))
    used = lambda: ROLE in study.inputs and not controls.commands.is_busy  # noqa: E731
    qtbot.waitUntil(used, timeout=PATIENCE_MS)
    again = TracerDialog(parent, controls.context)
    assert UNBOUND in again.notes.text()
    again.reject()
