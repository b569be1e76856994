"""Tests of crystal positions, detection probabilities and readout."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tests.judge.emission import FWHM_IN_SIGMA
from tests.judge.interactions import ELECTRON_KEV
from tests.judge.materials import LSO, black
from tests.judge.pairs import Coincidences, simulate_pairs
from tests.judge.phantoms import Phantom, Region
from tests.judge.probes import hit, locate, read_deposits
from tests.judge.readout import FIRST, MAX_ENERGY, MEAN, Physics
from tests.judge.scanners import Scanner
from tests.judge.singles import Singles, simulate_singles
from tests.judge.solids import sphere
from tests.judge.transport import MAX_DEPOSITS

pytestmark = pytest.mark.slow

BLACK = black(8.0)  # 1 mm transmits one photon in 3000
IDEAL = Physics(energy_fwhm=0.0, acollinearity_deg=0.0)
BLOCKS = Scanner(
    n_modules=8,
    face_mm=60.0,
    across=(2, 5),
    along=(3, 4),
    pitch_mm=(4.0, 4.2),
    crystal_mm=(3.8, 4.0),
    gap_mm=(1.5, 2.0),
    depth_mm=10.0,
    first_deg=17.0,
)
TILTED = Scanner(n_modules=8, face_mm=60.0, across=(2, 5), along=(3, 4), tilt_deg=12.0)


def point(*at: float) -> Phantom:
    return Phantom("point", (Region(sphere(1e-6, at=at), activity=1.0),))


def thin_cylinder(radius_mm: float, length_mm: float, n_rows: int = 1) -> Scanner:
    n = 400
    pitch = (2 * radius_mm * math.tan(math.pi / n), length_mm / n_rows)
    return Scanner(n, radius_mm, (1, 1), (1, n_rows), pitch, pitch, depth_mm=1.0, material=BLACK)


def panels(width_mm: float, height_mm: float, distance_mm: float) -> Scanner:
    size = (width_mm, height_mm)
    return Scanner(2, distance_mm, pitch_mm=size, crystal_mm=size, depth_mm=1.0, material=BLACK)


def seen(phantom: Phantom, scanner: Scanner, activity_bq: float = 2e5) -> Singles:
    return simulate_singles(
        phantom, scanner, IDEAL, activity_bq=activity_bq, duration_s=1.0, seed=11
    )


@pytest.mark.parametrize("scanner", [BLOCKS, TILTED], ids=["blocks", "tilted"])
def test_every_crystal_is_found_at_its_position(scanner: Scanner) -> None:
    for depth_mm in (0.01, 9.9):
        places = scanner.places_mm(depth_mm)
        crystal, block = np.empty((2, len(places)), np.int64)
        locate(scanner.crystals, places, crystal, block)
        assert (crystal == np.arange(scanner.n_crystals)).all()
        assert (np.bincount(block) == 20).all()
        assert len(np.bincount(block)) == scanner.n_blocks == 48


def test_gaps_and_points_outside_belong_to_no_crystal() -> None:
    places = BLOCKS.places_mm(5.0)
    size = 10.0, 4.0 * 10 + 1.5, 4.2 * 12 + 2 * 2.0
    rng = np.random.default_rng(3)
    angle = np.radians(17.0) + np.pi / 4 * rng.integers(0, 8, 100_000)
    w, u, z = (rng.random((100_000, 3)) - [0, 0.5, 0.5]).T * np.array(size)[:, None]
    x = np.cos(angle) * (60 + w) - np.sin(angle) * u
    y = np.sin(angle) * (60 + w) + np.cos(angle) * u
    crystal, block = np.empty((2, 100_000), np.int64)
    locate(BLOCKS.crystals, np.stack([x, y, z], axis=1), crystal, block)
    filled = 10 * 3.8 * 12 * 4.0 / (size[1] * size[2])
    assert (crystal >= 0).mean() == pytest.approx(filled, abs=4 * 0.5 / math.sqrt(100_000))
    found = crystal >= 0
    away = np.abs(np.stack([x, y, z], axis=1)[found] - places[crystal[found]])
    assert np.linalg.norm(away, axis=1).max() < math.hypot(5.0, 1.9, 2.0)
    assert np.abs(away[:, 2]).max() < 2.0
    outside = places * [1.12, 1.12, 1.0]
    locate(BLOCKS.crystals, outside, crystal, block)
    assert (crystal[: len(outside)] == -1).all()


@pytest.mark.parametrize("z", [0.0, 50.0, 90.0])
def test_ideal_cylinder_detects_all_but_the_cone_of_its_ends(z: float) -> None:
    radius, length, n = 300.0, 200.0, 1 << 17
    pairs = simulate_pairs(point(0, 0, z), thin_cylinder(radius, length), IDEAL, seed=2, n_decays=n)
    h = length / 2 - z
    expected = h / math.hypot(radius, h)
    error = 4 * math.sqrt(expected * (1 - expected) / n)
    assert len(pairs) / n == pytest.approx(expected, abs=error)
    # a single photon: the mean over both ends
    singles = seen(point(0, 0, z), thin_cylinder(radius, length))
    far = length / 2 + z
    expected += far / math.hypot(radius, far)
    assert len(singles) / singles.n_decays == pytest.approx(expected, abs=0.005)


def test_detection_by_a_rectangle_equals_its_solid_angle() -> None:
    for distance in (80.0, 400.0):
        singles = seen(point(0, 0, 0), panels(60.0, 100.0, distance), 1.5e5)
        a, b = 30.0, 50.0
        corner = math.atan(a * b / (distance * math.sqrt(a * a + b * b + distance**2)))
        expected = 2 * 2 * 4 * corner / (4 * math.pi)  # two panels, two photons
        rate = len(singles) / singles.n_decays
        assert rate == pytest.approx(expected, rel=4 / math.sqrt(len(singles)))
    assert rate == pytest.approx(4 * 60 * 100 / (4 * math.pi * 400**2), rel=0.12)


def test_single_face_detects_less_with_the_square_of_distance() -> None:
    rates = []
    for x in (-100.0, 50.0):
        singles = seen(point(x, 0, 0), panels(20.0, 20.0, 200.0), 8e5)
        rates.append(np.count_nonzero(singles.crystal == 0) / singles.n_decays)
    expected = [2 * 400 / (4 * math.pi * d**2) for d in (300.0, 150.0)]
    assert rates == pytest.approx(expected, rel=0.17)  # 4 standard deviations of 560 photons
    assert 3.2 < rates[1] / rates[0] < 4.8


def test_energies_and_times_have_their_widths() -> None:
    physics = Physics(
        window_kev=(300, 800), energy_fwhm=0.12, tof_fwhm_ps=400.0, acollinearity_deg=0
    )
    pairs = simulate_pairs(point(0, 0, 0), thin_cylinder(300, 400), physics, seed=4, n_decays=1)
    error = 4 / math.sqrt(2 * len(pairs))
    assert pairs.kev.mean() == pytest.approx(ELECTRON_KEV, rel=1e-3)
    assert pairs.kev.std() * FWHM_IN_SIGMA / ELECTRON_KEV == pytest.approx(0.12, rel=error)
    assert pairs.tof_ps.std() * FWHM_IN_SIGMA == pytest.approx(400, rel=error)
    assert abs(pairs.tof_ps.mean()) < 4 * 170 / math.sqrt(len(pairs))


def test_time_difference_equals_the_path_difference() -> None:
    scanner = thin_cylinder(300, 400, n_rows=100)
    pairs = simulate_pairs(point(100, 50, 20), scanner, IDEAL, seed=5, n_decays=1)
    paths = np.linalg.norm(scanner.places_mm(0.0)[pairs.crystals] - [100, 50, 20], axis=2)
    earlier_mm = pairs.tof_ps * 0.299792458 - (paths[:, 0] - paths[:, 1])
    assert np.abs(earlier_mm).max() < 2 * 3.3  # crystals are 4.7 mm by 4 mm
    assert np.corrcoef(paths[:, 0] - paths[:, 1], pairs.tof_ps)[0, 1] > 0.999
    assert pairs.decay_mm == pytest.approx(np.tile([100, 50, 20], (len(pairs), 1)), abs=1e-4)


def shot(scanner: Scanner, physics: Physics, n: int = 40_000) -> np.ndarray:
    found, along_x = np.empty((n, 4)), np.array([1.0, 0, 0])
    hit(scanner.crystals, physics.numbers(), np.zeros(3), along_x, 6, found, ELECTRON_KEV)
    return found


def test_crystal_absorption_follows_its_depth() -> None:
    scanner = Scanner(2, 50.0, pitch_mm=(200.0, 200.0), crystal_mm=(200.0, 200.0), depth_mm=20.0)
    found = shot(scanner, Physics(energy_fwhm=0.0))
    expected = 1 - math.exp(-20 * LSO.total(ELECTRON_KEV))
    n = len(found)
    assert (found[:, 3] > 0).mean() == pytest.approx(expected, abs=4 * 0.5 / math.sqrt(n))
    # the photopeak contains immediate photoelectric absorption, and scatter with complete
    # absorption
    compton, photo = LSO.coefficients(np.array([ELECTRON_KEV]))[:, 0]
    peak = (np.abs(found[:, 3] - ELECTRON_KEV) < 1e-6).mean()
    assert photo / (photo + compton) * expected < peak < expected
    edge = ELECTRON_KEV * 2 / 3  # Compton's: 2E²/(mc² + 2E), and nothing up to two
    assert found[:, 3].max() <= ELECTRON_KEV + 1e-9
    assert ((found[:, 3] > 0) & (found[:, 3] < edge)).mean() > 0.1


def test_nothing_leaves_a_very_large_crystal() -> None:
    size = (3000.0, 3000.0)
    scanner = Scanner(2, 50.0, pitch_mm=size, crystal_mm=size, depth_mm=1500.0)
    found = shot(scanner, Physics(energy_fwhm=0.0), 5_000)
    back = found[:, 3] < ELECTRON_KEV - 1e-6
    # some scatter straight back through the face; the other panel absorbs them
    assert back.mean() < 0.02
    assert found[~back, 3] == pytest.approx(ELECTRON_KEV)


def test_position_follows_the_selected_rule() -> None:
    scanner = Scanner(2, 50.0, across=(2, 4), along=(1, 4), pitch_mm=(4, 4), crystal_mm=(4, 4))
    # crystals of rows 0, 1, 2 in the first block, and one with more energy in the other block
    deposits = np.zeros((MAX_DEPOSITS, 3))
    deposits[:4] = [[0, 100, 70], [16 + 1, 150, 71], [2 * 16 + 2, 160, 72], [4, 101, 60]]
    for place, crystal in ((FIRST, 0), (MAX_ENERGY, 34), (MEAN, 17)):
        physics = Physics(energy_fwhm=0.0, place=place)
        read = read_deposits(scanner.crystals, physics.numbers(), deposits, 4)
        assert read == pytest.approx((crystal, 410, 70))
    assert read_deposits(scanner.crystals, physics.numbers(), deposits, 0)[0] == -1


def test_layers_absorb_the_photons_that_reach_them() -> None:
    """First interactions: e^(−μ d) at the face of a layer minus that at its back."""
    size = (200.0, 200.0)
    scanner = Scanner(2, 50.0, pitch_mm=size, crystal_mm=size, depth_mm=20.0, n_layers=3)
    found = shot(scanner, Physics(energy_fwhm=0.0, place=FIRST))
    layer = found[found[:, 0] >= 0, 0].astype(int) // scanner.n_per_layer
    faces = np.exp(-LSO.total(ELECTRON_KEV) * 20 * np.arange(4) / 3)
    counts = np.bincount(layer, minlength=3) / len(found)
    error = np.sqrt(counts / len(found))
    assert (np.abs(counts - (faces[:-1] - faces[1:])) < 4 * error).all()


def test_layer_with_most_energy_of_the_block_is_selected() -> None:
    scanner = Scanner(
        2, 50.0, across=(2, 4), along=(1, 4), pitch_mm=(4, 4), crystal_mm=(4, 4), n_layers=2
    )
    n = scanner.n_per_layer
    # two crystals of the second layer together exceed the first layer, but neither does alone
    deposits = np.zeros((MAX_DEPOSITS, 3))
    deposits[:4] = [[0, 150, 70], [n + 16, 120, 71], [n + 32, 130, 72], [n + 4, 200, 60]]
    for place, crystal in ((FIRST, 0), (MAX_ENERGY, 0), (MEAN, n + 16)):
        physics = Physics(energy_fwhm=0.0, place=place)
        read = read_deposits(scanner.crystals, physics.numbers(), deposits, 4)
        assert read == pytest.approx((crystal, 400, 70))
    crystal, block = np.empty((2, n), np.int64)
    locate(scanner.crystals, scanner.places_mm(19.9), crystal, block)
    assert (crystal == n + np.arange(n)).all() and block.max() == scanner.n_blocks - 1


def test_crystal_scatter_moves_some_events_to_a_neighbour() -> None:
    scanner = Scanner(
        2, 50.0, across=(1, 21), along=(1, 21), pitch_mm=(2.4, 2.4), crystal_mm=(2.1, 2.1)
    )
    found = shot(scanner, Physics(energy_fwhm=0.0, window_kev=(350, 650)))
    inside = found[:, 1] > 350
    at = scanner.places_mm(0)[found[inside, 0].astype(int)]
    off = np.linalg.norm(at[:, 1:], axis=1)
    assert 0.6 < (off < 0.1).mean() < 0.95
    assert np.percentile(off, 99) > 2.4


def same(a: Coincidences, b: Coincidences) -> bool:
    return all(np.array_equal(getattr(a, k), getattr(b, k)) for k in ("crystals", "kev", "tof_ps"))


def test_seed_gives_the_same_pairs_for_any_number_of_threads() -> None:
    scanner = thin_cylinder(100, 100)
    physics = Physics(tof_fwhm_ps=300)
    runs = [
        simulate_pairs(point(1, 2, 3), scanner, physics, seed=seed, n_pairs=30_000, n_threads=n)
        for seed, n in ((1, 1), (1, 3), (2, 1))
    ]
    assert same(runs[0], runs[1])
    assert not same(runs[0], runs[2])
    assert len(runs[0]) >= 30_000
    singles = [
        simulate_singles(
            point(1, 2, 3), scanner, physics, activity_bq=1e5, duration_s=1, seed=1, n_threads=n
        )
        for n in (1, 2)
    ]
    assert np.array_equal(singles[0].time_s, singles[1].time_s)
    assert np.array_equal(singles[0].crystal, singles[1].crystal)
