"""Test for a fault of PySide6 6.12.0 on Python 3.11, which loses references with each signal.

From Python 3.12 on, True and None are immortal (PEP 683), and their reference count is a
constant.
"""

from __future__ import annotations

import sys

import pytest
from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

N = 100

pytestmark = pytest.mark.skipif(
    sys.version_info >= (3, 12), reason="True and None are immortal from Python 3.12 on"
)


class Emitter(QObject):
    emitted = Signal(bool)


def test_signals_do_not_lose_references_of_true(qapp):
    emitter, values = Emitter(), []
    emitter.emitted.connect(values.append)
    before = sys.getrefcount(True)
    for _ in range(N):
        emitter.emitted.emit(True)
        values.clear()
    assert sys.getrefcount(True) >= before - 2


def test_enabling_does_not_lose_references_of_none(qtbot):
    widget = QWidget()
    qtbot.addWidget(widget)
    before = sys.getrefcount(None)
    for i in range(N):
        widget.setEnabled(i % 2 == 0)
    assert sys.getrefcount(None) >= before - 10
