"""Relative difference prior (RDP): smooths noise in proportion to the activity.

    R(x) = strength · Σ_n Σ_m (w_nm / 2) κ_n κ_m (x_n − x_m)² / D_nm
    D_nm = x_n + x_m + γ |x_n − x_m| + ε

over the 26 neighbours m of each voxel n, with w_nm the voxel size along x over the distance [mm].
γ preserves edges: differences well above 1/γ of the activity cost only as much as their size.
ε > 0 limits the gradient and curvature near 0. With κ² the row sums of the Hessian of the data,
resolution is even over the image. κ = 0 excludes a voxel.

With ε scaled like the image, R(c x) = c R(x). Formula, weights and ε are those of STIR and PETRIC.

Nuyts et al., IEEE TNS 49 (2002) 56; ε: Tsai et al., IEEE TMI 39 (2020) 1646.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

from engine.core.arrays import Array
from engine.core.checked import checked_class
from engine.operators.neighbours import NeighbourSums, Potential
from engine.recon.priors.smooth_prior import PairPrior

EPSILON_SHARE = 0.005
"""ε relative to the typical activity of a scan."""


@checked_class(positive=("spacing_mm",))
@dataclass(frozen=True, eq=False)
class RelativeDifference(PairPrior):
    """Relative difference prior of images that are not negative.

    Attributes
    ----------
    spacing_mm : (z, y, x) voxel spacing
    epsilon : ε, in units of the image, above 0
    strength : factor of the penalty
    gamma : γ, edge preservation; 0 has none
    kappa : (n_z, n_y, n_x) κ; None: 1 in all voxels
    threads : CPU threads; a GPU image is processed on its GPU

    Examples
    --------
    >>> import numpy as np
    >>> from engine.priors import RelativeDifference
    >>> prior = RelativeDifference((1.0, 1.0, 1.0), epsilon=1e-3)
    >>> round(prior.value(np.array([[[1.0, 3.0]]])), 3)  # 4 / (4 + 2 · 2 + ε)
    0.5
    """

    grows_linearly: ClassVar[bool] = True  # ε is scaled like the image
    spacing_mm: tuple[float, ...]
    epsilon: float
    strength: float = 1.0
    gamma: float = 2.0
    kappa: Array | None = None
    threads: int = 1

    @cached_property
    def sums(self) -> NeighbourSums:
        numbers = self.gamma, self.epsilon
        return NeighbourSums(
            Potential.RELATIVE, self.spacing_mm, numbers, self.kappa, threads=self.threads
        )
