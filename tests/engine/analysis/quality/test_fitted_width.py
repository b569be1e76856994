"""Tests of fitted widths: known Gaussians at any position within a voxel, and no peaks."""

from __future__ import annotations

import numpy as np
import pytest

from engine.analysis.quality.fitted_width import PeakWidth, peak_width
from engine.analysis.quality.line_profile import profile_along
from engine.data.volume import Volume
from engine.geometry.grid import ImageGrid, Point
from engine.geometry.tof import FWHM_PER_SIGMA

GRID = ImageGrid((25, 25, 25), (1.0, 1.0, 1.0))
ALONG = {"x": (1.0, 0.0, 0.0), "diagonal": (1.0, 1.0, 1.0)}


def point(fwhm_mm: float, at: Point, ground: float = 0.0, noise: float = 0.0) -> Volume:
    """Return a Gaussian with a separate width along each axis."""
    sigma = fwhm_mm / FWHM_PER_SIGMA
    x, y, z = (np.exp(-((GRID.centres_mm(k) - at[k]) ** 2) / (2 * sigma**2)) for k in range(3))
    values = ground + 100 * np.einsum("k,j,i->kji", z, y, x)
    values += np.random.default_rng(5).normal(0, noise or 1e-9, values.shape)
    return Volume(values.astype(np.float32), GRID, "counts")


def width_along(volume: Volume, at: Point, direction: Point) -> PeakWidth | None:
    step = np.array(direction) / np.linalg.norm(direction) * 10
    line = profile_along(volume, tuple(np.array(at) - step), tuple(np.array(at) + step))
    return peak_width(volume, line)


def mean_bias(voxels: float, direction: Point, rng: np.random.Generator) -> float:
    """Return the mean relative bias of a width over positions within a voxel."""
    places = rng.uniform(-0.5, 0.5, (12, 3))
    found = [width_along(point(voxels, tuple(at)), tuple(at), direction) for at in places]
    return float(np.mean([each.fwhm_mm / voxels - 1 for each in found if each is not None]))


@pytest.mark.parametrize("direction", ALONG.values(), ids=ALONG)
@pytest.mark.parametrize(("voxels", "most"), [(2.5, 0.02), (3.0, 0.005), (4.0, 0.002)])
def test_stated_bias_is_not_exceeded(voxels, most, direction, rng):
    assert -0.002 < mean_bias(voxels, direction, rng) < most


def test_narrow_width_has_a_bias_warning(rng):
    narrow = width_along(point(2.0, (0.2, 0.1, -0.3)), (0.2, 0.1, -0.3), ALONG["x"])
    assert narrow is not None and "too wide for widths below 2.5 voxels" in narrow.bias
    assert 0.005 < mean_bias(2.0, ALONG["diagonal"], rng) < 0.05


@pytest.mark.parametrize("ground", [-1000.0, 0.0, 30.0])
def test_background_and_position_are_found(ground):
    at = (1.3, -0.4, 0.2)
    found = width_along(point(4.0, at, ground), at, ALONG["x"])
    assert found is not None
    assert found.ground == pytest.approx(ground, abs=0.3)
    assert found.height == pytest.approx(100, rel=0.01)
    assert found.centre_mm == pytest.approx(10, abs=0.02)


def test_error_is_proportional_to_the_noise():
    at = (0.0, 0.0, 0.0)
    errors = [width_along(point(4.0, at, noise=noise), at, ALONG["x"]).error_mm for noise in (1, 4)]
    assert 2.5 < errors[1] / errors[0] < 6
    assert abs(width_along(point(4.0, at, noise=4), at, ALONG["x"]).fwhm_mm - 4) < 3 * errors[1]


def test_image_without_a_peak_has_no_width():
    slope = Volume(np.broadcast_to(np.arange(25.0), GRID.shape).astype(np.float32), GRID, "counts")
    assert width_along(slope, (0.0, 0.0, 0.0), ALONG["x"]) is None
    flat = Volume(np.ones(GRID.shape, np.float32), GRID, "counts")
    assert width_along(flat, (0.0, 0.0, 0.0), ALONG["x"]) is None
