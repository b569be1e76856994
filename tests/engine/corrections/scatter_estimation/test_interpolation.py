"""Linear interpolation in a table is correct on average, also where the table is curved."""

from __future__ import annotations

import numpy as np
import pytest

from engine.corrections.scatter_estimation.interpolation import for_linear_reading

RINGS, ANGLES = 4, 24
ALL = np.ones((RINGS * ANGLES, RINGS * ANGLES), bool)


def table(of_ring: np.ndarray, of_angle: np.ndarray) -> np.ndarray:
    """Return a product of functions of both ends' rings and angles, in two groups of TOF bins."""
    one = of_ring[:, None] * of_angle
    both = one[:, :, None, None] * one
    return np.stack([both, 2 * both], axis=-1).astype(np.float32)


def test_mean_between_samples_is_that_of_a_parabola_along_rings() -> None:
    values = table(np.ones(RINGS), np.ones(ANGLES))
    values *= (1 + np.arange(RINGS, dtype=np.float32) ** 2)[:, None, None, None, None]
    along = for_linear_reading(values, ALL)[:, 0, 0, 0, 0].astype(float)
    k = np.arange(RINGS - 1)
    exact = 1 + ((k + 1.0) ** 3 - k**3) / 3
    assert (along[:-1] + along[1:]) / 2 == pytest.approx(exact, rel=1e-6)


def test_wave_around_the_axis_has_a_tenth_of_the_linear_error() -> None:
    """Both ends vary: the mean over a cell of four samples is that of the product."""
    phase, step = 2 * np.pi * np.arange(ANGLES) / ANGLES, 2 * np.pi / ANGLES
    of_angle = np.cos(phase) + 2
    values = table(np.ones(RINGS), of_angle)
    mean = (np.sin(phase + step) - np.sin(phase)) / step + 2
    exact = mean[:, None] * mean

    def read(stored: np.ndarray) -> np.ndarray:
        both = stored[0, :, 0, :, 0].astype(float)
        first = (both + np.roll(both, -1, axis=0)) / 2
        return (first + np.roll(first, -1, axis=1)) / 2

    off = np.abs(read(for_linear_reading(values, ALL)) - exact).max()
    assert off < 0.1 * np.abs(read(values) - exact).max()


def test_straight_tables_do_not_change_and_values_stay_non_negative() -> None:
    straight = table(1 + np.arange(RINGS), np.ones(ANGLES))
    np.testing.assert_allclose(for_linear_reading(straight, ALL), straight, rtol=1e-6)
    spike = np.zeros(ANGLES)
    spike[5] = 1.0
    assert for_linear_reading(table(np.ones(RINGS), spike), ALL).min() >= 0


def test_samples_next_to_impossible_pairs_are_not_changed() -> None:
    values = table(np.ones(RINGS), np.arange(ANGLES) ** 2.0)
    known = np.zeros((RINGS, ANGLES, RINGS, ANGLES), bool)
    known[:, 3:9, :, 3:9] = True
    stored = for_linear_reading(values, known.reshape(RINGS * ANGLES, -1))
    assert stored[0, 3, 0, 3, 0] == values[0, 3, 0, 3, 0]
    assert stored[0, 5, 0, 5, 0] < values[0, 5, 0, 5, 0]
