"""Units and weights of a prior for a scan: typical activity, ε and κ from a first image.

The first image is that of a pass of OSEM and a doubled update with all data, smoothed by a Gaussian
of 1.5 voxels: the prior should depend neither on its noise nor on the subsets. An update of
expectation maximisation shortens the error of x along each eigenvector of its Hessian by 1 − λ. A
doubled one, 1 − 2 λ, never increases an error and nearly removes those with λ near 1/2, like that
of a small hot object. c keeps the total.

    max(0, 2 e − c x),    e = x (1 + ∇L / s),    c = Σ s e / Σ s x

With s the sensitivity and f the first image, the typical activity is

    f̄ = Σ s f² / Σ s f,

ε = 0.005 f̄ and the factor of the prior is strength · f̄. With q the row sums of the Hessian of the
data at f, smoothed likewise,

    κ² = q, limited to 0.3 m ... m,    m = median of q over the object, with weights min(f, 0.1 f̄).

The strength is then a number without a unit: the weight of the prior relative to the data. It has
the same meaning for every scanner, activity and number of counts. κ² = q makes the resolution even
over the image (Fessler & Rogers, IEEE TIP 5 (1996) 1346). But photons from the skin are hardly
attenuated, so q is up to eight times as large there as in the middle of a body. The prior would
then blur the skin and move activity inwards. The weights count voxels of the object about equally:
a hot organ must not decide. At the ends of a scanner q falls to a hundredth, and a voxel holds
about one count. Noise would grow there to ten times the activity. The lower limit smooths it with
the neighbours. Elsewhere q is higher: 0.4 m in the middle of a body in a ring with time of flight.
"""

from __future__ import annotations

import numpy as np

from engine.core.arrays import Array, module_of
from engine.operators.gaussian import smoothed
from engine.recon.priors.scale import PriorScale

OBJECT_SHARE = 0.1
"""Activity of the object relative to the typical activity."""
MIN_SHARE = 0.3
"""Lower limit of κ² relative to its median over the object."""
HALVINGS = 48
"""Halvings of the interval of the median: more than the digits of a float32."""
SIGMA = 1.5
"""Standard deviation of the smoothing of f and κ² [voxels]."""


def doubly_updated(x: Array, gradient: Array, sensitivity: Array) -> Array:
    """Return the image after a doubled update of expectation maximisation, max(0, 2 e − c x).

    Parameters
    ----------
    x
        (n_z, n_y, n_x) image
    gradient
        (n_z, n_y, n_x) ∇L of all data
    sensitivity
        (n_z, n_y, n_x) s of all data
    """
    xp = module_of(x)
    seen = sensitivity > 0
    found: Array = x * xp.where(seen, 1 + gradient / xp.where(seen, sensitivity, 1), 0)
    found = found.astype(x.dtype, copy=False)
    total, before = (float(xp.sum(sensitivity * each, dtype=np.float64)) for each in (found, x))
    found *= 2
    found -= x * x.dtype.type(total / before if before > 0 else 1)
    # Voxels without data have no activity.
    return xp.maximum(found * seen, 0, out=found)


def without_noise(x: Array, sigma: float = SIGMA) -> Array:
    """Return the first image, smoothed.

    Parameters
    ----------
    x
        (n_z, n_y, n_x) image after the update with all data
    sigma
        standard deviation [voxels]
    """
    return smoothed(x, (sigma,) * 3)


def typical_activity(x: Array, sensitivity: Array) -> float:
    """Return f̄, the mean activity at which counts were emitted.

    Parameters
    ----------
    x
        (n_z, n_y, n_x) first image
    sensitivity
        (n_z, n_y, n_x) of all data
    """
    xp, weights = module_of(x), sensitivity * x
    total = float(xp.sum(weights, dtype=np.float64))
    return float(xp.sum(weights * x, dtype=np.float64)) / total if total > 0 else 1.0


def limited(squares: Array, first: Array, activity: float) -> Array:
    """Return κ², at most its median over the object and at least 0.3 times that.

    Parameters
    ----------
    squares
        (n_z, n_y, n_x) smoothed row sums of the Hessian
    first
        (n_z, n_y, n_x) first image
    activity
        f̄
    """
    squares = squares.clip(min=0)
    median = weighted_median(squares, object_weights(squares, first, activity))
    return squares.clip(min=MIN_SHARE * median, max=median)


def object_weights(row_sums: Array, first: Array, activity: float) -> Array:
    """Return weights with which all voxels of the object count about equally, and air not at all.

    Parameters
    ----------
    row_sums
        (n_z, n_y, n_x) row sums of the Hessian; voxels with 0 have no data
    first
        (n_z, n_y, n_x) first image
    activity
        f̄
    """
    weights: Array = first.clip(max=OBJECT_SHARE * activity) * (row_sums > 0)
    return weights


def weighted_median(values: Array, weights: Array) -> float:
    """Return the value that half of the weight does not exceed; the highest without weights.

    Parameters
    ----------
    values
        (n_z, n_y, n_x), not negative
    weights
        (n_z, n_y, n_x), not negative
    """
    xp = module_of(values)
    half = float(xp.sum(weights, dtype=np.float64)) / 2
    # Halving an interval needs less memory than sorting all voxels.
    low, high = 0.0, float(values.max())
    for _ in range(HALVINGS if half > 0 else 0):
        middle = (low + high) / 2
        below = float(xp.sum(weights * (values <= middle), dtype=np.float64))
        low, high = (middle, high) if below < half else (low, middle)
    return high


def scale_for(
    row_sums: Array,
    first: Array,
    activity: float,
    *,
    inside: Array,
    strength: float,
    spacing_mm: tuple[float, ...],
    edges: float = 2.0,
    threads: int = 1,
) -> PriorScale:
    """Return the units and weights of a prior for a scan.

    Parameters
    ----------
    row_sums
        (n_z, n_y, n_x) row sums of the Hessian of the data at the first image
    first
        (n_z, n_y, n_x) first image
    activity
        f̄
    inside
        (n_z, n_y, n_x) bool, voxels that can contain activity
    strength
        weight of the prior relative to the data, without a unit
    spacing_mm
        (z, y, x) voxel spacing
    edges
        γ, edge preservation of the relative difference prior
    threads
        CPU threads
    """
    squares = limited(smoothed(row_sums, (SIGMA,) * 3), first, activity)
    kappa = module_of(squares).sqrt(squares) * inside
    return PriorScale(spacing_mm, activity, strength, kappa, edges, threads)
