"""Tests of PNG snapshots: the patient's sides are at the right positions, with letters."""

from __future__ import annotations

from dataclasses import replace
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from engine.data.volume import Volume
from engine.geometry.grid import ImageGrid
from engine.io import save
from engine.io.raster.png import centroid_mm, panels, snapshot

GRID = ImageGrid((9, 11, 13), (2.0, 2.0, 3.0))


def image(data: bytes) -> np.ndarray:
    return np.asarray(Image.open(BytesIO(data)))


def point_source(x: float, y: float, z: float) -> Volume:
    values = np.zeros(GRID.shape, np.float32)
    values[GRID.index_of((x, y, z))] = 1
    return Volume(values, GRID, "counts/mm")


def hot_pixel(pixels: np.ndarray) -> tuple[int, int]:
    row, column = np.unravel_index(pixels.argmax(), pixels.shape)
    return int(row), int(column)


def test_axial_slice_shows_left_on_the_right_and_back_below() -> None:
    """The view is from the feet: the patient's left is on the right, the back is below."""
    left_back = (8.0, 6.0, 0.0)
    axial = panels(point_source(*left_back), left_back)[0]
    row, column = hot_pixel(axial.pixels)
    assert (row > 11 // 2, column > 13 // 2) == (True, True)
    assert axial.letters == tuple("RLAP")


def test_head_is_up_in_coronal_sagittal_and_projection() -> None:
    head = (8.0, 6.0, 9.0)
    _, coronal, sagittal, projection = panels(point_source(*head), head)
    for panel, letters in ((coronal, "RLHF"), (sagittal, "APHF"), (projection, "RLHF")):
        row, column = hot_pixel(panel.pixels)
        assert row < 9 // 2
        # the patient's left (coronal) or back (sagittal) is on the right
        assert column > panel.pixels.shape[1] // 2
        assert panel.letters == tuple(letters)


def test_panels_have_the_size_in_millimetres() -> None:
    shown = panels(point_source(0, 0, 0), (0.0, 0.0, 0.0))
    assert [p.size_mm for p in shown] == [(22, 26), (27, 26), (27, 22), (27, 26)]


def test_point_outside_shows_the_nearest_slice() -> None:
    axial = panels(point_source(0, 0, 12), (0.0, 0.0, 1000.0))[0]
    assert axial.pixels.max() == 1


def test_slices_cross_in_the_centre_of_the_object() -> None:
    np.testing.assert_allclose(centroid_mm(point_source(8, 6, 9)), (8, 6, 9))
    empty = replace(point_source(0, 0, 0), values=np.zeros(GRID.shape, np.float32))
    assert centroid_mm(empty) == GRID.centre_mm


def test_activity_is_dark_on_white() -> None:
    volume = Volume(np.ones(GRID.shape, np.float32), GRID, "counts/mm")
    blank = replace(volume, values=np.zeros(GRID.shape, np.float32))
    dark, white = image(snapshot(volume, upper=1.0)), image(snapshot(blank, upper=1.0))
    assert np.mean(dark) < np.mean(white) - 50
    assert white[0, 0] == 255


@pytest.mark.parametrize(("unit", "none"), [("1/mm", 0.0), ("1/pixel", 0.0), ("HU", -1000.0)])
def test_attenuation_is_bright_on_black(unit: str, none: float) -> None:
    much = Volume(np.full(GRID.shape, none + 1.0, np.float32), GRID, unit)
    air = replace(much, values=np.full(GRID.shape, none, np.float32))
    bright, black = (image(snapshot(v, upper=none + 1.0)) for v in (much, air))
    assert np.mean(bright) > np.mean(black) + 50


def test_letters_scale_and_warning_are_drawn() -> None:
    """The footer and the margins are drawn although the volume is empty."""
    empty = Volume(np.zeros(GRID.shape, np.float32), GRID, "counts/mm")
    page = image(snapshot(empty))
    footer = page[-44:]
    thirds = np.array_split(footer, 3, axis=1)
    assert all((third < 100).sum() > 100 for third in thirds)
    above_the_axial_slice = page[40:66, 220:256]
    assert (above_the_axial_slice < 100).any()


def test_unit_is_part_of_the_image() -> None:
    one = point_source(0, 0, 0)
    other = replace(one, unit="Bq/mL")
    assert snapshot(one) != snapshot(other)


def test_same_volume_gives_the_same_bytes(tmp_path: Path, phantom: Volume) -> None:
    save(phantom, tmp_path / "a.png")
    save(phantom, tmp_path / "b.png")
    assert (tmp_path / "a.png").read_bytes() == (tmp_path / "b.png").read_bytes()


@pytest.mark.parametrize("shape", [(1, 1, 1), (1, 50, 2), (300, 1, 1)])
def test_thin_volumes_can_be_shown(shape: tuple[int, int, int]) -> None:
    grid = ImageGrid(shape, (1.0, 1.0, 1.0))
    assert snapshot(Volume(np.zeros(shape, np.float32), grid, ""))


def test_head_is_at_the_top_if_z_points_to_the_feet() -> None:
    grid = ImageGrid((4, 4, 4), (1.0, 1.0, 1.0))
    values = np.ones(grid.shape, np.float32)
    values[0] = 5.0
    for axes, row in (("LPS", 3), ("LPI", 0)):
        shown = panels(Volume(values, grid, "counts/mm", {"axes": axes}), (0.0, 0.0, 0.0))
        assert ["".join(panel.letters[2:]) for panel in shown] == ["AP", "HF", "HF", "HF"]
        for panel in shown[1:]:
            assert panel.pixels[row].min() == 5.0


def test_axes_are_named_if_the_patient_position_is_unknown() -> None:
    grid = ImageGrid((4, 4, 4), (1.0, 1.0, 1.0))
    values = np.ones(grid.shape, np.float32)
    shown = panels(Volume(values, grid, "1/mm", {"axes": "xyz"}), (0.0, 0.0, 0.0))
    assert shown[0].letters == ("−x", "+x", "−y", "+y")
    assert [panel.letters[2:] for panel in shown[1:]] == [("+z", "−z")] * 3
