"""Tests of the open volumes, and of the notes on a displayed pair."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from app.state.models.images.error_images import RELATIVE, SPREAD
from app.state.models.images.open_volume import IMAGE, OpenVolume
from app.state.models.images.open_volumes import OpenVolumes
from app.state.models.images.volume_origin import (
    TWO_PATIENTS,
    TWO_SCANS,
    TWO_SPACES,
    UNKNOWN_PATIENT,
    Origin,
    pairing_note_of,
)
from app.views.state import ViewState
from app.views.volume_facts import min_value
from engine.data.error_map import ErrorMap
from engine.data.volume import Volume
from engine.geometry.grid import ImageGrid

GRID = ImageGrid((6, 7, 8), (2.0, 2.0, 2.0))
OTHER = ImageGrid((9, 5, 6), (1.5, 3.0, 2.0), (1.0, 0.0, -2.0))


def opened(key: str, grid: ImageGrid = GRID, unit: str = "counts/mm", **origin: str) -> OpenVolume:
    values = np.linspace(0, 9, grid.n_voxels, dtype=np.float32).reshape(grid.shape)
    kind = "image" if key == IMAGE else "file"
    return OpenVolume(key, f"name of {key}", kind, Volume(values, grid, unit), Origin(**origin))


@pytest.fixture
def view(qapp) -> ViewState:
    return ViewState()


@pytest.fixture
def volumes(view) -> OpenVolumes:
    opened_volumes = OpenVolumes(view)
    opened_volumes.take_image(opened(IMAGE, scan="/a"), refit=True)
    opened_volumes.add(opened("ct", OTHER, "HU", scan="/a"))
    return opened_volumes


def test_overlay_stays_until_it_is_closed(volumes, view):
    volumes.set_overlay("ct")
    assert view.volume is volumes.image.volume and view.fusion.volume is volumes.overlay.volume
    assert (view.name, view.fusion.name) == ("name of image", "name of ct")
    volumes.close("ct")
    assert volumes.overlay is None and view.fusion.volume is None and volumes.shows_image


def test_swapped_volumes_keep_window_and_cursor(volumes, view):
    volumes.set_overlay("ct")
    view.set_window(1.0, 5.0)
    view.fusion.set_window(-40.0, 80.0)
    view.set_cursor((1.0, 1.0, -1.0))
    cursor = view.cursor_mm
    volumes.swap()
    assert volumes.base.key == "ct" and volumes.overlay.key == IMAGE
    assert view.window == (-40.0, 80.0) and view.fusion.window == (1.0, 5.0)
    assert view.cursor_mm == pytest.approx(cursor, abs=1.5), (
        "the cursor did not stay at its position"
    )
    volumes.set_overlay(volumes.base.key)
    assert volumes.base.key == IMAGE, "overlaying the base volume swaps the two"


def test_forming_image_updates_below_and_above_another_volume(volumes, view):
    volumes.set_base("ct")
    volumes.set_overlay(IMAGE)
    window = view.fusion.window
    newer = opened(IMAGE, scan="/a")
    volumes.take_image(newer)
    assert view.volume.unit == "HU" and view.fusion.volume is newer.volume
    assert view.fusion.window == window
    volumes.set_overlay("")
    volumes.return_to_image()
    assert view.volume is newer.volume


def test_new_scan_removes_all_volumes_of_the_last_one(volumes, view):
    volumes.set_overlay("ct")
    volumes.take_image(None)
    volumes.forget_others()
    assert volumes.items == () and view.volume is None and view.fusion.volume is None
    volumes.set_overlay("ct")
    assert volumes.overlay is None, "a closed volume was overlaid"


def test_overlay_of_two_patients_always_has_a_note():
    """Test each order, with everything else equal."""
    values = [("", "1", "2")] * 4
    for one, other in product((Origin(*each) for each in product(*values)), repeat=2):
        pairing_note = pairing_note_of(one, other)
        assert pairing_note == pairing_note_of(other, one)
        if one.patient and other.patient and one.patient != other.patient:
            assert pairing_note.warning == TWO_PATIENTS
        elif not (pairing_note.warning or pairing_note.note):
            same_person = one.patient and one.patient == other.patient
            same_space = one.frame_of_reference and (
                one.frame_of_reference == other.frame_of_reference
            )
            assert same_person or same_space or one.is_same_scan(other)


@pytest.mark.parametrize(
    ("one", "other", "note"),
    [
        (Origin("/a"), Origin("/a"), ""),
        (Origin("/a", "d1"), Origin("/a", "d2"), TWO_SCANS),  # same name, different study
        (Origin("/a", "d1"), Origin("/b", "d1"), ""),
        (Origin("/a", fingerprint="1"), Origin("/a", fingerprint="2"), TWO_SCANS),
        # Two patients with the same file header.
        (Origin("/a", "d1", fingerprint="1"), Origin("/a", "d1", fingerprint="2"), TWO_SCANS),
        (Origin("/a", fingerprint="1"), Origin("/b", fingerprint="1"), ""),
        (Origin("/a", "d1", values=("1",)), Origin("/a", "d1", values=("2",)), TWO_SCANS),
        (Origin("/a", "d1", values=("1", "3")), Origin("/b", "d1", values=("1",)), ""),
        # A result of an earlier version, and a file that replaced its scan.
        (Origin("/a", "d1"), Origin("/a", fingerprint="2"), UNKNOWN_PATIENT),
        (Origin("/a"), Origin("/a", fingerprint="2"), UNKNOWN_PATIENT),
        (Origin("/a", "d1"), Origin("/b", fingerprint="2"), TWO_SCANS),
        (Origin("/a"), Origin("/b"), TWO_SCANS),
        (Origin("/a", patient="1"), Origin("/b", patient="1"), ""),
        (Origin(patient="1", frame_of_reference="f"), Origin("", "", "1", "g"), TWO_SPACES),
        (Origin(), Origin("/a"), UNKNOWN_PATIENT),
    ],
)
def test_note_on_two_volumes(one, other, note):
    assert "".join(pairing_note_of(one, other)) == note


def test_note_stays_with_the_displayed_pair(volumes, view):
    volumes.add(opened("stranger", patient="2"))
    volumes.take_image(opened(IMAGE, scan="/a", patient="1"))
    volumes.set_overlay("stranger")
    assert view.fusion.warning == TWO_PATIENTS
    volumes.swap()
    assert view.fusion.warning == TWO_PATIENTS
    volumes.set_overlay("ct")
    assert (view.fusion.warning, view.fusion.note) == ("", UNKNOWN_PATIENT)


@pytest.fixture
def compared(volumes, view) -> OpenVolumes:
    """Return two images with the same unit; the second is twice as bright."""
    brighter = opened("result", scan="/a")
    brighter.volume.values[:] *= 2
    volumes.add(brighter)
    volumes.set_overlay("result")
    return volumes


def test_images_with_one_unit_start_with_one_window_and_colour_map(compared, view):
    assert view.fusion.window == view.window
    assert view.fusion.colour_map == view.colour_map == "grey_inverted"
    view.set_window(1.0, 4.0)
    view.set_colour_map("viridis")
    assert (view.fusion.window, view.fusion.colour_map) == ((1.0, 4.0), "viridis")
    view.fusion.set_colour_map("hot")
    assert view.colour_map == "hot"


def test_user_can_separate_windows_and_colour_maps(compared, view):
    view.fusion.set_links_windows(False)
    view.fusion.set_window(0.0, 2.0)
    view.fusion.set_colour_map("hot")
    compared.take_image(opened(IMAGE, scan="/a"))
    assert view.fusion.window == (0.0, 2.0) != view.window
    assert (view.colour_map, view.fusion.colour_map) == ("grey_inverted", "hot")


@pytest.mark.parametrize("first", [IMAGE, "ct"])
def test_pet_is_hot_over_grey_ct_in_either_order(volumes, view, first):
    second = "ct" if first == IMAGE else IMAGE
    volumes.set_base(first)
    volumes.set_overlay(second)
    maps = {first: view.colour_map, second: view.fusion.colour_map}
    assert maps == {IMAGE: "hot", "ct": "grey"}
    assert view.fusion.is_below == (second == "ct")
    assert not view.fusion.links_windows
    volumes.set_overlay("")
    assert view.colour_map == ("grey_inverted" if first == IMAGE else "grey"), (
        "the volume did not get its own colour map back"
    )


def test_volume_with_another_unit_ends_the_difference_mode(compared, view):
    view.fusion.set_mode("difference")
    compared.add(opened("mr", OTHER, ""))
    compared.set_overlay("mr")
    assert view.fusion.mode == "blend"
    assert (view.colour_map, view.fusion.colour_map) == ("hot", "grey")


def with_error(one: OpenVolume, spread: float = 0.5) -> OpenVolume:
    """Return the same volume with an error map that grows with the value."""
    values = one.volume.values
    replicates = [values * np.float32(1 + k * spread) for k in (-1, 0, 1)]
    error = ErrorMap.of(values, replicates, seed=1, counts="a")
    return replace(one, volume=replace(one.volume, error=error))


@pytest.mark.parametrize("key", [SPREAD, RELATIVE])
def test_error_overlay_stays_until_the_image_is_selected(volumes, view, key):
    volumes.take_image(with_error(opened(IMAGE, scan="/a")))
    volumes.set_overlay("ct")
    fusion = view.fusion
    fusion.set_mode("swipe")
    fusion.set_opacity(0.3)
    colours, before = fusion.colour_map, fusion.volume
    volumes.show_error(key)
    assert (volumes.shown_error, volumes.overlay.kind) == (key, "error")
    assert (fusion.mode, fusion.opacity, fusion.is_error) == ("blend", 1.0, True)
    assert not fusion.links_windows, "two quantities need two windows"
    assert fusion.colour_map != view.colour_map
    assert volumes.pairing_note == ("", ""), "an image and its error need no note"
    # Values 0 to 9 with a relative standard deviation of 50 %.
    sd = view.volume.error.standard_deviation
    if key == SPREAD:
        assert (fusion.unit, np.nanmax(fusion.volume.values)) == ("counts/mm", sd.max())
        assert np.isnan(fusion.volume.values[sd == 0]).all(), "voxels without noise have an error"
        assert fusion.window[1] == pytest.approx(4.5, rel=0.02)
    else:
        assert fusion.unit == "%"
        least = min_value(view.volume)
        is_low = view.volume.values < least
        assert 0 < is_low.sum() < is_low.size
        np.testing.assert_array_equal(np.isnan(fusion.volume.values), is_low)
        assert np.nanmax(fusion.volume.values) == pytest.approx(50, rel=0.02)
    fusion.set_window(0, 2)
    volumes.show_error("")
    assert (fusion.volume, volumes.shown_error, fusion.is_error) == (before, "", False)
    assert (fusion.mode, fusion.opacity, fusion.colour_map) == ("swipe", 0.3, colours)
    volumes.show_error(key)
    assert fusion.window == (0, 2), "the user's window was not restored"


def test_error_follows_the_displayed_image(volumes, view):
    volumes.take_image(with_error(opened(IMAGE, scan="/a")))
    volumes.show_error(SPREAD)
    first = view.fusion.volume
    volumes.take_image(with_error(opened(IMAGE, scan="/a"), 0.2))
    assert view.fusion.volume is not first
    largest = [np.nanmax(each.values) for each in (view.fusion.volume, first)]
    assert largest[0] == pytest.approx(0.4 * largest[1], rel=0.02)
    volumes.take_image(opened(IMAGE, scan="/a"))
    assert view.fusion.volume is None and volumes.shown_error == ""
    volumes.take_image(with_error(opened(IMAGE, scan="/a")))
    assert volumes.shown_error == SPREAD
    volumes.swap()
    assert volumes.base.key == IMAGE, "the error became the base image"


def test_errors_cannot_be_compared_with_each_other(volumes, view):
    volumes.take_image(with_error(opened(IMAGE, scan="/a")))
    volumes.show_error(SPREAD)
    for mode in ("difference", "ratio", "significance"):
        assert view.fusion.obstacle(mode).startswith("Comparisons need a second image.")
    assert view.fusion.obstacle("swipe") == ""


def test_significance_needs_two_error_maps_of_known_relation(volumes, view):
    image = with_error(opened(IMAGE, scan="/a"))
    volumes.take_image(image)
    volumes.add(replace(with_error(opened("later", scan="/b")), key="later"))
    volumes.set_overlay("later")
    fusion = view.fusion
    assert fusion.obstacle("significance") == ""
    assert fusion.difference_errors.upper is not None, "independent noise gives two error terms"
    volumes.add(replace(image, key="again"))
    volumes.set_overlay("again")
    assert fusion.difference_errors.upper is None, "images of the same counts give one error term"
    # An image differs nowhere from itself.
    assert fusion.difference_errors.lower.values.max() == 0
    fewer = ErrorMap.of(image.volume.values, [image.volume.values] * 2, seed=1, counts="a")
    volumes.add(replace(image, key="fewer", volume=replace(image.volume, error=fewer)))
    volumes.set_overlay("fewer")
    assert "different replicates" in fusion.obstacle("significance")
    assert fusion.difference_errors is None
    volumes.add(opened("bare", scan="/b"))
    volumes.set_overlay("bare")
    assert "Both volumes need an error map." in fusion.obstacle("significance")
    other = with_error(opened("finer", OTHER, scan="/a"))
    volumes.add(other)
    volumes.set_overlay("finer")
    assert "with the same volume" in fusion.obstacle("significance")
    volumes.set_overlay("ct")
    assert "must have the same unit" in fusion.obstacle("significance")


def unplaced(key: str, **origin: str) -> OpenVolume:
    """Return a volume without a patient position."""
    entry = opened(key, **origin)
    return replace(entry, volume=replace(entry.volume, info={"axes": "xyz"}))


def test_stated_position_is_not_used_for_another_scan(view):
    """Both volumes have one grid, and neither states a patient position."""
    volumes = OpenVolumes(view)
    first = replace(unplaced(IMAGE, scan="/a"), run=1)
    volumes.take_image(first, refit=True)
    view.state_axes("RPI")
    volumes.take_image(replace(unplaced(IMAGE, scan="/a"), run=1))
    assert view.axes == "RPI", "the position was not used for the next image of the run"
    volumes.take_image(replace(unplaced(IMAGE, scan="/a"), run=2))
    assert view.axes == "RPI", "the position was not used for another run of the scan"
    volumes.take_image(replace(unplaced(IMAGE, scan="/b"), run=3))
    assert view.axes == "xyz" and not view.is_stated


def test_each_volume_returns_with_its_stated_position(view):
    volumes = OpenVolumes(view)
    volumes.take_image(replace(unplaced(IMAGE, scan="/a"), run=1))
    view.state_axes("RPI")
    volumes.add(unplaced("file:b"))
    volumes.set_base("file:b")
    assert view.axes == "xyz", "the position was used for a possibly different patient"
    view.state_axes("LPI")
    volumes.set_base(IMAGE)
    assert view.axes == "RPI"
    volumes.set_base("file:b")
    assert view.axes == "LPI"
