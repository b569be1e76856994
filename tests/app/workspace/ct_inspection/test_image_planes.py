"""Slices of any orientation of an image on show: its own values, and not those of another."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from app.state.services.image_plane_reader import ImagePlaneReader
from app.workspace.ct_inspection.planes_page import PlanesPage
from engine.data.volume import Volume
from engine.geometry.grid import ImageGrid
from engine.geometry.plane import Plane
from engine.results.volume_slices import VolumeSlices

GRID = ImageGrid((9, 11, 13), (2.0, 2.0, 2.0), (1.0, -2.0, 3.0))
SLOPES = (0.5, -0.25, 2.0)


def sloping(grid: ImageGrid = GRID, more: float = 0.0) -> Volume:
    """A x + b y + c z, which is linear between voxels wherever one looks."""
    z, y, x = np.meshgrid(*(grid.centres_mm(axis) for axis in (2, 1, 0)), indexing="ij")
    a, b, c = SLOPES
    return Volume((a * x + b * y + c * z + more).astype(np.float32), grid, "counts/mm")


@pytest.fixture
def page(qtbot, controls):
    made = PlanesPage(ImagePlaneReader(controls.session, controls.commands), lambda shown: None)
    made.reader, made.view = made._reader, controls.session.view
    qtbot.addWidget(made)
    made.resize(700, 500)
    made.show()
    yield made
    qtbot.waitUntil(lambda: not controls.commands.is_busy, timeout=10_000)


def wait(qtbot, page) -> None:
    def is_there() -> bool:
        newest, placement = page.reader.newest, page.views.placement
        return (
            not page.reader.is_working
            and newest is not None
            and placement is not None
            and newest.planes == placement.planes
        )

    qtbot.waitUntil(is_there, timeout=10_000)


def test_first_slices_are_those_of_the_voxels(qtbot, page):
    page.view.set_volume(sloping())
    wait(qtbot, page)
    axial = page.reader.newest.values[0]
    inside = axial[1:-1]
    np.testing.assert_array_equal(inside, page.view.volume.values[4])
    assert not axial[[0, -1]].any(), "beside the image there is nothing"


def test_beside_a_ct_there_is_air_and_not_water():
    plane = Plane((40, 40), 2.0, GRID.centre_mm)
    (made,) = VolumeSlices(replace(sloping(), unit="HU")).values([plane])
    assert (made[[0, -1]] == -1000).all()


def test_a_turned_slice_has_the_values_between_voxels():
    plane = Plane((4, 5), 1.3, (1.5, -2.5, 3.5)).turned((1.0, 2.0, -0.5), 0.6)
    (made,) = VolumeSlices(sloping()).values([plane])
    rows, columns = np.indices(plane.shape)
    voxels = np.stack([columns + 0.5, rows + 0.5, np.full(plane.shape, 0.5)], -1)
    points = voxels @ plane.to_mm[:3, :3].T + plane.to_mm[:3, 3]
    np.testing.assert_allclose(made, points @ np.array(SLOPES), atol=1e-5)


def test_another_image_takes_the_place_and_another_grid_begins_anew(qtbot, page):
    page.view.set_volume(sloping())
    wait(qtbot, page)
    page.views.scene.turn((1.0, 0.0, 0.0), 0.3)
    turned = page.views.placement.planes
    wait(qtbot, page)
    before = page.reader.newest.values[0]
    page.view.set_volume(sloping(more=7.0))
    qtbot.waitUntil(lambda: page.reader.newest.values[0] is not before, timeout=10_000)
    wait(qtbot, page)
    assert page.views.slices[0].state.window[1] > 7, "the window follows"
    page.views.slices[1].state.set_window(1.0, 2.0)
    seen = before != 0
    np.testing.assert_allclose(page.reader.newest.values[0][seen], before[seen] + 7, atol=1e-4)
    assert page.views.placement.planes == turned
    page.view.set_volume(sloping(more=70.0))
    wait(qtbot, page)
    assert page.views.slices[0].state.window == (1.0, 2.0), "the user has set it"
    page.view.set_volume(sloping(ImageGrid((5, 6, 7), (3.0, 3.0, 3.0))))
    wait(qtbot, page)
    assert page.views.placement.planes != turned


def test_an_image_that_nobody_looks_at_leaves_nothing_of_the_one_before(qtbot, page):
    page.view.set_volume(sloping())
    wait(qtbot, page)
    page.hide()
    page.view.set_volume(sloping(more=7.0))
    assert page.reader.newest is None
    assert all(view.state.volume is None for view in page.views.slices)


def test_what_is_kept_says_what_it_is_of(tmp_path):
    slices = VolumeSlices(sloping())
    said = slices.provenance(tmp_path / "Doe Jane.h5", slices.first_planes())
    assert "Jane" not in str(said)
    assert len(said["planes"]) == 3 and len(said["image"]["values_sha256"]) == 64
