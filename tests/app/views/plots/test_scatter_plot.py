"""Tests of the scatter plot and of the ledger row that contains it."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtWidgets import QApplication

from app.ui.theme.theme import Theme
from app.views.colour.colours import LIGHT
from app.views.plots.scatter_plot import ScatterPlot
from app.workspace.steps.ledger import LedgerEntry, ledger_state_of
from engine.corrections import Scatter
from engine.data import ScatterProfile
from engine.data.runs.events import Corrected

PROFILE = ScatterProfile((5.0, 15.0, 25.0), (4000.0, 2500.0, 300.0), (900.0, 600.0, 280.0))


@pytest.mark.usefixtures("qapp")
def test_both_curves_are_shown_over_the_distance() -> None:
    plot = ScatterPlot()
    assert plot.isHidden()
    plot.show_profile(PROFILE)
    assert not plot.isHidden()
    for curve, values in ((plot.measured, PROFILE.measured), (plot.scatter, PROFILE.scatter)):
        x, y = curve.getData()
        np.testing.assert_allclose(x, PROFILE.distance_mm)
        np.testing.assert_allclose(y, values)
    assert "counts/mm" in plot.head.text()
    assert "10³" in plot.head.text()
    plot.set_colours(LIGHT)
    assert QApplication.instance() is not None
    assert plot.measured.opts["pen"].color() != plot.scatter.opts["pen"].color()
    plot.show_profile(None)
    assert plot.isHidden()


def of_run(state: str, text: str, profile: ScatterProfile | None = None) -> Corrected:
    return Corrected("scatter", state, text, profile)


def test_scatter_row_shows_the_curves_of_a_run(qtbot, qapp) -> None:
    row = LedgerEntry(Scatter, Theme(qapp, "dark"), folded=True)
    qtbot.addWidget(row)
    row.show_profile(None)
    assert row.plot is None, "there is a plot without a scatter estimate"
    row.show_profile(PROFILE)
    assert row.plot is not None and not row.plot.isHidden()
    row.show_profile(None)
    assert row.plot.isHidden()


def test_row_without_scatter_estimate_states_its_cost(window, opened) -> None:
    opened()
    session = window.session
    row = next(step for step in window.steps if hasattr(step, "ledger")).ledger.rows["scatter"]
    obstacle = session.study.modality.obstacles(session.study.protocol, session.study.known)
    why, cost = obstacle["scatter"], "some 30 % too high"
    assert why and cost not in row.text.text()
    session.run.take(of_run("unavailable", f"{why}: {cost}"))
    assert cost in row.text.text()
    session.run.take(of_run("unavailable", f"something else: {cost}"))
    assert cost not in row.text.text(), (
        "the row states the cost although the run had another obstacle"
    )


@pytest.mark.parametrize(("state", "is_stated"), [("off", True), ("applied", False)])
def test_disabled_scatter_row_states_its_cost(state: str, *, is_stated: bool) -> None:
    text = "switched off in the protocol: some 30 % too high"
    shown = ledger_state_of(Scatter(use="off"), None, of_run(state, text))
    assert shown.tone == "muted"
    assert ("30 %" in shown.text) == is_stated
    assert ledger_state_of(Scatter(use="off"), None, None).text == "Switched off in the protocol"
