"""Tests of painted letters, scale bars and colour bars: texts and positions."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from app.views.colour.colour_bar import ColourBar
from app.views.colour.raster_view import LOW_PX
from app.views.planes.placing import VolumePlacing
from app.views.slices.mip_view import MipView
from app.views.slices.slice_view import SliceView
from engine.data.volume import Volume
from tests.app.screen_laws import words_beyond, words_over
from tests.app.views.painted import Painted, Text, painted

SLICES = {  # plane: left, right, top, bottom; the patient's right at the left of the screen
    "axial": "RLAP",
    "coronal": "RLHF",
    "sagittal": "APHF",
}
MIRRORED = {"axial": "LRAP", "coronal": "LRHF", "sagittal": "APHF"}
SIGNED = {"R": "−x", "L": "+x", "A": "−y", "P": "+y", "F": "−z", "H": "+z"}
AROUND = {0: "RLHF", 90: "APHF", 180: "LRHF", 270: "PAHF"}
INSET_PX = 13.5
"""From the edge to the centre of a letter; its plate is 21 px high, 3 px from the edge."""
AXES = ("LPS", "LPI", "xyz")


def named(letters: str, axes: str) -> list[str]:
    """Return the four letters for other axes, or for an unknown position."""
    # The head is on top for every direction of z
    words = {"LPS": {}, "LPI": {}, "xyz": SIGNED}[axes]
    return [words.get(letter, letter) for letter in letters]


def at_the_edges(found: Painted, width: int, height: int) -> list[str]:
    """Return the texts at the middle of the left, right, upper and lower edge."""
    places = (
        (INSET_PX, height / 2),
        (width - INSET_PX, height / 2),
        (width / 2, INSET_PX),
        (width / 2, height - INSET_PX),
    )
    return [_nearest(found, *place) for place in places]


def _nearest(found: Painted, x: float, y: float) -> str:
    text = min(found.texts, key=lambda text: np.hypot(text.x - x, text.y - y))
    assert abs(text.x - x) < 3 and abs(text.y - y) < 3, f"{text} is not in the middle of an edge"
    assert text.bold
    return text.words


WIDTHS = (180, 228, 284, 420)
"""Smallest of three views in the narrowest window, largest of four in a default one [px]."""


def faults(view) -> list[str]:
    """Return overlapping texts of a view, and texts beyond its edges."""
    found = painted(view)
    return words_over(found) + words_beyond(found, view)


@pytest.mark.parametrize("axes", AXES)
@pytest.mark.parametrize("width", WIDTHS)
def test_texts_do_not_overlap_in_narrow_views(state, sided, show, width, axes):
    turned(state, sided, axes)
    state.set_blurred_axis(1)
    for plane in SLICES:
        assert faults(show(SliceView(state, plane), width, 160)) == []
    view = show(MipView(state), width, 160)
    view._gain = 1.7
    assert "window ×" in view.note()
    assert faults(view) == []


def test_note_on_the_projection_window_does_not_cover_the_projection(state, sided, show):
    state.set_volume(sided)
    for width, is_there in ((320, True), (130, False)):
        view = show(MipView(state), width, 160)
        view._gain = 1.7
        words = [each.words for each in painted(view).texts]
        assert ("window × 1.7" in words) == is_there, width


def test_low_view_has_one_line_and_a_pair_keeps_its_names(state, sided, show):
    state.set_volume(sided)
    state.name = "first volume with a name"
    other = replace(sided, values=sided.values + 1)
    state.fusion.set_second_volume(other, VolumePlacing(), "second volume with a name")
    state.fusion.set_messages("The volumes are from two patients.", "")
    words = {
        height: " ".join(
            each.words for each in painted(show(SliceView(state, "axial"), 260, height)).texts
        )
        for height in (LOW_PX - 20, LOW_PX + 20)
    }
    low, high = words.values()
    assert "second" in high and "two" in high and "patients" in high
    assert "second" not in low and "patients" not in low and "z" in low
    state.fusion.set_mode("side by side")
    pair = painted(show(SliceView(state, "axial"), 260, LOW_PX - 20)).texts
    assert any("first volume" in each.words for each in pair)


def test_overlapping_texts_are_found():
    caption, letter = Text("x -0.9 mm", 90, 10, False, 60), Text("H", 114, 12, True, 9)
    assert words_over(Painted((caption, letter), (), ())) == ["'x -0.9 mm' and 'H'"]
    assert words_over(Painted((caption, replace(letter, x=130)), (), ())) == []


def turned(state, sided, axes: str) -> None:
    """Show the sides in a volume with these axes."""
    state.set_volume(Volume(sided.values, sided.grid, sided.unit, {"axes": axes}))


@pytest.mark.parametrize("axes", AXES)
@pytest.mark.parametrize("convention", ["radiological", "neurological"])
@pytest.mark.parametrize("plane", SLICES)
def test_letters_of_a_slice_are_painted_at_their_edges(state, sided, show, plane, convention, axes):
    turned(state, sided, axes)
    state.set_convention(convention)
    view = show(SliceView(state, plane), 420, 330)
    letters = (SLICES if convention == "radiological" else MIRRORED)[plane]
    assert at_the_edges(painted(view), 420, 330) == named(letters, axes)


@pytest.mark.parametrize("axes", AXES)
@pytest.mark.parametrize("convention", ["radiological", "neurological"])
@pytest.mark.parametrize("degrees", AROUND)
def test_letters_of_a_projection_are_painted_at_their_edges(
    state, sided, show, degrees, convention, axes
):
    turned(state, sided, axes)
    state.set_convention(convention)
    view = show(MipView(state), 420, 330)
    view.set_degrees(degrees)
    left, right, top, bottom = AROUND[degrees]
    mirrored = convention == "neurological"
    letters = right + left + top + bottom if mirrored else left + right + top + bottom
    assert at_the_edges(painted(view), 420, 330) == named(letters, axes)


@pytest.mark.parametrize("zoom", [1.0, 2.7])
def test_scale_bar_has_its_stated_length(state, show, zoom):
    view = show(SliceView(state, "axial"))
    view.zoom(zoom, view.cursor_uv())
    found = painted(view)
    ((_, _, width_px, _),) = found.images
    width_mm = 40 * 2.0  # in-plane voxels of the grid
    (text,) = (text for text in found.texts if text.words.endswith(" mm") and "z" not in text.words)
    length_mm = float(text.words.removesuffix(" mm"))
    bars = [(a, b) for a, b in found.lines if a[1] == b[1] and a[1] > 0.9 * view.height()]
    for (x0, y), (x1, _) in bars:
        assert abs(x1 - x0) / width_px * width_mm == pytest.approx(length_mm, abs=0.5 * 2 / zoom)
        assert text.x < min(x0, x1), "the text is not next to the bar"
        assert view.width() - 20 < max(x0, x1) < view.width() and y < view.height()
    assert len(bars) == 2, "the scale bar is not a line with a rim"


def test_colour_bar_labels_are_at_their_colours(state, show):
    state.set_window(-2.0, 6.0)
    found = painted(show(ColourBar(state), 420, 40))
    ((left, _, width, _),) = found.images
    values = [float(text.words.replace("−", "-")) for text in found.texts]
    assert len(values) > 3 and values == sorted(values)
    for text, value in zip(found.texts, values, strict=True):
        assert text.x == pytest.approx(left + (value + 2) / 8 * width, abs=1.5)


@pytest.mark.parametrize(
    ("degrees", "left", "right"),
    [(15, "R", "L"), (30, "RA", "LP"), (60, "AR", "PL"), (75, "A", "P"), (195, "L", "R")],
)
@pytest.mark.parametrize("convention", ["radiological", "neurological"])
def test_turned_projection_names_its_sides(state, show, degrees, left, right, convention):
    state.set_convention(convention)
    view = show(MipView(state), 420, 330)
    view.set_degrees(degrees)
    found = painted(view)
    first, second = (right, left) if convention == "neurological" else (left, right)
    assert found.text(first).x < 30 and found.text(second).x > 390
    assert found.text("H").y < 30 and found.text("F").y > 300
