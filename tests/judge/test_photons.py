"""Tests of random numbers, cross sections, Compton scattering and photon paths."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tests.judge.interactions import DX, DZ, ELECTRON_KEV, KEV, NUMBERS, PATH
from tests.judge.materials import AIR, BONE, LEAD, LSO, PMMA, WATER, Material, black
from tests.judge.phantoms import Phantom, Region, VoxelPhantom
from tests.judge.probes import draw_numbers, draw_scatters, fly
from tests.judge.solids import box
from tests.judge.transport import LOST

pytestmark = pytest.mark.slow

ELECTRON_RADIUS_CM = 2.8179403262e-13
N = 200_000


def chi_square(counts: np.ndarray, expected: np.ndarray) -> float:
    """Return by how many standard deviations chi-square exceeds its mean."""
    degrees = len(counts) - 1
    return float((((counts - expected) ** 2 / expected).sum() - degrees) / math.sqrt(2 * degrees))


def klein_nishina(kev: float, cosine: np.ndarray) -> np.ndarray:
    """Return the differential cross section per cosine in units of 2π r²; Z Phys 52 (1929) 853."""
    p = 1 / (1 + kev / ELECTRON_KEV * (1 - cosine))
    return 0.5 * p * p * (p + 1 / p - (1 - cosine * cosine))


def klein_nishina_total(kev: float) -> float:
    """Return the cross section of one electron [barn], the closed-form integral of the above."""
    a = kev / ELECTRON_KEV
    b = 1 + 2 * a
    first = (1 + a) / a**2 * (2 * (1 + a) / b - math.log(b) / a)
    whole = first + math.log(b) / (2 * a) - (1 + 3 * a) / b**2
    return 2 * math.pi * ELECTRON_RADIUS_CM**2 * 1e24 * whole


def test_random_numbers_are_uniform_or_normal_and_streams_independent() -> None:
    out, other = np.empty((N, 2)), np.empty((N, 2))
    draw_numbers(1, out)
    draw_numbers(2, other)
    bins = np.histogram(out[:, 0], 100, (0, 1))[0]
    assert abs(chi_square(bins, np.full(100, N / 100))) < 4
    error = 4 / math.sqrt(N)
    assert np.abs(out.mean(axis=0) - [0.5, 0]).max() < error
    assert abs(out[:, 1].var() - 1) < error * math.sqrt(2)
    for a, b in ((out[:-1, 0], out[1:, 0]), (out[:, 0], out[:, 1]), (out[:, 0], other[:, 0])):
        assert abs(np.corrcoef(a, b)[0, 1]) < error


@pytest.mark.parametrize("kev", [511.0, 200.0, 60.0])
def test_scattered_photons_follow_klein_nishina(kev: float) -> None:
    out = np.empty((N, 2))
    draw_scatters(kev, 3, out)
    ratio, cosine = out.T
    # Compton's kinematics, E/E' = 1 + E/mc² (1 − cos)
    assert np.abs(ratio - 1 - kev / ELECTRON_KEV * (1 - cosine)).max() < 1e-12
    edges = np.linspace(-1, 1, 41)
    fine = np.linspace(-1, 1, 40 * 50 + 1)
    middles = (fine[1:] + fine[:-1]) / 2
    weights = klein_nishina(kev, middles).reshape(40, 50).sum(axis=1)
    counts = np.histogram(cosine, edges)[0]
    assert abs(chi_square(counts, N * weights / weights.sum())) < 4


@pytest.mark.parametrize(
    ("material", "electrons_per_gram"), [(WATER, 3.3428e23), (PMMA, 3.2483e23)]
)
def test_cross_sections_add_up_to_free_electrons(
    material: Material, electrons_per_gram: float
) -> None:
    for kev in (200.0, 350.0, 511.0):
        compton = material.coefficients(np.array([kev]))[0, 0] * 10 / material.density
        free = electrons_per_gram * klein_nishina_total(kev) * 1e-24
        # binding reduces it by 0.3 % at 200 keV, less above
        assert compton == pytest.approx(free, rel=4e-3)


@pytest.mark.parametrize(
    ("material", "kev", "cm2_per_gram", "coherent"),
    [
        (WATER, 500, 0.09687, 0.003),
        (WATER, 100, 0.1707, 0.032),
        (PMMA, 500, 0.09408, 0.003),
        (BONE, 500, 0.09022, 0.006),
        (BONE, 100, 0.1855, 0.08),
        (AIR, 300, 0.1067, 0.01),
        (LEAD, 500, 0.1614, 0.09),
        (LEAD, 100, 5.549, 0.05),
    ],
)
def test_coefficients_equal_nist_without_coherent_scattering(
    material: Material, kev: float, cm2_per_gram: float, coherent: float
) -> None:
    ours = material.total(kev) * 10 / material.density
    assert 1 - coherent < ours / cm2_per_gram < 1.001


def test_lutetium_k_edge_is_a_step() -> None:
    lutetium = (29.96 + 3657) / (29.96 + 699.4)  # XCOM, above and below
    assert LSO.total(63.32) / LSO.total(63.31) == pytest.approx(lutetium, rel=0.05)


def flown(phantom: Phantom | VoxelPhantom, direction: tuple[float, ...]) -> tuple[np.ndarray, ...]:
    fates, photons = np.empty(N, np.int64), np.empty((N, NUMBERS))
    along = np.array(direction) / np.linalg.norm(direction)
    fly(phantom.world, -200.0 * along, along, 5, fates, photons)
    return fates, photons


def test_free_paths_through_layers_follow_the_line_integral() -> None:
    layers = (
        Region(box(300, 300, 60), WATER),
        Region(box(300, 300, 4, at=(0, 0, 10)), LEAD),
        Region(box(300, 300, 20, at=(0, 0, -15)), AIR),
    )
    tilt = 0.8
    fates, photons = flown(Phantom("layers", layers), (math.sin(tilt), 0, math.cos(tilt)))
    integral = 36 * WATER.total(511) + 4 * LEAD.total(511) + 20 * AIR.total(511)
    expected = math.exp(-integral / math.cos(tilt))
    free = fates == 0
    assert free.mean() == pytest.approx(expected, abs=4 * math.sqrt(expected / N))
    assert (photons[free, KEV] == ELECTRON_KEV).all()
    assert (photons[fates > 0, KEV] < ELECTRON_KEV).all()
    assert {LOST, 0, 1, 2} <= set(fates.tolist())


def test_voxels_attenuate_like_their_solids() -> None:
    labels = np.zeros((30, 10, 10), np.uint8)
    labels[10:12] = 1
    voxels = VoxelPhantom("layers", labels, (WATER, LEAD), labels, (30, 30, 2))
    fates, _ = flown(voxels, (0.1, -0.2, 1))
    integral = (56 * WATER.total(511) + 4 * LEAD.total(511)) * math.sqrt(1.05)
    expected = math.exp(-integral)
    assert (fates == 0).mean() == pytest.approx(expected, abs=4 * math.sqrt(expected / N))


def test_absorption_follows_beers_law_and_keeps_directions() -> None:
    fates, photons = flown(Phantom("black", (Region(box(40, 40, 40), black(0.05)),)), (0, 0, 1))
    assert set(fates.tolist()) == {LOST, 0}
    paths = photons[fates == LOST, PATH] - 180
    # mean of the exponential distribution truncated at 40 mm
    mean = 20 - 40 * math.exp(-2) / (1 - math.exp(-2))
    assert paths.mean() == pytest.approx(mean, abs=4 * paths.std() / math.sqrt(len(paths)))


def test_singly_scattered_photons_have_the_energy_of_their_angle() -> None:
    fates, photons = flown(Phantom("water", (Region(box(50, 50, 50), WATER),)), (1, 2, 3))
    once = photons[fates == 1]
    along = np.array([1, 2, 3]) / math.sqrt(14)
    cosine = once[:, DX : DZ + 1] @ along
    assert np.abs(ELECTRON_KEV / once[:, KEV] - 2 + cosine).max() < 1e-6
