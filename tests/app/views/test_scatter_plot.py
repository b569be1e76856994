"""The plot of scatter shows both curves, and hides where there are none."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtWidgets import QApplication

from app.views.colours import LIGHT
from app.views.scatter_plot import ScatterPlot
from engine.data import ScatterProfile

PROFILE = ScatterProfile((5.0, 15.0, 25.0), (4000.0, 2500.0, 300.0), (900.0, 600.0, 280.0))


@pytest.mark.usefixtures("qapp")
def test_both_curves_are_shown_over_the_distance() -> None:
    plot = ScatterPlot()
    assert plot.isHidden()
    plot.show_profile(PROFILE)
    assert not plot.isHidden()
    for curve, values in ((plot.measured, PROFILE.measured), (plot.scatter, PROFILE.scatter)):
        x, y = curve.getData()
        np.testing.assert_allclose(x, PROFILE.distance_mm)
        np.testing.assert_allclose(y, values)
    assert "counts/mm" in plot.head.text()
    assert "10³" in plot.head.text()
    plot.set_colours(LIGHT)
    assert QApplication.instance() is not None
    assert plot.measured.opts["pen"].color() != plot.scatter.opts["pen"].color()
    plot.show_profile(None)
    assert plot.isHidden()
