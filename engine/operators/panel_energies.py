"""Efficiency of two panels for photons of other energies, relative to 511 keV.

Photons are tracked through crystals, blocks and readout like those of 511 keV
(`engine.kernels.scatter.panel_photons`): stopping power, scatter between crystals, energy
resolution and window are included. They arrive at typical angles, because perpendicular photons can
pass through gaps between crystals. Between tracked energies the efficiency is linear. With several
layers each has its share of the counted photons: low energies stop earlier.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from engine.geometry.dual_head import DualHead
from engine.kernels.matrix.response import Panels
from engine.kernels.scatter.panel_photons import DEPOSIT, MAX_DEPOSITS, Readout
from engine.kernels.scatter.panel_tracks import count_spread
from engine.kernels.scatter.photons import REST_KEV
from engine.operators.crystal_spread import panels_of, readout_of

LOWEST_KEV = REST_KEV / 3
"""Energy of a photon of 511 keV after backscatter."""
N_ENERGIES = 33
TANGENTS = 0.25, 0.5, 0.75
"""Tangents to the panels' normal of the tracked photons."""
_ASLANT = 0.95, 0.31
"""Components of a tangent along rows and columns, so that photons are parallel to neither."""


def relative_efficiency(
    scanner: DualHead, kev: NDArray[np.float64], *, n_photons: int = 1 << 14, seed: int = 1
) -> NDArray[np.float64]:
    """Return the counted photons relative to those of 511 keV.

    Parameters
    ----------
    scanner
        two panels
    kev
        (n,) energies, from one third of 511 keV to 511 keV
    n_photons
        photons for each energy and angle; the default gives an error of half a
        per cent
    seed
        seed of the random numbers

    Examples
    --------
    >>> import numpy as np, engine
    >>> from engine.operators.panel_energies import relative_efficiency
    >>> panels = engine.read_scanner("test-panels")
    >>> found = relative_efficiency(panels, np.array([200.0, 511.0]), n_photons=1 << 12)
    >>> bool(found[0] < 0.01)
    True
    """
    known, counts = _of_layers(scanner, n_photons, seed)
    whole = counts.sum(axis=0)
    # the window contains 511 keV
    return np.interp(kev, known, whole / max(whole[-1], 1.0))


def layer_shares(
    scanner: DualHead, kev: NDArray[np.float64], *, n_photons: int = 1 << 14, seed: int = 1
) -> NDArray[np.float64]:
    """Return the share of each layer in the counted photons.

    Parameters
    ----------
    scanner
        two panels
    kev
        (n,) energies
    n_photons
        photons for each energy and angle
    seed
        seed of the random numbers

    Returns
    -------
    (n_layers, n); equal shares for energies that are not counted
    """
    known, counts = _of_layers(scanner, n_photons, seed)
    counts = np.stack([np.interp(kev, known, of_layer) for of_layer in counts])
    whole, n_layers = counts.sum(axis=0), len(counts)
    # The division keeps these values where no photon is counted.
    even = np.full(counts.shape, 1 / n_layers)
    return np.divide(counts, whole, out=even, where=whole > 0)


def _of_layers(
    scanner: DualHead, n_photons: int, seed: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    geometry = panels_of(scanner)._replace(n_planes=0, plane=0.0, voxels_per_pitch=0)
    return _tracked(geometry, readout_of(scanner), n_photons, seed)


@lru_cache(maxsize=8)
def _tracked(
    panels: Panels, readout: Readout, n_photons: int, seed: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return energies (n,), and photons of each that each layer counts, (n_layers, n)."""
    energies, seen = np.linspace(LOWEST_KEV, REST_KEV, N_ENERGIES), []
    deposits = np.empty((MAX_DEPOSITS, DEPOSIT))
    for number, kev in enumerate(energies.tolist()):
        state = np.random.SeedSequence((seed, number)).generate_state(1, np.uint64)
        n = panels.n_layers
        met, counts = np.zeros(n, np.int64), np.zeros((n, n, 3, 3), np.int64)
        # The mean over typical angles; a single one would depend on the gaps between crystals.
        for tangent in TANGENTS:
            along = tangent * _ASLANT[0], tangent * _ASLANT[1]
            count_spread(n_photons, along, panels, readout, state, deposits, met, counts, kev)
        seen.append(counts.sum(axis=(0, 2, 3), dtype=np.float64))
    return energies, np.stack(seen, axis=1)
