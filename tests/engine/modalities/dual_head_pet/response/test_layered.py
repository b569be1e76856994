"""The response of each pair of layers agrees with Monte Carlo, mirrors, one layer and photons."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from engine.core.backend import cpu
from engine.core.errors import GeometryError
from engine.data.histogram import one_layer
from engine.data.layered_response import LayeredResponse
from engine.geometry.dual_head import DualHead
from engine.kernels.scatter.panel_photons import DEPOSIT, MAX_DEPOSITS
from engine.kernels.scatter.panel_tracks import track
from engine.modalities.dual_head_pet.response.analytic import AnalyticResponse
from engine.modalities.dual_head_pet.response.building import build_analytic
from engine.modalities.dual_head_pet.response.layered import build_layered
from engine.operators.crystal_spread import panels_of, readout_of
from engine.operators.matrix.layered import LayeredProjector
from engine.operators.matrix.projector import MatrixProjector
from tests.engine.geometry.panels import panels
from tests.engine.modalities.dual_head_pet.response.brute_force import brute_force

DEEP = {"attenuation_per_mm": 0.2, "thickness_mm": 10.0, "n_layers": 2}


@cache
def scattering() -> LayeredResponse:
    return build_layered(panels(**DEEP), AnalyticResponse(n_points=1 << 12))


def row(A: LayeredProjector, line: int) -> np.ndarray:
    """Return the (n_z, n_y, n_x) response of one line."""
    y = np.zeros(A.out_shape)
    y[line] = 1
    return A.T(y)


@pytest.mark.slow
def test_every_pair_of_layers_equals_brute_force(rng: np.random.Generator) -> None:
    """Crystals without gaps, because the Monte Carlo response attenuates like a slab."""
    scanner = panels(**DEEP, crystal_mm=2.0)
    settings = AnalyticResponse(n_points=1 << 14, threshold=0, scatter=False)
    A = LayeredProjector(build_layered(scanner, settings), on=cpu(1), dtype=np.float64)
    n_pairs = scanner.orientations.n_pairs
    for layers in range(4):
        # Orientation (a, b) = (3, 1) from an edge of panel 0: no mirror maps the line to itself.
        line = layers * n_pairs + int(scanner.orientations.numbers(*np.array([0, 1, 3, 2])))
        truth, found = brute_force(scanner, line, rng, 30_000), row(A, line)
        # A voxel gets about 1,500 of the 64 x 30,000 samples.
        assert np.linalg.norm(found - truth) < 0.04 * np.linalg.norm(truth)
        assert found.sum() == pytest.approx(truth.sum(), rel=0.02)


def test_mirror_between_the_panels_swaps_the_layers(rng: np.random.Generator) -> None:
    """Counts of x on layers (i of m, k of n) are those of its mirror image on (k of n, i of m)."""
    scanner = scattering().scanner
    A = LayeredProjector(scattering(), on=cpu(1), dtype=np.float64)
    x = rng.random(A.in_shape)
    crystals = scanner.lors(np.arange(scanner.n_lors))
    half = scanner.n_crystals // 2
    exchanged = scanner.numbers((crystals[:, ::-1] + half) % scanner.n_crystals)
    np.testing.assert_allclose(A(x[:, ::-1])[exchanged], A(x), rtol=1e-6)


@pytest.mark.slow
def test_sum_over_all_layers_equals_one_thick_layer(rng: np.random.Generator) -> None:
    scanner = scattering().scanner
    settings = AnalyticResponse(n_points=1 << 13, threshold=0, seed=3)
    thick = build_analytic(one_layer(scanner), settings)
    A, whole = LayeredProjector(scattering(), on=cpu(1)), MatrixProjector(thick, on=cpu(1))
    x = rng.random(A.in_shape, np.float32)
    summed, expected = A(x).reshape(4, -1).sum(axis=0), whole(x)
    # The detected fraction of 4,096 photons in a direction has an error of 0.7 %, for both photons
    # of a pair; rows have their own error.
    error = np.hypot(np.hypot(thick.errors.max(), scattering().errors.max()), 2 * 0.007)
    np.testing.assert_allclose(summed, expected, rtol=2 * error)
    assert summed.sum() == pytest.approx(expected.sum(), rel=2 * 0.007)


@pytest.mark.parametrize("place", ["mean", "largest"])
def test_photons_are_detected_in_the_layers_of_their_rows(place: str) -> None:
    """Pairs are tracked from a voxel near panel 0, and sorted by the layers that detect them."""
    scanner = panels(**DEEP, place=place)
    response = build_layered(scanner, AnalyticResponse(n_points=1 << 12, threshold=0))
    n, voxel = 1 << 18, (1, 1, 2)
    found, deposits = np.empty((n, 6), np.int16), np.empty((MAX_DEPOSITS, DEPOSIT))
    state = np.array([7], np.uint64)
    lowest = 0.5
    n_seen = track(
        n, voxel, lowest, panels_of(scanner), readout_of(scanner), state, deposits, found
    )
    found = found[:n_seen].astype(int)
    near = (abs(found[:, 2] - found[:, 0]) <= 2) & (abs(found[:, 3] - found[:, 1]) <= 2)
    share = np.bincount(found[near] @ [0, 0, 0, 0, 2, 1], minlength=4) * (1 - lowest) / n
    expected = [sum_of_rows(response, i, k, voxel) for i in (0, 1) for k in (0, 1)]
    counts = share * n / (1 - lowest)
    np.testing.assert_allclose(share, expected, rtol=0.02 + 4 / np.sqrt(counts.min()))
    # the voxel is nearer to panel 0, so the two pairs of layers differ
    assert expected[1] != pytest.approx(expected[2], rel=0.03)


def sum_of_rows(response: LayeredResponse, i: int, k: int, voxel: tuple[int, int, int]) -> float:
    """Return the probability that two layers detect a decay, within two rows and columns."""
    matrix = response.matrices[min(i, k), max(i, k)]
    n, p = response.scanner.settings.voxels_per_pitch, voxel[0]
    plane = p + response.scanner.settings.n_planes if i > k else p
    total = 0.0
    for a in range(-2, 3):
        for b in range(-2, 3):
            whole = matrix.row(a, b)
            same = (whole.p == plane) & (whole.j % n == voxel[1]) & (whole.k % n == voxel[2])
            total += float(whole.values[same].sum())
    return total


def test_response_without_a_pair_of_layers_is_refused() -> None:
    some = {(0, 0): scattering().matrices[0, 0]}
    with pytest.raises(GeometryError, match=r"has the layers \[\(0, 0\)\], expected"):
        LayeredResponse(scattering().scanner, some)


def test_too_many_planes_are_refused() -> None:
    many = panels(n_layers=2, n_planes=501, plane_mm=0.01)
    with pytest.raises(
        GeometryError, match="501 image planes between panels of 2 layers, expected at most"
    ):
        build_layered(many, AnalyticResponse(n_points=256))


def test_layers_of_another_image_are_refused() -> None:
    matrices = scattering().matrices
    other: DualHead = panels(**DEEP, n_planes=5)
    with pytest.raises(GeometryError, match="belongs to other panels"):
        LayeredResponse(other, matrices)
