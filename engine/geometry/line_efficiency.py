"""How well two crystals see each other: solid angle, obliqueness and depth.

A uniform source between two crystals of face A, whose mean places of detection are r apart, sends
pairs of photons into both at a rate that is proportional to

    G = A1 E(c1) A2 E(c2) / r²,    E(c) = c (1 − exp(−μ L / c))

with c the cosine between the line and the normal of the face, L the depth of the crystal and μ its
attenuation at 511 keV: A c is the face that the line sees, the rest the share of photons that
interact on the L / c it goes through. Neighbours count as one slab, since a photon that leaves a
crystal at its side enters the next. Relative to crystals that face each other across the bore,
D apart,

    w = E(c1) E(c2) / E(1)² · (D / r)²

Crystals so deep that nothing passes give cos θ1 cos θ2 / r², and lines of a ring, which lie denser
the more they are tilted, then add up to the solid angle: the sensitivity on the axis of a ring of
radius R is h / √(R² + h²) at h from its end.
"""

from __future__ import annotations

from dataclasses import dataclass

from engine.arrays import Array, module_of


@dataclass(frozen=True)
class CrystalDepth:
    """What a crystal does to photons of 511 keV that come through its face.

    Attributes
    ----------
    depth_mm : from face to back [mm]
    attenuation_per_mm : of its material [1/mm]
    """

    depth_mm: float
    attenuation_per_mm: float

    def efficiency(self, cosine: Array) -> Array:
        """E(c), relative to that of perpendicular photons; 0 where a photon comes from behind."""
        xp = module_of(cosine)
        seen = xp.maximum(cosine, 1e-6)
        stopped = -xp.expm1(-self.attenuation_per_mm * self.depth_mm / seen)
        straight = -xp.expm1(xp.asarray(-self.attenuation_per_mm * self.depth_mm))
        return xp.where(cosine > 0, seen * stopped / straight, 0)

    @property
    def mean_mm(self) -> float:
        """Mean depth of detection of perpendicular photons, from the face [mm]."""
        from math import expm1

        mu, depth = self.attenuation_per_mm, self.depth_mm
        return 1 / mu - depth / expm1(mu * depth)


LSO = CrystalDepth(20.0, 0.087)
"""Crystals of most scanners for people (NIST XCOM: 0.087 per mm); taken where none are stated."""


def pair_efficiency(
    first_mm: Array, second_mm: Array, normals: tuple[Array, Array], depth: CrystalDepth, far: float
) -> Array:
    """Return w of pairs of crystals.

    Parameters
    ----------
    first_mm, second_mm
        (n, 3) mean places of detection [mm]
    normals
        two of (n, 3), unit vectors away from the inside of the scanner
    depth
        of the crystals
    far
        distance D at which crystals that face each other have w = 1 [mm]

    Returns
    -------
    (n,) float32
    """
    xp = module_of(first_mm)
    line = second_mm - first_mm
    r2 = xp.maximum((line * line).sum(axis=1), 1e-12)
    r = xp.sqrt(r2)
    c1 = -(line * normals[0]).sum(axis=1) / r
    c2 = (line * normals[1]).sum(axis=1) / r
    w = depth.efficiency(c1) * depth.efficiency(c2) * (far * far / r2)
    return w.astype(xp.float32)
