"""Test that the scan card has no drawing while the centre shows the same drawing."""

from __future__ import annotations

import numpy as np

from engine.data import Volume


def test_scanner_is_drawn_once(opened, window):
    opened()
    step = window.steps[0]
    step.set_open(True)
    assert window.centre.ready.isVisible() and not step.drawing.isVisible()
    grid = window.session.study.grid()
    window.session.view.set_volume(Volume(np.ones(grid.shape, np.float32), grid, "counts"))
    assert not window.centre.ready.isVisible() and step.drawing.isVisible()
    window.session.view.set_volume(None)
    assert not step.drawing.isVisible()
