"""Line weights of a ring scanner by ring pair, position and class of line.

n_i = u_r1 u_r2 · v_p1 v_p2 · δ_1 δ_2 · g(Δ, |t|) · m(p, |t|)

for rings r and places p of both crystals, ring difference Δ and tangential bin t. The efficiencies
of crystals are separated into those of rings u and of places v, and a residual δ.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from engine.corrections.attenuation import AttenuationFactor
from engine.data.components import TableFactor
from engine.data.line_factors import ConstantFactor, CrystalFactor, GeometricFactor
from engine.data.listmode import ListMode
from engine.data.volume import Volume
from engine.geometry.ring import RingScanner

Values = NDArray[np.float64]
EVEN = 1e-6
"""Largest residual of a crystal that counts as none."""


@dataclass(frozen=True)
class RingWeights:
    """Weights of all lines of a ring scanner, and their attenuation.

    Attributes
    ----------
    scanner : ring scanner
    rings, places : (n_rings,) and (n_crystals_per_ring,) u and v, 0 in gaps
    crystals : (n_rings, n_crystals_per_ring) δ, 0 for dead crystals; None if 1 everywhere
    classes : (n_apart, n_off) g
    interference : (block_places, n_off) m; None if 1 everywhere
    mu_map : μ-map of the body; None if nothing attenuates
    """

    scanner: RingScanner
    rings: Values
    places: Values
    crystals: Values | None
    classes: Values
    interference: Values | None = None
    mu_map: Volume | None = None

    @classmethod
    def of(cls, data: ListMode) -> Self | None:
        """Return the separated line factors of a scan.

        Parameters
        ----------
        data
            scan with its line factors

        Returns
        -------
        of
            None if the scanner is not a ring, or if a factor does not depend on these classes only
        """
        scanner = data.scanner
        if not isinstance(scanner, RingScanner):
            return None
        # Gaps are 0 from the start, whatever a normalisation file says about them.
        crystals = scanner.alive.astype(np.float64)
        classes, interference, mu_map = np.ones(scanner.n_classes), None, None
        for factor in data.line_factors:
            if isinstance(factor, CrystalFactor):
                crystals = crystals * factor.values
            elif isinstance(factor, ConstantFactor):
                classes = classes * factor.value
            elif isinstance(factor, GeometricFactor):
                classes = classes * scanner.geometry_of_classes
            elif isinstance(factor, TableFactor) and interference is None:
                classes = classes if factor.geometry is None else classes * factor.geometry
                interference = factor.interference
            elif isinstance(factor, AttenuationFactor) and mu_map is None:
                mu_map = factor.mu_map
            else:
                # Factors of single lines, such as measured tables, cannot be separated by class.
                return None
        shape = scanner.settings.n_rings, scanner.settings.n_crystals_per_ring
        rings, places, left = _ring_difference(crystals.reshape(shape))
        if interference is not None:
            interference = np.asarray(interference, np.float64)
        return cls(scanner, rings, places, left, classes, interference, mu_map)


def _ring_difference(values: Values) -> tuple[Values, Values, Values | None]:
    """Return the values of rings and places, and the residuals of the crystals."""
    places = _mean(values, values > 0, axis=0)
    # Two passes, because dead crystals bias the first estimate of the places.
    rings = _mean(values / np.where(places > 0, places, 1), values > 0, axis=1)[:, None]
    places = _mean(values / np.where(rings > 0, rings, 1), values > 0, axis=0)
    product = rings * places
    left = np.divide(values, product, out=np.ones_like(values), where=product > 0)
    even = bool(np.abs(left - 1).max(initial=0.0) <= EVEN)
    return rings[:, 0], places, None if even else left


def _mean(values: Values, live: NDArray[np.bool_], axis: int) -> Values:
    """Return the mean of the live values, 0 if there are none."""
    counts = np.count_nonzero(live, axis=axis)
    found: Values = np.where(live, values, 0.0).sum(axis=axis) / np.maximum(counts, 1)
    return found
