"""The Facts tab: facts of the study, or a placeholder if there are none."""

from __future__ import annotations

import numpy as np

from app.run.facts_panel import FactsTab
from app.views.literal_text import LiteralLabel
from engine.data.volume import Volume
from engine.geometry.grid import ImageGrid
from engine.io import save
from tests.app.conftest import PATIENCE_MS


def shown(tab: FactsTab) -> list[str]:
    return [each.text() for each in tab.findChildren(LiteralLabel) if each.isVisible()]


def test_empty_tab_explains_its_purpose(qtbot, controls):
    tab = FactsTab(controls.context)
    qtbot.addWidget(tab)
    tab.show()
    (words,) = shown(tab)
    assert words.startswith("No details yet")
    assert not tab.tree.isVisible() and not tab.copy.isVisible()
    controls.session.run.record.warnings.append("one view was left out")
    controls.session.run.record_changed.emit()
    assert tab.tree.isVisible() and tab.copy.isVisible() and shown(tab) == []


def test_opened_volume_states_its_format(qtbot, controls, tmp_path):
    grid = ImageGrid((2, 3, 4), (1.0, 1.0, 2.0))
    save(Volume(np.ones(grid.shape, np.float32), grid, "Bq/mL"), tmp_path / "a.nii.gz")
    tab = FactsTab(controls.context)
    qtbot.addWidget(tab)
    controls.commands.open_path(tmp_path / "a.nii.gz")
    qtbot.waitUntil(lambda: "Image" in tab.facts(), timeout=PATIENCE_MS)
    facts = tab.facts()["Image"]
    assert facts == {"Format": "NIfTI-1", "Voxels": grid.describe(), "Unit": "Bq/mL"}
