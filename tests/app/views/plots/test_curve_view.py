"""Tests of the convergence curve."""

import pytest

from app.views.colour.colours import LIGHT
from app.views.plots.curve_plot import IntegerAxis
from app.views.plots.curve_view import CurveView


@pytest.fixture
def curve(show):
    return show(CurveView("Log-likelihood", "counts"), 320, 240)


def head(curve):
    return curve._head.text()


def test_large_values_are_shown_in_powers_of_a_thousand(curve):
    curve.set_points([1, 2], [-1.31e7, -1.28e7])
    assert head(curve) == "Log-likelihood (×10⁶ counts)"


def test_small_values_keep_their_digits(curve):
    curve.set_points([1, 2], [30.0, 20.0])
    assert head(curve) == "Log-likelihood (counts)"


def test_note_before_the_first_value_has_the_plot_background(curve):
    curve.set_colours(LIGHT)
    picture = curve.grab().toImage()
    corner = curve._empty.geometry().bottomRight()
    assert picture.pixelColor(corner).name() == LIGHT.canvas.lower()


def test_points_are_appended(curve):
    for iteration in (1, 2, 3):
        curve.append(iteration, float(iteration))
    x, y = curve.plot.getPlotItem().listDataItems()[0].getData()
    assert (list(x), list(y)) == ([1, 2, 3], [1, 2, 3])


def test_nan_values_are_left_out(curve):
    curve.set_points([1, 2, 3], [1.0, float("nan"), float("-inf")])
    x, _ = curve.plot.getPlotItem().listDataItems()[0].getData()
    assert list(x) == [1]


@pytest.mark.parametrize(("first", "last"), [(1, 1), (1, 2), (1, 7), (1, 40), (1, 1000)])
def test_iterations_have_integer_ticks(qapp, first, last):
    (spacing, offset), *_ = IntegerAxis("bottom").tickSpacing(first - 0.25, last + 0.25, 300)
    assert spacing == int(spacing) >= 1
    assert offset == 0


def test_empty_curve_explains_its_purpose(curve):
    assert curve.plot is None and curve.note.isVisible()
    assert curve.note.text == "The curve starts after the first iteration"
    curve.append(1, 2.0)
    assert not curve.note.isVisible()
    assert not curve.plot._note.isVisible()
    assert curve.plot.getAxis("left").isVisible()
    curve.clear()
    assert curve.plot._note.isVisible()


def test_values_of_a_hidden_curve_are_plotted_when_it_is_shown(show):
    curve = CurveView("Log-likelihood", "counts")
    curve.append(1, 2.0)
    assert curve.plot is None
    show(curve, 320, 240)
    assert curve.plot.isVisible()


def test_curve_uses_the_theme(curve, pixels):
    curve.append(1, 2.0)
    curve.set_colours(LIGHT)
    assert int("ff" + LIGHT.canvas[1:], 16) in pixels(curve.plot)


@pytest.mark.parametrize("values", [[5.0], [0.0, 0.0], [-1.31e7], [1.0, 2.0]])
def test_all_values_are_within_the_axis(curve, values):
    curve.set_points(range(1, len(values) + 1), values)
    low, high = curve.plot.viewRange()[1]
    assert low < min(values)
    assert max(values) < high


def test_curve_with_a_limit_shows_it_on_a_logarithmic_axis(show):
    curve = show(CurveView("Change", "%", is_log=True), 320, 240)
    curve.set_points([1, 2, 3], [800.0, 0.0, 0.1], 0.25)
    plot = curve.plot
    x, y = plot.getPlotItem().listDataItems()[0].getData()
    assert list(x) == [1, 3] and y == pytest.approx([2.903, -1.0], abs=1e-3)
    low, high = plot.getPlotItem().viewRange()[1]
    assert plot._limit.value() == pytest.approx(-0.602, abs=1e-3)
    assert low < -1 and high > 2.9
    assert plot._limit.isVisible() and head(curve) == "Change (%)"
    curve.clear()
    assert not plot._limit.isVisible()
