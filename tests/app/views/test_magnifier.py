"""Tests of the magnifier, which enlarges only the area below the pointer."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest

from app.views.colour.colour_maps import lookup_table
from app.views.slices.magnifier import DIAMETER_PX
from app.views.slices.slice_view import SliceView


def marked(image, number):
    """Return the number of pixels with the mark of a side."""
    return int((image == lookup_table("rainbow")[int(number * 256 / 7)]).sum())


@pytest.fixture
def view(state, show):
    return show(SliceView(state, "axial"), 700, 600)


def test_mark_below_the_magnifier_is_enlarged(view, state, pixels):
    before = pixels(view)
    drawn = view.raster
    state.toggle_magnifier()
    point = (*state.cursor_mm[:1], -20 - 3 * 11.5, state.cursor_mm[2])  # in the mark of A
    at = QPoint(*map(round, view.viewport.to_px(*view.orientation.to_screen(point))))
    QTest.mouseMove(view, at)
    image = pixels(view)
    assert marked(image, 3) > 2 * marked(before, 3)
    rows, columns = (np.arange(n) - c for n, c in zip(image.shape, (at.y(), at.x()), strict=True))
    beyond = np.hypot(rows[:, None], columns) > DIAMETER_PX / 2 + 3
    np.testing.assert_array_equal(image[beyond], before[beyond])
    assert view.raster is drawn, "the magnifier computed a slice"


def test_key_shows_and_hides_the_magnifier_at_the_cursor(view, state, pixels, qtbot):
    view.setFocus()
    before = pixels(view)
    qtbot.keyClick(view, Qt.Key.Key_Z)
    assert state.magnifies
    assert (pixels(view) != before).any()
    qtbot.keyClick(view, Qt.Key.Key_Z)
    np.testing.assert_array_equal(pixels(view), before)
