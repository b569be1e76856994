"""Tests of thumbnails: position and grey values of the object."""

from __future__ import annotations

from io import BytesIO

import numpy as np
import pytest
from PIL import Image

from engine.data.volume import Volume
from engine.geometry.grid import ImageGrid
from engine.results.thumbnail import EDGE_PX, thumbnail


def pixels(volume: Volume) -> np.ndarray:
    with Image.open(BytesIO(thumbnail(volume))) as image:
        return np.asarray(image)


def ball(shape, unit: str) -> Volume:
    """Return a volume with one filled corner, at the head end on the patient's left."""
    values = np.zeros(shape, np.float32)
    values[shape[0] // 2 :, :, shape[2] // 2 :] = 1
    return Volume(values, ImageGrid(shape, (2.0, 2.0, 2.0)), unit)


@pytest.mark.parametrize("shape", [(20, 20, 20), (600, 4, 600)])
def test_activity_is_black_and_the_head_is_up(shape):
    image = pixels(ball(shape, "counts/mm"))
    half = EDGE_PX // 2
    assert image[:half, half:].mean() < 20 and image[half:, :half].mean() > 235


def test_ct_is_white_on_black():
    image = pixels(ball((20, 20, 20), "1/mm"))
    assert image[:, EDGE_PX // 2 :].mean() > 235 and image[:, : EDGE_PX // 2].mean() < 20


def test_empty_volume_has_a_thumbnail():
    grid = ImageGrid((2, 3, 1), (1.0, 1.0, 9.0))
    assert pixels(Volume(np.zeros(grid.shape, np.float32), grid, "HU")).shape == (EDGE_PX, EDGE_PX)
