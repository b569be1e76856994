"""What edges of blocks and panels cost their crystals, beside crystals in an endless panel.

A response matrix is that of panels without edges, with blocks wherever they may lie
(engine.operators.crystal_spread). At the edge of a block photons scatter out of it and are read
with less energy; at the edge of a panel none scatter in. Photons that are sent from all over one
panel to all over the other are tracked in both, and

e_i = seen in crystal i / seen with their first interaction in crystal i of the endless panel;

under an even flux as many photons are displaced from a crystal as to it, there. A line has e_i e_j.
Crystals that lie alike, to their block, to the edges, and to mirrors, share their counts.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from engine.geometry.dual_head import DualHead
from engine.kernels.panel_photons import DEPOSIT, MOST_DEPOSITS, Readout
from engine.kernels.panel_tracks import count_crystals
from engine.kernels.response import Panels
from engine.operators.crystal_spread import panels_of, readout_of

FEEL = 8
"""Crystals from the edge of a panel that feel it."""
SHARES = 16
"""Parts of the photons, each with its own random numbers."""


def edge_efficiencies(
    scanner: DualHead, *, threads: int = 1, n_photons: int = 1 << 15, seed: int = 1
) -> NDArray[np.float32]:
    """Return e of every crystal, (n_crystals,) of panels of one layer; 1 in an endless panel.

    Parameters
    ----------
    scanner
        whose panels
    threads
        how many work; the result is the same for any number
    n_photons
        for each kind of crystal: 1 % of error with the usual ones
    seed
        of the random numbers

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
    return np.tile(one.ravel(), 2).astype(np.float32)


@lru_cache(maxsize=8)
def _tracked(
    panels: Panels, readout: Readout, n_rows: int, n_columns: int, n_photons: int, seed: int,
    threads: int,
) -> NDArray[np.float64]:  # fmt: skip
    """(n_rows, n_columns) e of the crystals of one panel."""
    rows, columns = (_alike(n, readout.block) for n in (n_rows, n_columns))
    n_kinds = (rows.max() + 1) * (columns.max() + 1)
    kinds = (rows[:, None] * (columns.max() + 1) + columns).ravel()
    whole = readout._replace(n_rows=n_rows, n_columns=n_columns)

    def share(i: int) -> NDArray[np.int64]:
        state = np.random.SeedSequence((seed, i)).generate_state(1, np.uint64)
        counts = np.zeros((2, n_rows, n_columns), np.int64)
        deposits = np.empty((MOST_DEPOSITS, DEPOSIT))
        n = -(-n_photons * n_kinds // SHARES)
        count_crystals(n, panels, readout, whole, state, deposits, counts)
        return counts

    with ThreadPoolExecutor(threads) as pool:
        endless, seen = np.sum([*pool.map(share, range(SHARES))], axis=0)
    sums = [np.bincount(kinds, counts.ravel(), n_kinds) for counts in (seen, endless)]
    found: NDArray[np.float64] = (sums[0] / np.maximum(sums[1], 1))[kinds]
    found = found.reshape(n_rows, n_columns)
    found.setflags(write=False)
    return found


def _alike(n: int, block: int) -> NDArray[np.int64]:
    """(n,) numbers of kinds of crystals along an edge of a panel; crystals of a kind lie alike."""
    place = np.arange(n)
    if block == 0 or n % block == 0:
        place = np.minimum(place, n - 1 - place)
    in_block = place % block if block else 0 * place
    low, high = np.minimum(place, FEEL), np.minimum(n - 1 - place, FEEL)
    keys = (in_block * (FEEL + 1) + low) * (FEEL + 1) + high
    return np.unique(keys, return_inverse=True)[1]
