"""Test scans of five vendors in random order; `python -m tests.farm.day` is the long version."""

from __future__ import annotations

import pytest

from app.state.models.device_choice import DeviceChoice
from app.state.models.session import Session
from app.state.services.commands import Commands
from engine.core.backend.devices import cpu_device
from tests.app.conftest import PATIENCE_MS
from tests.farm.day import Day, live
from tests.farm.scans import make_refused, make_scans


@pytest.fixture
def day(qtbot, qapp, preferences, loader, rng):
    session = Session(DeviceChoice("auto", (cpu_device(2),)))
    commands = Commands(session, preferences, loader)

    def settle() -> None:
        quiet = lambda: not commands.is_busy and not session.study.reading  # noqa: E731
        qtbot.waitUntil(quiet, timeout=PATIENCE_MS)

    yield Day(session, commands.open_path, settle, rng)
    commands.wait()


def test_scans_opened_in_random_order_are_not_mixed_up(day, tmp_path):
    figures = live(day, make_scans(tmp_path / "scans", 6), make_refused(tmp_path / "bad"), 6)
    assert figures.is_clean, figures
    assert figures.openings == 6 and figures.refused > 0 and figures.aids > 0


def test_mixed_up_inputs_are_found(day, tmp_path):
    """Check that the figures detect a fault: an input of one scan used for another."""
    first, *_, second = make_scans(tmp_path / "scans", 6)
    day.open(first, [])
    day._session.study.set_input("attenuation", day._session.study.inputs["data"])
    day._compare(second, {"data": str(second.path)})
    assert len(day.figures.carried_over) >= 2 and not day.figures.is_clean
