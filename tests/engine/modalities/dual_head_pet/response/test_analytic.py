"""The integrated response agrees with Monte Carlo and symmetries, within its stated error."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from engine.core.errors import DataError, GeometryError, SettingsError
from engine.data.response import ResponseMatrix
from engine.geometry.dual_head import DualHead
from engine.io import read_scanner
from engine.modalities.dual_head_pet.response.analytic import AnalyticResponse, ResponseRows
from engine.modalities.dual_head_pet.response.building import build_analytic
from engine.modalities.dual_head_pet.response.packing import packed
from tests.engine.geometry.panels import panels
from tests.engine.modalities.dual_head_pet.response.brute_force import brute_force
from tests.engine.modalities.dual_head_pet.response.unfolding import dense


def six_by_four() -> DualHead:
    scanner = read_scanner("test-panels")
    assert isinstance(scanner, DualHead)
    return scanner


@cache
def whole() -> tuple[ResponseMatrix, np.ndarray]:
    matrix = build_analytic(six_by_four(), AnalyticResponse(n_points=1 << 12, scatter=False))
    return matrix, dense(matrix)


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_mirror_symmetry_holds(axis: int) -> None:
    """Mirror images of line and voxel have the same element: in z, y (heads exchanged) and x."""
    matrix, found = whole()
    scanner = matrix.scanner
    places = list(scanner.orientations.places(np.arange(scanner.n_lors)))
    row0, column0, row1, column1 = places
    if axis == 0:
        mirrored = 5 - row0, column0, 5 - row1, column1
    elif axis == 1:
        mirrored = row1, column1, row0, column0
    else:
        mirrored = row0, 3 - column0, row1, 3 - column1
    lors = scanner.orientations.numbers(*mirrored)
    np.testing.assert_array_equal(np.flip(found[lors], 1 + axis), found)


def test_interchange_of_rows_and_columns_holds() -> None:
    matrix, found = whole()
    pairs = matrix.scanner.orientations
    row0, column0, row1, column1 = np.indices((4, 4, 4, 4)).reshape(4, -1)
    rows = found[pairs.numbers(row0, column0, row1, column1)][:, :16]
    partners = found[pairs.numbers(column0, row0, column1, row1)][:, :16]
    np.testing.assert_array_equal(rows, partners.transpose(0, 3, 2, 1))


def test_shift_symmetry_holds() -> None:
    matrix, found = whole()
    pairs = matrix.scanner.orientations
    row0, column0, row1, column1 = np.indices((5, 3, 5, 3)).reshape(4, -1)
    rows = found[pairs.numbers(row0, column0, row1, column1)]
    partners = found[pairs.numbers(row0 + 1, column0 + 1, row1 + 1, column1 + 1)]
    np.testing.assert_array_equal(rows[:, :-4, :, :-4], partners[:, 4:, :, 4:])
    assert not rows[:, -4:].any()
    assert not rows[..., -4:].any()


def test_rows_are_within_their_boxes() -> None:
    assert whole()[0].margin == 0


@pytest.mark.slow
def test_response_equals_brute_force(rng: np.random.Generator) -> None:
    """Crystals without gaps, because the Monte Carlo response attenuates like a slab."""
    scanner = panels(crystal_mm=2.0, attenuation_per_mm=0.2, thickness_mm=10.0)
    settings = AnalyticResponse(n_points=1 << 15, threshold=0, scatter=False)
    found = dense(build_analytic(scanner, settings))
    for lor in rng.integers(0, scanner.n_lors, 3):
        truth = brute_force(scanner, lor, rng, 100_000)
        scale = np.linalg.norm(truth)
        # A voxel gets about 5,000 of the 64 x 100,000 samples.
        assert np.linalg.norm(found[lor] - truth) < 0.03 * scale
        assert found[lor].sum() == pytest.approx(truth.sum(), rel=0.01)


def test_photons_pass_through_gaps(rng: np.random.Generator) -> None:
    """Perpendicular to the panels, a photon crosses only its own crystal, with or without gaps."""
    oblique, straight = [], []
    for crystal in (1.0, 2.0):
        scanner = panels(crystal_mm=crystal, attenuation_per_mm=1.0, thickness_mm=10.0)
        matrix = build_analytic(
            scanner, AnalyticResponse(n_points=1 << 13, threshold=0, scatter=False)
        )
        straight.append(matrix.row(0, 0).values.sum() / crystal**4)
        oblique.append(matrix.row(4, 2).values.sum() / crystal**4)
    assert straight[0] == pytest.approx(straight[1], rel=0.05)
    assert oblique[0] > 1.1 * oblique[1]


def test_error_is_as_stated() -> None:
    scanner = panels()
    few, many = (
        build_analytic(scanner, AnalyticResponse(n_points=n, threshold=0, seed=seed, scatter=False))
        for n, seed in ((1 << 11, 1), (1 << 16, 2))
    )
    ratios = []
    for i in range(len(few.orientations)):
        one, best = (np.zeros((7, 40, 40)) for _ in range(2))
        for values, matrix in ((one, few), (best, many)):
            row = matrix.stored(i)
            values[row.p, row.j, row.k] = row.values
        true = np.linalg.norm(one - best) / np.linalg.norm(best)
        ratios.append(true / few.errors[i])
    assert 0.8 < np.mean(ratios) < 1.25
    assert (many.errors < few.errors / 3).all()


def test_dropped_fraction_is_stated() -> None:
    scanner = panels()
    untruncated, truncated = (
        build_analytic(scanner, AnalyticResponse(n_points=1 << 11, threshold=t, scatter=False))
        for t in (0, 0.01)
    )
    for i in range(len(truncated.orientations)):
        whole, retained = (np.zeros((7, 40, 40)) for _ in range(2))
        for values, matrix in ((whole, untruncated), (retained, truncated)):
            row = matrix.stored(i)
            values[row.p, row.j, row.k] = row.values
        share = 1 - whole[retained > 0].sum() / whole.sum()
        # values are stored in half precision
        assert share == pytest.approx(truncated.dropped[i], abs=2e-4)
        assert retained.sum() == pytest.approx(whole.sum(), rel=1e-3)
    assert truncated.n_nonzero < untruncated.n_nonzero
    assert not untruncated.dropped.any()


@pytest.mark.slow
@pytest.mark.parametrize("orientation", [(0, 0), (16, 8), (52, 26), (103, 71)])
def test_full_system_drops_less_than_two_per_mille(orientation: tuple[int, int]) -> None:
    scanner = read_scanner("dhapet")
    settings = AnalyticResponse(threshold=1e-3, scatter=False)
    row = ResponseRows(scanner, settings).row(*orientation)
    assert row.dropped[0] < 2e-3
    assert row.errors[0] < 0.02


def test_voxels_of_a_phase_are_contiguous() -> None:
    matrix = whole()[0]
    for i in (0, 7, 17):
        row = matrix.stored(i)
        order = np.lexsort((row.k, row.j, row.k % 4, row.j % 4, row.p))
        np.testing.assert_array_equal(order, np.arange(len(order)))


def test_number_of_threads_makes_no_difference() -> None:
    settings = AnalyticResponse(n_points=1 << 9)
    one, two = (build_analytic(panels(), settings, threads=n) for n in (1, 2))
    np.testing.assert_array_equal(one.values, two.values)
    np.testing.assert_array_equal(one.places, two.places)


def test_layers_are_refused() -> None:
    with pytest.raises(GeometryError, match="describes one crystal layer, but the scanner has 2"):
        build_analytic(panels(n_layers=2), AnalyticResponse(n_points=256))


def test_too_wide_row_is_refused() -> None:
    p = np.zeros(2, int)
    corners = np.array([0, 300])
    with pytest.raises(DataError, match="at most 65536 are supported"):
        packed(panels(), (p, corners, corners), np.ones(2, np.float32), threshold=0)


def test_number_of_points_must_be_a_power_of_two() -> None:
    with pytest.raises(SettingsError, match="is 1000, expected a power of two"):
        AnalyticResponse(n_points=1000)
