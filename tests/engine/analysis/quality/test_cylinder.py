"""A uniform cylinder is found where it is, whatever the noise, and its mean has an honest error."""

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
    """A cylinder of 2 at (9, -14, 10) mm, 60 mm in radius and 130 mm long; noise as PET has it."""
    empty = Volume(np.zeros(GRID.shape, np.float32), GRID, "")
    solid = CylinderRegion.upright((9.0, -14.0, 10.0), 120.0, 130.0).coverage(empty)
    share = solid.within((slice(0, 40), slice(0, 50), slice(0, 50)))
    rng = np.random.default_rng(seed)
    values = 2 * share + noise * rng.standard_normal(GRID.shape) * np.sqrt(share + 0.05)
    blurred = ndimage.gaussian_filter(values.astype(np.float32), blur) if blur else values
    return Volume(np.maximum(blurred, 0).astype(np.float32), GRID, "counts/mm")


@pytest.mark.parametrize("noise", [0.0, 1.0, 4.0])
def test_it_is_found_where_it_is(noise: float) -> None:
    found = find_cylinder(image(noise))
    assert math.dist(found.centre_mm, (9.0, -14.0, 10.0)) < 1.5
    assert found.radius_mm == pytest.approx(60, abs=2.0)
    assert found.length_mm == pytest.approx(130, abs=5.0)


def test_single_voxels_of_much_noise_do_not_make_it_smaller() -> None:
    found = find_cylinder(image(3.0, blur=0.0))
    assert found.radius_mm == pytest.approx(60, abs=3.0)


def test_well_inside_nothing_blurs_into_the_mean() -> None:
    volume = image(0.0)
    found = mean_inside(volume, find_cylinder(volume).inner(GRID))
    assert found.mean == pytest.approx(2, rel=2e-3)


def test_the_error_of_the_mean_is_as_large_as_means_spread() -> None:
    """60 images of noise after a filter: parts that share a side make it up to a quarter small."""
    inside = UprightCylinder((9.0, -14.0, 10.0), 45.0, 97.0)
    found = [mean_inside(image(1.0, seed), inside) for seed in range(60)]
    spread = np.std([each.mean for each in found], ddof=1)
    told = np.sqrt(np.mean([each.error**2 for each in found]))
    assert 0.65 * spread < told < 1.15 * spread


def test_an_image_without_one_is_a_sentence() -> None:
    empty = Volume(np.zeros(GRID.shape, np.float32), GRID, "counts/mm")
    with pytest.raises(DataError, match="no cylinder was found"):
        find_cylinder(empty)
    with pytest.raises(DataError, match="has 0 voxels, expected at least 24"):
        mean_inside(empty, UprightCylinder((900.0, 0.0, 0.0), 10.0, 10.0))
