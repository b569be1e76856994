"""Tests of sensitivity: closed form on the axis, samples and exact sums, dead voxels, cache."""

import re
from dataclasses import replace

import numpy as np
import pytest

from engine.core.backend import cpu
from engine.corrections import LineGeometry
from engine.corrections.attenuation import AttenuationFactor
from engine.data.line_factors import CrystalFactor
from engine.data.listmode import ListMode
from engine.data.volume import Volume
from engine.geometry.grid import ImageGrid
from engine.geometry.ring import RingScanner, RingSettings
from engine.modalities.listmode_pet import sensitivity, sensitivity_cache
from engine.modalities.listmode_pet.protocol import SensitivitySettings
from engine.operators.rays import RayProjector, Rays

ON = cpu(2)
HEADER_BITS = ((6, 0x80), (8, 0x01), (8, 0x40), (10, 0x04))
"""Positions in the header of a zip file, and bits to flip there."""


def ring(**changes):
    values = {
        "name": "tiny", "n_rings": 6, "n_crystals_per_ring": 32, "radius_mm": 60,
        "ring_pitch_mm": 5, "max_ring_difference": 5, "n_tangential": 24, "fov_mm": (60, 30),
    }  # fmt: skip
    return RingScanner(RingSettings(**(values | changes)))


def scan(scanner, **changes):
    crystals = scanner.lors(np.arange(0, scanner.n_lors, 97))
    return ListMode(scanner, crystals, **changes)


GRID = ImageGrid((6, 14, 14), (5.0, 5.0, 5.0))
EXACT = SensitivitySettings(method="exact")


def exact(data, grid=GRID):
    return sensitivity.compute_sensitivity(data, grid, EXACT, on=ON).image


@pytest.mark.parametrize(
    ("radius_mm", "length_mm", "n_rings"), [(300.0, 200.0, 18), (60.0, 200.0, 24)]
)
def test_sensitivity_on_the_axis_is_the_solid_angle_of_the_ring(radius_mm, length_mm, n_rings):
    n, pitch = 96, length_mm / n_rings
    scanner = ring(
        radius_mm=radius_mm, n_rings=n_rings, ring_pitch_mm=pitch, n_crystals_per_ring=n,
        max_ring_difference=n_rings - 1, n_tangential=n - 2, fov_mm=(100, length_mm),
        crystal_depth_mm=100.0, attenuation_per_mm=1.0,
    )  # fmt: skip
    data = LineGeometry().apply(scan(scanner), on=ON)
    across = 5 * np.pi * radius_mm / n  # five lines of a view, none on a voxel border
    grid = ImageGrid((n_rings - 1, 1, 1), (across, across, pitch))
    area = (2 * np.pi * radius_mm / n) * pitch
    found = exact(data, grid)[:, 0, 0] * area**2 / (2 * radius_mm) ** 2
    # fraction of all decays, detected as pairs
    found = found / (2 * np.pi * np.prod(grid.voxel_mm))
    within = grid.centres_mm(2)[:, None] + pitch * (np.arange(16) - 7.5) / 16
    h = length_mm / 2 - np.abs(within)
    expected = (h / np.hypot(radius_mm, h)).mean(axis=1)
    np.testing.assert_allclose(found[2:-2], expected[2:-2], rtol=0.02)
    assert found[2:-2].mean() == pytest.approx(expected[2:-2].mean(), rel=0.01)


def test_sample_agrees_with_all_lines_within_its_stated_error(monkeypatch):
    monkeypatch.setattr(sensitivity, "BATCH", 3000)
    data = scan(ring())
    settings = SensitivitySettings(method="sampled", error_percent=2.0)
    sampled = sensitivity.compute_sensitivity(data, GRID, settings, on=ON)
    truth = exact(data)
    relevant = truth > 0.2 * truth.max()
    relative = 100 * (sampled.image[relevant] / truth[relevant] - 1)
    assert 0 < sampled.error_percent <= 2.0
    assert np.median(np.abs(relative)) < 2 * sampled.error_percent
    assert abs(relative.mean()) < 1.0


def test_automatic_sample_ends_when_more_lines_gain_nothing(monkeypatch):
    monkeypatch.setattr(sensitivity, "BATCH", 300)
    monkeypatch.setattr(sensitivity, "EXACT_BELOW", 3000)
    data = scan(ring()).select(slice(0, 10))
    strict = {"error_percent": 0.5, "seed": 3}
    auto, sampled = (
        sensitivity.compute_sensitivity(
            data, GRID, SensitivitySettings(method=method, **strict), on=ON
        )
        for method in ("auto", "sampled")
    )
    assert auto.n_traced < 3600 < data.scanner.n_lors
    assert auto.error_percent > 0.5
    # tracing all lines is cheaper
    assert (sampled.n_traced, sampled.error_percent) == (sampled.n_lors, 0.0)
    assert f"{auto.error_percent:.1f} %" in auto.describe()


def test_sample_is_seeded():
    data = scan(ring())
    one, same, other = (
        sensitivity.compute_sensitivity(
            data, GRID, SensitivitySettings(method="sampled", error_percent=20, seed=s), on=ON
        ).image
        for s in (1, 1, 2)
    )
    np.testing.assert_array_equal(one, same)
    assert scan(ring()).scanner.n_lors <= sensitivity.BATCH or (one != other).any()


def test_gaps_lower_the_sensitivity_like_dead_crystals():
    places = (3, 4, 20)
    gaps = exact(scan(ring(gap_places=places)))
    weights = np.ones((6, 32), np.float32)
    weights[:, list(places)] = 0
    dead = exact(scan(ring(), line_factors=(CrystalFactor(weights.ravel()),)))
    np.testing.assert_allclose(gaps, dead, rtol=1e-5)
    assert gaps.sum() < exact(scan(ring())).sum()


def test_efficiencies_multiply_the_lines():
    data = scan(ring())
    half = np.full(data.scanner.n_crystals, 0.5, np.float32)
    np.testing.assert_allclose(
        exact(replace(data, line_factors=(CrystalFactor(half),))), 0.25 * exact(data), rtol=1e-5
    )


def test_attenuation_acts_on_the_whole_line():
    data = scan(ring())
    # every line is inside the box: a = exp(−μ length)
    box = ImageGrid((1, 1, 1), (400.0, 400.0, 400.0))
    mu = Volume(np.full((1, 1, 1), 0.01, np.float32), box, "1/mm")
    image = exact(replace(data, line_factors=(AttenuationFactor(mu),)))
    crystals = data.scanner.lors(np.arange(data.scanner.n_lors))
    crystals = crystals[data.scanner.in_coincidence(crystals)]
    ends = data.scanner.positions_mm[crystals]
    a = np.exp(-0.01 * np.linalg.norm(ends[:, 1] - ends[:, 0], axis=1)).astype("f4")
    expected = RayProjector(Rays(data.scanner.positions_mm, crystals), GRID, on=ON).T(a)
    np.testing.assert_allclose(image, expected, rtol=1e-4)


def test_number_of_threads_does_not_change_reproducible_bits():
    data = scan(ring())
    images = [
        sensitivity.compute_sensitivity(data, GRID, EXACT, on=cpu(n), reproducible=True).image
        for n in (1, 2)
    ]
    np.testing.assert_array_equal(*images)


def weighted(rng):
    """Return efficiencies and a map of a partly transparent body."""
    scanner = ring(gap_places=(3, 20))
    mu = Volume(0.02 * rng.random((4, 9, 9), np.float32), ImageGrid((4, 9, 9), (9.0, 9.0, 8.0)), "")
    weights = rng.uniform(0.5, 1.5, scanner.n_crystals).astype("f4") * scanner.alive
    return scan(scanner, line_factors=(CrystalFactor(weights), AttenuationFactor(mu)))


@pytest.mark.parametrize("method", ["exact", "sampled"])
def test_gpu_gives_the_same_reproducible_bits(method, device, rng, monkeypatch):
    monkeypatch.setattr(sensitivity, "BATCH", 2000)
    data = weighted(rng)
    settings = SensitivitySettings(method=method, error_percent=20)

    on_host, on_device = (
        sensitivity.compute_sensitivity(data, GRID, settings, on=on, reproducible=True)
        for on in (ON, device)
    )

    assert on_host.image.max() > 0
    assert (on_device.n_traced, on_device.error_percent) == (
        on_host.n_traced,
        on_host.error_percent,
    )
    np.testing.assert_array_equal(on_device.image, on_host.image)


def test_gpu_gives_the_same_image(device, rng, monkeypatch):
    monkeypatch.setattr(sensitivity, "BATCH_ON_GPU", 5000)
    data = weighted(rng)

    found = sensitivity.compute_sensitivity(data, GRID, EXACT, on=device)

    expected = exact(data)
    assert type(found.image) is np.ndarray
    np.testing.assert_allclose(found.image, expected, atol=5e-5 * expected.max())


def test_batch_traced_in_parts_gives_the_same_result(rng, monkeypatch):
    data = weighted(rng)
    whole = exact(data)
    monkeypatch.setattr(sensitivity, "MAX_AT_ONCE", 1000)

    np.testing.assert_allclose(exact(data), whole, atol=1e-6 * whole.max())


def test_ring_symmetry_swapping_an_axis_would_break():
    # The scanner is longer than the image is wide, so s decreases along z and not along x or y.
    image = exact(scan(ring()))
    np.testing.assert_allclose(image, image[::-1], rtol=1e-3)
    np.testing.assert_allclose(image, image.transpose(0, 2, 1), rtol=1e-3)
    assert image[0, 7, 7] < 0.8 * image[2, 7, 7]


def test_cache_is_used_only_for_the_same_content(tmp_path):
    data = scan(ring())
    found = sensitivity.compute_sensitivity(data, GRID, EXACT, on=ON)
    key = sensitivity_cache.key_of(data, GRID, EXACT, on=ON)
    sensitivity_cache.keep(tmp_path, key, found)
    again = sensitivity_cache.load(tmp_path, key, GRID)
    np.testing.assert_array_equal(again.image, found.image)
    assert (again.n_lors, again.n_traced) == (found.n_lors, found.n_traced)
    weights = np.full(data.scanner.n_crystals, 0.9, np.float32)
    others = {
        sensitivity_cache.key_of(
            replace(data, line_factors=(CrystalFactor(weights),)), GRID, EXACT, on=ON
        ),
        sensitivity_cache.key_of(scan(ring(radius_mm=61)), GRID, EXACT, on=ON),
        sensitivity_cache.key_of(
            data, ImageGrid((6, 14, 14), (5.0, 5.0, 5.0), (1.0, 0.0, 0.0)), EXACT, on=ON
        ),
    }
    assert len(others) == 3 and key not in others


def test_cache_separates_devices_unless_their_bits_are_equal(device):
    data = scan(ring())
    keys = [sensitivity_cache.key_of(data, GRID, EXACT, on=on) for on in (cpu(1), ON, device, None)]
    assert len(set(keys)) == 4


def test_damaged_cache_is_recomputed(tmp_path):
    data = scan(ring())
    found = sensitivity.compute_sensitivity(data, GRID, EXACT, on=ON)
    sensitivity_cache.keep(tmp_path, "key", found)
    file = tmp_path / "key.npz"
    whole = file.read_bytes()
    headers = [at.start() for at in re.finditer(b"PK\x01\x02", whole)]
    assert len(headers) == 3
    # A value; then the version, the flags and the compression in the table of contents.
    for place, bit in ((len(whole) // 2, 1), *((headers[0] + k, b) for k, b in HEADER_BITS)):
        content = bytearray(whole)
        content[place] ^= bit
        file.write_bytes(content)
        assert sensitivity_cache.load(tmp_path, "key", GRID) is None


def test_progress_is_reported_to_the_last_line():
    reported, data = [], scan(ring())
    sensitivity.compute_sensitivity(
        data, GRID, EXACT, on=ON, on_progress=lambda done, total: reported.append((done, total))
    )
    n = data.scanner.n_lors
    assert reported and reported == sorted(reported)
    assert reported[-1] == (n, n)
