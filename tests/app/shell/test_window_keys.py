"""Tests of shortcuts: their effect for each focus, and messages of disabled actions."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit, QScrollArea

from engine.data.volume import Volume
from engine.geometry.grid import ImageGrid
from tests.app.conftest import PATIENCE_MS

GRID = ImageGrid((6, 7, 8), (2.0, 2.0, 2.0))


@pytest.fixture
def shown(qtbot, window):
    """Return an active window with a volume, as shortcuts require."""
    import numpy as np

    values = np.linspace(0, 1, GRID.n_voxels, dtype=np.float32).reshape(GRID.shape)
    window.session.show_file(Volume(values, GRID, "Bq/mL"), "a.h5")
    window.activateWindow()
    qtbot.waitUntil(lambda: QApplication.activeWindow() is window, timeout=PATIENCE_MS)
    return window


def press(window, key: Qt.Key, modifiers=Qt.KeyboardModifier.NoModifier) -> None:
    QTest.keyClick(QApplication.focusWidget() or window, key, modifiers)
    QApplication.processEvents()


@pytest.mark.parametrize(
    ("key", "is_on"),
    [
        (Qt.Key.Key_B, lambda window: bool(window.session.view.slab.kind)),
        (Qt.Key.Key_L, lambda window: window.session.view.draws_lines),
        (Qt.Key.Key_Z, lambda window: window.session.view.magnifies),
        (Qt.Key.Key_O, lambda window: window.session.view.fusion.opacity == 0),
        (Qt.Key.Key_K, lambda window: window.centre.viewer_tools.cine.is_playing),
    ],
    ids="BLZOK",
)
def test_letter_keys_act_on_the_views_except_in_text_fields(shown, key, is_on):
    window = shown
    places = (
        window.header.choice.protocols,
        window.centre.views.coronal,
        window.rail.widgetForAction(window.rail.run),
    )
    for place in places:
        place.setFocus()
        assert place.hasFocus()
        before = is_on(window)
        press(window, key)
        assert is_on(window) != before, place
    edit = QLineEdit(window)
    edit.show()
    edit.setFocus()
    before = is_on(window)
    press(window, key)
    assert is_on(window) == before and edit.text(), (
        "a letter typed into a text field acted on the views"
    )


def test_key_of_a_disabled_action_states_the_reason(shown):
    window = shown
    assert not window.actions_.start.isEnabled()
    window.centre.views.axial.setFocus()
    press(window, Qt.Key.Key_R, Qt.KeyboardModifier.ControlModifier)
    assert window.status.text.full_text == window.session.obstacle() != ""


def test_new_scan_focuses_start_and_shows_its_notes(opened, window):
    area = window.workflow.findChildren(QScrollArea)[0]
    for step in window.steps:
        step.set_open(True)
    window.resize(1280, 720)
    QApplication.processEvents()
    area.verticalScrollBar().setValue(200)
    opened()
    start = window.header.choice.start
    assert start.isEnabled() and window.focusWidget() is start
    assert area.verticalScrollBar().value() == 0


def test_opened_step_is_scrolled_into_view(opened, window):
    opened()
    window.resize(1280, 720)
    area = window.workflow.findChildren(QScrollArea)[0]
    for step in window.steps:
        step.set_open(True)
        QApplication.processEvents()
        top = step.head.mapTo(area.viewport(), step.head.rect().topLeft()).y()
        assert 0 <= top <= area.viewport().height() - step.head.height(), step.title
        # A step has a border above its header.
        begin = step.mapTo(area.viewport(), step.rect().topLeft()).y()
        end = begin + step.height()
        assert end <= area.viewport().height() or begin == 0, (
            "the opened step is not scrolled into view"
        )
