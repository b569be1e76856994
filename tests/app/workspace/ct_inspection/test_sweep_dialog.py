"""Tests of the dialog with candidates of the rotation axis and the roll."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt

from app.shell.panels import CorrectionsStep
from app.state.services.dialog_jobs.sweep_job import Range
from app.workspace.ct_inspection.sweep_dialog import SweepDialog
from engine.core.backend import cpu
from engine.corrections.preprocess import CentreOfRotation
from engine.modalities.xray_ct.parameter_sweep import candidates, with_value
from engine.modalities.xray_ct.preview import SlicePreview
from tests.app.conftest import PATIENCE_MS
from tests.app.test_ct import ct_scan, with_steps  # noqa: F401
from tests.app.views.painted import painted

AXIS = 19.5


@pytest.fixture
def step(qtbot, controls) -> CorrectionsStep:
    """Return the rows of the correction steps, without a window."""
    new_step = CorrectionsStep(2, controls.context)
    qtbot.addWidget(new_step)
    new_step.show()
    return new_step


@pytest.fixture
def open_scan(qtbot, controls, ct_scan):  # noqa: F811
    """Open the scan like a dropped file, and wait until it can start."""

    def wait() -> None:
        controls.open_path(ct_scan)
        ready = lambda: controls.session.study.modality.key == "ct"  # noqa: E731
        qtbot.waitUntil(lambda: ready() and not controls.commands.is_busy, timeout=PATIENCE_MS)

    return wait


@pytest.fixture
def asked(qtbot, controls, step, open_scan):
    """Press the button of a row, and wait for the images."""
    open_scan()

    def ask(kind: str = "centre") -> SweepDialog:
        qtbot.waitUntil(lambda: not controls.commands.is_busy, timeout=PATIENCE_MS)
        step._sweeps[kind].click()
        dialog = step.findChildren(SweepDialog)[-1]
        qtbot.waitUntil(lambda: not dialog.job.is_busy, timeout=PATIENCE_MS)
        return dialog

    return ask


def make_candidates(qtbot, dialog, range_: Range) -> None:
    dialog.make_candidates(range_)
    qtbot.waitUntil(lambda: not dialog.job.is_busy, timeout=PATIENCE_MS)


def test_rows_offer_candidates_once_a_scan_is_open(controls, step, open_scan):
    assert step._sweeps == {}
    open_scan()
    step.set_open(True)
    assert [kind for kind, button in step._sweeps.items() if button.isVisible()] == [
        "centre",
        "roll",
    ]
    controls.session.study.set_protocol(with_steps(centre=CentreOfRotation(use="off")))
    assert not step._sweeps["centre"].isVisible()


def test_dialog_closes_if_another_scan_opens_behind_it(
    qtbot,
    controls,
    asked,
    ct_scan,  # noqa: F811
    tmp_path,
):
    """Otherwise the axis of one scan could be used for another."""
    dialog, closed, study = asked(), [], controls.session.study
    dialog.finished.connect(closed.append)
    other = Path(shutil.copy(ct_scan, tmp_path / "other.h5"))
    controls.open_path(other)
    opened = lambda: study.inputs["data"].value == str(other) and not controls.commands.is_busy  # noqa: E731
    qtbot.waitUntil(opened, timeout=PATIENCE_MS)
    assert closed == [0]


def test_candidates_are_centred_on_the_automatic_value_which_is_marked(asked):
    dialog = asked()
    values = [one.value for one in dialog.found.candidates]
    assert values == pytest.approx(AXIS + 0.5 * np.arange(-4, 5), abs=0.16)
    marked = [tile for tile in dialog.tiles if "best" in tile.accessibleName()]
    assert marked == [dialog.tiles[4]]
    assert dialog.chosen is dialog.found.candidates[4]
    assert dialog.tiles[4].hasFocus()
    assert dialog.text.text().startswith(f"★ Best value: column {values[4]:g}. Method: ")


def test_large_image_has_no_line_until_the_user_places_one(qtbot, asked):
    dialog = asked()
    dialog.view.resize(300, 300)
    assert painted(dialog.view).lines == ()
    qtbot.mouseClick(dialog.view, Qt.MouseButton.LeftButton, pos=dialog.view.rect().center())
    assert len(painted(dialog.view).lines) == 4


def test_image_of_the_automatic_value_equals_the_preview(controls, asked):
    one = asked().found.candidates[4]
    quick = SlicePreview(controls.session.study.inputs.scan.radiographs.scan, on=cpu(2))
    protocol = with_value(controls.session.study.protocol, "axis", one.value)
    unscaled = protocol.model_copy(update={"hounsfield": None})
    expected = quick.central_slice(unscaled).volume.values[0]
    np.testing.assert_allclose(one.image, expected, atol=1e-7)


def test_chosen_candidate_is_set_in_the_protocol_and_can_be_undone(qtbot, controls, asked):
    before, dialog = controls.session.study.protocol, asked()
    qtbot.keyClick(dialog.tiles[4], Qt.Key.Key_Right)
    chosen = dialog.found.candidates[5]
    assert dialog.chosen is chosen
    assert dialog.use.text() == f"Use this value: column {chosen.value:g}"
    assert np.array_equal(dialog.state.volume.values[0], chosen.image)
    qtbot.mouseClick(dialog.use, Qt.MouseButton.LeftButton)
    assert controls.session.study.protocol == with_steps(
        centre=CentreOfRotation(use="on", column=chosen.value)
    )
    controls.session.study.undo()
    assert controls.session.study.protocol == before


def test_cancel_does_not_change_the_protocol(qtbot, controls, asked):
    before, dialog = controls.session.study.protocol, asked()
    dialog.tiles[0].click()
    qtbot.keyClick(dialog, Qt.Key.Key_Escape)
    assert not dialog.isVisible()
    assert controls.session.study.protocol is before


def test_finer_candidates_are_centred_on_the_selected_one(qtbot, asked):
    dialog = asked()
    dialog.tiles[6].click()
    chosen = dialog.chosen.value
    dialog.range.finer.click()
    qtbot.waitUntil(lambda: not dialog.job.is_busy, timeout=PATIENCE_MS)
    values = [one.value for one in dialog.found.candidates]
    assert values == pytest.approx(chosen + 0.125 * np.arange(-4, 5))
    assert dialog.chosen.value == chosen
    assert [tile for tile in dialog.tiles if "best" in tile.accessibleName()] == []
    assert dialog.text.text().startswith(
        "With the current settings, a run would use this value: column "
    )


def test_enter_in_a_field_computes_candidates_and_sets_nothing(qtbot, controls, asked):
    before, dialog = controls.session.study.protocol, asked()
    dialog.range.number.show_number(3)
    dialog.range.number.setFocus()
    qtbot.keyClick(dialog.range.number, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: not dialog.job.is_busy, timeout=PATIENCE_MS)
    assert len(dialog.tiles) == 3
    assert dialog.isVisible()
    assert controls.session.study.protocol is before


def test_invalid_range_gives_one_sentence_and_the_images_stay(qtbot, asked):
    dialog = asked()
    make_candidates(qtbot, dialog, Range(None, 0.0, 9))
    assert (
        dialog.text.text()
        == "got 9 candidates with a step of 0, expected 3 to 99 candidates and a step above 0."
    )
    assert len(dialog.tiles) == 9
    assert dialog.use.isEnabled()


def test_computation_can_be_stopped(qtbot, asked):
    dialog = asked()
    dialog.make_candidates(Range(AXIS, 0.01, 99))
    assert dialog.range.again.text() == "Stop"
    dialog.range.again.click()
    qtbot.waitUntil(lambda: not dialog.job.is_busy, timeout=PATIENCE_MS)
    assert len(dialog.tiles) == 9
    assert dialog.range.again.text() == "Try these values"


def test_closing_stops_the_computation(qtbot, asked):
    dialog = asked()
    dialog.make_candidates(Range(AXIS, 0.01, 99))
    job = dialog.job
    with qtbot.waitSignal(dialog.destroyed, timeout=PATIENCE_MS):
        dialog.reject()
    assert not job.is_busy


def test_closing_the_window_stops_the_computation(qtbot, controls, asked):
    dialog = asked()
    before = dialog.found
    dialog.make_candidates(Range(AXIS, 0.01, 99))
    controls.commands.wait()
    qtbot.waitUntil(lambda: not dialog.job.is_busy, timeout=PATIENCE_MS)
    assert dialog.found is before


def test_small_images_follow_the_window_of_the_large_one(asked):
    dialog = asked()
    before = dialog.tiles[0].grab().toImage()
    dialog.state.set_window(0.0, 0.002)
    assert dialog.tiles[0].grab().toImage() != before


def test_roll_beyond_the_detector_is_refused(qtbot, asked):
    dialog = asked("roll")
    make_candidates(qtbot, dialog, Range(None, 5.0, 3))
    assert dialog.text.text() == (
        "A detector roll of 5° shifts the outer columns by 1.7 rows, which is too much for a "
        "detector of 4 rows; use smaller steps, or a scan of at least 9 rows."
    )


def test_chosen_roll_is_set_in_the_protocol(qtbot, controls, asked):
    dialog = asked("roll")
    make_candidates(qtbot, dialog, Range(None, 0.125, 5))
    dialog.tiles[3].click()
    qtbot.mouseClick(dialog.use, Qt.MouseButton.LeftButton)
    roll = controls.session.study.protocol.steps.roll
    assert (roll.use, roll.degrees) == ("on", 0.125)


def test_scores_are_those_of_the_engine(controls, asked):
    dialog = asked()
    scan = controls.session.study.inputs.scan.radiographs.scan
    found = candidates(scan, controls.session.study.protocol, of="axis", on=cpu(2))
    assert dialog.found.score == found.score == "negativity"
    shown = dialog.tiles[0].accessibleName()
    assert f"{100 * found.candidates[0].score:.2f} % below zero" in shown


def test_nearly_equal_scores_give_a_warning(qtbot, asked):
    dialog = asked("roll")
    make_candidates(qtbot, dialog, Range(None, 0.01, 3))
    assert dialog.text.text().endswith("hardly differ. Compare the slices by eye.")
