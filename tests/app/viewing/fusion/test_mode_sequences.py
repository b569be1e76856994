"""Test that no view is black in any sequence of three fusion modes, for every pair."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from PySide6.QtWidgets import QApplication

from app.state.models.images.open_volume import OpenVolume
from app.viewing.fusion.fusion_bar import MODES
from app.views.fusion.fusion_text import caption_parts
from app.views.slices.comparison_start import MIN_ROW_PX
from app.views.slices.ortho_view import OrthoView
from engine.data.volume import Volume
from engine.geometry.grid import ImageGrid

pytestmark = pytest.mark.essential

GRID = ImageGrid((12, 14, 16), (2.0, 2.0, 2.0))
OFF = "off"
CHOICES = (OFF, *(mode for mode, *_ in MODES))
PAIRS = {
    "two PET images": ("Bq/mL", "Bq/mL"),
    "MR over PET": ("Bq/mL", "MR"),
    "PET over CT": ("HU", "Bq/mL"),
    "two units": ("Bq/mL", "counts/mm"),
}
MIDDLE = (-1500.0, 1500.0)
DARK = 40
"""Brightness up to which a pixel counts as black."""


def volume(unit: str, shift: float) -> Volume:
    """Return an image without dark areas in its window; `shift` changes its values."""
    z, y, x = np.meshgrid(*(GRID.centres_mm(k) for k in (2, 1, 0)), indexing="ij")
    values = 500 + 10 * x + 5 * y + 3 * z + shift
    info = {"axes": "LPS", **({"modality": "MR", "kind": "MR"} if unit == "MR" else {})}
    return Volume(values.astype(np.float32), GRID, "" if unit == "MR" else unit, info)


def walk(n: int, length: int) -> list[int]:
    """Return a de Bruijn sequence, which contains every sequence of `length` of n items."""
    found, a = [], [0] * (n * length)

    def add(t: int, p: int) -> None:
        if t > length:
            if length % p == 0:
                found.extend(a[1 : p + 1])
            return
        a[t] = a[t - p]
        add(t + 1, p)
        for j in range(a[t - p] + 1, n):
            a[t] = j
            add(t + 1, t)

    add(1, 1)
    return found + found[: length - 1]


@pytest.mark.parametrize("length", [2, 3])
def test_walk_contains_every_sequence(length):
    steps = walk(4, length)
    found = {tuple(steps[k : k + length]) for k in range(len(steps) - length + 1)}
    assert found == set(product(range(4), repeat=length))


def bright(view) -> float:
    """Return the share of pixels of a view that are not black."""
    image = view.grab().toImage()
    image = image.convertToFormat(image.Format.Format_RGB32)
    flat = np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), -1, 4)
    return float((flat[: image.height(), : image.width(), :3].max(axis=2) > DARK).mean())


@pytest.mark.parametrize("length", [2, pytest.param(3, marks=pytest.mark.slow)])
@pytest.mark.parametrize("pair", PAIRS)
def test_no_view_is_black_in_any_sequence_of_modes(qtbot, controls, pair, length):
    session, (first, second) = controls.session, PAIRS[pair]
    session.show_file(volume(first, 0), "first.h5")
    session.volumes.add(OpenVolume("second", "second.h5", "file", volume(second, 30)))
    views = OrthoView(session.view)
    qtbot.addWidget(views)
    views.resize(560, 640)  # in lower views a comparison shows only one plane
    views.show()
    names = ("axial", "coronal", "sagittal")
    faults, before = [], []
    for k in walk(len(CHOICES), length):
        choice = CHOICES[k]
        if choice == OFF:
            controls.context.volumes.place("", "overlay")
        else:
            controls.context.volumes.place("second", "overlay")
            # Like the mode box, but also for modes that it does not offer.
            session.view.fusion.set_mode(choice)
        before = [*before[1 - length :], choice]
        # the middle of the colour map, because an end can be black
        for shown_as in (session.view, session.view.fusion):
            shown_as.set_window(*MIDDLE)
        QApplication.processEvents()
        panes = [v for v in (*views.slices, *views._upper, *views._differences) if v.isVisible()]
        assert {view.plane for view in panes} == set(names)
        for view in panes:
            if bright(view) < 0.2:
                faults.append((" > ".join(before), view.accessibleName()))
    assert not faults, faults[:10]


def test_pair_overlaid_again_after_a_comparison_is_blended(controls):
    """The mode falls back, because MR cannot be subtracted from PET."""
    session = controls.session
    session.show_file(volume("Bq/mL", 0), "first.h5")
    session.volumes.add(OpenVolume("pet", "pet.h5", "file", volume("Bq/mL", 30)))
    session.volumes.add(OpenVolume("mr", "mr.h5", "file", volume("MR", 30)))
    controls.context.volumes.place("pet", "compare")
    assert session.view.fusion.mode == "compare"
    controls.context.volumes.place("mr", "overlay")
    assert session.view.fusion.mode == "blend"
    controls.context.volumes.place("mr", "compare")
    assert session.view.fusion.mode == "side by side", "the views show a difference of two units"


def test_difference_view_shows_the_difference_of_the_values(qtbot, controls):
    session = controls.session
    views, fusion = OrthoView(session.view), session.view.fusion
    qtbot.addWidget(views)
    views.resize(700, 600)
    views.show()
    session.show_file(volume("Bq/mL", 0), "first.h5")
    session.volumes.add(OpenVolume("second", "second.h5", "file", volume("Bq/mL", 30)))
    controls.context.volumes.place("second", "compare")
    QApplication.processEvents()
    shown = [*views.slices, *views.upper_views, *views.difference_views]
    assert all(each.isVisible() for each in shown) and not views.mip.isVisible()
    for view in views.difference_views:
        values, _ = view._upper.values(view.orientation, view.raster.values, view.raster.rect)
        np.testing.assert_allclose(values, 30, rtol=1e-5)
        assert view.dragged_appearance(upper=False) is fusion.compared
        assert "second.h5 − first.h5" in view.caption() and "red: higher" in view.note()
    # One window and one colour map serve both images, also after a change.
    session.view.set_window(100, 700)
    session.view.set_colour_map("viridis")
    assert fusion.window == (100, 700) and fusion.colour_map == "viridis"
    # Zoom and pan are linked in all three.
    for one in (views.axial, views.upper_views[0], views.difference_views[0]):
        one.zoom(1.3, (3.0, -2.0))
        parts = {
            tuple(np.round((*v.viewport.centre, v.viewport.px_per_mm), 6))
            for v in (views.axial, views.upper_views[0], views.difference_views[0])
        }
        assert len(parts) == 1
    views.toggle_enlarged(views.coronal)
    assert [each.isVisible() for each in shown] == [False, True, False] * 3


def compared(qtbot, controls, height: int, prepare=lambda views: None) -> OrthoView:
    """Compare two volumes in views of a height."""
    session = controls.session
    views = OrthoView(session.view)
    qtbot.addWidget(views)
    views.resize(900, height)
    views.show()
    session.show_file(volume("Bq/mL", 0), "first.h5")
    session.volumes.add(OpenVolume("second", "second.h5", "file", volume("Bq/mL", 30)))
    prepare(views)
    controls.context.volumes.place("second", "compare")
    QApplication.processEvents()
    return views


def test_comparison_in_a_low_window_shows_one_plane_large(qtbot, controls):
    views = compared(qtbot, controls, 420)
    shown = [*views.slices, *views.upper_views, *views.difference_views]
    first, second, difference = views.axial, views.upper_views[0], views.difference_views[0]
    assert [each for each in shown if each.isVisible()] == [first, second, difference]
    assert first.y() == second.y() == difference.y() and first.height() > MIN_ROW_PX
    views.toggle_enlarged(views.axial)
    assert all(each.isVisible() for each in shown), "enlarging does not show all planes"
    controls.session.volumes.set_overlay("")
    QApplication.processEvents()
    assert all(each.isVisible() for each in views.views)
    views = compared(qtbot, controls, 420)
    controls.session.volumes.set_overlay("")
    QApplication.processEvents()
    assert all(each.isVisible() for each in views.views), (
        "the view stays enlarged after the comparison"
    )


def test_comparison_starts_with_both_volumes_visible(qtbot, controls):
    views = compared(qtbot, controls, 700, lambda views: views.toggle_enlarged(views.turning))
    assert controls.session.view.fusion.is_compared
    assert not views.turning.isVisible()
    assert all(each.isVisible() for each in (*views.slices, *views.upper_views))


def test_compared_volumes_have_one_power_of_ten(controls):
    session = controls.session
    weak = replace(volume("Bq/mL", 0), values=volume("Bq/mL", 0).values * np.float32(1e-6))
    bright = replace(weak, values=weak.values * np.float32(2e3))
    session.show_file(weak, "weak.h5")
    own = session.view.power
    session.volumes.add(OpenVolume("bright", "bright.h5", "file", bright))
    session.volumes.add(OpenVolume("mr", "mr.h5", "file", replace(bright, unit="MR")))
    controls.context.volumes.place("bright", "compare")
    fusion = session.view.fusion
    assert fusion.power == own != 0 and fusion.shown_unit == session.view.shown_unit
    assert f"[{session.view.shown_unit}]" in caption_parts(session.view, "difference")[0]
    controls.context.volumes.place("mr", "overlay")
    assert fusion.power != session.view.power, "volumes of two units share a power of ten"
    controls.context.volumes.place("bright", "overlay")
    session.volumes.swap()
    assert session.view.power != own and fusion.power == session.view.power


def test_two_volumes_alternate_in_blink_mode(qtbot, controls, monkeypatch):
    monkeypatch.setattr("app.views.slices.blinking.BLINK_MS", 5)
    session = controls.session
    session.show_file(volume("Bq/mL", 0), "first.h5")
    dark = replace(volume("Bq/mL", 0), values=volume("Bq/mL", 0).values / 3)
    session.volumes.add(OpenVolume("second", "second.h5", "file", dark))
    controls.context.volumes.place("second", "overlay")
    views, fusion = OrthoView(session.view), session.view.fusion
    qtbot.addWidget(views)
    views.resize(520, 420)
    views.show()
    fusion.set_mode("blink")
    brightness, captions = {}, {}
    for is_up in (True, False):
        qtbot.waitUntil(lambda is_up=is_up: fusion.blinks_up is is_up, timeout=2000)
        views._blinking.timer.stop()
        brightness[is_up], captions[is_up] = bright(views.axial), views.axial.caption()
        views._blinking.timer.start()
    assert "first.h5" in captions[False] and "second.h5" in captions[True]
    assert "second" not in captions[False]
    fusion.set_mode("blend")
    assert views._blinking.timer is None and not fusion.blinks_up
