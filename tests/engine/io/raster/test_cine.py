"""Tests of slice films, read frame by frame with Pillow."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image, ImageSequence

from engine.data.volume import Volume
from engine.geometry.grid import ImageGrid
from engine.io import read_volume, save
from engine.io.raster.cine import FRAME_MS, MAX_FRAMES, cine, shown_slices
from engine.io.raster.png import MARGIN_PX, PANEL_PX

GRID = ImageGrid((6, 8, 8), (2.0, 2.0, 2.0))


def frames(path: Path) -> list[np.ndarray]:
    with Image.open(path) as film:
        assert film.info["duration"] == FRAME_MS
        return [np.asarray(each.convert("L"), float) for each in ImageSequence.Iterator(film)]


def test_every_slice_is_one_frame_in_order(tmp_path: Path) -> None:
    values = np.zeros(GRID.shape, np.float32)
    for i_z in range(6):
        values[i_z, 4, 1 + i_z] = 1.0  # the mark moves to the patient's left from slice to slice
    save(Volume(values, GRID, "counts/mm"), tmp_path / "a.gif")
    shown = frames(tmp_path / "a.gif")
    assert len(shown) == 6
    inner = slice(MARGIN_PX + 2, MARGIN_PX + PANEL_PX - 2)
    darkest = [np.argmin(frame[inner, inner].min(axis=0)) for frame in shown]
    expected = (np.arange(6) + 1.5) * PANEL_PX / 8
    assert np.abs(darkest - expected).max() < PANEL_PX / 16


def test_mark_next_to_the_projection_rises_with_the_slice(tmp_path: Path) -> None:
    save(Volume(np.ones(GRID.shape, np.float32), GRID, "1/mm"), tmp_path / "a.gif")
    step = PANEL_PX + 2 * MARGIN_PX
    rows = [
        np.argmin(frame[:step, step + 6 : step + 14].mean(axis=1))
        for frame in frames(tmp_path / "a.gif")
    ]
    assert (np.diff(rows) < 0).all()
    # 12 mm of the 16 mm square, from centre to centre 5/8
    assert np.ptp(rows) == pytest.approx(5 / 8 * PANEL_PX, abs=3)


def test_frames_of_many_slices_are_selected_evenly() -> None:
    assert shown_slices(3) == [0, 1, 2]
    chosen = shown_slices(1000)
    assert len(chosen) == MAX_FRAMES and chosen[0] == 0 and chosen[-1] == 999
    assert set(np.diff(chosen)) <= {4, 5}


@pytest.mark.parametrize("shape", [(1, 1, 1), (1, 50, 2), (30, 1, 1)])
def test_film_of_a_thin_volume_is_written(shape: tuple[int, int, int]) -> None:
    grid = ImageGrid(shape, (1.0, 1.0, 1.0))
    volume = Volume(np.zeros(shape, np.float32), grid, "")
    assert cine(volume) == cine(volume)


def test_film_is_refused_as_a_volume(tmp_path: Path) -> None:
    save(Volume(np.ones(GRID.shape, np.float32), GRID, "HU"), tmp_path / "a.gif")
    with pytest.raises(Exception, match=r"not supported\. Format: GIF image\."):
        read_volume(tmp_path / "a.gif")
