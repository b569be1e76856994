"""Geometric efficiency of a crystal pair: solid angle, obliqueness and depth.

A uniform source between two crystals of face area A, with mean points of detection r apart, sends
photon pairs into both at a rate proportional to

    G = A1 E(c1) A2 E(c2) / r²,    E(c) = c (1 − exp(−μ' L / c))

c is the cosine between the line and the normal of the face, L the depth of the crystal, and μ' the
removal coefficient along the path L / c. A c is the projected face, the rest the share of photons
that stop on the path. Neighbours count as one slab, because a photon that leaves a crystal at its
side enters the next. A scattered photon whose energy is still accepted continues nearly straight
and is counted where it stops. Of the attenuation μ at 511 keV therefore only

    μ' = μ (1 − (1 − p) f),    f = (G(1) − G(ε)) / (G(1) − G(1/3))

removes photons. p is the absorbed fraction and f the fraction of scatter with more than ε of 511
keV (Klein & Nishina, G(ε) = ε²/2 + 3ε − 3 ln ε − 1/ε). The share of the other photons that stop in
the same crystal is assumed equal for all tilts. Compared with simulated photons in 13 and 20 mm of
L(Y)SO, counted from 425 keV, E(0.6) / E(1) is 1.1 % too low (5 % with μ), in single crystals and in
endless blocks. Relative to crystals that face each other across the bore, D apart,

    w = E(c1) E(c2) / E(1)² · (D / r)²

Crystals so deep that no photon passes give cos θ1 cos θ2 / r². Lines of a ring, which are denser
the more they are tilted, then add up to the solid angle: the sensitivity on the axis of a ring of
radius R is h / √(R² + h²) at distance h from its end.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from engine.core.arrays import Array, module_of
from engine.geometry.energy import ELECTRON_KEV


@dataclass(frozen=True)
class CrystalDepth:
    """Depth and material of a crystal, for photons of 511 keV through its face.

    Attributes
    ----------
    depth_mm : from face to back [mm]
    attenuation_per_mm : attenuation coefficient of its material [1/mm]
    photo_fraction : absorbed fraction; the rest scatters. 1: no scattered photon is counted
    lowest_kev : lower bound of the energy window
    """

    depth_mm: float
    attenuation_per_mm: float
    photo_fraction: float = 1.0
    lowest_kev: float = ELECTRON_KEV

    @property
    def removal_per_mm(self) -> float:
        """Attenuation μ' that removes photons from those that can still be counted [1/mm]."""
        # Scattered photons above the window's lower bound stay in the count.
        detected = (1 - self.photo_fraction) * scattered_above(self.lowest_kev)
        return self.attenuation_per_mm * (1 - detected)

    def efficiency(self, cosine: Array) -> Array:
        """Return E(c) relative to perpendicular photons.

        Parameters
        ----------
        cosine
            cosine between line and normal; negative from behind

        Returns
        -------
        same shape and module; 0 for photons from behind
        """
        xp = module_of(cosine)
        # np.where evaluates both branches, so the division must be safe for cosines at or below 0.
        seen = xp.maximum(cosine, 1e-6)
        # expm1 keeps thin crystals accurate: 1 − exp(−x) cancels for small x.
        thickness = self.removal_per_mm * self.depth_mm
        stopped = -xp.expm1(-thickness / seen)
        straight = -xp.expm1(xp.asarray(-thickness))
        return xp.where(cosine > 0, seen * stopped / straight, 0)

    @property
    def mean_mm(self) -> float:
        """Mean depth of detection of perpendicular photons, from the face [mm]."""
        mu, depth = self.attenuation_per_mm, self.depth_mm
        return 1 / mu - depth / math.expm1(mu * depth)


def scattered_above(kev: float) -> float:
    """Return the fraction f of photons of 511 keV with more than an energy after one scatter.

    Parameters
    ----------
    kev
        energy threshold
    """

    def total(ratio: float) -> float:
        return ratio * ratio / 2 + 3 * ratio - 3 * math.log(ratio) - 1 / ratio

    # A photon of 511 keV scattered backwards has one third of its energy left: the minimum.
    ratio = min(max(kev / ELECTRON_KEV, 1 / 3), 1.0)
    return (total(1.0) - total(ratio)) / (total(1.0) - total(1 / 3))


LSO = CrystalDepth(20.0, 0.082, photo_fraction=0.34, lowest_kev=425.0)
"""Crystals of most clinical scanners, the default. NIST XCOM, 7.4 g/cm³, without
coherent scatter, which deposits no energy; with it, 0.087 per mm."""


def pair_efficiency(
    first_mm: Array, second_mm: Array, normals: tuple[Array, Array], depth: CrystalDepth, far: float
) -> Array:
    """Return w of crystal pairs.

    Parameters
    ----------
    first_mm, second_mm
        (n, 3) mean points of detection [mm]
    normals
        two arrays (n, 3), unit vectors that point away from the inside of the scanner
    depth
        depth and material of the crystals
    far
        distance D of facing crystals with w = 1 [mm]

    Returns
    -------
    (n,) float32
    """
    xp = module_of(first_mm)
    line = second_mm - first_mm
    # A pair of a crystal with itself is not a line, but must not produce NaN.
    r2 = xp.maximum((line * line).sum(axis=1), 1e-12)
    r = xp.sqrt(r2)
    # Normals point outwards, so the first crystal sees the line from its inner side.
    c1 = -(line * normals[0]).sum(axis=1) / r
    c2 = (line * normals[1]).sum(axis=1) / r
    w = depth.efficiency(c1) * depth.efficiency(c2) * (far * far / r2)
    return w.astype(xp.float32)
