"""Test the switches of corrections that show the results of a run."""

from __future__ import annotations

import pytest

from app.workspace.steps.corrections_step import CorrectionsStep
from engine.data.runs.events import Corrected
from engine.io.interfile.sinogram_writer import write_sinogram
from tests.app.conftest import PATIENCE_MS
from tests.engine.modalities.ring_sinogram_pet.test_timed_sinograms import scan

FOUND = "times run towards the first crystal, as the counts tell"


@pytest.fixture
def step(qtbot, controls, tmp_path) -> CorrectionsStep:
    """Return the rows for a sinogram with time of flight."""
    new_step = CorrectionsStep(2, controls.context)
    qtbot.addWidget(new_step)
    write_sinogram(scan(2_000), tmp_path / "scan.hs")
    controls.open_path(tmp_path / "scan.hs")
    is_there = lambda: controls.session.study.modality.key == "pet-sinogram"  # noqa: E731
    qtbot.waitUntil(lambda: is_there() and not controls.commands.is_busy, timeout=PATIENCE_MS)
    return new_step


def test_row_shows_the_time_of_flight_result_of_a_run(step, controls):
    row = step.ledger.switches["time_of_flight"]
    assert row.text.text() == "Used, resolution 300 ps"
    controls.session.run.begin("scan")
    controls.session.run.take(Corrected("time_of_flight", "applied", FOUND))
    step._show()
    assert row.text.text() == f"Used, resolution 300 ps; {FOUND}"
