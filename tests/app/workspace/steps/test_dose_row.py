"""Tests of SUV in the views: dose and times from the scan file, typed weight."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from app.state.models.images.suv_images import SuvImages
from app.state.models.inputs import DATA
from app.workspace.steps.dose_row import AT_INJECTION, READY, DoseRow
from app.workspace.steps.tracer_binding import TRACER, UNBOUND, doubt_of
from engine.analysis.quality.suv import UNIT, SuvFacts, suv_factor
from engine.core.paths import HOME_VARIABLE
from engine.data.calibration import Calibration, scanner_digest
from engine.data.timing.decay import NUCLIDES
from engine.data.timing.timestamps import moment_of
from engine.data.timing.tracer import Tracer
from engine.data.volume import Volume
from engine.geometry.grid import ImageGrid
from engine.io import read_listmode, write_listmode
from engine.io.auxiliary.calibration_file import write_calibration
from engine.io.auxiliary.tracer_file import read_tracer, write_tracer
from engine.io.scan_fingerprint import fingerprint_of, scan_digest
from engine.modalities.studies import Study
from tests.app.conftest import PATIENCE_MS

STATED = {
    "isotope": "F-18",
    "injected_bq": 185e6,
    "injected_at": "2026-03-01T09:15:00",
    "scan_start": "2026-03-01T10:15:00",
    "duration_s": 600.0,
}


@pytest.fixture
def dosed(small_study, tiny_ring, tmp_path) -> Study:
    """Return a scan with dose and times, and a calibration of its scanner."""
    data = read_listmode(small_study.data)
    path, known = tmp_path / "dosed.h5", tmp_path / "known.json"
    write_listmode(replace(data, info={**data.info, **STATED}), path)
    kinds = ("line_geometry",)
    calibration = Calibration(2.0, 0.5, tiny_ring.name, scanner_digest(tiny_ring), kinds)
    write_calibration(calibration, known, {})
    return small_study.model_copy(update={"data": path, "inputs": {"calibration": known}})


@pytest.fixture
def row(qtbot, controls, dosed, parent, tmp_path, monkeypatch) -> DoseRow:
    monkeypatch.setenv(HOME_VARIABLE, str(tmp_path / "home"))
    new_row = DoseRow(controls.context)
    new_row.setParent(parent)
    controls.session.study.inputs_changed.connect(new_row.refresh)
    controls.commands.open_study(dosed)
    settle(qtbot, controls)
    return new_row


def settle(qtbot, controls) -> None:
    study = controls.session.study
    quiet = lambda: DATA in study.inputs and not (study.reading or controls.commands.is_busy)  # noqa: E731
    qtbot.waitUntil(quiet, timeout=PATIENCE_MS)


def enter(row: DoseRow, key: str, text: str) -> None:
    row.editors[key].setText(text)
    row.editors[key].editingFinished.emit()


def test_file_fills_the_fields_except_the_weight(row: DoseRow) -> None:
    shown = {key: editor.text() for key, editor in row.editors.items()}
    assert shown == {"weight_kg": "", "dose_mbq": "185", "injected_at": "2026-03-01 09:15:00"}
    assert row.state.text() == "Missing for SUV: weight."


def test_typed_weight_gives_suv_in_the_views(qtbot, controls, row: DoseRow, dosed) -> None:
    enter(row, "weight_kg", "72,5")
    settle(qtbot, controls)
    study = controls.session.study
    assert row.state.text() == READY and row.editors["weight_kg"].text() == "72.5"
    tracer = read_tracer(Path(study.inputs[TRACER].value))
    assert (tracer.weight_kg, tracer.dose_mbq) == (72.5, None), (
        "the tracer file repeats the dose of the scan"
    )
    assert tracer.of_scan == fingerprint_of(dosed.data)
    controls.runner.start()
    session = controls.session
    qtbot.waitUntil(lambda: session.run.record.result is not None, timeout=PATIENCE_MS)
    result, shown = session.run.record.result, session.view.volume
    assert (result.unit, shown.unit) == ("Bq/mL", UNIT)
    assert session.view.shown_unit.startswith("SUV")
    facts = SuvFacts(
        weight_kg=72.5,
        dose_bq=185e6,
        half_life_s=NUCLIDES["F-18"].half_life_s,
        injected=moment_of(STATED["injected_at"]),
        started=moment_of(STATED["scan_start"]),
        decay="start",
    )
    np.testing.assert_allclose(shown.values, result.values * suv_factor(facts), rtol=1e-6)
    assert session.volumes.suv.original(shown) is result
    assert "SUV" in session.view.text_of((2, 3, 3))
    session.volumes.set_suv(False)
    assert session.view.volume is result
    session.volumes.set_suv(True)
    assert session.view.volume.unit == UNIT


def test_image_without_weight_stays_in_bq_ml(qtbot, controls, row: DoseRow) -> None:
    controls.runner.start()
    session = controls.session
    qtbot.waitUntil(lambda: session.run.record.result is not None, timeout=PATIENCE_MS)
    assert session.view.volume is session.run.record.result
    assert session.view.unit == "Bq/mL"


def test_weight_entered_after_a_run_applies_to_the_next_run(qtbot, controls, row: DoseRow) -> None:
    """The image keeps its values, because provenance and report state them."""
    session = controls.session
    session.run.state_changed.connect(row.refresh)
    enter(row, "weight_kg", "70")
    settle(qtbot, controls)
    controls.runner.start()
    qtbot.waitUntil(lambda: session.run.record.result is not None, timeout=PATIENCE_MS)
    qtbot.waitUntil(lambda: session.run.state.name == "FINISHED", timeout=PATIENCE_MS)
    settle(qtbot, controls)
    before = session.view.volume
    assert row.state.text() == READY
    enter(row, "weight_kg", "80")
    settle(qtbot, controls)
    row.refresh()
    assert session.view.volume is before, "the displayed image changed"
    assert "apply to the next run" in row.state.text()
    assert row.state.text().endswith("keeps its own: Weight [kg]: 70.")
    enter(row, "weight_kg", "70")
    settle(qtbot, controls)
    row.refresh()
    assert row.state.text() == READY


def test_missing_weight_of_a_run_is_named(qtbot, controls, row: DoseRow) -> None:
    session = controls.session
    controls.runner.start()
    qtbot.waitUntil(lambda: session.run.state.name == "FINISHED", timeout=PATIENCE_MS)
    settle(qtbot, controls)
    enter(row, "weight_kg", "80")
    settle(qtbot, controls)
    row.refresh()
    assert row.state.text().endswith("keeps its own: Weight [kg]: none.")


@pytest.mark.parametrize(
    ("key", "text"), [("weight_kg", "-3"), ("weight_kg", "heavy"), ("injected_at", "9:15")]
)
def test_impossible_entry_is_refused_at_its_field(row: DoseRow, key, text) -> None:
    enter(row, key, text)
    assert row.state.text() and not row.state.text().startswith("Missing")
    assert TRACER not in row._study.inputs


def test_values_of_one_scan_are_never_used_for_another(
    qtbot, controls, row: DoseRow, small_study
) -> None:
    enter(row, "weight_kg", "72")
    settle(qtbot, controls)
    controls.commands.open_study(small_study)
    settle(qtbot, controls)
    assert TRACER not in controls.session.study.inputs
    assert row.isHidden(), "the row is visible for a scan without dose"


def replace_file(dosed: Study) -> None:
    """Replace the open file by the scan of another patient."""
    data = read_listmode(dosed.data)
    dosed.data.unlink()
    write_listmode(replace(data, info={**data.info, "injected_bq": 99e6}), dosed.data)


def test_dose_belongs_to_the_scan_that_was_opened(qtbot, controls, row: DoseRow, dosed) -> None:
    opened = fingerprint_of(dosed.data)
    replace_file(dosed)
    enter(row, "weight_kg", "72")
    settle(qtbot, controls)
    tracer = read_tracer(Path(controls.session.study.inputs[TRACER].value))
    assert tracer.of_scan == opened != fingerprint_of(dosed.data)


def test_tracer_file_of_another_scan_is_never_used(
    qtbot, controls, row: DoseRow, dosed, small_study, tmp_path
) -> None:
    """Editing the row once bound the dose of one patient to the scan of another."""
    study, problems = controls.session.study, []
    controls.session.problem_raised.connect(problems.append)
    path, own = tmp_path / "tracer.toml", study.inputs[DATA].fingerprint
    write_tracer(Tracer(weight_kg=70, of_scan=fingerprint_of(small_study.data)), path)
    controls.commands.set_input(TRACER, str(path))
    settle(qtbot, controls)
    assert TRACER not in study.inputs and row.editors["weight_kg"].text() == ""
    assert "was filled in for a different scan than dosed.h5" in problems[0].text
    # The last two files are from an earlier version and hand-written.
    for known in (own, scan_digest(dosed.data), None):
        write_tracer(Tracer(weight_kg=70, of_scan=known), path)
        controls.commands.set_input(TRACER, str(path))
        settle(qtbot, controls)
        assert row.editors["weight_kg"].text() == "70"
        expected = READY if known == own else f"{READY} {UNBOUND}"
        assert row.state.text() == expected
        assert doubt_of(study.inputs) == ("" if known == own else UNBOUND)
    controls.commands.clear(TRACER)
    replace_file(dosed)
    write_tracer(Tracer(weight_kg=70, of_scan=scan_digest(dosed.data)), path)
    controls.commands.set_input(TRACER, str(path))
    settle(qtbot, controls)
    assert TRACER not in study.inputs and len(problems) == 2


def test_no_dose_is_saved_without_the_fingerprint_of_the_scan(
    qtbot, controls, row: DoseRow, dosed
) -> None:
    """The file may have been replaced by the scan of another patient."""
    study, problems = controls.session.study, []
    study.inputs[DATA] = replace(study.inputs[DATA], fingerprint="")
    controls.session.problem_raised.connect(problems.append)
    replace_file(dosed)
    enter(row, "weight_kg", "72")
    qtbot.waitUntil(lambda: bool(problems), timeout=PATIENCE_MS)
    settle(qtbot, controls)
    assert problems[0].text == (
        "dosed.h5: the program cannot tell this scan from another one, so it does not save a dose "
        "for it. Open the scan again."
    )
    assert TRACER not in study.inputs
    assert not list((Path(controls.context.preferences.folder)).rglob("*.toml"))


def test_sentence_names_the_calibration_and_the_reference(qtbot, controls, row: DoseRow) -> None:
    study = controls.session.study
    enter(row, "weight_kg", "72")
    settle(qtbot, controls)
    corrections = study.protocol.corrections
    units = corrections.units.model_copy(update={"reference": "injection"})
    changed = corrections.model_copy(update={"units": units})
    study.set_protocol(study.protocol.model_copy(update={"corrections": changed}))
    row.refresh()
    assert row.state.text() == AT_INJECTION
    controls.commands.clear("calibration")
    assert row.state.text() == "Missing for SUV: calibration of the scanner."


def test_frame_without_facts_uses_those_of_the_whole_image() -> None:
    facts = {"scan": {**STATED, "weight_kg": 72.0, "concentration": {"decay": "start"}}}
    grid = ImageGrid((2, 2, 2), (2.0, 2.0, 2.0))
    scan_image = Volume(np.full(grid.shape, 5e3, np.float32), grid, "Bq/mL", facts)
    frame = Volume(np.full(grid.shape, 2.5e3, np.float32), grid, "Bq/mL")
    images = SuvImages()
    assert images.shown(frame) is frame, "an image without facts was converted"
    shown, of_scan = images.shown(frame, facts), images.shown(scan_image)
    assert (shown.unit, of_scan.unit) == (UNIT, UNIT)
    np.testing.assert_allclose(2 * shown.values, of_scan.values, rtol=1e-6)
    assert images.original(shown) is frame and images.original(frame) is frame
    assert images.shown(frame, facts) is shown, "the image was converted twice"
    counts = Volume(frame.values, grid, "counts/mm", facts)
    assert images.shown(counts) is counts
