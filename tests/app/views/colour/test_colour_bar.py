"""Tests of the colour bar and its ticks."""

import numpy as np
import pytest
from PySide6.QtCore import QSize

from app.views.colour.colour_bar import ColourBar, swatch, ticks
from app.views.colour.colour_maps import lookup_table
from app.views.colour.colours import DARK


@pytest.mark.parametrize(
    ("low", "high", "most", "expected"),
    [
        (0, 0.621, 3, [0, 0.2, 0.4, 0.6]),
        (0, 7, 4, [0, 2, 4, 6]),
        (-7, 7, 3, [-5, 0, 5]),
        (-1350, 150, 4, [-1000, -500, 0]),
        (0, 1, 1, [0, 1]),
    ],
)
def test_ticks_are_round_and_few(low, high, most, expected):
    assert ticks(low, high, most) == pytest.approx(expected)


def test_bar_runs_from_the_low_to_the_high_colour(state, show, pixels):
    state.set_colour_map("viridis")
    row = pixels(show(ColourBar(state), 300, 36))[5]
    table = lookup_table("viridis")
    places = [int(np.flatnonzero(row == table[level])[0]) for level in (20, 128, 235)]
    assert places == sorted(places)
    assert places[1] == pytest.approx(150, abs=3)


def test_swatch_shows_its_colour_map(qapp):
    image = swatch("grey", DARK).pixmap(QSize(44, 12)).toImage()
    middle = image.height() // 2
    assert image.pixelColor(3, middle).lightness() < 40
    assert image.pixelColor(image.width() - 4, middle).lightness() > 215


@pytest.mark.parametrize("high", [49.9, 4.99e-5, 0.3, 1.0, 7e6, 1999])
@pytest.mark.parametrize("most", [0, 1, 2, 5])
def test_bar_has_at_least_two_ticks(high, most):
    found = ticks(0.0, high, most)
    assert len(found) >= 2
    assert 0 <= found[0] < found[-1] <= high * (1 + 1e-6)
