"""Tests that dead time, randoms, delayeds and multiples follow the formulas of counting."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from tests.judge.coincidences import ALL, LARGEST, NONE, after_dead_time, coincidences
from tests.judge.materials import POLYETHYLENE, WATER
from tests.judge.pairs import RANDOM, SCATTERED, TRUE, simulate_pairs
from tests.judge.phantoms import Phantom, Region
from tests.judge.readout import Physics
from tests.judge.scanners import Scanner
from tests.judge.singles import Singles, simulate_singles
from tests.judge.solids import cylinder

pytestmark = pytest.mark.slow

RING = Scanner(
    n_modules=120, face_mm=60.0, along=(5, 12), pitch_mm=(3.1, 2.0), crystal_mm=(3.1, 2.0)
)
"""60 rings of 120 crystals, in blocks of one by twelve."""
MOUSE = Phantom("mouse", (Region(cylinder(15, 80), WATER, 1.0),))
TRIGGER = Physics(window_kev=(350.0, 650.0), tof_fwhm_ps=500.0)


def singles_at(times_s: np.ndarray, crystal: np.ndarray, kev: np.ndarray | float = 511) -> Singles:
    """Return singles of one decay each."""
    n = len(times_s)
    order = np.argsort(times_s, kind="stable")
    return Singles(
        time_s=np.asarray(times_s, float)[order],
        crystal=np.asarray(crystal, np.int32)[order],
        kev=np.broadcast_to(np.float32(kev), n)[order],
        decay=np.arange(n),
        decay_mm=np.zeros((n, 3), np.float32),
        scatters=np.zeros(n, np.uint8),
        n_decays=n,
    )


def poisson_singles(rates: list[float], duration_s: float, rng: np.random.Generator) -> Singles:
    """Return independent singles of crystals 0, 30, 60 ... at given rates."""
    counts = rng.poisson(np.array(rates) * duration_s)
    crystal = np.repeat(30 * np.arange(len(rates)), counts)
    return singles_at(rng.random(counts.sum()) * duration_s, crystal)


def test_independent_singles_pair_at_twice_the_window_times_both_rates(
    rng: np.random.Generator,
) -> None:
    s1, s2, tau, duration_s = 3e5, 2e5, 1e-8, 1.0
    singles = poisson_singles([s1, s2], duration_s, rng)
    expected = 2 * tau * s1 * s2 * duration_s
    for delay_s in (0.0, 1e-7):
        pairs = coincidences(singles, RING, window_s=tau, delay_s=delay_s)
        assert len(pairs) == pytest.approx(expected, abs=4 * math.sqrt(expected))
        assert (pairs.kind == RANDOM).all()
        assert np.abs(pairs.tof_ps).max() <= tau * 1e12 * 1.001
        # uniform in time; the sign does not show the first of the two
        counts = np.histogram(pairs.tof_ps, 10, (-tau * 1e12, tau * 1e12))[0]
        assert np.abs(counts - expected / 10).max() < 5 * math.sqrt(expected / 10)


@pytest.mark.parametrize("is_paralysable", [False, True])
def test_dead_time_loss_follows_its_formula(is_paralysable: bool, rng: np.random.Generator) -> None:
    rate, dead_s, duration_s = 2e5, 3e-6, 1.0
    # crystals 0 and 30 are in two blocks with separate dead times
    singles = poisson_singles([rate, rate / 2], duration_s, rng)
    taken = after_dead_time(singles, RING, dead_s, is_paralysable=is_paralysable)
    for crystal, true_rate in ((0, rate), (30, rate / 2)):
        n = np.count_nonzero(taken.crystal == crystal)
        load = true_rate * dead_s
        part = math.exp(-load) if is_paralysable else 1 / (1 + load)
        assert n == pytest.approx(true_rate * duration_s * part, rel=4 / math.sqrt(n))
        waits = np.diff(taken.time_s[taken.crystal == crystal])
        assert waits.min() >= dead_s


def test_multiples_follow_the_policy() -> None:
    # a pair; a triple with a weak middle one; a pair of neighbours; a lone single
    times = np.array([0, 1, 100, 101, 102, 200, 201, 300]) * 1e-9
    crystal = np.array([0, 60, 0, 40, 80, 5, 6, 9])
    kev = np.array([511, 511, 511, 400, 520, 511, 511, 511.0])
    singles = singles_at(times, crystal, kev)

    def pairs(multiples: int) -> set[tuple[int, ...]]:
        found = coincidences(
            singles, RING, window_s=3e-9, multiples=multiples, min_module_distance=10
        )
        return {tuple(sorted(row)) for row in found.crystals.tolist()}

    assert pairs(ALL) == {(0, 60), (0, 40), (0, 80), (40, 80)}
    assert pairs(NONE) == {(0, 60)}
    assert pairs(LARGEST) == {(0, 60), (0, 80)}


@pytest.fixture(scope="module")
def acquisition() -> Singles:
    return simulate_singles(MOUSE, RING, TRIGGER, activity_bq=5e6, duration_s=0.2, seed=3)


def test_decays_are_a_poisson_process(acquisition: Singles) -> None:
    assert acquisition.n_decays == pytest.approx(1e6, abs=4e3)
    assert (np.diff(acquisition.time_s) >= 0).all()
    counts = np.histogram(acquisition.time_s, 50, (0, 0.2))[0]
    assert counts.std() / math.sqrt(counts.mean()) == pytest.approx(1.2, abs=0.4)


def test_pairs_of_one_decay_equal_those_of_the_direct_simulation(acquisition: Singles) -> None:
    prompts = coincidences(acquisition, RING, window_s=3e-9)
    short = simulate_pairs(MOUSE, RING, TRIGGER, seed=9, n_decays=1 << 19)
    for kind in (TRUE, SCATTERED):
        n = np.count_nonzero(prompts.kind == kind)
        expected = np.count_nonzero(short.kind == kind) / short.n_decays * prompts.n_decays
        assert n == pytest.approx(expected, rel=5 / math.sqrt(n))


def test_delayeds_count_the_randoms(acquisition: Singles) -> None:
    tau = 3e-9
    prompts = coincidences(acquisition, RING, window_s=tau)
    delayeds = coincidences(acquisition, RING, window_s=tau, delay_s=1e-7)
    randoms = np.count_nonzero(prompts.kind == RANDOM)
    assert (delayeds.kind == RANDOM).all()
    assert len(delayeds) == pytest.approx(randoms, abs=5 * math.sqrt(2 * randoms))
    # nearly: crystals of one module are not in coincidence, and no pair is a true
    rate = len(acquisition) / 0.2
    assert randoms == pytest.approx(tau * rate**2 * 0.2, rel=0.1)


def test_energy_window_selects_the_energies_inside(acquisition: Singles) -> None:
    inside = acquisition.within((425, 600))
    assert 0 < len(inside) < len(acquisition)
    assert inside.kev.min() >= 425
    assert inside.kev.max() <= 600


NEMA_SCANNER = Scanner(
    n_modules=56,
    face_mm=328.0,
    across=(1, 8),
    along=(8, 8),
    pitch_mm=(4.0, 4.0),
    crystal_mm=(4.0, 4.0),
    gap_mm=(0.0, 0.6),
)
"""Similar to a Biograph mMR: 56 modules of 8 x 64 LSO crystals, 258 mm long."""


def test_nema_scatter_fraction_is_that_of_similar_scanners() -> None:
    """NEMA NU 2-2018, 5: a line at 45 mm in a polyethylene cylinder, 203 x 700 mm.

    Published for scanners of this geometry and 430-610 keV: 36 to 39 % (mMR: 37.9 %, Delso et
    al., J Nucl Med 52 (2011) 1914; 36.7 %, Karlberg et al., EJNMMI Phys 3 (2016) 18). Those have a
    bed, end shields and rebinning to a radius of 12 cm.
    """
    line = Region(cylinder(1.6, 700, at=(0, -45, 0)), POLYETHYLENE, 1.0)
    phantom = Phantom("scatter", (Region(cylinder(101.5, 700), POLYETHYLENE), line))
    physics = Physics(window_kev=(430.0, 610.0), energy_fwhm=0.145)
    pairs = simulate_pairs(phantom, NEMA_SCANNER, physics, seed=8, n_decays=1 << 19)
    near = pairs.take(_distance_mm(pairs.crystals, NEMA_SCANNER) < 120)
    assert 0.30 < near.scatter_fraction < 0.42
    wide = simulate_pairs(
        phantom,
        NEMA_SCANNER,
        replace(physics, window_kev=(350.0, 650.0)),
        seed=8,
        n_decays=1 << 18,
    )
    assert wide.scatter_fraction > near.scatter_fraction


def _distance_mm(crystals: np.ndarray, scanner: Scanner) -> np.ndarray:
    """Return the distances of lines from the axis."""
    ends = scanner.places_mm(7.0)[crystals][..., :2]
    along = ends[:, 1] - ends[:, 0]
    cross = ends[:, 0, 0] * along[:, 1] - ends[:, 0, 1] * along[:, 0]
    return np.abs(cross) / np.linalg.norm(along, axis=1)


def test_restricted_directions_do_not_change_trues() -> None:
    free = Physics(follows_scatter=False)
    # lines that cross the ring twice within 15 mm of the axis: tan up to 60 mm / 58 mm
    steep = replace(free, max_cosine=0.72)
    n = [len(simulate_pairs(MOUSE, RING, p, seed=4, n_decays=1 << 18)) for p in (free, steep)]
    assert n[1] * 0.72 == pytest.approx(n[0], rel=4 * math.sqrt(1 / n[0] + 0.72 / n[1]))
    followed = simulate_pairs(MOUSE, RING, Physics(), seed=5, n_decays=1 << 18)
    n_trues = np.count_nonzero(followed.kind == TRUE)
    assert n_trues == pytest.approx(n[0], rel=4 * math.sqrt(2 / n[0]))
