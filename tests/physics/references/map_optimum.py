"""Penalised optimum in float64 by Newton steps, as the reference of `tests.physics.map_scan`.

Each step solves (F + R'') d = ∇Φ over the free voxels by conjugate gradients, then climbs

    x ← max( x / 10, x + t d ),    t = 1, 1/2, 1/4, ...

until Φ rises. Voxels below a tenth of δ may become 0. Voxels at 0 with a negative gradient are not
free. Gradients, Φ and the KKT residual are in float64. The Hessian is applied in float32, because a
direction need not be exact. Conjugate gradients are scaled by 1 / (0.1 s / x + c_R / 2): in rings,
the diagonal of F is about a tenth of its row sums s / x, and that of R'' half of c_R.

SVRG needs hundreds of passes for the last details, because single voxels at the ends of a scanner
depend on single counts. The steps here converge faster the nearer they are.

Bertsekas, SIAM J Control Optim 20 (1982) 221; Nocedal & Wright, Numerical Optimization (2006), 7.1.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.recon.algorithms.penalised import Anchor, PenalisedLikelihood

Image = NDArray[np.floating]
DIAGONAL = 0.1
"""Diagonal of F relative to its row sums."""
MAX_PRODUCTS = 30
"""Most products with the Hessian in a step."""
MIN_RESIDUAL, MAX_RESIDUAL = 0.01, 0.1
"""Residual at which conjugate gradients stop: the root of the KKT residual, within these limits."""
MAX_HALVINGS = 14
ROUNDING = 1e-13
"""Relative rounding of Φ."""


@dataclass(frozen=True)
class Reached:
    """Image after a Newton step.

    Attributes
    ----------
    x : (n_z, n_y, n_x) the image
    kkt : its KKT residual
    value : Φ
    n_passes : passes over the data so far, those with the Hessian included
    """

    x: Image
    kkt: float
    value: float
    n_passes: int


@dataclass(frozen=True)
class Optimum:
    """Optimum of a penalised likelihood.

    Attributes
    ----------
    x : (n_z, n_y, n_x) the image
    kkt : its KKT residual
    earlier : image at half of the passes or later, when the residual first met the limit
    n_passes, n_earlier : passes over the data until `x` and until `earlier`
    """

    x: Image
    kkt: float
    earlier: Image
    n_passes: int
    n_earlier: int


def optimum_of(
    of: PenalisedLikelihood,
    fast: PenalisedLikelihood,
    x: Image,
    *,
    limit: float = 1e-6,
    final: float = 1e-8,
) -> Optimum:
    """Return the optimum; its passes are doubled after it meets a limit, or until it is exact.

    Parameters
    ----------
    of : penalised likelihood in float64
    fast : the same in float32, for the Hessian
    x : (n_z, n_y, n_x) image to begin with
    limit : KKT residual of a reference; at 1e-5, single voxels still change by more than 0.1 %
    final : KKT residual below which more passes change nothing
    """
    earlier, last = None, None
    for last in newton_steps(of, fast, x):
        if earlier is None and last.kkt <= limit:
            earlier = last
        if last.kkt <= final or (earlier and last.n_passes >= 2 * earlier.n_passes):
            break
    assert last
    earlier = earlier or last
    return Optimum(last.x, last.kkt, earlier.x, last.n_passes, earlier.n_passes)


def newton_steps(of: PenalisedLikelihood, fast: PenalisedLikelihood, x: Image) -> Iterator[Reached]:
    """Yield the image before the first Newton step and after each step, until Φ stops rising.

    Parameters
    ----------
    of : penalised likelihood in float64
    fast : the same in float32, for the Hessian
    x : (n_z, n_y, n_x) image to begin with
    """
    anchor, n_passes = _anchor(of, x.astype(np.float64)), 1
    while True:
        kkt = of.kkt(anchor)
        yield Reached(anchor.x, kkt, anchor.value, n_passes)
        direction, n_products = _direction(of, fast, anchor, kkt)
        climbed = _climbed(of, anchor, direction)
        if climbed is None:
            return
        anchor, n_passes = climbed[0], n_passes + n_products + climbed[1]


def _anchor(of: PenalisedLikelihood, x: Image) -> Anchor:
    """Return the full gradient without those of the subsets."""
    found = of.anchor(x)
    found.parts.clear()
    return found


def _direction(
    of: PenalisedLikelihood, fast: PenalisedLikelihood, anchor: Anchor, kkt: float
) -> tuple[Image, int]:
    """Return an approximate Newton direction, and the products with the Hessian that it took."""
    x, gradient = anchor.x, anchor.gradient
    nearly_0 = x <= of.delta * min(0.1, 1e3 * kkt)
    free = of.seen & ~(nearly_0 & (gradient <= 0))
    near, data = x.astype(np.float32), fast.objective.linearised(x.astype(np.float32))

    def hessian_times(image: Image) -> Image:
        small = image.astype(np.float32)
        found = data.hessian_times(small[np.newaxis])[0] + fast.prior_hessian_times(near, small)
        return np.where(free, found, 0).astype(np.float64)

    above = DIAGONAL * of.objective.sensitivity() / np.maximum(x, 0.01 * of.delta)
    above += of.prior_curvature(x) / 2
    scaling = np.divide(1, above, out=np.zeros_like(x), where=free)
    found, left = np.zeros_like(x), np.where(free, gradient, 0)
    step = scaling * left
    now = first = float((left * step).sum())
    ends = np.clip(np.sqrt(kkt), MIN_RESIDUAL, MAX_RESIDUAL) ** 2 * first
    n_products = 0
    while n_products < MAX_PRODUCTS and now > ends:
        curved, n_products = hessian_times(step), n_products + 1
        length = now / float((step * curved).sum())
        found += length * step
        left -= length * curved
        scaled = scaling * left
        last, now = now, float((left * scaled).sum())
        step = scaled + now / last * step
    return np.where(of.seen & ~free, -x, found), n_products


def _climbed(
    of: PenalisedLikelihood, anchor: Anchor, direction: Image
) -> tuple[Anchor, int] | None:
    """Return the full gradient at a better image, and the passes; None if there is none."""
    x, length = anchor.x, 1.0
    lowest = np.where(x > 0.1 * of.delta, 0.1 * x, 0)
    for n_passes in range(1, MAX_HALVINGS + 1):
        found = _anchor(of, np.where(of.seen, np.maximum(x + length * direction, lowest), 0))
        expected = 1e-4 * float((anchor.gradient * (found.x - x)).sum())
        rises = found.value - anchor.value >= expected - ROUNDING * abs(anchor.value)
        if rises and found.n_skipped <= anchor.n_skipped:
            return found, n_passes
        length /= 2
    return None
