"""Efficiency of crystals at the edges of blocks and panels, relative to an endless panel.

A response matrix describes panels without edges, averaged over the positions of blocks
(engine.operators.crystal_spread). At the edge of a block, photons scatter out of it and are read
with less energy. At the edge of a panel, no photons scatter in. Photons between the panels, and in
a margin around them, are tracked in the panel and in an endless one:

    e_i = counts of crystal i in the panel / counts of crystal i in the endless panel.

A line has e_i e_j. The endless panel has no pattern, so its counts are smoothed by a polynomial.
Crystals that are equivalent with respect to their block, the edges and mirrors share their counts.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from engine.geometry.dual_head import DualHead
from engine.kernels.matrix.response import Panels
from engine.kernels.scatter.panel_photons import DEPOSIT, MAX_DEPOSITS, Readout
from engine.kernels.scatter.panel_tracks import ENDLESS_EVERY, count_crystals
from engine.operators.crystal_spread import REACH, panels_of, readout_of

FEEL = 8
"""Distance from the edge of a panel, in crystals, up to which the edge has an effect."""
SHARES = 16
"""Number of parts of the photons, each with its own random numbers."""


def edge_efficiencies(
    scanner: DualHead, *, threads: int = 1, n_photons: int = 1 << 15, seed: int = 1
) -> NDArray[np.float32]:
    """Return e of each crystal, (n_crystals,); 1 in an endless panel.

    Parameters
    ----------
    scanner
        two panels
    threads
        number of threads; the result does not depend on it
    n_photons
        photons for each kind of crystal; the default gives an error of 1 %
    seed
        seed of the random numbers

    Examples
    --------
    >>> import engine
    >>> from engine.operators.crystal_edges import edge_efficiencies
    >>> e = edge_efficiencies(engine.read_scanner("test-panels"), n_photons=1 << 12)
    >>> bool(e.max() < 1)
    True
    """
    s = scanner.settings
    geometry = panels_of(scanner)._replace(n_planes=0, plane=0.0, voxels_per_pitch=0)
    one = _tracked(geometry, readout_of(scanner), s.n_rows, s.n_columns, n_photons, seed, threads)
    return np.tile(one.ravel(), 2).astype(np.float32)  # layer by layer on both panels


@lru_cache(maxsize=8)
def _tracked(
    panels: Panels, readout: Readout, n_rows: int, n_columns: int, n_photons: int, seed: int,
    threads: int,
) -> NDArray[np.float64]:  # fmt: skip
    """Return e of the crystals of one panel, (n_layers, n_rows, n_columns)."""
    # Equivalent crystals share their counts, which reduces the noise for the same photons.
    rows, columns = (_crystal_kinds(n, readout.block) for n in (n_rows, n_columns))
    n_kinds = (rows.max() + 1) * (columns.max() + 1)
    kinds = (rows[:, None] * (columns.max() + 1) + columns).ravel()
    whole = readout._replace(n_rows=n_rows, n_columns=n_columns)

    def share(i: int) -> NDArray[np.int64]:
        # A seed for each part: the result does not depend on the number of threads.
        state = np.random.SeedSequence((seed, i)).generate_state(1, np.uint64)
        counts = np.zeros((2, panels.n_layers, n_rows, n_columns), np.int64)
        deposits = np.empty((MAX_DEPOSITS, DEPOSIT))
        # additional photons for the margin beyond the edges
        wide = (1 + 2 * REACH / n_rows) * (1 + 2 * REACH / n_columns)
        # More photons for panels with many kinds of crystals, so that each kind has the same error.
        n = int(wide * n_photons * n_kinds * panels.n_layers / SHARES) + 1
        count_crystals(n, panels, readout, whole, state, deposits, counts, REACH)
        return counts

    with ThreadPoolExecutor(threads) as pool:
        endless, seen = np.sum([*pool.map(share, range(SHARES))], axis=0)
    found = np.empty(seen.shape)
    # for each layer: photons that leave at an edge could count in the next
    for layer, of_layer in enumerate(seen):
        expected = ENDLESS_EVERY * _smoothed(endless[layer])
        sums = [np.bincount(kinds, counts.ravel(), n_kinds) for counts in (of_layer, expected)]
        found[layer] = (sums[0] / np.maximum(sums[1], 1e-30))[kinds].reshape(n_rows, n_columns)
    found.setflags(write=False)
    return found


def _smoothed(counts: NDArray[np.int64]) -> NDArray[np.float64]:
    """Fit even polynomials of up to fourth degree along rows and columns."""
    rows, columns = (np.linspace(-1, 1, n) ** 2 if n > 1 else np.zeros(1) for n in counts.shape)
    r, c = (v.ravel() for v in np.meshgrid(rows, columns, indexing="ij"))
    terms = np.stack([np.ones_like(r), r, c, r * c, r * r, c * c], axis=-1)
    fitted: NDArray[np.float64] = terms @ np.linalg.lstsq(terms, counts.ravel(), rcond=None)[0]
    return np.maximum(fitted, 0.0).reshape(counts.shape)


def _crystal_kinds(n: int, block: int) -> NDArray[np.int64]:
    """Return kinds of crystals along an edge of a panel; equivalent crystals have one number."""
    place = np.arange(n)
    # Only then the panel is its own mirror image.
    if block == 0 or n % block == 0:
        place = np.minimum(place, n - 1 - place)
    in_block = place % block if block else 0 * place
    low, high = np.minimum(place, FEEL), np.minimum(n - 1 - place, FEEL)
    keys = (in_block * (FEEL + 1) + low) * (FEEL + 1) + high
    return np.unique(keys, return_inverse=True)[1]
