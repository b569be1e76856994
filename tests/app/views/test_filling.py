"""Test that views use the layout with the least empty space."""

from __future__ import annotations

import numpy as np
import pytest

from app.views.filling import covered, halves, main_share
from app.views.slices.ortho_view import OrthoView
from app.views.state import ViewState
from engine.data.volume import Volume
from engine.geometry import Rect
from engine.geometry.grid import ImageGrid

SIZE = (1380.0, 700.0)


def rects(x: float, y: float, z: float) -> tuple[Rect, ...]:
    """Return the areas of axial, coronal, sagittal and projection of a volume [mm]."""
    return tuple(Rect(0, 0, *each) for each in ((x, y), (x, z), (y, z), (max(x, y), z)))


def test_covered_area_follows_the_common_scale():
    cells = ((152.0, 152.0), (152.0, 252.0))
    both = (Rect(0, 0, 100, 50), Rect(0, 0, 50, 100))
    assert covered(both, cells, 26.0) == pytest.approx(10000.0), (
        "the first image limits the scale of both to 1"
    )


def test_higher_row_gets_the_higher_images():
    column, row = halves(rects(600, 600, 220), SIZE, 26.0)
    assert row > 50 and 40 <= column <= 60
    assert halves(rects(300, 300, 300), SIZE, 26.0) == (50, 50), "equal images have unequal views"


def test_large_view_is_as_wide_as_its_image_needs():
    small = (Rect(0, 0, 400, 300),) * 3
    wide, narrow = (main_share(Rect(0, 0, w, 400), small, SIZE, 26.0) for w in (1000, 200))
    assert wide > narrow


def shown(qapp, show, shape) -> tuple[OrthoView, float]:
    """Return the views of a volume, and the share that its images cover."""
    state = ViewState()
    grid = ImageGrid(shape, (10.0, 10.0, 10.0))
    state.set_volume(Volume(np.ones(shape, np.float32), grid, "kBq/mL"))
    views = show(OrthoView(state), 1380, 740)
    qapp.processEvents()
    images = 0.0
    for view in views.views:
        rect, viewport = view.image_rect(state.volume), view.viewport
        # No image is cut.
        assert rect.width * viewport.px_per_mm <= view.width()
        assert rect.height * viewport.px_per_mm <= view.height()
        images += rect.width * rect.height * viewport.px_per_mm**2
    return views, images / (views.panes.width() * views.panes.height())


def test_tall_images_are_in_one_row_and_flat_ones_two_by_two(qapp, show):
    tall, share = shown(qapp, show, (100, 60, 60))
    assert len({view.y() for view in tall.views}) == 1 and share > 0.45
    flat, share = shown(qapp, show, (22, 60, 60))
    assert len({view.y() for view in flat.views}) == 2 and share > 0.3
    for views in (tall, flat):
        assert len({round(view.viewport.px_per_mm, 3) for view in views.slices}) == 1


def test_new_volume_changes_the_order(qapp, show):
    views, _ = shown(qapp, show, (100, 60, 60))
    grid = ImageGrid((22, 60, 60), (10.0, 10.0, 10.0))
    views.state.set_volume(Volume(np.ones(grid.shape, np.float32), grid, "kBq/mL"))
    qapp.processEvents()
    assert len({view.y() for view in views.views}) == 2
