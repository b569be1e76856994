"""Tests of the colour maps."""

import numpy as np
import pytest

from app.views.colour.colour_maps import COLOUR_MAPS, colour_map, colourise, lookup_table
from app.views.colour.colours import DARK, LIGHT
from app.views.colour.raster import Raster
from engine.geometry import Rect

WHITE, BLACK = 0xFFFFFFFF, 0xFF000000


def test_inverted_grey_is_reversed_grey():
    assert np.array_equal(lookup_table("grey_inverted"), lookup_table("grey")[::-1])
    assert lookup_table("grey_inverted")[0] == WHITE
    assert lookup_table("grey_inverted")[-1] == BLACK


@pytest.mark.parametrize("key", [entry.key for entry in COLOUR_MAPS])
def test_every_map_has_256_opaque_colours(key):
    table = lookup_table(key)
    assert table.shape == (256,)
    assert (table >> 24 == 255).all()
    assert len(set(table.tolist())) > 100


def test_only_rainbow_has_a_warning():
    assert [entry.key for entry in COLOUR_MAPS if entry.warning] == ["rainbow"]


def test_unknown_key_falls_back_to_the_default():
    assert colour_map("from another version") is COLOUR_MAPS[0]


def test_values_outside_the_window_get_the_end_colours():
    values = np.array([[-np.inf, -5, 2, 4.999, 5, 1e30, np.inf]], np.float32)
    grey = colourise(values, (2.0, 5.0), "grey") & 0xFF
    assert grey.tolist() == [[0, 0, 0, 255, 255, 255, 255]]


def test_colours_divide_the_window_evenly(rng):
    values = rng.uniform(0, 1, (300, 300)).astype("f4")
    counts = np.bincount((colourise(values, (0.0, 1.0), "grey") & 0xFF).ravel(), minlength=256)
    assert counts.min() > 0.7 * counts.mean()  # 350 a colour: 5 sigma is a quarter


def test_nan_is_shown_as_zero_and_counted():
    values = np.array([[np.nan, 1], [np.nan, 2]], np.float32)
    picture = Raster.of(values, Rect(0, 0, 2, 2))
    assert picture.n_nan == 2
    assert picture.values.tolist() == [[0, 1], [0, 2]]
    assert np.isnan(values[0, 0])


def _luminance(colour: str) -> float:
    channels = [int(colour[-6:][i : i + 2], 16) / 255 for i in (0, 2, 4)]
    r, g, b = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels)
    return 0.2126 * r + 0.7152 * g + 0.0722 * b


def _contrast(one: str, other: str) -> float:
    low, high = sorted((_luminance(one), _luminance(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("colours", [DARK, LIGHT])
def test_text_and_lines_on_a_colour_map_are_legible(colours):
    assert _contrast(colours.text, colours.canvas) > 7
    assert _contrast(colours.muted, colours.canvas) > 4.5
    assert _contrast(colours.plate_text, colours.plate) > 7
    assert _contrast(colours.warning, colours.plate) > 4.5
    assert _contrast(colours.accent, colours.canvas) > 3
    for picture in ("#000000", "#ffffff"):
        assert _contrast(colours.crosshair, picture) > 3
