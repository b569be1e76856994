"""Tests of the marks of protocol changes in the steps, and of the protocol manager."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QPushButton

from app.workspace.steps.protocols_dialog import ProtocolsDialog
from app.workspace.steps.step_changes import StepChanges
from tests.engine.protocols.study.test_stored_protocol import with_iterations


def marks(window):
    """Return the changes that each step marks, by its title."""
    found = {}
    for step in window.steps:
        shown = step.findChild(StepChanges)
        words = [str(each.difference) for each in shown.changes]
        assert shown.isHidden() is (not words)
        if words:
            found[step.title] = words
    return found


def test_every_change_is_marked_in_its_step_and_undone_by_one_click(qtbot, window):
    study = window.session.study
    assert marks(window) == {}
    study.set_protocol(with_iterations(study.protocol, 9))
    study.set_protocol(study.protocol.model_copy(update={"time_of_flight": False, "finishing": ()}))
    grid = study.protocol.grid.model_copy(update={"diameter_mm": 200.0})
    study.set_protocol(study.protocol.model_copy(update={"grid": grid}))
    assert marks(window) == {
        "Corrections": ["time of flight on, now off"],
        "Algorithm": ["iterations automatic, now 9"],
        "Volume": ["diameter automatic, now 200 mm"],
        "Finishing": ["finishing Gaussian 1.5 voxels, now none"],
    }
    for step in window.steps[1:]:
        shown = step.findChild(StepChanges)
        assert not shown.isHidden() and not step.is_open
        (back,) = shown.findChildren(QPushButton)
        assert back.accessibleName() and back.toolTip()
        back.click()
    assert marks(window) == {} and study.protocol == study.base
    study.use_quality("fine")
    assert marks(window) == {}, "a quality level is marked as a change"


@pytest.fixture
def dialog(qtbot, window):
    new_dialog = ProtocolsDialog(window, window.context)
    new_dialog.show()
    return new_dialog


def test_manager_saves_locks_and_uses_protocols(window, dialog, monkeypatch):
    study = window.session.study
    assert not dialog.buttons["save"].isEnabled() and not dialog.buttons["delete"].isEnabled()
    window.commands.save_protocol("Mine")
    dialog._fill("Mine")
    study.set_protocol(with_iterations(study.protocol, 9))
    dialog._show_chosen()
    monkeypatch.setattr("app.workspace.steps.saving_protocols.ask", lambda *words: True)
    dialog.buttons["save"].click()
    assert (study.base.saved.revision, study.base.algorithm.iterations) == (2, 9)
    dialog.buttons["lock"].click()
    assert dialog.chosen.is_locked
    assert not any(dialog.buttons[name].isEnabled() for name in ("save", "rename", "delete"))
    assert "locked" in dialog.buttons["rename"].toolTip()
    box = window.header.choice.protocols
    assert "Mine" in [box.itemText(i) for i in range(box.count())]
    dialog.buttons["lock"].click()
    monkeypatch.setattr("app.workspace.steps.protocols_dialog.ask_text", lambda *words: "Renamed")
    dialog.buttons["rename"].click()
    assert dialog.chosen.protocol.name == "Renamed" and dialog.chosen.revision == 3
    dialog.buttons["use"].click()
    assert study.base.name == "Renamed"
    assert "Renamed" in [box.itemText(i) for i in range(box.count())]


def test_first_protocol_is_selected_if_that_of_the_study_is_not_listed(window, dialog):
    dialog._fill("Demo: none of the list")
    assert dialog.chosen is not None
    assert dialog.chosen.protocol.modality == window.session.study.protocol.modality
    assert dialog.facts._inside is not None
