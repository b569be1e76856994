"""How many photons of an energy two panels count, relative to those of 511 keV.

Photons are tracked through crystals, blocks and readout as those of 511 keV are
(`engine.kernels.scatter.panel_photons`): stopping power, scatter between crystals, energy
resolution and window are all in it. They come at the angles of most photons that panels see, since
those that come straight may pass through gaps between the crystals. Between energies that are
tracked it is linear. Of several layers of crystals each has its share of the photons that are
counted: those of less energy are stopped earlier.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from engine.geometry.dual_head import DualHead
from engine.kernels.matrix.response import Panels
from engine.kernels.scatter.panel_photons import DEPOSIT, MOST_DEPOSITS, Readout
from engine.kernels.scatter.panel_tracks import count_spread
from engine.kernels.scatter.photons import REST_KEV
from engine.operators.crystal_spread import panels_of, readout_of

LOWEST_KEV = REST_KEV / 3
"""Energy of a photon of 511 keV that was scattered straight back."""
N_ENERGIES = 33
TANGENTS = 0.25, 0.5, 0.75
"""To the normal of the panels, of the photons that are tracked."""
_ASLANT = 0.95, 0.31
"""Parts of a tangent along rows and along columns: photons fly along neither."""


def relative_efficiency(
    scanner: DualHead, kev: NDArray[np.float64], *, n_photons: int = 1 << 14, seed: int = 1
) -> NDArray[np.float64]:
    """Return how many photons are counted, relative to those of 511 keV, (n,) of energies (n,).

    Parameters
    ----------
    scanner
        whose panels
    kev
        energies from a third of 511 keV up to it
    n_photons
        tracked at each energy and angle: an efficiency is known to half a per cent with the
        usual ones
    seed
        of the random numbers

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
    # those of 511 keV lie in the window
    return np.interp(kev, known, whole / max(whole[-1], 1.0))


def layer_shares(
    scanner: DualHead, kev: NDArray[np.float64], *, n_photons: int = 1 << 14, seed: int = 1
) -> NDArray[np.float64]:
    """Return the part of the photons of energies (n,) that each layer counts, (n_layers, n).

    See `relative_efficiency` for the parameters; of energies that are not counted it is even.
    """
    known, counts = _of_layers(scanner, n_photons, seed)
    counts = np.stack([np.interp(kev, known, of_layer) for of_layer in counts])
    whole, n_layers = counts.sum(axis=0), len(counts)
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
    """Energies (n,), and how many photons of each are counted in each layer, (n_layers, n)."""
    energies, seen = np.linspace(LOWEST_KEV, REST_KEV, N_ENERGIES), []
    deposits = np.empty((MOST_DEPOSITS, DEPOSIT))
    for number, kev in enumerate(energies.tolist()):
        state = np.random.SeedSequence((seed, number)).generate_state(1, np.uint64)
        n = panels.n_layers
        met, counts = np.zeros(n, np.int64), np.zeros((n, n, 3, 3), np.int64)
        for tangent in TANGENTS:
            along = tangent * _ASLANT[0], tangent * _ASLANT[1]
            count_spread(n_photons, along, panels, readout, state, deposits, met, counts, kev)
        seen.append(counts.sum(axis=(0, 2, 3), dtype=np.float64))
    return energies, np.stack(seen, axis=1)
