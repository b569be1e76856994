"""Tests of the dialog that measures a normalisation: scans, progress, and the stored file."""

from __future__ import annotations

import os
from datetime import date

import numpy as np
import pytest

from app.analysis.calibrate.normalise_dialog import ROLE, NormaliseDialog
from app.state.models.normalising_model import MeasuringPhase
from app.state.models.scanner_inputs import InputOwner
from app.state.services.saving import may_write
from app.views.literal_text import as_written
from engine.io import read_components
from engine.tools.normalisation_scan import (
    Counted,
    CylinderSource,
    NormalisationRequest,
    Paused,
    ReadingScan,
    Stepped,
)
from tests.app.conftest import LOADERS, PATIENCE_MS
from tests.processes import working_for

RADIUS_MM = 30.0


@pytest.fixture
def dialog(qtbot, controls, parent, small_study):
    controls.commands.open_study(small_study)
    opened = lambda: "data" in controls.session.study.inputs and not controls.commands.is_busy  # noqa: E731
    qtbot.waitUntil(opened, timeout=PATIENCE_MS)
    new_dialog = NormaliseDialog(parent, controls.context)
    new_dialog.show()
    return new_dialog


def diameter(dialog):
    """Return the field for the source diameter."""
    return dialog.form.form._rows["source"].editor._forms[0]._rows["diameter_mm"].editor


def test_dialog_starts_with_the_open_scan_and_asks_for_the_source(dialog, small_study):
    assert dialog.form.scans.paths == [small_study.data]
    assert not (dialog.save.isEnabled() or dialog.use.isEnabled() or dialog.pause.isEnabled())
    dialog.act.click()
    assert "is empty or invalid" in dialog.state.text()
    assert not diameter(dialog).parent()._fault.isHidden()
    dialog.form.scans.list.selectAll()
    dialog.form.scans.remove.click()
    dialog.act.click()
    assert dialog.state.text() == "Add a scan of the source first." and not dialog.job.is_busy


def test_measurement_is_saved_and_used(qtbot, controls, dialog, small_study, tmp_path, monkeypatch):
    diameter(dialog).show_value(2 * RADIUS_MM)
    dialog.act.click()
    assert dialog.act.text() == "Stop" and not dialog.form.isEnabled()
    qtbot.waitUntil(lambda: not dialog.job.is_busy, timeout=PATIENCE_MS)
    assert dialog.model.phase is MeasuringPhase.DONE, dialog.state.text()
    normalisation, scanner = dialog.model.made, controls.session.study.scanner
    assert dialog.tabs.currentIndex() == 1 and dialog.components.crystals.has_raster
    assert len(dialog.components.rings.curve.getData()[0]) == scanner.n_classes[0]
    shown = as_written(dialog.components.notes.text())
    assert all(note in shown for note in normalisation.notes[:1])
    target = tmp_path / "norm.h5"
    monkeypatch.setattr("app.state.services.saving.ask_save", lambda *_: target)
    dialog.use.setChecked(True)
    dialog.keep.setChecked(True)
    dialog.save.click()
    inputs = controls.session.study.inputs
    used = lambda: ROLE in inputs and not controls.commands.is_busy  # noqa: E731
    qtbot.waitUntil(used, timeout=PATIENCE_MS)
    assert inputs[ROLE].value == str(target)
    stored = controls.commands.remembered.of(InputOwner.of_scanner(scanner))[ROLE]
    assert (stored.value, stored.since) == (str(target), date.today().isoformat())
    found = read_components(target, scanner)
    assert np.array_equal(found.crystals, normalisation.found.components.crystals)


def test_scan_of_the_source_is_not_overwritten(qtbot, dialog, small_study, monkeypatch):
    messages: list[str] = []
    monkeypatch.setattr(
        "app.state.services.saving.show_reason", lambda parent, title, text: messages.append(text)
    )
    copy = small_study.data.with_name("copy.h5")
    copy.write_bytes(b"a scan")
    assert not may_write(dialog, copy, dialog._context.session, (copy,))
    assert "copy.h5" in messages[0]


def test_killed_process_gives_one_sentence(qtbot, dialog):
    request = NormalisationRequest(
        tuple(dialog.form.scans.paths), CylinderSource(RADIUS_MM), threads=1
    )
    dialog.model.begin()
    dialog.job.start(request)
    dialog.job.pause(True)
    qtbot.waitUntil(lambda: dialog.model.is_paused, timeout=PATIENCE_MS)
    assert dialog.state.text().startswith("Paused")
    for process in working_for():
        if process.pid not in {loader.pid for loader in LOADERS}:
            os.kill(process.pid, 9)
    qtbot.waitUntil(lambda: not dialog.job.is_busy, timeout=PATIENCE_MS)
    assert "killed by signal 9" in dialog.state.text() and dialog.act.text() == "Start"


def test_progress_events_are_shown_as_sentences(dialog):
    dialog.model.begin()
    for event in (ReadingScan("night.h5", 2, 3), Counted(50, 100, 2e6, 0.0123)):
        dialog.model.take(event)
    assert dialog.model.state_text == "Counting the events of night.h5 (2 of 3)."
    assert "2.0 M counts" in dialog.model.counted_text and "1.2 %" in dialog.model.counted_text
    dialog.model.request_pause(True)
    assert dialog.model.state_text.endswith("The measurement will pause after this step.")
    dialog.model.take(Paused(True))
    assert dialog.model.state_text.startswith("Paused.") and dialog.pause.text() == "Continue"
    dialog.model.take(Paused(False))
    dialog.model.request_pause(False)
    for number, change in ((1, 20.0), (2, 0.4)):
        dialog.model.take(Stepped(number, change))
    assert dialog.plot.changes == [20.0, 0.4]
    assert "change is 0.4 standard errors" in dialog.model.state_text
    x, y = dialog.plot.plot.curve.getData()
    assert list(x) == [1, 2] and y == pytest.approx(np.log10([20.0, 0.4]))
    dialog.model.end()
    assert dialog.model.state_text == "Stopped. Nothing was saved."


def test_closing_asks_first_and_stops_the_measurement(qtbot, controls, dialog, monkeypatch):
    answers = [False, True]
    monkeypatch.setattr("app.analysis.calibrate.normalise_dialog.ask", lambda *_: answers.pop(0))
    diameter(dialog).show_value(2 * RADIUS_MM)
    dialog.act.click()
    dialog.pause.click()
    qtbot.waitUntil(lambda: dialog.model.is_paused, timeout=PATIENCE_MS)
    dialog.close()
    assert dialog.isVisible()
    dialog.close()
    assert not dialog.isVisible() and answers == []
    qtbot.waitUntil(lambda: not controls.commands.is_busy, timeout=PATIENCE_MS)
