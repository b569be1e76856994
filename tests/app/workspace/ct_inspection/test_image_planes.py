"""Tests of oblique slices of the displayed image."""

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
    """Return A x + b y + c z, which is linear between voxels."""
    z, y, x = np.meshgrid(*(grid.centres_mm(axis) for axis in (2, 1, 0)), indexing="ij")
    a, b, c = SLOPES
    return Volume((a * x + b * y + c * z + more).astype(np.float32), grid, "counts/mm")


@pytest.fixture
def page(qtbot, controls):
    new_page = PlanesPage(ImagePlaneReader(controls.session, controls.commands), lambda shown: None)
    new_page.reader, new_page.view = new_page._reader, controls.session.view
    qtbot.addWidget(new_page)
    new_page.resize(700, 500)
    new_page.show()
    yield new_page
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
    assert not axial[[0, -1]].any(), "the area outside the image is not empty"


def test_outside_a_ct_image_is_air():
    plane = Plane((40, 40), 2.0, GRID.centre_mm)
    (slices,) = VolumeSlices(replace(sloping(), unit="HU")).values([plane])
    assert (slices[[0, -1]] == -1000).all()


def test_turned_slice_interpolates_between_voxels():
    plane = Plane((4, 5), 1.3, (1.5, -2.5, 3.5)).turned((1.0, 2.0, -0.5), 0.6)
    (slices,) = VolumeSlices(sloping()).values([plane])
    rows, columns = np.indices(plane.shape)
    voxels = np.stack([columns + 0.5, rows + 0.5, np.full(plane.shape, 0.5)], -1)
    points = voxels @ plane.to_mm[:3, :3].T + plane.to_mm[:3, 3]
    np.testing.assert_allclose(slices, points @ np.array(SLOPES), atol=1e-5)


def test_new_image_keeps_the_planes_and_a_new_grid_resets_them(qtbot, page):
    page.view.set_volume(sloping())
    wait(qtbot, page)
    page.views.scene.turn((1.0, 0.0, 0.0), 0.3)
    turned = page.views.placement.planes
    wait(qtbot, page)
    before = page.reader.newest.values[0]
    page.view.set_volume(sloping(more=7.0))
    qtbot.waitUntil(lambda: page.reader.newest.values[0] is not before, timeout=10_000)
    wait(qtbot, page)
    assert page.views.slices[0].state.window[1] > 7, "the window did not follow the new image"
    page.views.slices[1].state.set_window(1.0, 2.0)
    inside_image = before != 0
    np.testing.assert_allclose(
        page.reader.newest.values[0][inside_image], before[inside_image] + 7, atol=1e-4
    )
    assert page.views.placement.planes == turned
    page.view.set_volume(sloping(more=70.0))
    wait(qtbot, page)
    assert page.views.slices[0].state.window == (1.0, 2.0), (
        "the new image changed the user's window"
    )
    page.view.set_volume(sloping(ImageGrid((5, 6, 7), (3.0, 3.0, 3.0))))
    wait(qtbot, page)
    assert page.views.placement.planes != turned


def test_image_loaded_while_hidden_removes_the_slices_of_the_last_one(qtbot, page):
    page.view.set_volume(sloping())
    wait(qtbot, page)
    page.hide()
    page.view.set_volume(sloping(more=7.0))
    assert page.reader.newest is None
    assert all(view.state.volume is None for view in page.views.slices)


def test_saved_slices_state_their_image_by_pseudonym(tmp_path):
    slices = VolumeSlices(sloping())
    provenance = slices.provenance(tmp_path / "Doe Jane.h5", slices.first_planes())
    assert "Jane" not in str(provenance)
    assert len(provenance["planes"]) == 3 and len(provenance["image"]["values_sha256"]) == 64
