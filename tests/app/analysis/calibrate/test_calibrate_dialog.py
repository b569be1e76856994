"""Tests of the calibration dialog: its input image, its messages, and the file it writes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from app.analysis.calibrate.calibrate_dialog import NO_IMAGE, CalibrateDialog
from engine.data.calibration import scanner_digest
from engine.data.timing.decay import NUCLIDES, frame_factor
from engine.data.volume import Volume
from engine.geometry.grid import ImageGrid
from engine.io.auxiliary.calibration_file import read_calibration
from tests.app.conftest import PATIENCE_MS
from tests.app.gallery.calibrating import enter

RADIUS_MM, COUNTS, FRAME_S = 40.0, 3.0, 600.0


def image(scanner) -> Volume:
    """Return our image of a cylinder, in counts/mm, without a nuclide."""
    grid = ImageGrid((30, 30, 30), (4.0, 4.0, 4.0))
    x, y = grid.centres_mm(0), grid.centres_mm(1)
    disc = np.hypot(x[None, :], y[:, None]) <= RADIUS_MM
    values = np.zeros(grid.shape, np.float32)
    values[5:25] = COUNTS * disc
    scan = {
        "scanner": scanner.name,
        "scanner_sha256": scanner_digest(scanner),
        "duration_s": FRAME_S,
        "weight_kg": 70.0,
    }
    return Volume(values, grid, "counts/mm", info={"scan": scan, "corrections": []})


def test_dialog_without_image_asks_for_one(controls, parent):
    dialog = CalibrateDialog(parent, controls.context)
    assert dialog.state.text() == NO_IMAGE and not dialog.act.isEnabled()
    dialog.done(0)


def test_calibration_factor_matches_the_activity_and_is_saved(
    qtbot, controls, parent, tiny_ring, tmp_path, monkeypatch
):
    controls.session.show_file(image(tiny_ring), "cylinder.h5")
    dialog = CalibrateDialog(parent, controls.context)
    dialog.show()
    dialog.act.click()
    assert "A field is empty" in dialog.state.text()
    enter(dialog.form, activity_mbq=10.0, volume_ml=1000.0)
    dialog.act.click()
    is_idle = lambda: not controls.commands.is_busy  # noqa: E731
    qtbot.waitUntil(is_idle, timeout=PATIENCE_MS)
    assert "half-life" in dialog.state.text() and dialog.measured is None
    enter(dialog.form, nuclide="F-18", live_fraction=0.8)
    dialog.act.click()
    qtbot.waitUntil(lambda: dialog.measured is not None and is_idle(), timeout=PATIENCE_MS)
    f18 = NUCLIDES["F-18"]
    decays = frame_factor(FRAME_S, f18.half_life_s) / (FRAME_S * 0.8 * f18.branching)
    expected = 10e6 / 1000 / decays / COUNTS
    found = dialog.measured[0]
    assert found.positrons_per_ml == pytest.approx(expected, rel=1e-6)
    assert dialog.slices.region.radius_mm < RADIUS_MM and "with an error of" in dialog.state.text()
    target = tmp_path / "calibration.json"
    monkeypatch.setattr("app.state.services.saving.ask_save", lambda *_: target)
    dialog.save.click()
    qtbot.waitUntil(is_idle, timeout=PATIENCE_MS)
    assert read_calibration(target, tiny_ring) == found
    enter(dialog.form, activity_mbq=11.0)
    assert dialog.measured is None and not dialog.save.isEnabled()
    dialog.done(0)


def test_image_of_a_running_reconstruction_is_refused(controls, parent, tiny_ring):
    controls.session.show_file(image(tiny_ring), "cylinder.h5")
    controls.session.run.record.is_file = False
    controls.session.run.record.result = replace(image(tiny_ring), unit="Bq/mL")
    dialog = CalibrateDialog(parent, controls.context)
    assert "not the final one" in dialog.state.text() and not dialog.act.isEnabled()
    dialog.done(0)


def test_calibration_written_during_close_is_stored(
    qtbot, controls, parent, tiny_ring, tmp_path, monkeypatch
):
    controls.session.show_file(image(tiny_ring), "cylinder.h5")
    dialog = CalibrateDialog(parent, controls.context)
    enter(dialog.form, activity_mbq=10.0, volume_ml=1000.0, nuclide="F-18")
    dialog.act.click()
    is_idle = lambda: not controls.commands.is_busy  # noqa: E731
    qtbot.waitUntil(lambda: dialog.measured is not None and is_idle(), timeout=PATIENCE_MS)
    target: Path = tmp_path / "calibration.json"
    monkeypatch.setattr("app.state.services.saving.ask_save", lambda *_: target)
    dialog.save.click()
    dialog.done(0)
    qtbot.waitUntil(is_idle, timeout=PATIENCE_MS)
    assert any("calibration.json" in line.text for line in controls.session.log)
