"""Tests of the state that linked views share."""

import numpy as np
import pytest

from app.views.slices.start_cursor import centre_of_activity, initial_cursor, shows_something
from app.views.state import ViewState
from app.views.volume_facts import facts_of
from engine.data.volume import Volume
from engine.geometry.grid import ImageGrid

GRID = ImageGrid((10, 12, 14), (2.0, 2.0, 2.0))


def volume(values, unit="counts/mm", grid=GRID):
    return Volume(np.broadcast_to(np.float32(values), grid.shape).copy(), grid, unit)


@pytest.fixture
def hot_spot():
    image = volume(0)
    image.values[2, 3, 4] = 7
    return image


@pytest.fixture
def fresh(qapp):
    return ViewState()


def test_first_volume_puts_the_cursor_on_the_activity(fresh, hot_spot):
    fresh.set_volume(hot_spot)
    assert fresh.cursor_mm == (-5.0, -5.0, -5.0)
    assert fresh.value_at_cursor() == 7


def test_volume_without_activity_puts_the_cursor_in_the_middle():
    assert centre_of_activity(volume(0)) == GRID.centre_mm
    assert centre_of_activity(volume(np.nan)) == GRID.centre_mm


def test_cursor_starts_at_the_brighter_of_two_sources():
    two = volume(0)
    two.values[2, 3, 4], two.values[7, 9, 10] = 7, 9
    top = facts_of(two).bright_top
    point = initial_cursor(two, top)
    assert not shows_something(two, centre_of_activity(two), top)
    assert shows_something(two, point, top) and two.values[GRID.index_of(point)] == 9
    even = volume(1)
    assert shows_something(even, GRID.centre_mm, facts_of(even).bright_top)


@pytest.mark.parametrize("value", [0, -1, np.nan, np.inf])
def test_cursor_has_a_position_in_an_empty_volume(value):
    shown = volume(value)
    assert initial_cursor(shown, facts_of(shown).bright_top) is not None


def test_live_update_keeps_cursor_and_window(fresh, hot_spot):
    fresh.set_volume(hot_spot)
    fresh.set_cursor((3.0, 1.0, -1.0))
    fresh.set_window(0.0, 2.5)
    fresh.set_volume(volume(100))
    assert fresh.cursor_mm == (3.0, 1.0, -1.0)
    assert fresh.window == (0.0, 2.5)


@pytest.mark.parametrize(
    "other",
    [volume(100, grid=ImageGrid((10, 12, 14), (3.0, 2.0, 2.0))), volume(100, unit="SUVbw")],
)
def test_new_grid_or_unit_resets_the_view(fresh, hot_spot, other):
    fresh.set_volume(hot_spot)
    fresh.set_window(0.0, 2.5)
    fresh.set_volume(other)
    assert fresh.window == (0.0, 100.0)


def test_window_is_reset_on_request(fresh, hot_spot):
    fresh.set_volume(hot_spot)
    fresh.set_volume(volume(100), keep_window=False)
    assert fresh.window == (0.0, 100.0)


def test_cursor_stays_inside_the_volume(fresh, hot_spot):
    fresh.set_volume(hot_spot)
    fresh.set_cursor((1e9, -1e9, 0.0))
    assert fresh.cursor_mm == (13.0, -11.0, 0.0)


def test_step_ends_at_the_next_voxel_centre(fresh, hot_spot):
    fresh.set_volume(hot_spot)
    fresh.set_cursor((0.3, 0.3, 0.3))
    fresh.step_cursor(0, 1)
    fresh.step_cursor(2, -1)
    assert fresh.cursor_mm == pytest.approx((3.0, 0.3, -1.0))


def test_signals_are_sent_only_for_changes(fresh, hot_spot, qtbot):
    fresh.set_volume(hot_spot)
    with qtbot.assertNotEmitted(fresh.cursor_changed), qtbot.assertNotEmitted(fresh.window_changed):
        fresh.set_cursor(fresh.cursor_mm)
        fresh.set_window(*fresh.window)
    with qtbot.waitSignals([fresh.cursor_changed, fresh.window_changed], timeout=1000):
        fresh.set_cursor((0.0, 0.0, 0.0))
        fresh.set_window(0.0, 1.0)


def test_activity_opens_in_inverted_grey_and_ct_in_grey(fresh):
    fresh.set_volume(volume(1))
    assert fresh.colour_map == "grey_inverted"
    fresh.set_volume(volume(1, unit="HU"))
    assert fresh.colour_map == "grey"


def test_chosen_colour_map_stays_for_the_next_volume(fresh):
    fresh.set_volume(volume(1))
    fresh.set_colour_map("hot")
    fresh.set_volume(volume(1, unit="HU"))
    assert fresh.colour_map == "hot"


def test_difference_map_has_a_symmetric_window(fresh, hot_spot):
    fresh.set_volume(hot_spot)
    fresh.set_colour_map("difference")
    assert fresh.window == (-7.0, 7.0)
    fresh.set_colour_map("viridis")
    assert fresh.window == (0.0, 7.0)


def test_state_without_a_volume_ignores_all_actions(fresh):
    fresh.auto_window()
    fresh.step_cursor(0, 1)
    fresh.reset()
    assert fresh.value_at_cursor() is None
    assert fresh.window_presets() == []
    assert fresh.unit == ""
