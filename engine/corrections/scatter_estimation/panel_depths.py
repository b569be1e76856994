"""Two depths of a panel that represent all detection depths at an energy.

Photons that enter at a cosine c to the normal are stopped at depths d with a density ∝ e^(−μ d / c)
within the panel, μ that of the crystals times the part of the panel that they fill. Panels are as
near to the object as they are wide, so that one over the square of the distance, of a mean depth,
is 4 % short of its mean. The depths are those of Gauss's quadrature of two points for photons of
511 keV; of other energies they have such shares that the mean depth is true.
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
"""To the normal, of photons as they mostly come."""


@dataclass(frozen=True)
class PanelDepths:
    """Depths that represent a panel.

    Attributes
    ----------
    depth : depth of the panel, and what fills it
    places_mm : (2,) depths from the front face
    """

    depth: CrystalDepth
    places_mm: NDArray[np.float64]

    @classmethod
    def of(cls, scanner: DualHead) -> PanelDepths:
        """Return those of a scanner with one layer of crystals."""
        s = scanner.settings
        depth = CrystalDepth(
            s.thickness_mm,
            s.attenuation_per_mm * (s.crystal_mm / s.pitch_mm) ** 2,
            s.photo_fraction,
            s.energy_window_kev[0],
        )
        return cls(depth, _gauss(_per_mm(depth, np.array([ELECTRON_KEV]))[0], s.thickness_mm))

    def shares(self, kev: NDArray[np.float64]) -> NDArray[np.float64]:
        """(2, n) parts of the photons of energies (n,) that each depth stands for."""
        near, far = self.places_mm
        thickness = self.depth.depth_mm
        per_mm = _per_mm(self.depth, kev)
        mean = 1 / per_mm - thickness / np.expm1(np.minimum(per_mm * thickness, 500.0))
        deep = np.clip((mean - near) / (far - near), 0.0, 1.0)
        return np.stack([1 - deep, deep])


def _per_mm(depth: CrystalDepth, kev: NDArray[np.float64]) -> NDArray[np.float64]:
    """Attenuation on the way from the face, for each mm of depth."""
    found: NDArray[np.float64] = attenuation_of(kev, depth)[0] * hypot(1, TANGENT)
    return found


def _gauss(per_mm: float, thickness_mm: float) -> NDArray[np.float64]:
    """Roots of the polynomial of second degree that is orthogonal to 1 and d."""
    at, weight = np.polynomial.legendre.leggauss(64)
    at = (at + 1) / 2  # of the thickness
    weight = weight * np.exp(-per_mm * thickness_mm * at)
    m0, m1, m2, m3 = (float((weight * at**k).sum()) for k in range(4))
    constant, linear = np.linalg.solve([[m0, m1], [m1, m2]], [-m2, -m3])
    root = np.sqrt(linear**2 - 4 * constant)
    return thickness_mm * np.array([-linear - root, -linear + root]) / 2
