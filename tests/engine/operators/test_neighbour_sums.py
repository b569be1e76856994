"""Sums over neighbours on the CPU: each pair is computed once, in any blocks of planes."""

from __future__ import annotations

import numpy as np
import pytest

from engine.kernels.neighbours.pairs import ORDER
from engine.operators import neighbours
from engine.operators.neighbours import N_HALF, STEPS, NeighbourSums, Potential, Term

SHAPE, SPACING = (7, 4, 9), (3.0, 2.0, 2.0)


@pytest.mark.parametrize("threads", [2, 3, 7])
@pytest.mark.parametrize("potential", Potential)
def test_blocks_of_planes_have_the_bits_of_the_whole_image(potential, threads, monkeypatch):
    monkeypatch.setattr(neighbours, "VOXELS_AT_ONCE", 0)
    rng = np.random.default_rng(3)
    shares = rng.integers(0, 3, (N_HALF, *SHAPE)).astype(np.uint8)
    x, v, kappa = (rng.random(SHAPE).astype(np.float32) for _ in range(3))
    x[2:4] = 0
    for some in (None, shares):
        options = (1.5, 0.01), kappa, some
        one, several = (NeighbourSums(potential, SPACING, *options, n) for n in (1, threads))
        for term in Term:
            np.testing.assert_array_equal(several(term, x, v), one(term, x, v))


def test_voxel_adds_its_neighbours_in_the_order_of_a_gpu():
    """The last bits of float32 sums depend on their order; here it is that of a GPU thread."""
    rng, f = np.random.default_rng(5), np.float32
    x, kappa = rng.random(SHAPE).astype(f), rng.random(SHAPE).astype(f)
    of, n = NeighbourSums(Potential.QUADRATIC, SPACING, kappa=kappa), (3, 2, 4)
    weights, total = neighbours.neighbour_weights(SPACING).astype(f), f(0)
    for k in ORDER:
        m = tuple(np.add(n, STEPS[k]))
        total += weights[k] * (kappa[n] * kappa[m]) * (x[n] - x[m])
    assert of(Term.GRADIENT, x)[n] == total
    assert sorted(ORDER) == list(range(2 * N_HALF))


def test_rows_and_row_ends_without_kappa_are_skipped():
    """Voxels without kappa have no neighbours. Skipping them does not change the bits."""
    rng = np.random.default_rng(6)
    x, kappa = rng.random(SHAPE).astype(np.float32), rng.random(SHAPE).astype(np.float32)
    kappa[:, :, :2], kappa[2], kappa[4, :, 5:], kappa[:, 1, 3] = 0, 0, 0, 0
    tiny = np.where(kappa == 0, np.float32(1e-45), kappa)  # is included, but without weight
    for term in Term:
        whole = NeighbourSums(Potential.RELATIVE, SPACING, (2, 0.01), tiny)
        some = NeighbourSums(Potential.RELATIVE, SPACING, (2, 0.01), kappa)
        inside = kappa > 0
        np.testing.assert_allclose(some(term, x, x)[inside], whole(term, x, x)[inside], rtol=1e-6)
        assert not some(term, x, x)[~inside].any()
