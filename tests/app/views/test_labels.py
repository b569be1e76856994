"""A label that shows its text within bounds is given that room by a layout."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QWidget

from app.views.labels import ElidedLabel


@pytest.mark.parametrize("text", ["", "Final", "a value that is longer than there is room for it"])
def test_nothing_lies_over_a_label_within_bounds(qtbot, text):
    row, label, button = QWidget(), ElidedLabel(), QPushButton("Latest")
    qtbot.addWidget(row)
    layout = QHBoxLayout(row)
    layout.addWidget(label)
    layout.addWidget(button, 1)
    label.show_within(text, 60, 120)
    row.resize(400, 40)
    row.show()
    assert 60 <= label.width() <= 120
    assert label.geometry().right() < button.geometry().left()
