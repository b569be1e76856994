"""Tests of error images: standard deviation, relative error, error of a difference."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from engine.analysis.quality import over_error
from engine.data import (
    Volume,
    are_paired,
    deviations_of,
    paired_deviations_of,
    relative_deviations_of,
)
from engine.data.error_map import ErrorMap
from engine.data.volume import QUANTITY
from engine.geometry import ImageGrid

GRID = ImageGrid((4, 5, 6), (2.0, 2.0, 2.0))
N = 12


@pytest.fixture
def noise(rng) -> np.ndarray:
    return rng.normal(0, 1, (N, *GRID.shape)).astype(np.float32)


def image(factor: float, noise: np.ndarray, seed: int = 1, counts: str = "a") -> Volume:
    """Return values that rise from −2; the noise is multiplied by a factor."""
    values = np.linspace(-2, 9, GRID.n_voxels, dtype=np.float32).reshape(GRID.shape)
    replicates = [values + np.float32(factor) * each for each in noise]
    error = ErrorMap.of(values, replicates, seed, counts=counts)
    return Volume(values, GRID, "kBq/mL", error=error)


def test_one_voxel_error_equals_the_error_map(noise) -> None:
    error = image(2.0, noise).error
    assert error is not None
    for index in ((0, 0, 0), (3, 4, 5), (1, 2, 3)):
        assert error.at(index) == pytest.approx(error.standard_deviation[index], rel=1e-5)


def test_relative_error_is_a_percentage_above_the_threshold(noise) -> None:
    volume = image(2.0, noise)
    found = relative_deviations_of(volume, 1.5)
    is_usable = np.abs(volume.values) >= 1.5
    expected = 100 * deviations_of(volume).values / np.abs(volume.values)
    assert found.unit == "%"
    assert found.info[QUANTITY] == f"relative {deviations_of(volume).info[QUANTITY]}"
    assert str(found.info[QUANTITY]).startswith(f"relative standard deviation from {N} ")
    assert 0 < is_usable.sum() < is_usable.size
    np.testing.assert_allclose(found.values[is_usable], expected[is_usable], rtol=1e-6)
    assert np.isnan(found.values[~is_usable]).all()


def test_zero_value_has_no_relative_error(noise) -> None:
    volume = image(1.0, noise)
    values = volume.values.copy()
    values[0, 0, 0] = 0
    assert volume.error is not None
    zero = replace(volume, values=values, error=volume.error.of_values(values))
    found = relative_deviations_of(zero, 0.0).values
    assert np.isnan(found[0, 0, 0]) and np.isfinite(found).sum() == found.size - 1


def test_voxels_with_equal_replicates_have_no_relative_error(noise) -> None:
    """Examples are voxels near 0, which the Hessian excludes."""
    quiet = noise.copy()
    quiet[:, 2] = 0
    found = relative_deviations_of(image(1.0, quiet), 0.5).values
    assert np.isnan(found[2]).all() and np.isfinite(found[3]).all()


def test_shared_noise_cancels_in_a_difference(noise) -> None:
    """Two images of one scan; the noise of their replicates differs by a factor of 0.5."""
    found = paired_deviations_of(image(2.0, noise), image(1.5, noise)).values
    # Deviations are stored in steps of 1/127 of the largest one.
    np.testing.assert_allclose(found, 0.5 * noise.std(axis=0, ddof=1), rtol=0.05)


def test_only_equal_replicates_are_paired(noise) -> None:
    one = image(1.0, noise)
    others = image(1.0, noise, seed=2), image(1.0, noise[:6]), image(1.0, noise, counts="b")
    assert one.error is not None and are_paired(one.error, one.error)
    for other in others:
        assert other.error is not None and not are_paired(one.error, other.error)
        with pytest.raises(ValueError, match="same replicates"):
            paired_deviations_of(one, other)


def test_error_maps_of_unknown_counts_are_never_paired(noise) -> None:
    """Examples are error maps that other programs have written."""
    one = image(1.0, noise, counts="").error
    assert one is not None and not are_paired(one, one)


def test_errors_of_two_scans_add_in_quadrature() -> None:
    difference = np.array([10.0, -10.0, 5.0, 0.0], np.float32)
    one, other = np.array([3.0, 3.0, 0.0, 3.0]), np.array([4.0, 4.0, 0.0, np.nan])
    found = over_error(difference, one, other)
    np.testing.assert_allclose(found[:2], [2.0, -2.0], rtol=1e-6)
    assert np.isnan(found[2:]).all(), "without an error there must be no ratio"
    np.testing.assert_allclose(over_error(difference[:1], one[:1]), 10 / 3, rtol=1e-6)
