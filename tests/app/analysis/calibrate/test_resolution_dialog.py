"""Tests of the resolution dialog: scans, and the table of widths that is stored and used."""

from __future__ import annotations

import numpy as np
import pytest

import engine
from app.analysis.calibrate.resolution_dialog import ROLE, ResolutionDialog
from app.state.models.scanner_inputs import InputOwner
from engine.io import write_listmode
from engine.io.auxiliary.point_spread import read_point_spread
from tests.app.conftest import PATIENCE_MS


@pytest.fixture
def dialog(qtbot, controls, parent, small_study):
    controls.commands.open_study(small_study)
    opened = lambda: "data" in controls.session.study.inputs and not controls.commands.is_busy  # noqa: E731
    qtbot.waitUntil(opened, timeout=PATIENCE_MS)
    new_dialog = ResolutionDialog(parent, controls.context)
    new_dialog.show()
    return new_dialog


def point_scan(scanner, path):
    """Write events on lines through one point near the axis of a scanner."""
    rng = np.random.default_rng(4)
    lines = scanner.lors(rng.integers(0, scanner.n_lors, 400_000))
    lines = lines[scanner.in_coincidence(lines)]
    first, last = (scanner.positions_mm[lines[:, k]] for k in (0, 1))
    direction = (last - first) / np.linalg.norm(last - first, axis=1)[:, None]
    off = np.array([2.0, 1.0, 0.5]) - first
    distance = np.linalg.norm(off - np.sum(off * direction, axis=1)[:, None] * direction, axis=1)
    near = rng.uniform(size=len(lines)) < np.exp(-0.5 * (distance / 2.0) ** 2)
    write_listmode(engine.ListMode(scanner, lines[near].astype(np.int32)), path)
    return path


def test_dialog_starts_with_the_open_scan_and_states_missing_input(dialog, small_study):
    assert dialog.scans.paths == [small_study.data]
    assert not (dialog.save.isEnabled() or dialog.use.isEnabled() or dialog.keep.isEnabled())
    dialog.scans.list.selectAll()
    dialog.scans.remove.click()
    dialog.act.click()
    assert dialog.state.text() == "Add a scan of point sources first."


def test_widths_are_measured_saved_and_used(qtbot, controls, dialog, tmp_path, monkeypatch):
    scanner = controls.session.study.scanner
    dialog.scans.list.selectAll()
    dialog.scans.remove.click()
    dialog.scans.take((point_scan(scanner, tmp_path / "point.h5"),))
    dialog.act.click()
    assert dialog.act.text() == "Stop" and not dialog.scans.isEnabled()
    is_idle = lambda: not controls.commands.is_busy  # noqa: E731
    qtbot.waitUntil(lambda: is_idle() and not dialog._is_busy, timeout=PATIENCE_MS)
    assert dialog.made is not None, dialog.state.text()
    assert dialog.table.rowCount() == 1 and "±" in dialog.table.item(0, 1).text()
    assert "1 point source was measured. All sources are at the same" in dialog.state.text()
    target = tmp_path / "widths.txt"
    monkeypatch.setattr("app.state.services.saving.ask_save", lambda *_: target)
    dialog.use.setChecked(True)
    dialog.keep.setChecked(True)
    dialog.save.click()
    inputs = controls.session.study.inputs
    qtbot.waitUntil(lambda: ROLE in inputs and is_idle(), timeout=PATIENCE_MS)
    assert inputs[ROLE].value == str(target)
    stored = controls.commands.remembered.of(InputOwner.of_scanner(scanner))[ROLE]
    assert stored.value == str(target)
    assert read_point_spread(target).radial_mm[0] == pytest.approx(
        dialog.made.spread.radial_mm[0], abs=1e-3
    )
    dialog.diameter.setValue(0.5)
    assert dialog.made is None and dialog.table.rowCount() == 0 and not dialog.save.isEnabled()
