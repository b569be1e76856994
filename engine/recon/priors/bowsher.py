"""Bowsher prior: compares each voxel only with neighbours that are alike in an anatomical image.

    R(x) = strength · Σ_n Σ_m (w_nm / 2) κ_n κ_m b_nm (x_n − x_m)² / 2

b_nm = 1 if n and m choose each other, 1/2 if only one chooses the other, else 0. Each voxel chooses
the `n_similar` of its 26 neighbours with the smallest difference in the anatomical image. Of equal
differences the nearest neighbour comes first.

Bowsher et al., IEEE NSS-MIC Conf Rec (2004) 2488; Vunckx et al., IEEE TMI 31 (2012) 599.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from engine.core.arrays import Array
from engine.core.checked import checked_class
from engine.operators.neighbours import (
    N_HALF,
    STEPS,
    NeighbourSums,
    Potential,
    neighbour_weights,
)
from engine.recon.priors.smooth_prior import PairPrior


@checked_class(positive=("spacing_mm",))
@dataclass(frozen=True, eq=False)
class Bowsher(PairPrior):
    """Quadratic prior between voxels that are alike in an anatomical image.

    Attributes
    ----------
    spacing_mm : (z, y, x) voxel spacing
    anatomy : (n_z, n_y, n_x) anatomical image on the host, on the grid of the reconstruction
    n_similar : number of neighbours that each voxel chooses, 1 to 26
    strength : factor of the penalty
    kappa : (n_z, n_y, n_x) κ; None: 1 in all voxels
    threads : CPU threads; a GPU image is processed on its GPU

    Examples
    --------
    >>> import numpy as np
    >>> from engine.priors import Bowsher
    >>> anatomy = np.array([[[0.0, 0.1, 5.0]]])
    >>> prior = Bowsher((1.0, 1.0, 1.0), anatomy, n_similar=1)
    >>> prior.gradient(np.array([[[1.0, 2.0, 4.0]]])).tolist()
    [[[-1.0, 0.0, 1.0]]]
    """

    spacing_mm: tuple[float, ...]
    anatomy: NDArray[np.floating]
    n_similar: int = 9
    strength: float = 1.0
    kappa: Array | None = None
    threads: int = 1

    @cached_property
    def sums(self) -> NeighbourSums:
        shares = shares_of(self.anatomy, self.n_similar, self.spacing_mm)
        return NeighbourSums(
            Potential.QUADRATIC,
            self.spacing_mm,
            kappa=self.kappa,
            shares=shares,
            threads=self.threads,
        )


def shares_of(
    anatomy: NDArray[np.floating], n_similar: int, spacing_mm: tuple[float, ...]
) -> NDArray[np.uint8]:
    """Return twice the shares b of the pairs, (13, n_z, n_y, n_x).

    Parameters
    ----------
    anatomy
        (n_z, n_y, n_x) anatomical image
    n_similar
        number of neighbours that each voxel chooses
    spacing_mm
        (z, y, x) voxel spacing
    """
    nearest_first = np.argsort(-neighbour_weights(spacing_mm), kind="stable")
    shape = anatomy.shape
    chosen = np.zeros((len(STEPS), *shape), bool)
    for plane in range(shape[0]):
        chosen[nearest_first, plane] = _similar_neighbours(
            anatomy, plane, n_similar, STEPS[nearest_first]
        )
    shares = np.zeros((N_HALF, *shape), np.uint8)
    for k, step in enumerate(STEPS[:N_HALF]):
        here, there = _overlap(tuple(step), shape)
        shares[k][here] = chosen[k][here].astype(np.uint8) + chosen[k + N_HALF][there]
    return shares


def _similar_neighbours(
    anatomy: NDArray[np.floating], plane: int, n_similar: int, steps: NDArray[np.int32]
) -> NDArray[np.bool_]:
    """Return the neighbours that the voxels of a plane choose, (26, n_y, n_x) by step."""
    below = max(plane - 1, 0)
    part = anatomy[below : plane + 2].astype(np.float64)
    differences = np.full((len(steps), *part.shape), np.inf)
    for k, step in enumerate(steps):
        here, there = _overlap(tuple(step), part.shape)
        differences[k][here] = np.abs(part[here] - part[there])
    # Ranks in a stable order: ties must not depend on the sorting method of a NumPy version.
    own = differences[:, plane - below]
    ranks = np.argsort(np.argsort(own, axis=0, kind="stable"), axis=0, kind="stable")
    found: NDArray[np.bool_] = (ranks < n_similar) & np.isfinite(own)
    return found


def _overlap(
    step: tuple[int, ...], shape: tuple[int, ...]
) -> tuple[tuple[slice, ...], tuple[slice, ...]]:
    """Return the voxels that have a neighbour at a step, and these neighbours."""
    pairs = list(zip(step, shape, strict=True))
    here = tuple(slice(max(0, -d), n - max(0, d)) for d, n in pairs)
    there = tuple(slice(max(0, d), n - max(0, -d)) for d, n in pairs)
    return here, there
