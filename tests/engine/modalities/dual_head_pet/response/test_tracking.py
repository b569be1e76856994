"""Tracked photons agree with the integral and with Klein & Nishina; scatter is included."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pytest

from engine.core.errors import ResourceError
from engine.data.histogram import with_settings
from engine.data.response import ResponseMatrix
from engine.geometry.dual_head import DualHead
from engine.io import read_scanner
from engine.io.safety.budget import MEMORY_VARIABLE
from engine.kernels.scatter.photons import REST_KEV, klein_nishina, scattered, turned, uniform
from engine.modalities.dual_head_pet.response.analytic import AnalyticResponse
from engine.modalities.dual_head_pet.response.building import build_analytic
from engine.modalities.dual_head_pet.response.tracking import (
    TrackedResponse,
    build_tracked,
    lowest_cosine,
)
from tests.engine.geometry.panels import panels
from tests.engine.modalities.dual_head_pet.response.unfolding import dense


def six_by_four() -> DualHead:
    scanner = read_scanner("test-panels")
    assert isinstance(scanner, DualHead)
    return scanner


@cache
def tracked(*, scatter: bool) -> ResponseMatrix:
    # Pairs with scatter cost four times as much, so only their sums are compared.
    n_pairs = 1 << (16 if scatter else 17)
    settings = TrackedResponse(n_pairs=n_pairs, scatter=scatter, threshold=0)
    return build_tracked(six_by_four(), settings)


def image(matrix: ResponseMatrix, i: int) -> np.ndarray:
    row, beyond = matrix.stored(i), 8
    values = np.zeros((6, 48, 48))
    values[row.p, row.j + beyond, row.k + beyond] = row.values
    return values


def test_photons_and_integral_agree_within_their_errors() -> None:
    """Compare all 18 orientations of 6 × 4 crystals in absolute numbers, with gaps."""
    settings = AnalyticResponse(n_points=1 << 15, threshold=0, scatter=False)
    integral = build_analytic(six_by_four(), settings)
    matrix = tracked(scatter=False)
    ratios = []
    for i in range(len(matrix.orientations)):
        of_photons, true = image(matrix, i), image(integral, i)
        difference = np.linalg.norm(of_photons - true) / np.linalg.norm(of_photons)
        ratios.append(difference / np.hypot(matrix.errors[i], integral.errors[i]))
        assert 0.6 < ratios[-1] < 1.5
    assert np.mean(ratios) == pytest.approx(1, abs=0.12)
    total = [
        sum(m.whole(i).values.sum() for i in range(len(m.orientations))) for m in (matrix, integral)
    ]
    assert total[0] == pytest.approx(total[1], rel=0.005)
    assert matrix.margin == 0
    assert matrix.errors.max() < 0.12


@pytest.mark.slow
@pytest.mark.parametrize("block_crystals", [2, 6])
def test_photons_and_integral_have_the_same_scatter(block_crystals: int) -> None:
    """Compare tracked pairs with first interactions and the spread of single photons."""
    scanner = with_settings(six_by_four(), block_crystals=block_crystals)
    of_photons = build_tracked(scanner, TrackedResponse(n_pairs=1 << 16, threshold=0, margin=6))
    whole = build_analytic(scanner, AnalyticResponse(n_points=1 << 14, threshold=0))
    sums = np.array([[m.whole(i).values.sum() for m in (of_photons, whole)] for i in range(18)])
    assert sums[:, 1] == pytest.approx(sums[:, 0], rel=0.12)
    # The integral assumes the same spread from every depth, which is not exact for near panels.
    assert sums[:, 1].sum() == pytest.approx(sums[:, 0].sum(), rel=0.05)


def test_packing_rows_in_parts_changes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = TrackedResponse(n_pairs=4000)
    whole = build_tracked(panels(), settings)
    monkeypatch.setattr("engine.modalities.dual_head_pet.response.tracking._PACKED_AT_ONCE", 900)
    found = build_tracked(panels(), settings, tmp_path / "tiny.h5")
    for name in ("starts", "windows", "places", "values", "scales", "dropped", "errors"):
        np.testing.assert_array_equal(getattr(found, name), getattr(whole, name))
    assert found.info["beyond_margin"] == whole.info["beyond_margin"]


def test_pairs_start_in_the_whole_voxel() -> None:
    """Voxels are as wide as a crystal and half as deep as the gap; compared with the integral."""
    scanner = panels(n_planes=2, plane_mm=4.0, voxels_per_pitch=1)
    settings = AnalyticResponse(n_points=1 << 14, threshold=0, scatter=False)
    integral = build_analytic(scanner, settings)
    of_photons = build_tracked(
        scanner, TrackedResponse(n_pairs=1 << 18, scatter=False, threshold=0)
    )
    for i in range(len(of_photons.orientations)):
        difference = np.linalg.norm(image(of_photons, i) - image(integral, i))
        error = np.hypot(of_photons.errors[i], integral.errors[i])
        assert difference < 3 * error * np.linalg.norm(image(integral, i))


def test_obliquest_photon_is_the_limit() -> None:
    """The limit joins the outer edges of first and last crystal at the front faces, plus margin."""
    scanner = panels()  # 5 × 3 crystals of 1.8 mm, pitch 2 mm, panels at 8 mm
    for margin, rows_mm, columns_mm in ((0, 9.8, 5.8), (2, 17.8, 13.8)):
        corner = np.array([8.0, rows_mm, columns_mm])
        assert lowest_cosine(scanner, margin) == pytest.approx(8 / np.linalg.norm(corner))


def test_tracked_rows_have_the_symmetries() -> None:
    matrix = build_tracked(panels(), TrackedResponse(n_pairs=2000, threshold=0))
    found, pairs = dense(matrix), matrix.scanner.orientations
    row0, column0, row1, column1 = pairs.places(np.arange(pairs.n_pairs))
    rows = pairs.numbers(4 - row0, column0, 4 - row1, column1)
    np.testing.assert_array_equal(found[rows][:, ::-1], found)
    heads = pairs.numbers(row1, column1, row0, column0)
    np.testing.assert_array_equal(found[heads][:, :, ::-1], found)


def test_scatter_widens_the_response_and_the_window_costs_counts() -> None:
    """In blocks of 2 × 2 crystals, many photons scatter into another block."""
    primary, both = tracked(scatter=False), tracked(scatter=True)
    assert primary.margin == 0 < both.margin <= 2
    assert 0 < both.info["beyond_margin"] < 0.01
    for i in (0, 5, 17):
        assert 0.3 < image(both, i).sum() / image(primary, i).sum() < 0.5


def test_absorbing_panels_equal_pure_attenuation() -> None:
    settings = TrackedResponse(n_pairs=1 << 16, threshold=0)
    black = panels(photo_fraction=1.0, energy_fwhm=0.0)
    one, other = (
        build_tracked(black, settings.model_copy(update={"scatter": s, "seed": 3 + s}))
        for s in (False, True)
    )
    sums = [sum(m.stored(i).values.sum() for i in range(12)) for m in (one, other)]
    assert sums[0] == pytest.approx(sums[1], rel=0.02)


def test_higher_window_costs_more_counts() -> None:
    """One scatter deposits at most 341 keV, and few photons escape from 20 mm after two."""
    settings = TrackedResponse(n_pairs=1 << 14, threshold=0)
    sums = []
    for low in (0.0, 350.0, 510.99):
        sharp = {"energy_window_kev": (low, 750.0), "energy_fwhm": 0.0, "block_crystals": 1}
        matrix = build_tracked(with_settings(six_by_four(), **sharp), settings)
        sums.append(sum(matrix.stored(i).values.sum() for i in range(18)))
    assert 0.98 * sums[1] < sums[2] < sums[1] < 0.8 * sums[0]


def test_interrupted_tracking_continues(tmp_path: Path) -> None:
    long, path = TrackedResponse(n_pairs=200_000), tmp_path / "tiny.h5"

    def stop(done: int, total: int) -> None:
        if 0 < done < total:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        build_tracked(panels(), long, path, threads=1, on_progress=stop)
    assert len(list((tmp_path / "tiny.h5.parts").glob("*.npz"))) in range(1, 12)
    found = build_tracked(panels(), long, path)
    np.testing.assert_array_equal(found.values, build_tracked(panels(), long).values)


def test_cross_sections_equal_klein_and_nishina() -> None:
    """Compared with the integral of the differential cross-section (P²/2)(P + 1/P − sin²) dΩ."""
    cosine = np.linspace(-1, 1, 200_001)

    def total(k: float) -> tuple[float, float]:
        ratio = 1 / (1 + k * (1 - cosine))
        angular = ratio**2 * (ratio + 1 / ratio - 1 + cosine**2)
        return np.trapezoid(angular, cosine), np.trapezoid(angular * ratio, cosine)

    state = np.array([7], np.uint64)
    for k in (0.1, 0.5, 1.0):
        assert klein_nishina(k) == pytest.approx(total(k)[0] / total(1.0)[0], rel=1e-6)
        samples = np.array([scattered(k, state) for _ in range(20_000)])
        np.testing.assert_allclose(samples[:, 0], 1 / (1 + k * (1 - samples[:, 1])), rtol=1e-9)
        spread = samples[:, 0].std() / np.sqrt(20_000)
        assert samples[:, 0].mean() == pytest.approx(total(k)[1] / total(k)[0], abs=5 * spread)
    assert pytest.approx(511, abs=0.01) == REST_KEV


def test_random_numbers_are_uniform() -> None:
    state = np.array([1], np.uint64)
    samples = np.array([uniform(state) for _ in range(50_000)])
    counts = np.histogram(samples, 50, (0, 1))[0]
    assert 20 < ((counts - 1000) ** 2 / 1000).sum() < 90  # χ² with 49 degrees of freedom
    assert abs(np.corrcoef(samples[:-1], samples[1:])[0, 1]) < 0.02


@pytest.mark.parametrize("direction", [(0.0, 0.0), (1e-3, 0.0), (-0.3, 0.6), (0.9, -0.1)])
@pytest.mark.parametrize("cosine", [0.95, 0.2, -0.7])
def test_photons_scatter_uniformly_around_their_direction(
    direction: tuple[float, float], cosine: float
) -> None:
    d = np.array([np.sqrt(1 - np.hypot(*direction) ** 2), *direction])
    state, n = np.array([11], np.uint64), 20_000
    found = np.array([turned(*d, cosine, state) for _ in range(n)])
    np.testing.assert_allclose(np.linalg.norm(found, axis=1), 1, atol=1e-9)
    np.testing.assert_allclose(found @ d, cosine, atol=1e-9)
    across = np.cross(d, [0.0, 0.6, 0.8])
    across /= np.linalg.norm(across)
    azimuth = np.arctan2(found @ np.cross(d, across), found @ across)
    counts = np.histogram(azimuth, 20, (-np.pi, np.pi))[0]
    expected = n / 20
    # χ² with 19 degrees of freedom, one in a thousand
    assert ((counts - expected) ** 2 / expected).sum() < 43.8


def test_too_large_counts_are_refused_before_allocation(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Once the counts fit, the same build continues with the same bits."""
    settings, path = TrackedResponse(n_pairs=1 << 10, threshold=0), tmp_path / "tiny.h5"
    monkeypatch.setenv(MEMORY_VARIABLE, "1e-9")
    with pytest.raises(ResourceError, match="track fewer pairs"):
        build_tracked(six_by_four(), settings, path, threads=1)
    assert not path.exists()
    monkeypatch.delenv(MEMORY_VARIABLE)
    matrix = build_tracked(six_by_four(), settings, path, threads=1)
    assert np.array_equal(matrix.values, build_tracked(six_by_four(), settings).values)
