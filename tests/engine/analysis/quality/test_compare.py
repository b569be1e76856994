"""Tests of image comparison: errors, correlations, centroids, extents."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from engine.analysis.quality.compare import centroid_mm, correlation, extent_mm, rmse, smoothed
from engine.core.errors import DataError, GeometryError
from engine.data.volume import Volume
from engine.geometry.grid import ImageGrid
from engine.simulate.shapes import sphere

GRID = ImageGrid((24, 28, 32), (2.0, 2.5, 3.0), (5.0, -4.0, 3.0))


@pytest.fixture
def ball() -> Volume:
    """Return a ball of 20 mm at (9, -8, 6) mm."""
    return Volume(sphere((9, -8, 6), 20).coverage(GRID, 5), GRID, "counts/mm")


def test_rmse_of_a_constant_offset_equals_the_offset(ball: Volume) -> None:
    assert rmse(replace(ball, values=ball.values + 2), ball) == pytest.approx(2)
    assert rmse(ball, ball) == 0


def test_correlation_is_independent_of_scale_and_offset(ball: Volume) -> None:
    assert correlation(replace(ball, values=3 * ball.values + 1), ball) == pytest.approx(1)
    assert correlation(replace(ball, values=-ball.values), ball) == pytest.approx(-1)


def test_smoothing_increases_the_correlation_of_noisy_images(
    ball: Volume, rng: np.random.Generator
) -> None:
    noisy = replace(ball, values=ball.values + rng.standard_normal(GRID.shape).astype(np.float32))
    assert correlation(noisy, ball) < 0.4
    assert correlation(noisy, ball, fwhm_mm=10) > 0.7


def test_smoothing_preserves_the_sum_and_has_its_width(ball: Volume) -> None:
    one = replace(ball, values=np.zeros(GRID.shape, np.float32))
    one.values[12, 14, 16] = 1
    wide = smoothed(one, 9.0)
    assert wide.values.sum() == pytest.approx(1, rel=1e-3)
    profile = wide.values[12, 14] / wide.values[12, 14].max()
    sigma = 9 / 2.3548
    np.testing.assert_allclose(profile[17], np.exp(-(2**2) / 2 / sigma**2), rtol=1e-3)


def test_centroid_is_the_centre(ball: Volume) -> None:
    np.testing.assert_allclose(centroid_mm(ball), (9, -8, 6), atol=0.1)


def test_threshold_excludes_a_faint_background(ball: Volume) -> None:
    hazy = replace(ball, values=ball.values + np.float32(0.05))
    assert abs(centroid_mm(hazy)[0] - 9) > 0.5
    np.testing.assert_allclose(centroid_mm(hazy, threshold=0.5), (9, -8, 6), atol=0.3)


def test_extent_is_the_bounding_box_of_the_ball(ball: Volume) -> None:
    low, high = extent_mm(ball)
    np.testing.assert_allclose(low, (-1, -18, -4), atol=3)
    np.testing.assert_allclose(high, (19, 2, 16), atol=3)


def test_different_grids_are_refused(ball: Volume) -> None:
    moved = replace(ball, grid=replace(GRID, centre_mm=(0.0, 0.0, 0.0)))
    with pytest.raises(GeometryError, match="the same grid"):
        rmse(ball, moved)


def test_flat_and_empty_images_are_refused(ball: Volume) -> None:
    empty = replace(ball, values=np.zeros(GRID.shape, np.float32))
    with pytest.raises(DataError, match="all values of one image are equal"):
        correlation(empty, ball)
    with pytest.raises(DataError, match="empty"):
        centroid_mm(empty)
