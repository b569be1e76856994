"""Tests of the Facts tab: facts of the study, or a placeholder."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QRect, Qt
from PySide6.QtWidgets import QApplication, QStyle

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


def test_long_facts_are_shown_completely_at_any_width(qtbot, controls):
    """The height of a row follows its text, at each width of the panel."""
    tab = FactsTab(controls.context)
    qtbot.addWidget(tab)
    sentence = "scan.h5: 22 of 32,256 pixels are bad and get the mean of their neighbours"
    controls.session.run.record.warnings[:] = [sentence, "x" * 90, "one view"]
    controls.session.run.record_changed.emit()
    tree = tab.tree
    branch = tree.topLevelItem(0)
    tab.show()
    for width in (700, 260, 500):
        tab.resize(width, 600)
        qtbot.wait(50)  # the layout follows in a later turn of the event loop
        assert tab.width() == width
        rows = [tree.visualItemRect(branch.child(k)).height() for k in range(3)]
        room = tree.columnWidth(1)
        font = tree.fontMetrics()
        for text, row in zip((sentence, "x" * 90, "one view"), rows, strict=True):
            least = -(-font.horizontalAdvance(text) // room) * font.height()
            assert row >= least, (width, text)
        assert (rows[0] > 1.5 * rows[2]) == (width < 600), width


def test_no_fact_is_cut_in_the_padding_of_the_style_sheet(qtbot, controls):
    """The row is as high as the lines that fit between the paddings."""
    tab = FactsTab(controls.context)
    qtbot.addWidget(tab)
    sentence = "Data Exchange (HDF5), 22 of 32,256 pixels are bad and get a mean"
    controls.session.run.record.warnings[:] = [sentence]
    controls.session.run.record_changed.emit()
    tree = tab.tree
    tab.show()
    wraps = int(Qt.TextFlag.TextWordWrap)
    margin = 4 + tree.style().pixelMetric(QStyle.PixelMetric.PM_FocusFrameHMargin) + 1
    for width in range(230, 560, 3):
        tab.resize(width, 500)
        QApplication.processEvents()
        QApplication.processEvents()
        room = tree.columnWidth(1) - 2 * margin
        least = tree.fontMetrics().boundingRect(QRect(0, 0, room, 9999), wraps, sentence).height()
        row = tree.visualItemRect(tree.topLevelItem(0).child(0)).height()
        assert row >= least, (width, room)
