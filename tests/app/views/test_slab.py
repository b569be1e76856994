"""Tests of slabs: maximum, mean, minimum, thickness, and the text in the views."""

from __future__ import annotations

import gc
import weakref

import numpy as np
import pytest

from app.views.planes.placing import VolumePlacing
from app.views.slices.slab import Slab, SlabCutter
from app.views.slices.slice_view import SliceView
from engine.data.volume import Volume
from engine.geometry import PLANES, orientation
from engine.geometry.grid import ImageGrid

GRID = ImageGrid((40, 30, 26), (1.0, 2.0, 1.5))
LAWS = {"highest": np.max, "mean": np.mean, "lowest": np.min}
THICK = {"axial": "MIP of 7.5 mm", "coronal": "MIP of 10.0 mm", "sagittal": "MIP of 9.0 mm"}
"""Number of slices of a slab of 9 mm, for each plane."""


@pytest.fixture
def noise(rng) -> Volume:
    return Volume(rng.random(GRID.shape, np.float32), GRID, "HU")


@pytest.mark.parametrize("axis", [0, 1, 2])
@pytest.mark.parametrize("kind", LAWS)
def test_each_pixel_is_the_maximum_mean_or_minimum_along_its_line(noise, kind, axis):
    cutter, slab = SlabCutter(), Slab(kind, 25.0)
    for index in (0, 11, 12, GRID.shape[2 - axis] - 1):  # consecutive slices, like with the wheel
        expected = slab.range(GRID, axis, index)
        part = np.take(noise.values, list(expected), axis=2 - axis).astype(float)
        found = cutter.cut(noise, axis, index, slab)
        law = LAWS[kind](part, axis=2 - axis, keepdims=True)
        np.testing.assert_allclose(found, law, rtol=1e-6)  # float32 sums of eight slices


def test_slab_thickness_is_a_whole_number_of_slices():
    grid = ImageGrid((100, 100, 100), (1.0, 2.0, 3.27))
    assert Slab("mean", 10.0).range(grid, 1, 50) == range(48, 53)
    assert Slab("mean", 10.0).range(grid, 2, 50) == range(49, 52)
    assert Slab("mean", 0.1).range(grid, 0, 50) == range(50, 51)
    assert Slab("mean", 10.0).range(grid, 1, 1) == range(4), "the slab extends beyond the volume"
    assert Slab().range(grid, 1, 50) == range(50, 51)


def test_maximum_and_minimum_ignore_nan(noise):
    values = noise.values.copy()
    values[20, 5, 5] = np.nan
    found = SlabCutter().cut(Volume(values, GRID, "HU"), 2, 20, Slab("highest", 9.0))
    assert not np.isnan(found).any()


@pytest.mark.parametrize("plane", PLANES)
def test_views_show_the_slab_of_both_volumes_and_its_thickness(qapp, state, noise, plane):
    state.set_volume(noise)
    view, orientation_ = SliceView(state, plane), orientation(plane)
    state.fusion.set_second_volume(noise, VolumePlacing(), "the same")
    state.set_slab(Slab("highest", 9.0))
    found = view._upper.values(orientation_, view.raster.values, view.raster.rect, state.cursor_mm)[
        0
    ]
    np.testing.assert_array_equal(found, view.raster.values)
    assert (view.raster.values >= orientation_.extract(noise.values, view._shown_index)).all()
    assert THICK[plane] in view.caption()
    state.fusion.set_mode("difference")
    np.testing.assert_array_equal(
        view.raster.values, orientation_.extract(noise.values, view._shown_index)
    )
    assert view.note() == "compared slice by slice"


def test_toggling_restores_the_same_slab(state):
    state.set_slab(Slab("lowest", 20.0))
    state.toggle_slab()
    assert not state.slab.kind
    state.toggle_slab()
    assert state.slab == Slab("lowest", 20.0)


def test_hidden_volume_is_not_held_in_memory(qapp, state, sided, rng):
    views = [SliceView(state, plane) for plane in PLANES]
    volume = Volume(rng.random(GRID.shape, np.float32), GRID, "HU")
    state.set_volume(volume)
    state.fusion.set_second_volume(volume, VolumePlacing(), "the same")
    state.set_slab(Slab("highest", 9.0))
    for view in views:
        view._upper.values(view.orientation, view.raster.values, view.raster.rect)
    reference = weakref.ref(volume)
    state.fusion.set_second_volume(None, VolumePlacing(), "")
    state.set_volume(sided)
    del volume
    gc.collect()
    assert reference() is None
