"""Tests of a uniform cylinder: its position under noise, and the error of its mean."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import ndimage

from engine.analysis.quality.cylinder import UprightCylinder, find_cylinder, mean_inside
from engine.analysis.regions.solids import CylinderRegion
from engine.core.errors import DataError
from engine.data.volume import Volume
from engine.geometry.grid import ImageGrid

GRID = ImageGrid((40, 50, 50), (4.0, 4.0, 5.0))


def image(noise: float, seed: int = 1, blur: float = 1.5) -> Volume:
    """Return a cylinder of 2 at (9, -14, 10) mm, radius 60 mm, length 130 mm, with PET noise."""
    empty = Volume(np.zeros(GRID.shape, np.float32), GRID, "")
    solid = CylinderRegion.upright((9.0, -14.0, 10.0), 120.0, 130.0).coverage(empty)
    share = solid.within((slice(0, 40), slice(0, 50), slice(0, 50)))
    rng = np.random.default_rng(seed)
    values = 2 * share + noise * rng.standard_normal(GRID.shape) * np.sqrt(share + 0.05)
    blurred = ndimage.gaussian_filter(values.astype(np.float32), blur) if blur else values
    return Volume(np.maximum(blurred, 0).astype(np.float32), GRID, "counts/mm")


@pytest.mark.parametrize("noise", [0.0, 1.0, 4.0])
def test_cylinder_is_found_at_its_position(noise: float) -> None:
    found = find_cylinder(image(noise))
    assert math.dist(found.centre_mm, (9.0, -14.0, 10.0)) < 1.5
    assert found.radius_mm == pytest.approx(60, abs=2.0)
    assert found.length_mm == pytest.approx(130, abs=5.0)


def test_noisy_voxels_do_not_shrink_the_cylinder() -> None:
    found = find_cylinder(image(3.0, blur=0.0))
    assert found.radius_mm == pytest.approx(60, abs=3.0)


def test_mean_inside_is_unaffected_by_blur() -> None:
    volume = image(0.0)
    found = mean_inside(volume, find_cylinder(volume).inner(GRID))
    assert found.mean == pytest.approx(2, rel=2e-3)


def test_error_of_the_mean_equals_the_spread_of_means() -> None:
    """With filtered noise, parts are correlated, so the error is up to a quarter too small."""
    inside = UprightCylinder((9.0, -14.0, 10.0), 45.0, 97.0)
    found = [mean_inside(image(1.0, seed), inside) for seed in range(60)]
    spread = np.std([each.mean for each in found], ddof=1)
    reported = np.sqrt(np.mean([each.error**2 for each in found]))
    assert 0.65 * spread < reported < 1.15 * spread


def test_image_without_a_cylinder_gives_one_sentence() -> None:
    empty = Volume(np.zeros(GRID.shape, np.float32), GRID, "counts/mm")
    with pytest.raises(DataError, match="no cylinder was found"):
        find_cylinder(empty)
    with pytest.raises(DataError, match="has 0 voxels, expected at least 24"):
        mean_inside(empty, UprightCylinder((900.0, 0.0, 0.0), 10.0, 10.0))
