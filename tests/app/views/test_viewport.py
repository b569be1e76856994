"""Tests of pan and zoom."""

import pytest

from app.views.viewport import Viewport, nice_length
from engine.geometry import Rect

RECT = Rect(-10.0, 40.0, 200.0, 100.0)
VIEW = Viewport.fit(RECT, (640, 480), 20.0)


def test_fit_centres_the_image_and_fills_one_direction():
    left, top = VIEW.to_px(RECT.u, RECT.v)
    right, bottom = VIEW.to_px(RECT.u + RECT.width, RECT.v + RECT.height)
    assert (left, right) == pytest.approx((20, 620))
    assert top + bottom == pytest.approx(480)
    assert bottom - top == pytest.approx(300)


def test_pixels_and_millimetres_are_inverse():
    assert VIEW.to_mm(*VIEW.to_px(12.5, 66.0)) == pytest.approx((12.5, 66.0))


def test_zoom_keeps_its_centre_in_place():
    zoomed = VIEW.zoomed(2.5, (30.0, 70.0))
    assert zoomed.to_px(30.0, 70.0) == pytest.approx(VIEW.to_px(30.0, 70.0))
    assert zoomed.px_per_mm == pytest.approx(2.5 * VIEW.px_per_mm)


def test_zoom_is_limited():
    view = VIEW
    for _ in range(100):
        view = view.zoomed(1e6, (0.0, 0.0))
    assert view.px_per_mm == 200
    assert VIEW.zoomed(1e-12, (0.0, 0.0)).px_per_mm == 0.02


def test_panned_image_follows_the_pointer():
    before = VIEW.to_px(5.0, 5.0)
    after = VIEW.panned(13.0, -7.0).to_px(5.0, 5.0)
    assert after == pytest.approx((before[0] + 13, before[1] - 7))


@pytest.mark.parametrize(
    ("longest", "nice"), [(1, 1), (1.99, 1), (2, 2), (4.9, 2), (73, 50), (0.3, 0.2), (1000, 1000)]
)
def test_nice_lengths_are_one_two_five(longest, nice):
    assert nice_length(longest) == pytest.approx(nice)
