"""Simulated scans follow the engine's own model: n·a·(A f), time of flight, randoms, Poisson."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from engine.core.backend import cpu
from engine.core.errors import DataError, EngineError, GeometryError, SettingsError
from engine.data.listmode import ListMode
from engine.geometry.grid import ImageGrid
from engine.geometry.ring import RingScanner
from engine.operators.rays import RayProjector, Rays
from engine.simulate import ShapePhantom, point, simulate_listmode
from engine.simulate.shapes import Cylinder, sphere

MakeRing = Callable[..., RingScanner]
HEAD = ShapePhantom(
    "head",
    (
        Cylinder((4, -3, 0), (26, 34, 14), 1.0, 0.0096),
        sphere((12, 8, 2), 12, 3.0, 0.005),
        sphere((-8, -10, -2), 14, -1.0, -0.0096),
    ),
)
GRID = ImageGrid((30, 80, 80), (1.0, 1.0, 1.0))


def lines_of(scanner: RingScanner) -> np.ndarray:
    crystals = scanner.lors(np.arange(scanner.n_lors))
    return crystals[scanner.in_coincidence(crystals)]


def counts_on(data: ListMode, crystals: np.ndarray) -> np.ndarray:
    """Return the number of events on each of the lines `crystals`, in their order."""
    n = data.scanner.n_crystals
    keys = data.crystals[:, 0].astype(np.int64) * n + data.crystals[:, 1]
    counts = np.bincount(keys, minlength=n * n)
    return counts[crystals[:, 0].astype(np.int64) * n + crystals[:, 1]]


def projected(scanner: RingScanner, quantity: str, rays: Rays, **tof: object) -> np.ndarray:
    volume = HEAD.rasterise(GRID, quantity, oversample=4)  # type: ignore[arg-type]
    return RayProjector(rays, GRID, on=cpu(2), **tof)(volume.values)  # type: ignore[arg-type]


def efficiencies_of(scanner: RingScanner, rng: np.random.Generator) -> np.ndarray:
    values = rng.uniform(0.5, 1.5, scanner.n_crystals)
    values[[5, 40]] = 0
    return values


def chi_square(counts: np.ndarray, expected: np.ndarray) -> float:
    return float(((counts - expected) ** 2 / expected).mean())


def test_counts_follow_the_model(tiny_ring: RingScanner, rng: np.random.Generator) -> None:
    efficiencies = efficiencies_of(tiny_ring, rng)
    data = simulate_listmode(
        HEAD,
        tiny_ring,
        n_prompts=200_000,
        seed=1,
        randoms_fraction=0,
        efficiencies=efficiencies,
    )
    crystals = lines_of(tiny_ring)
    rays = Rays(tiny_ring.positions_mm, crystals)
    detection = efficiencies[crystals].prod(axis=1) * np.exp(-projected(tiny_ring, "mu", rays))
    detection *= tiny_ring.geometric_factor(crystals)
    activity = projected(tiny_ring, "activity", rays)
    expected = detection * activity * data.info["counts_per_mm"]
    counts = counts_on(data, crystals)
    assert counts.sum() == data.n_events
    # voxels of 1 mm replace the exact shapes
    assert expected.sum() == pytest.approx(200_000, rel=2e-3)
    enough = expected > 8
    assert enough.sum() > 2000
    # Voxels have errors of a few per cent on short chords, which adds to 1 ± 0.03.
    assert chi_square(counts[enough], expected[enough]) == pytest.approx(1, abs=0.12)
    without_factors = activity * (counts.sum() / activity.sum())
    assert chi_square(counts[enough], without_factors[enough]) > 5, (
        "the detection factors must matter"
    )


def test_time_bins_follow_the_model(tiny_ring: RingScanner) -> None:
    assert tiny_ring.tof is not None
    n_bins = tiny_ring.tof.n_bins
    data = simulate_listmode(HEAD, tiny_ring, n_prompts=200_000, seed=2, randoms_fraction=0)
    crystals = lines_of(tiny_ring)
    rays = Rays(
        tiny_ring.positions_mm,
        np.repeat(crystals, n_bins, axis=0),
        np.tile(np.arange(n_bins, dtype=np.int16), len(crystals)),
    )
    activity = projected(tiny_ring, "activity", rays, tof=tiny_ring.tof).reshape(-1, n_bins)
    passed = np.exp(-projected(tiny_ring, "mu", Rays(tiny_ring.positions_mm, crystals)))
    passed *= tiny_ring.geometric_factor(crystals)
    expected = activity * passed[:, None] * data.info["counts_per_mm"]
    # By first crystal, because the source is off-centre, and by TOF bin.
    first = data.crystals[:, 0]
    counts = np.zeros((tiny_ring.n_crystals, n_bins))
    np.add.at(counts, (first, data.tof_bins), 1)
    sums = np.zeros_like(counts)
    np.add.at(sums, crystals[:, 0], expected)
    enough = sums > 20
    assert enough.sum() > 300
    assert chi_square(counts[enough], sums[enough]) == pytest.approx(1, abs=0.3)
    mirrored = sums[:, ::-1]
    assert chi_square(counts[enough], np.maximum(mirrored, 1)[enough]) > 3, (
        "the sign of TOF must matter"
    )


def test_lines_of_a_point_source_pass_through_it(tiny_ring: RingScanner) -> None:
    at = np.array([10.0, 5.0, 1.0])
    source = point(*at, diameter_mm=4)
    data = simulate_listmode(source, tiny_ring, n_prompts=2000, seed=3, randoms_fraction=0)
    first, second = (tiny_ring.positions_mm[data.crystals[:, k]] for k in (0, 1))
    direction = (second - first) / np.linalg.norm(second - first, axis=1)[:, None]
    distance = np.linalg.norm(np.cross(at - first, direction), axis=1)
    assert data.n_events > 1800
    assert distance.max() <= 2


def test_time_of_flight_is_positive_nearer_the_second_crystal(make_ring: MakeRing) -> None:
    ring = make_ring(tof={"fwhm_ps": 60.0, "bin_ps": 40.0, "n_bins": 21})
    assert ring.tof is not None
    at = np.array([20.0, -8.0, 0.0])
    source = point(*at, diameter_mm=6)
    data = simulate_listmode(source, ring, n_prompts=20_000, seed=4, randoms_fraction=0)
    first, second = (ring.positions_mm[data.crystals[:, k]] for k in (0, 1))
    direction = (second - first) / np.linalg.norm(second - first, axis=1)[:, None]
    true_mm = ((at - (first + second) / 2) * direction).sum(axis=1)
    assert true_mm.max() > 10 and true_mm.min() < -10
    error_mm = ring.tof.centres_mm[data.tof_bins] - true_mm
    # σ of timing, bin width and source combined.
    sigma = np.sqrt(ring.tof.sigma_mm**2 + ring.tof.bin_mm**2 / 12 + 9 / 5)
    assert error_mm.mean() == pytest.approx(0, abs=5 * sigma / np.sqrt(data.n_events))
    assert error_mm.std() == pytest.approx(sigma, rel=0.05)


def test_events_beyond_the_time_bins_are_lost(make_ring: MakeRing) -> None:
    narrow = make_ring(tof={"fwhm_ps": 200.0, "bin_ps": 100.0, "n_bins": 1})
    data = simulate_listmode(HEAD, narrow, n_prompts=10_000, seed=5, randoms_fraction=0)
    assert data.tof_bins is not None and not data.tof_bins.any()
    assert 1000 < data.n_events < 8000
    assert data.info["drawn"]["trues"] > 9000


def test_scanner_without_time_of_flight_has_no_time_bins(make_ring: MakeRing) -> None:
    data = simulate_listmode(HEAD, make_ring(tof=None), n_prompts=1000, seed=5)
    assert data.tof_bins is None


def test_randoms_and_delayeds_agree(tiny_ring: RingScanner, rng: np.random.Generator) -> None:
    efficiencies = efficiencies_of(tiny_ring, rng)
    both = simulate_listmode(
        HEAD,
        tiny_ring,
        n_prompts=60_000,
        seed=6,
        randoms_fraction=0.999,
        efficiencies=efficiencies,
    )
    n, m = both.n_prompts, both.n_delayed
    assert n - m == pytest.approx(0, abs=5 * np.sqrt(n + m))
    crystals = lines_of(tiny_ring)
    rate = efficiencies[crystals].prod(axis=1)
    expected = rate / rate.sum() * m
    enough = expected > 4
    counts = counts_on(both.delayeds, crystals)
    assert chi_square(counts[enough], expected[enough]) == pytest.approx(1, abs=0.15)
    assert both.delayeds.tof_bins is not None
    by_bin = np.bincount(both.delayeds.tof_bins, minlength=7)
    assert chi_square(by_bin, np.full(7, m / 7)) < 4  # uniform in TOF


def test_delayeds_are_spread_over_the_scan_time(tiny_ring: RingScanner) -> None:
    data = simulate_listmode(
        HEAD, tiny_ring, n_prompts=20_000, seed=7, randoms_fraction=0.5, duration_s=2.0
    )
    assert data.delayed is not None and data.time_ms is not None
    assert np.all(np.diff(data.time_ms.astype(np.int64)) >= 0)
    assert data.time_ms.max() < 2000 and data.time_ms.dtype == np.uint32
    halves = [part.mean() for part in np.array_split(data.delayed, 2)]
    assert halves[0] == pytest.approx(halves[1], abs=0.03)


def test_without_delayeds_all_events_are_prompts(tiny_ring: RingScanner) -> None:
    data = simulate_listmode(HEAD, tiny_ring, n_prompts=1000, seed=8, delayeds=False)
    assert data.delayed is None and data.n_prompts == data.n_events


def test_same_seed_gives_the_same_scan(tiny_ring: RingScanner) -> None:
    one, same, other = (
        simulate_listmode(HEAD, tiny_ring, n_prompts=3000, seed=seed) for seed in (9, 9, 10)
    )
    for column in ("crystals", "delayed", "tof_bins", "time_ms"):
        assert getattr(one, column).tobytes() == getattr(same, column).tobytes()
    assert one.crystals.tobytes() != other.crystals.tobytes()


def test_counts_vary_as_poisson_counts(make_ring: MakeRing) -> None:
    ring = make_ring(tof=None)
    n = [
        simulate_listmode(
            HEAD, ring, n_prompts=400, seed=seed, delayeds=False, attenuation=False
        ).n_events
        for seed in range(60)
    ]
    assert np.mean(n) == pytest.approx(400, abs=5 * 20 / np.sqrt(60))
    assert np.var(n) / 400 == pytest.approx(1, abs=5 * np.sqrt(2 / 60))


def test_gaps_and_dead_crystals_have_no_events(
    tiny_ring: RingScanner, rng: np.random.Generator
) -> None:
    efficiencies = efficiencies_of(tiny_ring, rng)
    data = simulate_listmode(
        HEAD,
        tiny_ring,
        n_prompts=20_000,
        seed=11,
        scatter_fraction=0.2,
        efficiencies=efficiencies,
    )
    hits = np.bincount(data.crystals.ravel(), minlength=tiny_ring.n_crystals)
    assert not hits[~tiny_ring.alive].any()
    assert not hits[efficiencies == 0].any()
    assert data.scanner.in_coincidence(data.crystals).all()
    assert data.efficiencies is not None and not data.efficiencies[~tiny_ring.alive].any()


def test_scatter_has_its_expectation(make_ring: MakeRing) -> None:
    ring = make_ring(tof=None)
    data = simulate_listmode(
        HEAD, ring, n_prompts=40_000, seed=12, randoms_fraction=0, scatter_fraction=0.9
    )
    assert data.additive is not None
    places = data.crystals % 32
    outside = np.abs(places[:, 0] - places[:, 1]) < 8  # lines that miss the phantom
    all_places = lines_of(ring) % 32
    n_outside = np.count_nonzero(np.abs(all_places[:, 0] - all_places[:, 1]) < 8)
    # If y_i is Poisson with mean c_i, the mean of Σ y_i / c_i is the number of lines.
    per_line = 1 / data.additive[outside].astype(float)
    assert per_line.sum() == pytest.approx(n_outside, abs=5 * np.sqrt((per_line**2).sum()))
    assert n_outside > 200 and np.sqrt((per_line**2).sum()) < 0.1 * n_outside


def test_mu_map_equals_the_phantom(tiny_ring: RingScanner) -> None:
    data = simulate_listmode(HEAD, tiny_ring, n_prompts=100, seed=13)
    assert data.mu_map is not None and data.mu_map.unit == "1/mm"
    assert data.mu_map.values.max() == pytest.approx(0.0146)
    crystals = lines_of(tiny_ring)[:500]
    first, second = (tiny_ring.positions_mm[crystals[:, k]] for k in (0, 1))
    rays = Rays(tiny_ring.positions_mm, crystals)
    drawn = RayProjector(rays, data.mu_map.grid, on=cpu(1))(data.mu_map.values)
    # lines at grazing incidence
    np.testing.assert_allclose(drawn, HEAD.mu_integral(first, second), atol=0.03)


def test_air_does_not_attenuate(tiny_ring: RingScanner) -> None:
    assert simulate_listmode(point(), tiny_ring, n_prompts=100, seed=1).mu_map is None
    air = simulate_listmode(HEAD, tiny_ring, n_prompts=100, seed=1, attenuation=False)
    assert air.mu_map is None


def test_progress_callback_reaches_the_end(tiny_ring: RingScanner) -> None:
    progress: list[tuple[int, int]] = []
    simulate_listmode(
        HEAD,
        tiny_ring,
        n_prompts=20_000,
        seed=1,
        on_progress=lambda done, of: progress.append((done, of)),
    )
    assert progress and progress[-1][0] == progress[-1][1]


@pytest.mark.parametrize(
    ("change", "error", "words"),
    [
        ({"n_prompts": 0}, SettingsError, "n_prompts"),
        ({"randoms_fraction": 1.0}, SettingsError, "randoms"),
        ({"randoms_fraction": float("nan")}, SettingsError, "randoms"),
        ({"randoms_fraction": 0.6, "scatter_fraction": 0.5}, SettingsError, "scatter"),
        ({"duration_s": 0.0}, SettingsError, "duration_s"),
        ({"efficiencies": np.ones(3)}, GeometryError, "128 crystals"),
        ({"efficiencies": np.full(128, -1.0)}, DataError, "at least 0"),
        ({"singles": np.full(128, np.nan)}, DataError, "finite"),
    ],
)
def test_invalid_settings_are_refused(
    change: dict[str, object], error: type[EngineError], words: str, tiny_ring: RingScanner
) -> None:
    wishes: dict[str, object] = {"n_prompts": 100, "seed": 1, **change}
    with pytest.raises(error, match=words):
        simulate_listmode(HEAD, tiny_ring, **wishes)  # type: ignore[arg-type]


def test_phantom_outside_the_scanner_is_refused(tiny_ring: RingScanner) -> None:
    far = replace(HEAD, shapes=(sphere((0, 0, 200), 10, 1.0),))
    with pytest.raises(DataError, match="move or enlarge"):
        simulate_listmode(far, tiny_ring, n_prompts=100, seed=1)
