"""Sums of a potential over the 26 neighbours of each voxel: the twin of pairs.cu.

    out_n = Σ_m w_nm κ_n κ_m t(x_n, x_m)

Here a = x_n, b = x_m and d = a − b. A term t is one of four, of a potential φ that is symmetric:

    VALUE       φ(a, b)
    GRADIENT    ∂φ/∂a
    HESSIAN     ∂²φ/∂a² v_n + ∂²φ/∂a∂b v_m      for a second image v
    CURVATURE   2 ω with φ below a parabola of curvature ω in d; ∂²φ/∂a² + |∂²φ/∂a∂b| for RELATIVE

    QUADRATIC   φ = d² / 2
    RELATIVE    φ = d² / D,  D = a + b + γ |d| + ε;  0 where D is not positive
    HUBER       φ = d² / 2 up to |d| = δ, then δ |d| − δ² / 2

Pairs with a voxel outside of the image do not exist. All arithmetic is in the type of the image,
neighbour by neighbour, without fused multiply-adds. Bits therefore do not depend on threads or
device.
"""

from __future__ import annotations

from itertools import product

import numpy as np
from numpy.typing import NDArray

from engine.core.arrays import Array
from engine.kernels.compile_cache import cached_njit

VALUE, GRADIENT, HESSIAN, CURVATURE = range(4)
QUADRATIC, RELATIVE, HUBER = range(3)
N_HALF = 13
"""Neighbours after a voxel in memory; the other 13 are opposite to them, in the same order."""
_KERNEL = cached_njit(error_model="numpy")


def _steps() -> NDArray[np.int32]:
    after = [step for step in product((-1, 0, 1), repeat=3) if step > (0, 0, 0)]
    return np.array([*after, *(tuple(-k for k in step) for step in after)], np.int32)


STEPS: NDArray[np.int32] = _steps()
"""(26, 3) steps (z, y, x) to the neighbours; step k + 13 is opposite to step k."""


@_KERNEL
def add_pairs(
    start: int,
    stop: int,
    term: int,
    kind: int,
    x: Array,
    vector: Array,
    kappa: Array,
    weights: Array,
    shares: Array,
    steps: Array,
    numbers: Array,
    out: Array,
) -> None:
    """Write the sums of some rows of an image.

    Parameters
    ----------
    start, stop
        rows (z, y) of the image, counted along y first
    term, kind
        numbers from this module
    x
        (n_z, n_y, n_x) image
    vector
        (n_z, n_y, n_x) v of HESSIAN; x itself for other terms
    kappa
        (n_z, n_y, n_x) κ
    weights
        (26,) w
    shares
        (13, n_z, n_y, n_x) uint8, twice the share of the pair with each neighbour after a voxel;
        (0, 0, 0, 0) if all pairs count fully
    steps
        `STEPS`
    numbers
        (4,) γ or δ; ε; 1/2; 1, in the type of the image
    out
        (n_z, n_y, n_x), which is written
    """
    n_z, n_y, n_x = x.shape
    buffer = np.empty(n_x, x.dtype)
    for row in range(start, stop):
        z, y = row // n_y, row % n_y
        for i in range(n_x):
            out[z, y, i] = 0
        for k in range(len(steps)):
            dz, dy, dx = steps[k, 0], steps[k, 1], steps[k, 2]
            zz, yy = z + dz, y + dy
            if zz < 0 or zz >= n_z or yy < 0 or yy >= n_y:
                continue
            low, high = max(0, -dx), min(n_x, n_x - dx)
            # A row of one voxel has no neighbours along x.
            if high <= low:
                continue
            here, there = slice(low, high), slice(low + dx, high + dx)
            w = buffer[: high - low]
            _weigh(weights[k], kappa[z, y, here], kappa[zz, yy, there], w)
            if len(shares) > 0 and k < N_HALF:
                _share(shares[k, z, y, here], numbers[2], w)
            elif len(shares) > 0:
                _share(shares[k - N_HALF, zz, yy, there], numbers[2], w)
            a, b = x[z, y, here], x[zz, yy, there]
            # Branches are outside of the loops over a row, which can then be vectorised.
            if kind == RELATIVE:
                v, u = vector[z, y, here], vector[zz, yy, there]
                _relative(term, a, b, v, u, w, numbers, out[z, y, here])
            elif kind == HUBER:
                v, u = vector[z, y, here], vector[zz, yy, there]
                _huber(term, a, b, v, u, w, numbers, out[z, y, here])
            else:
                v, u = vector[z, y, here], vector[zz, yy, there]
                _quadratic(term, a, b, v, u, w, numbers, out[z, y, here])


@_KERNEL
def _weigh(weight: float, one: Array, other: Array, w: Array) -> None:
    """Set the weights of a row of pairs."""
    for i in range(len(w)):
        w[i] = weight * one[i] * other[i]


@_KERNEL
def _share(doubled: Array, half: float, w: Array) -> None:
    """Reduce the weights of a row to the shares of the pairs."""
    for i in range(len(w)):
        if doubled[i] == 0:
            w[i] = 0
        elif doubled[i] == 1:
            w[i] *= half


@_KERNEL
def _relative(
    term: int, a: Array, b: Array, v: Array, u: Array, w: Array, numbers: Array, out: Array
) -> None:
    """Add the terms of the relative difference prior for a row of pairs."""
    gamma, eps, one = numbers[0], numbers[1], numbers[3]
    zero = eps - eps
    for i in range(len(a)):
        d = a[i] - b[i]
        D = a[i] + b[i] + gamma * abs(d) + eps
        r = one / D if zero < D else zero
        if term == VALUE:
            out[i] += w[i] * (d * (d * r))
        elif term == GRADIENT:
            out[i] += w[i] * ((d * r) * ((D + b[i] + b[i] + eps) * r))
        else:
            # p and q are at most 2: products of three reciprocals would overflow.
            p, q = (b[i] + b[i] + eps) * r, (a[i] + a[i] + eps) * r
            t = w[i] * ((r + r) * p)
            if term == HESSIAN:
                out[i] += t * (p * v[i] - q * u[i])
            else:
                out[i] += t * (p + q)


@_KERNEL
def _huber(
    term: int, a: Array, b: Array, v: Array, u: Array, w: Array, numbers: Array, out: Array
) -> None:
    """Add the terms of the Huber prior for a row of pairs."""
    delta, half, one = numbers[0], numbers[2], numbers[3]
    for i in range(len(a)):
        d = a[i] - b[i]
        size = abs(d)
        is_small = size <= delta
        if term == VALUE:
            out[i] += w[i] * (half * d * d if is_small else delta * (size - half * delta))
        elif term == GRADIENT:
            out[i] += w[i] * (d if is_small else (delta if d > 0 else -delta))
        elif term == HESSIAN:
            out[i] += w[i] * (v[i] - u[i] if is_small else size - size)
        else:
            t = one if is_small else delta / size
            out[i] += w[i] * (t + t)


@_KERNEL
def _quadratic(
    term: int, a: Array, b: Array, v: Array, u: Array, w: Array, numbers: Array, out: Array
) -> None:
    """Add the terms of the quadratic prior for a row of pairs."""
    half, one = numbers[2], numbers[3]
    for i in range(len(a)):
        d = a[i] - b[i]
        if term == VALUE:
            out[i] += w[i] * (half * d * d)
        elif term == GRADIENT:
            out[i] += w[i] * d
        elif term == HESSIAN:
            out[i] += w[i] * (v[i] - u[i])
        else:
            out[i] += w[i] * (one + one)
