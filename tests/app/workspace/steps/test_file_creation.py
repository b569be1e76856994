"""Test that step 1 offers to create the files that the current scanner needs."""

from __future__ import annotations

import pytest

from app.workspace.steps.study_step import StudyStep
from engine.geometry.dual_head import DualHead
from engine.io import read_scanner
from engine.modalities import all_roles


@pytest.fixture
def step(qtbot, controls) -> StudyStep:
    new_step = StudyStep(1, controls.context)
    qtbot.addWidget(new_step)
    new_step.show()
    return new_step


def test_each_file_that_the_window_can_make_has_a_dialog(step, controls):
    asked: list[str] = []
    controls.commands.making_requested.connect(asked.append)
    makers = {role.key: role.making.page for role in all_roles() if role.making}
    assert len(makers) == 4
    for key, row in step.rows.items():
        assert row.make.isHidden() == (key not in makers)
        if key in makers:
            row.make.click()
    assert sorted(asked) == sorted(makers.values())


def test_normalisation_can_be_measured_only_for_rings(step, tiny_ring):
    panels = read_scanner("test-panels")
    assert isinstance(panels, DualHead)
    for key, row in step.rows.items():
        row.show_making(panels)
        of_rings = any(r.key == key and r.making and r.making.of_rings for r in all_roles())
        assert not (of_rings and not row.make.isHidden())
        row.show_making(tiny_ring)
        assert not (of_rings and row.make.isHidden())
