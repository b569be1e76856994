"""Tests of truncated scans: the question, and the use of the complete events."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.shell.message_bar import MessageBar
from app.state.models.device_choice import DeviceChoice
from app.state.models.messages import Problem
from app.state.models.session import Session
from app.state.services.commands import Commands
from app.ui.theme.theme import Theme
from engine.core.backend.devices import cpu_device
from tests.app.conftest import PATIENCE_MS
from tests.farm.scans import N_EVENTS, write_crystal_map, write_safir


@pytest.fixture
def scan(tmp_path, tiny_ring) -> Path:
    """Write a SAFIR scan that ends within its last event; its crystal map is in another folder."""
    path = tmp_path / "scan.clm.safir"
    write_safir(path, tiny_ring, seed=1)
    path.write_bytes(path.read_bytes()[:-11])
    (tmp_path / "maps").mkdir()
    write_crystal_map(tmp_path / "maps" / "places.txt", tiny_ring)
    return path


@pytest.fixture
def window_parts(qtbot, qapp, preferences, loader):
    session = Session(DeviceChoice("auto", (cpu_device(2),)))
    commands = Commands(session, preferences, loader)
    bar = MessageBar(Theme(qapp, "dark"), lambda *_: None, lambda: None)
    qtbot.addWidget(bar)
    session.problem_raised.connect(bar.report)

    def settle() -> None:
        quiet = lambda: not commands.is_busy and not session.study.reading  # noqa: E731
        qtbot.waitUntil(quiet, timeout=PATIENCE_MS)

    yield session, commands, bar, settle
    commands.wait()


def test_window_asks_and_uses_the_complete_part_only_if_confirmed(window_parts, scan):
    session, commands, bar, settle = window_parts
    commands.open_path(scan)
    settle()
    assert session.study.inputs == {}
    assert "only 4 of" not in bar.text and "its last record has only 5 of 8 bytes" in bar.text
    assert bar.answer.text() == f"Use the {N_EVENTS - 1} complete events"
    assert bar.answer.isVisibleTo(bar) and bar.answer.toolTip()

    bar.answer.click()
    settle()
    assert (
        "Choose the scanner or crystal map to open the scan" in bar.text
        and not bar.answer.isVisibleTo(bar)
    )
    commands.open_path(scan.parent / "maps" / "places.txt")
    settle()
    found = session.study.inputs.scan
    assert found.n_events == N_EVENTS - 1, "the complete events were not used after the answer"
    assert f"(events used: {N_EVENTS - 1}, bytes ignored: 5)" in found.notes[0]
    assert session.study.to_study().complete_events
    commands.clear("scanner")
    settle()
    commands.set_input("scanner", str(scan.parent / "maps" / "places.txt"))
    settle()
    assert session.study.inputs.scan.n_events == N_EVENTS - 1, (
        "the answer was lost when the scanner changed"
    )


def test_next_message_has_no_button_to_confirm(window_parts, scan):
    session, _, bar, _ = window_parts
    session.raise_problem(Problem("Something else.", "It went wrong."))
    assert not bar.answer.isVisibleTo(bar)
    bar.answer.click()
    assert session.study.inputs == {}
