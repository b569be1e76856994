"""Two depths of a panel that represent all detection depths at an energy.

Photons that enter at an angle with cosine c to the normal are detected at depths d with a density ∝
e^(−μ d / c) within the panel, where μ is that of the crystals times their fill factor. Panels are
as close to the object as they are wide, so the inverse square of the distance at a mean depth is 4
% below its mean. The two depths are the nodes of a Gauss quadrature for 511 keV. For other energies
their weights reproduce the mean depth.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import hypot

import numpy as np
from numpy.typing import NDArray

from engine.corrections.scatter_estimation.detection import attenuation_of
from engine.geometry.dual_head import DualHead
from engine.geometry.energy import ELECTRON_KEV
from engine.geometry.line_efficiency import CrystalDepth

TANGENT = 0.5
"""Tangent of the typical angle to the normal."""


@dataclass(frozen=True)
class PanelDepths:
    """Depths that represent a panel.

    Attributes
    ----------
    depth : depth of the panel and its attenuation
    places_mm : (2,) depths from the front face
    """

    depth: CrystalDepth
    places_mm: NDArray[np.float64]

    @classmethod
    def of(cls, scanner: DualHead) -> PanelDepths:
        """Return the depths for a scanner.

        Parameters
        ----------
        scanner
            panels with a single layer of crystals
        """
        # Gaps between crystals reduce the attenuation of the panel by the fill factor.
        s = scanner.settings
        depth = CrystalDepth(
            s.thickness_mm,
            s.attenuation_per_mm * (s.crystal_mm / s.pitch_mm) ** 2,
            s.photo_fraction,
            s.energy_window_kev[0],
        )
        return cls(depth, _gauss(_per_mm(depth, np.array([ELECTRON_KEV]))[0], s.thickness_mm))

    def shares(self, kev: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the fraction of photons that each depth represents.

        Parameters
        ----------
        kev
            (n,) photon energies [keV]

        Returns
        -------
        shares
            (2, n), which sum to 1 for each energy
        """
        near, far = self.places_mm
        thickness = self.depth.depth_mm
        per_mm = _per_mm(self.depth, kev)
        # exp(500) is still finite; for such thick panels the term is 0 anyway.
        mean = 1 / per_mm - thickness / np.expm1(np.minimum(per_mm * thickness, 500.0))
        deep = np.clip((mean - near) / (far - near), 0.0, 1.0)
        return np.stack([1 - deep, deep])


def _per_mm(depth: CrystalDepth, kev: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the attenuation along the typical path, per mm of depth."""
    found: NDArray[np.float64] = attenuation_of(kev, depth)[0] * hypot(1, TANGENT)
    return found


def _gauss(per_mm: float, thickness_mm: float) -> NDArray[np.float64]:
    """Return the roots of the second-degree polynomial that is orthogonal to 1 and d."""
    at, weight = np.polynomial.legendre.leggauss(64)
    at = (at + 1) / 2  # of the thickness
    weight = weight * np.exp(-per_mm * thickness_mm * at)
    m0, m1, m2, m3 = (float((weight * at**k).sum()) for k in range(4))
    # Two nodes integrate polynomials up to degree 3 exactly with this weight.
    constant, linear = np.linalg.solve([[m0, m1], [m1, m2]], [-m2, -m3])
    root = np.sqrt(linear**2 - 4 * constant)
    return thickness_mm * np.array([-linear - root, -linear + root]) / 2
