"""Energy that photons deposit in a panel without gaps, compared with a second computation.

The second computation draws angles from the differential cross-section and turns directions with
vector algebra.
"""

from __future__ import annotations

import numpy as np
import pytest

from engine.kernels.matrix.response import Panels
from engine.kernels.scatter.panel_photons import DEPOSIT, MAX_DEPOSITS, Readout
from engine.kernels.scatter.panel_tracks import track
from engine.kernels.scatter.photons import REST_KEV

N, MU, THICKNESS = 100_000, 0.087, 20.0
PHOTO_POWER, ABSORBED_KEV = -2.7, 20.0
WINDOWS_KEV = ((1e-9, 300.0), (300.0, 345.0), (345.0, 500.0), (510.9, 2000.0))
STRAIGHT = 1 - 1e-9
"""Lowest cosine of an emitted photon: practically perpendicular to the panels."""


def cross_section(k: np.ndarray, cosine: np.ndarray) -> np.ndarray:
    """Return the differential cross-section of Klein & Nishina, up to a factor."""
    ratio = 1 / (1 + k * (1 - cosine))
    return ratio**2 * (ratio + 1 / ratio - 1 + cosine**2)


def scattered_cosines(k: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    cosines, waiting = np.zeros(len(k)), np.arange(len(k))
    while len(waiting):
        candidates = rng.uniform(-1, 1, len(waiting))
        accepted = 2 * rng.random(len(waiting)) < cross_section(k[waiting], candidates)
        cosines[waiting[accepted]] = candidates[accepted]
        waiting = waiting[~accepted]
    return cosines


def deposited_kev(photo: float, rng: np.random.Generator) -> np.ndarray:
    """Return (N,) energies that photons deposit in a slab at perpendicular incidence."""
    steps, grid = np.linspace(0.01, 1, 400), np.linspace(-1, 1, 2001)
    total = np.trapezoid(cross_section(steps[:, None], grid), grid, axis=1)
    k, depth, deposited = np.ones(N), np.zeros(N), np.zeros(N)
    along = np.tile([1.0, 0.0, 0.0], (N, 1))
    at = np.arange(N)
    while len(at):
        compton = MU * (1 - photo) * np.interp(k[at], steps, total / total[-1])
        absorbed = MU * photo * k[at] ** PHOTO_POWER
        depth[at] += along[at, 0] * rng.exponential(1 / (compton + absorbed))
        inside = (depth[at] >= 0) & (depth[at] < THICKNESS)
        scatters = inside & (rng.random(len(at)) * (compton + absorbed) >= absorbed)
        deposited[at[inside & ~scatters]] += k[at[inside & ~scatters]]
        at = at[scatters]
        cosine = scattered_cosines(k[at], rng)
        before, k[at] = k[at], k[at] / (1 + k[at] * (1 - cosine))
        deposited[at] += before - k[at]
        across = rng.normal(size=(len(at), 3))
        across -= (across * along[at]).sum(axis=1, keepdims=True) * along[at]
        across /= np.linalg.norm(across, axis=1, keepdims=True)
        along[at] = cosine[:, None] * along[at] + np.sqrt(1 - cosine**2)[:, None] * across
        ends = k[at] * REST_KEV < ABSORBED_KEV
        deposited[at[ends]] += k[at[ends]]
        at = at[~ends]
    return deposited * REST_KEV


def readout(*, scatter: bool, photo: float, low: float, high: float) -> Readout:
    """Return a readout with one block per panel and exact energies."""
    return Readout(scatter, photo, low, high, blur=0.0, block=0, largest=False)


def detected_fraction(photons: Readout, lowest: float = STRAIGHT) -> float:
    """Return the fraction of pairs from the centre that both panels detect."""
    panels = Panels(2.0, 2.0, THICKNESS, 60.0, MU, 4, 119, 0.5)
    found, deposits = np.empty((N, 6), np.int16), np.empty((MAX_DEPOSITS, DEPOSIT))
    state = np.array([3], np.uint64)
    return track(N, (59, 0, 0), lowest, panels, photons, state, deposits, found) / N


@pytest.mark.parametrize("photo", [0.0, 0.33])
def test_spectrum_equals_that_of_another_computation(
    photo: float, rng: np.random.Generator
) -> None:
    energies = deposited_kev(photo, rng)
    for low, high in WINDOWS_KEV:
        part = np.mean((energies >= low) & (energies <= high))
        found = detected_fraction(readout(scatter=True, photo=photo, low=low, high=high))
        # Pairs are counted, and both photons are detected independently.
        spread = np.sqrt(part**2 * (1 - part**2) / N + (2 * part) ** 2 * part * (1 - part) / N)
        assert abs(found - part**2) < 4 * spread + 3 / N


@pytest.mark.parametrize("scatter", [False, True])
def test_without_an_energy_window_all_interacting_photons_are_detected(*, scatter: bool) -> None:
    """For each photon the probability is 1 − exp(−μ T / cosine)."""
    cosine = np.linspace(0.6, 1, 10_001)
    expected = np.trapezoid((1 - np.exp(-MU * THICKNESS / cosine)) ** 2, cosine) / 0.4
    found = detected_fraction(
        readout(scatter=scatter, photo=0.33, low=0.0, high=2000.0), lowest=0.6
    )
    assert found == pytest.approx(expected, abs=4 * np.sqrt(expected * (1 - expected) / N))
