"""Tests for memory leaks in Qt when the window repeats an action."""

from __future__ import annotations

import ctypes
import gc
import sys
from collections.abc import Callable

import pytest
from PySide6.QtCore import QCoreApplication, QEvent
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QLabel, QVBoxLayout, QWidget

from app.analysis.measure.figure_table import FigureTable
from app.shell.header_parts import action_button
from app.ui.theme.icons import set_icon
from app.ui.theme.theme import Theme
from app.ui.theme.widgets import remove_widgets

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="needs mallinfo2 of glibc")

FIRST, TIMES, ROUNDS = 30, 100, 3
MAX_BYTES = 40
"""Less than the size of any Qt object."""


class Usage(ctypes.Structure):
    """Result of `mallinfo2`."""

    # The bytes in use are the eighth of ten fields.
    _fields_ = [
        *((f"other_{i}", ctypes.c_size_t) for i in range(7)),
        ("used", ctypes.c_size_t),
        ("free", ctypes.c_size_t),
        ("keepcost", ctypes.c_size_t),
    ]


@pytest.fixture
def growth(qapp) -> Callable[[Callable[[], object]], float]:
    """Return a function that measures the bytes Qt still uses per repeated action."""
    try:
        usage = ctypes.CDLL(None).mallinfo2
    except AttributeError:
        pytest.skip("this C library does not report its usage")
    usage.restype = Usage

    def used() -> int:
        gc.collect()
        return usage().used

    def repeat(act: Callable[[], object], times: int) -> None:
        for _ in range(times):
            act()
            QCoreApplication.processEvents()
            QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)

    def one_round(act: Callable[[], object]) -> float:
        before = used()
        repeat(act, TIMES)
        return (used() - before) / TIMES

    def growth(act: Callable[[], object]) -> float:
        repeat(act, FIRST)
        return min(one_round(act) for _ in range(ROUNDS))  # a cache may grow once

    return growth


def test_refilled_layout_leaks_no_memory(qtbot, growth):
    window = QWidget()
    qtbot.addWidget(window)
    column = QVBoxLayout(window)

    def fill() -> None:
        remove_widgets(column)
        column.addWidget(QLabel("1"))
        column.addWidget(QLabel("2"))

    assert growth(fill) < MAX_BYTES
    assert column.count() == 2


def test_refilled_table_leaks_no_memory(qtbot, growth):
    table = FigureTable()
    qtbot.addWidget(table)
    assert growth(lambda: table.show_rows([("Mean", "3"), ("Sum", "4")])) < MAX_BYTES


def test_changing_action_leaks_no_memory(qtbot, growth):
    action = QAction("Start")
    button = action_button(action)
    qtbot.addWidget(button)
    assert growth(lambda: action.setEnabled(not action.isEnabled())) < MAX_BYTES
    action.setEnabled(False)
    assert not button.isEnabled()
    action.setEnabled(True)
    with qtbot.waitSignal(action.triggered):
        button.click()


def test_labels_with_the_same_icon_share_its_pixmap(qapp):
    theme, labels = Theme(qapp), (QLabel(), QLabel())
    for each in labels:
        set_icon(each, "warning", theme, "warning")
    # Qt caches a scaled copy of each different pixmap.
    assert len({each.pixmap().cacheKey() for each in labels}) == 1
