"""Test that a ledger row with a warning never has a green mark."""

from __future__ import annotations

from itertools import product

import pytest

from app.state.models.run_record import RunRecord
from app.workspace.steps.ledger import LedgerState, ledger_state_of, switch_state_of
from engine.corrections.scatter import Scatter
from engine.data.runs.events import Corrected, Level, Warned

USES = ("auto", "on", "off")
OBSTACLES = (None, "", "no μ-map is given")
MESSAGES = (
    None,
    *(
        Corrected("scatter", state, text, is_needless=needless)
        for state, text, needless in product(
            ("applied", "off", "unavailable"),
            ("simulated in 3 rounds", "no μ-map is given: 30 % too high"),
            (False, True),
        )
    ),
)
DOUBTS = ((), ("Scatter is scaled by 2.97: check the μ-map.",), ("One.", "Two."))


def is_green(state: LedgerState) -> bool:
    return "ok" in (state.icon, state.tone)


@pytest.mark.parametrize("use", USES)
def test_row_with_a_warning_is_never_green(use: str) -> None:
    n_green = 0
    for obstacle, message, doubts in product(OBSTACLES, MESSAGES, DOUBTS):
        state = ledger_state_of(Scatter(use=use), obstacle, message, doubts)
        is_missing = message is not None and message.level is Level.WARNING
        has_warning = bool(doubts) or is_missing or bool(obstacle)
        assert not (has_warning and is_green(state)), (obstacle, message, doubts, state)
        if doubts and use != "off" and not obstacle:
            assert state.icon == "warning"
        n_green += is_green(state)
    assert n_green > 0 or use == "off", "no row is green, so the test proves nothing"


def test_switch_with_a_warning_is_never_green() -> None:
    for is_on, found, doubts in product((True, False), (True, False, None), DOUBTS):
        state = switch_state_of(is_on, found, "the scan has it", doubts)
        assert not (doubts and is_green(state))
    assert is_green(switch_state_of(True, True, "the scan has it"))


def test_each_warning_is_shown_once() -> None:
    """The warning of a run repeats the text of the row."""
    applied = Corrected("scatter", "applied", "48 % scatter; scaled by 2.97: check the μ-map")
    warning = "Scatter is scaled by 2.97: check the μ-map."
    text = ledger_state_of(Scatter(), None, applied, (warning,)).text
    assert text == "48 % scatter; scaled by 2.97: check the μ-map."
    text = ledger_state_of(Scatter(), None, applied, ("Activity goes on to the end.",)).text
    assert text.endswith("check the μ-map. Activity goes on to the end.")


def test_warning_about_a_correction_removes_the_green_mark_of_its_row(opened, window) -> None:
    opened()
    step = next(step for step in window.steps if hasattr(step, "ledger"))
    run = window.session.run
    for kind, row in step.ledger.rows.items():
        run.take(Corrected(kind, "applied", "done"))
        run.take(Warned("Check it.", about=kind))
        assert row.text.property("tone") == "warning" or "off" in row.text.text().lower(), kind
    assert set(run.record.doubts) == set(step.ledger.rows)
    assert run.record.warnings == ["Check it."] * len(step.ledger.rows)


def test_warnings_about_no_correction_are_shown_separately(qapp) -> None:
    record = RunRecord()
    record.take(Warned("Few counts."))
    assert record.doubts == {"": ["Few counts."]}
