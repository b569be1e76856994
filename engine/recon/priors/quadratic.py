"""Quadratic and Huber priors: penalties of the differences between neighbours.

    R(x) = strength · Σ_n Σ_m (w_nm / 2) κ_n κ_m ψ(x_n − x_m)

    quadratic   ψ(d) = d² / 2
    Huber       ψ(d) = d² / 2 up to |d| = δ, then δ |d| − δ² / 2

over the 26 neighbours m of each voxel n, with w_nm the voxel size along x over the distance [mm].
The quadratic prior blurs edges. The Huber prior has the slope of the total variation above δ. Its
Hessian jumps at |d| = δ.

Huber, Ann Math Stat 35 (1964) 73.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from engine.core.arrays import Array
from engine.core.checked import checked_class
from engine.operators.neighbours import NeighbourSums, Potential
from engine.recon.priors.smooth_prior import PairPrior


@checked_class(positive=("spacing_mm",))
@dataclass(frozen=True, eq=False)
class Quadratic(PairPrior):
    """Quadratic prior.

    Attributes
    ----------
    spacing_mm : (z, y, x) voxel spacing
    strength : factor of the penalty
    kappa : (n_z, n_y, n_x) κ; None: 1 in all voxels
    threads : CPU threads; a GPU image is processed on its GPU

    Examples
    --------
    >>> import numpy as np
    >>> from engine.priors import Quadratic
    >>> Quadratic((1.0, 1.0, 1.0)).value(np.array([[[1.0, 3.0]]]))
    2.0
    """

    spacing_mm: tuple[float, ...]
    strength: float = 1.0
    kappa: Array | None = None
    threads: int = 1

    @cached_property
    def sums(self) -> NeighbourSums:
        return NeighbourSums(
            Potential.QUADRATIC, self.spacing_mm, kappa=self.kappa, threads=self.threads
        )


@checked_class(
    positive=(
        "spacing_mm",
        "delta",
    )
)
@dataclass(frozen=True, eq=False)
class Huber(PairPrior):
    """Huber prior: quadratic for small differences, linear for edges.

    Attributes
    ----------
    spacing_mm : (z, y, x) voxel spacing
    delta : δ, in units of the image, above 0
    strength : factor of the penalty
    kappa : (n_z, n_y, n_x) κ; None: 1 in all voxels
    threads : CPU threads; a GPU image is processed on its GPU

    Examples
    --------
    >>> import numpy as np
    >>> from engine.priors import Huber
    >>> Huber((1.0, 1.0, 1.0), delta=0.5).value(np.array([[[1.0, 3.0]]]))
    0.875
    """

    spacing_mm: tuple[float, ...]
    delta: float
    strength: float = 1.0
    kappa: Array | None = None
    threads: int = 1

    @cached_property
    def sums(self) -> NeighbourSums:
        numbers = self.delta, 0.0
        return NeighbourSums(
            Potential.HUBER, self.spacing_mm, numbers, self.kappa, threads=self.threads
        )
