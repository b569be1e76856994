"""Photon pairs that scatter twice: laws, and the formula by direct integration."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from engine.core.backend import cpu
from engine.corrections.scatter_estimation.detection import counted
from engine.corrections.scatter_estimation.double_scatter import (
    SharedPaths,
    simulate_twice,
    tables_of,
)
from engine.corrections.scatter_estimation.klein_nishina import differential, energy_ratio, total
from engine.corrections.scatter_estimation.multiple import over_single, over_twice
from engine.corrections.scatter_estimation.samples import DetectorSamples
from engine.corrections.scatter_estimation.simulation import simulate_scatter
from engine.data.volume import Volume
from engine.geometry.energy import ELECTRON_KEV, EnergyWindow
from engine.geometry.grid import ImageGrid
from engine.geometry.ring import RingScanner, RingSettings
from tests.tolerances import FLOAT64_SUMS

WINDOW = EnergyWindow(425.0, 650.0, 0.11)
RING = RingScanner(
    RingSettings(
        name="ring", n_rings=4, n_crystals_per_ring=60, radius_mm=150, ring_pitch_mm=20,
        max_ring_difference=3, n_tangential=36, fov_mm=(160, 80),
    )
)  # fmt: skip
GRID = ImageGrid((4, 12, 12), (14.0, 14.0, 20.0))
SAMPLES = DetectorSamples.of(RING, 2)


def volumes(mu_per_mm: float = 0.0096) -> tuple[Volume, Volume]:
    """Return activity off the axis in a body of water."""
    x, y = GRID.centres_mm(0), GRID.centres_mm(1)
    body = np.broadcast_to(np.hypot(x, y[:, None]) < 70, GRID.shape)
    source = np.zeros(GRID.shape, np.float32)
    source[1:3, 3:6, 6:9] = 100.0
    mu = mu_per_mm * body.astype(np.float32)
    return Volume(source, GRID, "counts/mm"), Volume(mu, GRID, "1/mm")


def simulated(
    pair: tuple[Volume, Volume], *, n_points: int = 60, seed: int = 3, threads: int = 2
) -> np.ndarray:
    return simulate_twice(
        *pair, RING, WINDOW, samples=SAMPLES, n_points=n_points, seed=seed, on=cpu(threads)
    )


@pytest.fixture(scope="module")
def table() -> np.ndarray:
    return simulated(volumes())


def test_both_ends_are_symmetric_and_threads_do_not_change_the_bits(table: np.ndarray) -> None:
    assert table.max() > 0
    np.testing.assert_allclose(table, table.transpose(2, 3, 0, 1), rtol=FLOAT64_SUMS)
    np.testing.assert_array_equal(simulated(volumes(), threads=1), table)


@pytest.mark.parametrize("n_rings", [4, 7])
def test_paths_of_single_scatter_do_not_change_the_bits(n_rings: int) -> None:
    """There are 5 and 9 rings of samples. Double scatter uses every second one."""
    settings = RING.settings.model_copy(
        update={"n_rings": n_rings, "max_ring_difference": n_rings - 1}
    )
    ring, pair = RingScanner(settings), volumes()
    dense = DetectorSamples.of(ring)
    shared = SharedPaths(ring, dense)
    same = {"n_points": 300, "seed": 3, "on": cpu(2)}
    simulate_scatter(*pair, ring, WINDOW, with_tof=False, on_paths=shared.add, **same)
    assert shared.found() is not None
    found = simulate_twice(*pair, ring, WINDOW, samples=dense, shared=shared, **same)
    np.testing.assert_array_equal(found, simulate_twice(*pair, ring, WINDOW, samples=dense, **same))


def test_paths_to_other_samples_are_not_shared() -> None:
    """The 3 rings of double scatter are not all among the 4 rings."""
    settings = RING.settings.model_copy(update={"n_rings": 3, "max_ring_difference": 2})
    ring = RingScanner(settings)
    shared, pair = SharedPaths(ring, DetectorSamples.of(ring)), volumes()
    simulate_scatter(
        *pair, ring, WINDOW, with_tof=False, n_points=20, seed=3, on=cpu(1), on_paths=shared.add
    )
    assert shared.found() is None


def test_twice_the_activity_scatters_twice_as_much(table: np.ndarray) -> None:
    image, mu = volumes()
    doubled = simulated((replace(image, values=2 * image.values), mu))
    np.testing.assert_allclose(doubled, 2 * table, rtol=1e-6)


def test_weak_attenuation_gives_a_quadratic_law() -> None:
    thin, twice_as_thick = simulated(volumes(1e-6)), simulated(volumes(2e-6))
    np.testing.assert_allclose(twice_as_thick, 4 * thin, rtol=1e-3, atol=1e-4 * thin.max())


def test_no_attenuation_gives_no_scatter() -> None:
    assert not simulated(volumes(0.0)).any()


def test_double_scatter_is_at_most_half_the_square_of_small_angle_single_scatter() -> None:
    """Poisson's law is an upper bound, because energies decrease with each scattering."""
    image, mu = volumes()
    single = simulate_scatter(
        image, mu, RING, WINDOW, with_tof=False, n_points=60, seed=3, on=cpu(2), samples=SAMPLES
    ).values[..., 0]
    known = single > 0
    share = simulated((image, mu))[known].sum() / single[known].sum()
    assert 0.03 < share < 0.25


def efficiency(kev: np.ndarray) -> np.ndarray:
    return counted(kev, WINDOW, RING.crystal_depth, RING.block_mm)


def test_products_of_the_tables_equal_the_effect_of_both_angles() -> None:
    """Compare with q of the formula, from the energies after each angle."""
    tables = tables_of(efficiency)
    cosine = np.linspace(-1, 1, tables.chance.size)[600::50]  # angles for which photons are counted
    at = slice(600, None, 50)
    found = np.einsum("ka,kb->ab", tables.former[:, at], tables.latter[:, at])
    sigma, full = total(np.array(ELECTRON_KEV)), efficiency(np.array([ELECTRON_KEV]))
    first = ELECTRON_KEV * energy_ratio(cosine)[:, None]
    second = first * energy_ratio(cosine[None, :], first)
    expected = differential(cosine)[:, None] / sigma * differential(cosine[None, :], first) / sigma
    expected *= efficiency(second.reshape(-1)).reshape(second.shape) / full
    assert np.abs(found - expected).max() < 0.01 * expected.max()


def test_scatter_of_higher_orders_follows_poisson() -> None:
    """(eˣ − 1)/x without its 1, divided by x/2, is 1 + x/3 up to x²/12."""
    x = 0.3
    assert over_twice(1.0, x / 2) == pytest.approx((over_single(x) - 1) / (x / 2), abs=x**2 / 10)
    assert over_twice(0.0, 0.0) == 1.0


def inside(begin: np.ndarray, towards: np.ndarray, length: np.ndarray | float) -> np.ndarray:
    """Return the length of rays (n, 3) in the cylinder below, in closed form [mm]."""
    a = (towards[:, :2] ** 2).sum(axis=1)
    half = (begin[:, :2] * towards[:, :2]).sum(axis=1)
    root = np.sqrt(np.maximum(half**2 - a * ((begin[:, :2] ** 2).sum(axis=1) - RADIUS**2), 0))
    rise = np.where(np.abs(towards[:, 2]) < 1e-9, 1e-9, towards[:, 2])
    ends = [(side * HEIGHT / 2 - begin[:, 2]) / rise for side in (-1, 1)]
    near = np.maximum(np.maximum((-half - root) / a, np.minimum(*ends)), 0)
    distance = np.minimum(np.minimum((-half + root) / a, np.maximum(*ends)), length)
    return np.maximum(distance - near, 0)


RADIUS, HEIGHT, MU = 60.0, 70.0, 0.0096
PAIRS = ((31, 46), (0, 75), (5, 82), (37, 49))
"""Numbers of samples: across the middle, oblique, and outside the cylinder."""


def direct_integral(a: int, b: int, rng: np.random.Generator, n: int = 60_000) -> float:
    """Return D / n of a uniform cylinder of activity 1; s, w and l are drawn, without tables."""
    sigma, full = total(np.array(ELECTRON_KEV)), efficiency(np.array([ELECTRON_KEV]))[0]
    angle, away = rng.random(n) * 2 * np.pi, RADIUS * np.sqrt(rng.random(n))
    s = np.stack([away * np.cos(angle), away * np.sin(angle), (rng.random(n) - 0.5) * HEIGHT], 1)
    w = rng.standard_normal((n, 3))
    w /= np.linalg.norm(w, axis=1)[:, None]
    most = inside(s, w, np.inf)
    length = rng.random(n) * most
    t = s + length[:, None] * w
    weight = MU * np.pi * RADIUS**2 * HEIGHT / n * 4 * np.pi * most * MU

    def to(sample: int, place: np.ndarray) -> tuple[np.ndarray, ...]:
        direction = SAMPLES.places_mm[sample] - place
        distance = np.linalg.norm(direction, axis=1)
        direction /= distance[:, None]
        efficiency_at = (
            RING.crystal_depth.efficiency(direction @ SAMPLES.normals[sample]) / distance**2
        )
        return direction, np.asarray(efficiency_at), inside(place, direction, distance)

    def after(cosine: np.ndarray, kev: np.ndarray | float = ELECTRON_KEV) -> tuple:
        later = kev * energy_ratio(cosine, kev)
        return differential(cosine, kev) / sigma, later, total(later) / sigma

    def ended(first: int, second: int) -> np.ndarray:
        direction, efficiency_at, path = to(first, s)
        on, efficiency_on, path_on = to(second, t)
        one, kev, growth = after(-(direction * w).sum(axis=1))
        other, kev_other, growth_other = after((on * w).sum(axis=1))
        shared = one * other * efficiency(kev) * efficiency(kev_other) / full**2 * length
        shared *= np.exp(-MU * (length + growth * path + growth_other * path_on))
        again, last, growth_last = after((on * w).sum(axis=1), kev)
        turned = one * again * efficiency(last) / full * path
        turned *= np.exp(-MU * (path + growth * length + growth_last * path_on))
        return efficiency_at * efficiency_on * (shared / 2 + turned)

    line = SAMPLES.places_mm[b] - SAMPLES.places_mm[a]
    distance = np.linalg.norm(line)
    own = [RING.crystal_depth.efficiency(abs(line / distance @ SAMPLES.normals[k])) for k in (a, b)]
    return float(distance**2 / np.prod(own) * (weight * (ended(a, b) + ended(b, a))).sum())


@pytest.mark.slow
def test_table_equals_the_formula_of_a_uniform_cylinder(rng: np.random.Generator) -> None:
    grid = ImageGrid((20, 34, 34), (4.0, 4.0, 4.0))
    fine = (np.arange(34 * 5) + 0.5) / 5 * 4 - 68
    disc = (np.hypot(fine, fine[:, None]) < RADIUS).reshape(34, 5, 34, 5).mean(axis=(1, 3))
    height = (np.abs((np.arange(100) + 0.5) * 0.8 - 40) < HEIGHT / 2).reshape(20, 5).mean(axis=1)
    water = (height[:, None, None] * disc).astype(np.float32)
    pair = Volume(water, grid, "counts/mm"), Volume(np.float32(MU) * water, grid, "1/mm")
    n = len(SAMPLES.places_mm)
    found = simulated(pair, n_points=600).reshape(n, n)
    expected = [direct_integral(a, b, rng) for a, b in PAIRS]
    assert [found[a, b] for a, b in PAIRS] == pytest.approx(expected, rel=0.06)
