"""Tests of ring sensitivity: sums over rings and views, compared with all lines."""

from dataclasses import replace

import numpy as np
import pytest

from engine.core.backend import cpu
from engine.corrections.attenuation import AttenuationFactor
from engine.data.components import TableFactor
from engine.data.line_factors import ConstantFactor, CrystalFactor, GeometricFactor, LineFactor
from engine.data.listmode import ListMode
from engine.data.volume import Volume
from engine.geometry.grid import ImageGrid
from engine.geometry.ring import RingScanner, RingSettings
from engine.geometry.symmetry import symmetries, symmetrise
from engine.modalities.listmode_pet import body_ratio, sensitivity, sensitivity_cache
from engine.modalities.listmode_pet.body_ratio import ratio_of
from engine.modalities.listmode_pet.protocol import SensitivitySettings
from engine.modalities.listmode_pet.ring_sensitivity import exact_image
from engine.modalities.listmode_pet.ring_weights import RingWeights

ON = cpu(2)
AUTO, EXACT = SensitivitySettings(), SensitivitySettings(method="exact")
RING = RingScanner(
    RingSettings(
        name="small", n_rings=7, n_crystals_per_ring=96, radius_mm=90, ring_pitch_mm=5,
        max_ring_difference=5, n_tangential=60, fov_mm=(100, 35), gap_places=(0, 24, 48, 72),
    )
)  # fmt: skip
GRID = ImageGrid((9, 21, 21), (4.3, 4.3, 3.9))


def scan(*factors):
    return ListMode(RING, np.array([[1, 48]], np.int32), line_factors=factors)


def water():
    """Return an off-centre cylinder that ends within the scanner."""
    grid = ImageGrid((20, 50, 50), (2.0, 2.0, 2.0), (3.0, -4.0, 2.0))
    y, x = np.meshgrid(grid.centres_mm(1), grid.centres_mm(0), indexing="ij")
    inside = np.hypot(x - 3, y + 4) < 38
    planes = np.abs(grid.centres_mm(2) - 4) < 14
    return Volume((0.0096 * planes[:, None, None] * inside).astype("f4"), grid, "1/mm")


def uneven():
    values = np.random.default_rng(5).uniform(0.7, 1.3, (7, 96)) * np.linspace(0.8, 1.2, 7)[:, None]
    values[3, 17] = 0
    return CrystalFactor((values.ravel() * RING.alive).astype(np.float32))


def table():
    rng = np.random.default_rng(2)
    geometry, places = rng.uniform(0.5, 1.5, RING.n_classes), rng.uniform(0.5, 1.5, (1, 31))
    return TableFactor(geometry.astype(np.float32), places.astype(np.float32))


def all_lines(data):
    return sensitivity.compute_sensitivity(data, GRID, EXACT, on=ON).image


def even():
    """Return crystal efficiencies that are products of ring and position."""
    rng = np.random.default_rng(3)
    product = np.outer(rng.uniform(0.5, 1, 7), rng.uniform(0.5, 1, 96)).ravel()
    return CrystalFactor((product * RING.alive).astype(np.float32))


@pytest.mark.parametrize(
    "factors",
    [(), (GeometricFactor(), ConstantFactor(0.3)), (even(), GeometricFactor()), (table(), even())],
    ids=["none", "geometry", "rings and places", "tables"],
)
def test_sensitivity_without_a_body_is_the_sum_over_all_lines(factors):
    data = scan(*factors)
    weights = RingWeights.of(data)
    assert weights.crystals is None
    found = exact_image(weights, GRID, threads=2)
    expected = all_lines(data)
    np.testing.assert_allclose(found.sum(), expected.sum(), rtol=1e-4)
    # Lines along a face between voxels count for one of them, and after mirroring for both.
    of_crystals = np.outer(weights.rings, weights.places).ravel()
    mirrors = symmetries(RING.positions_mm, of_crystals, GRID)
    expected = symmetrise(expected.astype(float), mirrors)
    relevant = expected > 0.05 * expected.max()
    relative = (found / np.maximum(expected, 1e-9) - 1)[relevant]
    assert np.sqrt((relative**2).mean()) < 2e-3
    assert np.abs(found - expected).max() < 0.02 * expected.max()


def test_off_centre_grid_is_summed_without_mirror_symmetry():
    grid = replace(GRID, centre_mm=(7.0, -3.0, 4.0))
    data = scan(GeometricFactor())
    found = exact_image(RingWeights.of(data), grid, threads=2)
    expected = sensitivity.compute_sensitivity(data, grid, EXACT, on=ON).image
    relevant = expected > 0.05 * expected.max()
    assert np.sqrt(((found / np.maximum(expected, 1e-9) - 1)[relevant] ** 2).mean()) < 0.01


@pytest.mark.parametrize("crystals", [False, True], ids=["body", "body and uneven crystals"])
def test_sensitivity_with_a_body_is_right_to_a_percent(crystals, monkeypatch):
    data = scan(GeometricFactor(), AttenuationFactor(water()), *((uneven(),) if crystals else ()))
    monkeypatch.setattr(sensitivity, "TRACED_BELOW", 0)
    found = sensitivity.compute_sensitivity(data, GRID, AUTO, on=ON)
    expected = all_lines(data)
    assert found.is_ratio and 0 < found.error_percent <= AUTO.error_percent
    assert f"{found.error_percent:.1f} %" in found.describe()
    z, y, x = np.meshgrid(*(GRID.centres_mm(a) for a in (2, 1, 0)), indexing="ij")
    inside = (np.hypot(x - 3, y + 4) < 38) & (np.abs(z - 4) < 10)
    relative = 100 * (found.image / expected - 1)[inside]
    # Without the attenuation of the body the image would be wrong by at least 40 %.
    assert (all_lines(scan(GeometricFactor())) / expected)[inside].min() > 1.4 or crystals
    assert np.sqrt((relative**2).mean()) < 1.5
    assert abs(relative.mean()) < 0.5


def test_gaps_between_blocks_cause_no_noise(monkeypatch):
    """Gaps appear at every angle; the transmission of a flat body depends on the angle."""
    gaps = tuple(range(0, 96, 6))
    ring = RingScanner(RING.settings.model_copy(update={"gap_places": gaps}))
    y, x = np.meshgrid(*[(np.arange(50) - 24.5) * 2] * 2, indexing="ij")
    flat = np.hypot(x / 45, y / 20) < 1
    body = Volume(np.broadcast_to(0.02 * flat, (20, 50, 50)).astype("f4"),
                  ImageGrid((20, 50, 50), (2.0, 2.0, 2.0)), "1/mm")  # fmt: skip
    weights = RingWeights.of(replace(scan(AttenuationFactor(body)), scanner=ring))
    monkeypatch.setattr(body_ratio, "WORK", 0)
    monkeypatch.setattr(body_ratio, "MIN_VIEWS", 96)
    expected = ratio_of(weights, GRID, threads=2).values
    monkeypatch.setattr(body_ratio, "MIN_VIEWS", 24)
    few = ratio_of(weights, GRID, threads=2)
    inside = np.hypot(*np.meshgrid(GRID.centres_mm(0) / 40, GRID.centres_mm(1) / 17)) < 1
    assert np.std((few.values / expected - 1)[2:-2, inside]) < 0.01


def test_number_of_threads_does_not_change_the_bits():
    weights = RingWeights.of(scan(uneven(), AttenuationFactor(water())))
    images = [
        (exact_image(weights, GRID, threads=n), ratio_of(weights, GRID, threads=n).values)
        for n in (1, 3)
    ]
    np.testing.assert_array_equal(images[0][0], images[1][0])
    np.testing.assert_array_equal(images[0][1], images[1][1])


def test_voxels_beyond_all_lines_have_no_sensitivity():
    wide = ImageGrid((3, 60, 60), (8.0, 8.0, 40.0))  # 480 mm wide, more than the ring of 180 mm
    image = exact_image(RingWeights.of(scan()), wide, threads=2)
    x = np.abs(wide.centres_mm(0))
    assert not image[:, :, x > 95].any() and image[1, 30, 30] > 0
    left = ratio_of(RingWeights.of(scan(AttenuationFactor(water()))), wide, threads=2)
    assert np.isfinite(left.values).all() and left.values.max() <= 1.0001


def test_factor_without_ring_symmetry_is_computed_by_lines(monkeypatch):
    class Oblique(LineFactor):
        def of_lines(self, crystals, scanner, *, on, reproducible=True):
            return np.where(crystals[:, 0] > crystals[:, 1], 1, 0.5).astype(np.float32)

        def fingerprint(self):
            yield b"oblique"

    data = scan(Oblique())
    assert RingWeights.of(data) is None
    monkeypatch.setattr(sensitivity, "TRACED_BELOW", 0)
    found = sensitivity.compute_sensitivity(data, GRID, AUTO, on=ON)
    np.testing.assert_array_equal(found.image, all_lines(data))


def test_too_coarse_sample_is_not_used(monkeypatch):
    data = scan(AttenuationFactor(water()))
    strict = SensitivitySettings(error_percent=0.05)
    monkeypatch.setattr(sensitivity, "TRACED_BELOW", 0)
    found = sensitivity.compute_sensitivity(data, GRID, strict, on=ON)
    assert not found.is_ratio


def test_cached_ratio_is_distinguished_from_a_sample(tmp_path):
    found = sensitivity.Sensitivity(np.ones(GRID.shape, np.float32), 100, 10, 0.5, is_ratio=True)
    sensitivity_cache.keep(tmp_path, "key", found)
    again = sensitivity_cache.load(tmp_path, "key", GRID)
    assert again.is_ratio and again.describe() == found.describe()
