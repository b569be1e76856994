"""Regions of interest weigh voxels by their share inside."""

from __future__ import annotations

import numpy as np
import pytest

from engine.data.volume import Volume
from engine.errors import GeometryError
from engine.geometry.grid import ImageGrid
from engine.quality import roi

GRID = ImageGrid((20, 30, 40), (1.5, 2.0, 2.5), (4.0, -2.0, 1.0))


def ramp() -> Volume:
    """3 + x / 10."""
    x = 3 + GRID.centres_mm(0) / 10
    return Volume(np.broadcast_to(x, GRID.shape).astype(np.float32), GRID, "counts/mm")


@pytest.mark.parametrize(
    ("weights", "volume_mm3"),
    [
        (roi.sphere(GRID, (8.0, 0.0, 2.0), 20.0), 4 / 3 * np.pi * 1000),
        (roi.cylinder(GRID, (8.0, 0.0, 2.0), 20.0, 15.0), np.pi * 100 * 15),
        (roi.box(GRID, (8.0, 0.0, 2.0), (10.0, 13.0, 9.0)), 10 * 13 * 9),
    ],
    ids=["sphere", "cylinder", "box"],
)
def test_a_region_on_a_ramp(weights: np.ndarray, volume_mm3: float) -> None:
    found = roi.measure(ramp(), weights)
    assert found.mean == pytest.approx(3.8, rel=2e-3)
    # a region sampled at 5 points along each edge
    assert found.volume_mm3 == pytest.approx(volume_mm3, rel=0.03)


def test_spread_of_a_ramp_in_a_box() -> None:
    found = roi.measure(ramp(), roi.box(GRID, (4.0, -2.0, 1.0), (30.0, 20.0, 10.0)))
    # 20 whole voxels of 1.5 mm: uniform steps of 0.15
    assert found.sd == pytest.approx(0.15 * np.sqrt((20**2 - 1) / 12), rel=1e-4)
    assert (found.least, found.most) == pytest.approx((3.4 - 1.425, 3.4 + 1.425), rel=1e-4)


def test_a_region_smaller_than_a_voxel_still_measures() -> None:
    assert roi.mean(ramp(), roi.sphere(GRID, (4.6, -2.9, 2.2), 0.6)) == pytest.approx(3.475, 0.03)


def test_a_region_outside_is_refused() -> None:
    with pytest.raises(GeometryError, match="outside the image"):
        roi.measure(ramp(), roi.sphere(GRID, (200.0, 0.0, 0.0), 10.0))


def test_a_region_of_another_grid_is_refused() -> None:
    with pytest.raises(GeometryError, match="on the image's grid"):
        roi.measure(ramp(), np.ones((2, 2, 2), np.float32))
