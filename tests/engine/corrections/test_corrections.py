"""Tests of corrections: closed forms of attenuation, singles from delayeds, ledger texts."""

from dataclasses import replace

import numpy as np
import pytest

from engine.core.backend import cpu
from engine.corrections import (
    CORRECTIONS,
    Attenuation,
    LineGeometry,
    Normalisation,
    Randoms,
    Resolution,
    Scatter,
    attenuation,
)
from engine.corrections.attenuation import attenuation_factors
from engine.corrections.single_rates import partner_sums
from engine.data.listmode import ListMode
from engine.data.volume import Volume
from engine.geometry.grid import ImageGrid
from engine.geometry.ring import RingScanner, RingSettings
from engine.geometry.tof import TofSettings

ON = cpu(2)
RING = RingSettings(
    name="tiny", n_rings=4, n_crystals_per_ring=48, radius_mm=80, ring_pitch_mm=4,
    max_ring_difference=3, n_tangential=36, fov_mm=(60, 16), block_rings=2, block_places=6,
    gap_places=(0, 24),
)  # fmt: skip


def scan(settings=RING, n=400, seed=1, **changes):
    scanner = RingScanner(settings)
    rng = np.random.default_rng(seed)
    crystals = scanner.lors(rng.integers(0, scanner.n_lors, 4 * n))
    crystals = crystals[scanner.in_coincidence(crystals)][:n]
    return ListMode(scanner, crystals, **changes)


@pytest.mark.parametrize(("offset_mm", "want"), [(0, 0.14661), (50, 0.18961), (90, 0.43305)])
def test_attenuation_of_a_water_cylinder_has_its_closed_form(offset_mm, want):
    # an odd number of voxels, with centres at 0, 50 and 90 mm
    grid = ImageGrid((1, 841, 841), (0.25, 0.25, 20.0))
    x, y = grid.centres_mm(0), grid.centres_mm(1)
    disc = (x[None, :] ** 2 + y[:, None] ** 2 <= 100.0**2).astype("f4")
    mu = Volume(0.0096 * disc[None], grid, "1/mm")
    points = np.array([[-300.0, offset_mm, 0], [300.0, offset_mm, 0]], float)
    a = attenuation_factors(mu, points, np.array([[0, 1]], np.int32), on=ON)
    assert a[0] == pytest.approx(want, rel=4e-3)  # voxels of 0.25 mm at the rim


def test_attenuation_is_equal_for_every_time_bin_and_both_directions():
    grid = ImageGrid((4, 20, 20), (8.0, 8.0, 8.0))
    mu = Volume(np.random.default_rng(3).random(grid.shape, np.float32) * 0.02, grid, "1/mm")
    data = scan(mu_map=mu)
    forward = Attenuation().apply(data, on=ON).factors
    back = Attenuation().apply(replace(data, crystals=data.crystals[:, ::-1]), on=ON).factors
    np.testing.assert_allclose(forward, back, rtol=1e-5)
    assert (forward < 1).any() and (forward > 0).all()


def test_attenuation_on_a_gpu_has_the_same_bits(device, monkeypatch):
    grid = ImageGrid((4, 20, 20), (8.0, 8.0, 8.0))
    mu = Volume(np.random.default_rng(3).random(grid.shape, np.float32) * 0.02, grid, "1/mm")
    data = scan(mu_map=mu)
    on_host = Attenuation().apply(data, on=ON).factors
    monkeypatch.setattr(attenuation, "BATCH", 150)
    on_device = Attenuation().apply(data, on=device).factors
    assert type(on_device) is np.ndarray
    np.testing.assert_array_equal(on_device, on_host)


def test_attenuation_is_computed_on_the_device_of_the_lines(device):
    grid = ImageGrid((4, 20, 20), (8.0, 8.0, 8.0))
    mu = Volume(np.full(grid.shape, 0.01, np.float32), grid, "1/mm")
    data = scan()
    lines, points = device.to_device(data.crystals), data.scanner.positions_mm
    found = attenuation_factors(mu, points, lines, on=device, reproducible=False)
    assert type(found) is type(lines)
    expected = attenuation_factors(mu, points, data.crystals, on=ON)
    np.testing.assert_allclose(device.to_host(found), expected, rtol=1e-5)


def test_normalisation_multiplies_pairs_and_removes_gaps():
    data = scan()
    rng = np.random.default_rng(2)
    efficiencies = rng.uniform(0.5, 1.5, data.scanner.n_crystals).astype("f4")
    done = Normalisation().apply(replace(data, efficiencies=efficiencies), on=ON)
    np.testing.assert_allclose(done.factors, efficiencies[data.crystals].prod(axis=1), rtol=1e-6)
    assert (done.crystal_weights[~data.scanner.alive] == 0).all()


def delayed_scan(n, *, tof=None, seed=5):
    """Return delayeds drawn from r_ij ∝ σ_i σ_j with two kinds of block, and as many prompts."""
    scanner = RingScanner(RING.model_copy(update={"tof": tof}))
    singles = np.where(scanner.groups % 2, 3.0, 1.0) * scanner.alive
    lors = scanner.lors(np.arange(scanner.n_lors))
    lors = lors[scanner.in_coincidence(lors)]
    r = singles[lors].prod(axis=1)
    r *= n / r.sum()
    rng = np.random.default_rng(seed)
    delayed = np.repeat(lors, rng.poisson(r), axis=0)
    crystals = np.concatenate([lors, delayed]).astype(np.int32)
    flags = np.arange(len(crystals)) >= len(lors)
    bins = None if tof is None else np.zeros(len(crystals), np.int16)
    return ListMode(scanner, crystals, delayed=flags, tof_bins=bins), r


def test_randoms_follow_the_singles_and_preserve_their_sum():
    data, truth = delayed_scan(200_000)
    done = Randoms().apply(data, on=ON)
    found = done.background[: len(truth)]
    assert found.sum() == pytest.approx(data.n_delayed, rel=0.01)
    # rates of 25 blocks, each known to 1 to 2 %
    np.testing.assert_allclose(found, truth, rtol=0.06)


def test_randoms_are_uniform_over_the_time_bins():
    tof = TofSettings(fwhm_ps=300, bin_ps=200, n_bins=5)
    without, _ = delayed_scan(50_000)
    with_bins, _ = delayed_scan(50_000, tof=tof)
    one = Randoms().apply(without, on=ON).background
    fifth = Randoms().apply(with_bins, on=ON).background
    np.testing.assert_allclose(5 * fifth, one, rtol=1e-5)


def test_few_delayeds_give_one_common_rate():
    data, _ = delayed_scan(60)
    done = Randoms().apply(data, on=ON)
    assert len(np.unique(done.background)) == 1
    assert "one rate for all" in Randoms().summary(data, done)


def test_supplied_scatter_is_added_to_randoms():
    data, _ = delayed_scan(50_000)
    additive = np.full(data.n_events, 0.25, np.float32)
    randoms = Randoms().apply(replace(data, additive=additive), on=ON)
    both = Scatter().apply(randoms, on=ON)
    np.testing.assert_allclose(both.background, randoms.background + 0.25, rtol=1e-6)


@pytest.mark.parametrize(
    "kind", [kind for kind in CORRECTIONS if kind not in (LineGeometry, Resolution)]
)
def test_every_correction_states_why_it_cannot_be_used(kind):
    obstacle = kind().obstacle(scan())
    assert obstacle and obstacle[0].islower() and not obstacle.endswith(".")


def test_blocks_have_separate_rates_from_twenty_delayeds_on_average():
    groups = int(RingScanner(RING).groups.max()) + 1
    enough = 10 * groups  # two crystals per delayed
    for n, words in ((enough, "one rate for each block"), (enough - 1, "one rate for all blocks")):
        data = scan(n=4 * enough)
        delayed = np.zeros(data.n_events, bool)
        delayed[:n] = True
        data = replace(data, delayed=delayed)
        assert data.n_delayed == n
        assert words in Randoms().summary(data, data)


def test_attenuation_states_mean_and_minimum_transmission():
    data = scan(n=4)
    half = np.array([0.5, 0.5, 0.5, 0.5], np.float32)
    after = replace(data, factors=half * np.array([0.8, 0.4, 0.2, 0.6], np.float32))
    words = Attenuation().summary(replace(data, factors=half), after)
    assert words == "mean transmission along the lines of the events 50 %, minimum 20.0 %"


def test_randoms_state_their_fraction_of_the_prompts():
    data = scan(n=40)
    data = replace(data, delayed=np.arange(40) < 8)
    assert Randoms().summary(data, data).startswith("8 delayeds, 25.0 % of the prompts")


def test_crystals_have_separate_rates_if_they_differ_within_a_block():
    """Delayeds of each line follow the planted product, within the noise of fan sums."""
    scanner = RingScanner(RING)
    rng = np.random.default_rng(8)
    planted = rng.uniform(0.5, 2.0, scanner.n_crystals) * scanner.alive
    lors = scanner.lors(np.arange(scanner.n_lors))
    lors = lors[scanner.in_coincidence(lors)]
    r = planted[lors].prod(axis=1)
    r *= 400_000 / r.sum()
    delayed = np.repeat(lors, rng.poisson(r), axis=0)
    flags = np.arange(len(lors) + len(delayed)) >= len(lors)
    data = ListMode(scanner, np.concatenate([lors, delayed]).astype(np.int32), delayed=flags)
    found = Randoms(model="crystals").apply(data, on=ON).background[: len(r)]
    # Each crystal has about 4,300 delayeds, which are known to 1.5 %; a line has two crystals.
    assert np.std(found / r) < 0.03
    assert found.sum() == pytest.approx(data.n_delayed, rel=1e-4)


def test_partners_are_crystals_in_coincidence():
    scanner = RingScanner(RING.model_copy(update={"max_ring_difference": 2, "n_tangential": 35}))
    values = np.random.default_rng(3).random(scanner.n_crystals) * scanner.alive
    crystals = np.indices((scanner.n_crystals,) * 2).reshape(2, -1).T
    allowed = scanner.in_coincidence(crystals).reshape((scanner.n_crystals,) * 2)
    found = partner_sums(scanner, scanner.facing(), values)[scanner.alive]
    np.testing.assert_allclose(found, (allowed @ values)[scanner.alive], rtol=1e-12)


def test_crystals_with_few_delayeds_share_the_rate_of_their_block():
    data, _ = delayed_scan(1000)
    assert "one rate for each block" in Randoms(model="crystals").summary(data, data)


def test_random_rate_of_singles_is_twice_the_window_times_both_rates():
    data = scan(duration_s=50.0, coincidence_window_ps=4000.0)
    assert Randoms(model="singles").obstacle(data) is not None
    singles = np.random.default_rng(1).integers(0, 10**6, data.scanner.n_crystals)
    data = replace(data, singles=singles.astype(np.float32))
    assert Randoms().obstacle(data) is None, "singles must replace missing delayeds"
    found = Randoms(model="singles").apply(data, on=ON)
    rates = singles / 50.0
    expected = 2 * 4e-9 * rates[data.crystals].prod(axis=1) * 50.0
    np.testing.assert_allclose(found.background, expected, rtol=1e-5)
    assert f"{singles.sum():,}, window 4000 ps; from the singles" in Randoms().summary(data, found)


def planted_randoms(*, per_crystal, in_block):
    """Return delayeds of known singles: blocks differ by up to 4 times, crystals by `in_block`.

    Returns the scan and the true randoms of its first events, which are prompts, one on each
    line.
    """
    scanner = RingScanner(RING)
    rng = np.random.default_rng(12)
    blocks = rng.uniform(0.5, 2.0, int(scanner.groups.max()) + 1)
    planted = blocks[scanner.groups] * (1 + in_block * rng.standard_normal(scanner.n_crystals))
    planted = np.maximum(planted, 0.05) * scanner.alive
    lors = scanner.lors(np.arange(scanner.n_lors))
    lors = lors[scanner.in_coincidence(lors)]
    r = planted[lors].prod(axis=1)
    r *= per_crystal * np.count_nonzero(scanner.alive) / 2 / r.sum()
    delayed = np.repeat(lors, rng.poisson(r), axis=0)
    flags = np.arange(len(lors) + len(delayed)) >= len(lors)
    data = ListMode(scanner, np.concatenate([lors, delayed]).astype(np.int32), delayed=flags)
    return data, r


def rms_per_line(model, data, r):
    found = Randoms(model=model).apply(data, on=ON).background[: len(r)]
    return float(np.sqrt(np.mean((found / r - 1) ** 2)))


def test_finest_supported_randoms_are_within_5_percent_per_line():
    data, r = planted_randoms(per_crystal=1_000, in_block=0.2)
    # Noise of two rates of 1,000 counts each: sqrt(2 / 1000) = 4.5 %.
    assert rms_per_line("auto", data, r) < 0.06
    assert rms_per_line("blocks", data, r) > 0.2
    text = Randoms().summary(data, data)
    assert "one rate for each crystal, because each crystal has 1," in text


def test_equal_crystals_within_blocks_share_the_rate_of_their_block():
    """Separate rates would only add their noise."""
    data, r = planted_randoms(per_crystal=40, in_block=0.0)
    assert "one rate for each block, because crystals differ only" in Randoms().summary(data, data)
    assert rms_per_line("auto", data, r) < rms_per_line("crystals", data, r) / 2


def test_unequal_crystals_have_separate_rates_from_twenty_delayeds():
    few, _ = planted_randoms(per_crystal=18, in_block=0.25)
    enough, _ = planted_randoms(per_crystal=25, in_block=0.25)
    assert "fewer than 20" in Randoms().summary(few, few)
    assert "one rate for each crystal" in Randoms().summary(enough, enough)
    assert (
        Randoms(model="blocks").summary(enough, enough).endswith("each block, set in the protocol")
    )


def test_counted_singles_have_priority_over_delayeds():
    data, r = planted_randoms(per_crystal=1_000, in_block=0.2)
    counted = np.full(data.scanner.n_crystals, 1_000, np.float32)
    data = replace(data, singles=counted, coincidence_window_ps=4000.0, duration_s=1.0)
    assert "from the singles of each crystal" in Randoms().summary(data, data)
    assert Randoms(model="blocks").rates(data) == pytest.approx(
        Randoms(model="blocks").rates(replace(data, singles=None))
    )
    assert len(r)
