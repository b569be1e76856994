"""Tests of labels with a limited width in layouts."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QWidget

from app.views.slices.labels import ElidedLabel


def test_long_text_is_elided_between_the_margins(qtbot):
    label = ElidedLabel("Changed since: voxel size automatic, now 6 x 6 x 6 mm")
    qtbot.addWidget(label)
    label.setContentsMargins(10, 3, 10, 3)
    full_width = label.sizeHint().width()
    label.resize(full_width - 4, 22)
    label.show()
    assert label.text().endswith("…") and label.toolTip() == label.full_text
    label.resize(full_width, 22)
    assert label.text() == label.full_text and not label.toolTip()


@pytest.mark.parametrize("text", ["", "Final", "a value that is longer than its label"])
def test_bounded_label_is_not_overlapped(qtbot, text):
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
