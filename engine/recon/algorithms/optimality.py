"""Distance of an image from a penalised optimum, and the rule that ends a run.

A run ends after a cycle in which

- no block of 4 × 4 × 4 voxels changed its mean by more than 0.25 % of the typical activity, where
  a change counts min(s / s̄, 1), s̄ = Σ s x / Σ x, and
- Φ rose by no more than 2 · 10⁻⁵ of the expected counts of the image.

The prior lowers the total: at the optimum x · ∇Φ = 0, hence Σ s x = Σ y A x / (A x + b) − P with
P = x · ∇R. The share P / (Σ s x + P) is reported. The relative difference prior has P = R.

Voxels with little sensitivity, such as those in the corners of the grid, have single counts and
change long after the object has converged. Their changes count less.

A cycle of three passes shortens the distance from the optimum by a third or more. Means of regions
are then within twice the last change, 0.5 %, of the optimum.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

import numpy as np

from engine.core.arrays import Array, module_of
from engine.recon.algorithms.penalised import PenalisedLikelihood
from engine.recon.algorithms.svrg_cycle import Cycle

BLOCK = 4
"""Edge of the blocks whose means are compared [voxels]."""
LARGEST_CHANGE, LARGEST_GAIN = 0.0025, 2e-5
"""Limits of the rule."""


@dataclass(frozen=True)
class Optimality:
    """How near an image is to the optimum of Φ = L − R.

    Attributes
    ----------
    log_likelihood : L, up to a constant of the data
    penalty : R
    kkt : KKT residual (`engine.recon.algorithms.penalised`); 0 at the optimum
    change : largest change of a block in the last cycle, relative to the typical activity
    gain : rise of Φ in the last cycle, relative to the expected counts of the image
    lowered : share by which the prior lowers the expected counts, P / (Σ s x + P)
    n_skipped : rows with counts but no expected counts
    strength : weight of the prior relative to the data
    step : step length of the cycle, shorter than usual if subsets disagreed
    """

    log_likelihood: float
    penalty: float
    kkt: float
    change: float
    gain: float
    lowered: float
    n_skipped: int
    strength: float
    step: float

    @property
    def objective(self) -> float:
        """Φ, up to a constant of the data."""
        return self.log_likelihood - self.penalty

    @property
    def figures(self) -> tuple[float, float, float, float, float, float]:
        """Φ, change, KKT residual, change below which a run may end, `lowered`, and strength."""
        limit = LARGEST_CHANGE
        return self.objective, self.change, self.kkt, limit, self.lowered, self.strength

    @property
    def reached(self) -> str:
        """The result of the rule, if it is met; otherwise empty."""
        if self.change > LARGEST_CHANGE or self.gain > LARGEST_GAIN:
            return ""
        return (
            f"no region changes by more than {100 * LARGEST_CHANGE:g} % (KKT residual "
            f"{self.kkt:.0e})"
        )


def optimality_of(of: PenalisedLikelihood, cycle: Cycle, activity: float) -> Optimality:
    """Return how near the last image of a cycle is to the optimum.

    Parameters
    ----------
    of
        penalised likelihood
    cycle
        the cycle
    activity
        typical activity of the image
    """
    before, after = cycle.before, cycle.after
    xp, sensitivity = module_of(after.x), of.objective.sensitivity()
    expected = float(xp.sum(sensitivity * after.x, dtype=np.float64))
    pull = of.pull(after)
    return Optimality(
        after.log_likelihood,
        after.penalty,
        of.kkt(after),
        block_change(before.x, after.x, _weights(sensitivity, after.x)) / activity,
        (after.value - before.value) / max(expected, 1e-300),
        pull / max(expected + pull, 1e-300),
        after.n_skipped,
        of.strength,
        cycle.step,
    )


def _weights(sensitivity: Array, x: Array) -> Array:
    """Return the sensitivity relative to that of a typical voxel, at most 1."""
    xp = module_of(x)
    total = float(xp.sum(x, dtype=np.float64))
    typical = float(xp.sum(sensitivity * x, dtype=np.float64)) / max(total, 1e-300)
    return xp.minimum(sensitivity / max(typical, 1e-300), 1)


def block_change(before: Array, after: Array, weights: Array) -> float:
    """Return the largest change of the mean of a block of voxels.

    Parameters
    ----------
    before, after
        (n_z, n_y, n_x) images
    weights
        (n_z, n_y, n_x) weights of the changes
    """
    xp, largest = module_of(after), 0.0
    edges = [min(BLOCK, n) for n in after.shape]
    # A layer of blocks at a time, to save memory.
    for start in range(0, len(after), edges[0]):
        planes = slice(start, start + edges[0])
        changes = weights[planes] * (after[planes] - before[planes])
        sums = changes.sum(axis=0, dtype=np.float64)
        (n_y, n_x), (edge_y, edge_x) = sums.shape, edges[1:]
        sums = xp.pad(sums, ((0, -n_y % edge_y), (0, -n_x % edge_x)))
        sums = sums.reshape(-1, edge_y, sums.shape[1] // edge_x, edge_x).sum(axis=(1, 3))
        largest = max(largest, float(abs(sums).max()))
    # A narrower block at the end counts as a complete one with voxels that do not change.
    return largest / prod(edges)
