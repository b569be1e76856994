"""Errors of a penalised image from its Hessian: replicates of the linearised problem.

Near the optimum x of Φ = L − R, other counts y_c change it by

    d_c = (F + R'')⁻¹ g_c,    g_c = Aᵀ( (y_c − y) / q ),    F = Aᵀ diag(y / q²) A,    q = A x + b,

over voxels in which the limit x ≥ 0 is inactive; other voxels have no error here. The covariance
of d_c is (F + R'')⁻¹ F (F + R'')⁻¹. Conjugate gradients solve for all replicates together, until
the residual is a tenth of g_c. They are scaled by

    1 / (s / x + c_R),    F x = Aᵀ(y / q) ≈ s,

above the Hessian (`engine.recon.algorithms.penalised`). A replicate is max(0, x + d_c).

This holds where noise is small, because the Hessian of the prior depends on x. The prior is that of
the image; bootstrap replicates derive theirs from their own counts.

Fessler, IEEE TIP 5 (1996) 493; conjugate gradients: Hestenes & Stiefel, J Res NBS 49 (1952) 409.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from engine.core.arrays import Array
from engine.recon.algorithms.penalised import PenalisedLikelihood

if TYPE_CHECKING:
    from engine.recon.model import LinearisedCounts

RESIDUAL = 0.1
"""Residual at which conjugate gradients end, relative to the first one.

Standard deviations then differ by 2 % from those of the solution.
"""
MAX_ITERATIONS = 20
"""Most iterations of conjugate gradients; rings need 4 to 9."""
MIN_ACTIVITY = 0.02
"""Activity above which the limit x ≥ 0 is inactive, relative to the typical activity."""


def linear_replicates(
    of: PenalisedLikelihood, data: LinearisedCounts, x: Array, noise: Array, activity: float
) -> NDArray[np.float32]:
    """Return images of bootstrap replicates near the optimum, (n, n_z, n_y, n_x).

    Parameters
    ----------
    of
        penalised likelihood of measured counts
    data
        its log-likelihood near x
    x
        (n_z, n_y, n_x) its optimum, on the host
    noise
        (n, n_z, n_y, n_x) g_c of each replicate, which is overwritten
    activity
        typical activity of the image
    """
    changes = _solved(of, data, x, noise, activity)
    changes += x
    return np.maximum(changes, 0, out=changes)


def local_response(
    of: PenalisedLikelihood, data: LinearisedCounts, x: Array, object_: Array, activity: float
) -> Array:
    """Return the change of the optimum if a weak object is added to the truth, (n_z, n_y, n_x).

    This is (F + R'')⁻¹ F times the object.

    Parameters
    ----------
    of
        penalised likelihood of measured counts
    data
        its log-likelihood near x
    x
        (n_z, n_y, n_x) its optimum, on the host
    object_
        (n_z, n_y, n_x) activity
    activity
        typical activity of the image
    """
    gradient = data.hessian_times(object_[np.newaxis])
    return _solved(of, data, x, gradient, activity)[0]


def _solved(
    of: PenalisedLikelihood, data: LinearisedCounts, x: Array, residual: Array, activity: float
) -> Array:
    """Return (F + R'')⁻¹ times several images by conjugate gradients; overwrites the images."""
    is_free = of.seen & (x > MIN_ACTIVITY * activity)
    free, scaling = is_free.astype(x.dtype), _scaling(of, x, is_free)

    def hessian_times(images: Array) -> Array:
        found = data.hessian_times(images)
        for total, image in zip(found, images, strict=True):
            total += of.prior_hessian_times(x, image)
        found *= free
        return found

    residual *= free
    changes = np.zeros_like(residual)
    steps = scaling * residual
    last = first = _products(residual, steps)
    for _ in range(MAX_ITERATIONS):
        curved = hessian_times(steps)
        lengths = _quotients(last, _products(steps, curved))
        changes += _per_replicate(lengths, x) * steps
        residual -= _per_replicate(lengths, x) * curved
        scaled = scaling * residual
        now = _products(residual, scaled)
        if np.all(now <= RESIDUAL**2 * first):
            break
        steps *= _per_replicate(_quotients(now, last), x)
        steps += scaled
        last = now
    return changes


def _scaling(of: PenalisedLikelihood, x: Array, is_free: NDArray[np.bool_]) -> Array:
    """Return 1 / (s / x + c_R), 0 where the image is not free."""
    above = of.prior_curvature(x)
    above += np.divide(of.objective.sensitivity(), x, out=np.zeros_like(x), where=is_free)
    return np.divide(1, above, out=np.zeros_like(x), where=is_free)


def _products(one: Array, other: Array) -> NDArray[np.float64]:
    """Return the sum of products of each replicate, (n,), summed in float64."""
    return np.array([np.sum(a * b, dtype=np.float64) for a, b in zip(one, other, strict=True)])


def _quotients(one: NDArray[np.float64], other: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the quotients, 0 for a replicate without noise."""
    return np.divide(one, other, out=np.zeros_like(one), where=other > 0)


def _per_replicate(numbers: NDArray[np.float64], x: Array) -> Array:
    """Return a number for each replicate in the shape that multiplies images."""
    return numbers.astype(x.dtype).reshape(-1, *(1,) * x.ndim)
