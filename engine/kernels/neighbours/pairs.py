"""Sums of a potential over the 26 neighbours of each voxel: the twin of pairs.cu.

    out_n = Σ_m w_nm κ_n κ_m t(x_n, x_m)

w : weight by direction; κ : factor of a voxel. With a = x_n, b = x_m and d = a − b, a term t is one
    of four. All belong to a symmetric potential φ:

    VALUE       φ(a, b)
    GRADIENT    ∂φ/∂a
    HESSIAN     ∂²φ/∂a² v_n + ∂²φ/∂a∂b v_m      for a second image v
    CURVATURE   2 ω with φ below a parabola of curvature ω in d; ∂²φ/∂a² + |∂²φ/∂a∂b| for RELATIVE

    QUADRATIC   φ = d² / 2
    RELATIVE    φ = d² / D,  D = a + b + γ |d| + ε;  0 where D is not positive
    HUBER       φ = d² / 2 up to |d| = δ, then δ |d| − δ² / 2

Pairs with a voxel outside of the image do not exist. All arithmetic is in the type of the image,
neighbour by neighbour, without fused multiply-adds. The CPU computes each pair once, for both of
its voxels, row by row in memory. A GPU thread processes the neighbours of its voxel in the same
order, `ORDER`. The bits therefore do not depend on threads or device.
"""

from __future__ import annotations

from itertools import product

import numpy as np
from numba import njit
from numpy.typing import NDArray

from engine.core.arrays import Array
from engine.core.json_types import Plain
from engine.kernels.compile_cache import cached_njit

VALUE, GRADIENT, HESSIAN, CURVATURE = range(4)
QUADRATIC, RELATIVE, HUBER = range(3)
N_HALF = 13
"""Neighbours after a voxel in memory; the other 13 are opposite to them, in the same order."""
_STRICT: Plain = {"error_model": "numpy", "_nrt": False}
"""Without reference counts: rows of an image are views, which are created millions of times."""
_KERNEL, _INLINE = cached_njit(**_STRICT), njit(**_STRICT)


def _steps() -> NDArray[np.int32]:
    after = [step for step in product((-1, 0, 1), repeat=3) if step > (0, 0, 0)]
    return np.array([*after, *(tuple(-k for k in step) for step in after)], np.int32)


STEPS: NDArray[np.int32] = _steps()
"""(26, 3) steps (z, y, x) to the neighbours; step k + 13 is opposite to step k."""


def _order() -> NDArray[np.int32]:
    def turn(k: int) -> tuple[int, ...]:
        z, y, x = (int(step) for step in STEPS[k])
        # An earlier row adds its pairs to this one, so its last neighbour comes first.
        return z, y, x if (z, y) > (0, 0) else -x

    return np.array(sorted(range(len(STEPS)), key=turn), np.int32)


ORDER: NDArray[np.int32] = _order()
"""(26,) numbers of the steps in the order in which a voxel adds up its neighbours."""


@_KERNEL
def add_pairs(
    start: int,
    stop: int,
    term: int,
    kind: int,
    x: Array,
    vector: Array,
    kappa: Array,
    spans: Array,
    weights: Array,
    shares: Array,
    steps: Array,
    numbers: Array,
    buffers: Array,
    out: Array,
) -> None:
    """Write the sums of some planes of an image.

    Parameters
    ----------
    start, stop
        planes of the image
    term, kind
        numbers from this module
    x
        (n_z, n_y, n_x) image
    vector
        (n_z, n_y, n_x) v of HESSIAN; x itself for other terms
    kappa
        (n_z, n_y, n_x) κ
    spans
        (n_z, n_y, 2) int32, first voxel of each row with κ, and the one after the last
    weights
        (26,) w
    shares
        (13, n_z, n_y, n_x) uint8, twice the share of the pair with each neighbour after a voxel;
        (0, 0, 0, 0) if all pairs count fully
    steps
        `STEPS`
    numbers
        (4,) γ or δ; ε; 1/2; 1, in the type of the image
    buffers
        (3, n_x) working memory of the thread
    out
        (n_z, n_y, n_x), which is written
    """
    n_z, n_y, n_x = x.shape
    cleared = start
    # The plane before the first one adds its pairs to the first one. Its own sums are not needed.
    for z in range(max(start - 1, 0), stop):
        # Plane by plane, so that a plane is still in the cache when sums are added.
        while cleared < min(z + 2, stop):
            out[cleared] = 0
            cleared += 1
        for y in range(n_y):
            for k in range(N_HALF):
                dz, dy, dx = steps[k, 0], steps[k, 1], steps[k, 2]
                zz, yy = z + dz, y + dy
                if zz < start or zz >= n_z or yy < 0 or yy >= n_y:
                    continue
                low = max(-dx, spans[z, y, 0], spans[zz, yy, 0] - dx)
                high = min(n_x - dx, spans[z, y, 1], spans[zz, yy, 1] - dx)
                # A row of one voxel has no neighbours along x, and a row without κ none at all.
                if high <= low:
                    continue
                here, there, n = slice(low, high), slice(low + dx, high + dx), high - low
                w, extra = buffers[0, :n], buffers[1, :n]
                _weigh(weights[k], kappa[z, y, here], kappa[zz, yy, there], w)
                if len(shares) > 0:
                    _share(shares[k, z, y, here], numbers[2], w)
                # Extra memory for sums that are not needed, and for those of a row that overlaps
                # itself.
                is_direct = k > 0 and zz < stop
                if not is_direct:
                    extra[:] = 0
                sums = out[z, y, here] if z >= start else buffers[2, :n]
                back = out[zz, yy, there] if is_direct else extra
                a, b = x[z, y, here], x[zz, yy, there]
                v, u = vector[z, y, here], vector[zz, yy, there]
                # Branches are outside of the loops over a row, which can then be vectorised.
                if kind == RELATIVE:
                    _relative(term, a, b, v, u, w, numbers, sums, back)
                elif kind == HUBER:
                    _huber(term, a, b, v, u, w, numbers, sums, back)
                else:
                    _quadratic(term, a, b, v, u, w, numbers, sums, back)
                if k == 0:
                    _add(extra, out[z, y, there])


@_INLINE
def _weigh(weight: float, one: Array, other: Array, w: Array) -> None:
    """Set the weights of a row of pairs."""
    for i in range(len(w)):
        w[i] = weight * (one[i] * other[i])


@_INLINE
def _share(doubled: Array, half: float, w: Array) -> None:
    """Reduce the weights of a row to the shares of the pairs."""
    for i in range(len(w)):
        if doubled[i] == 0:
            w[i] = 0
        elif doubled[i] == 1:
            w[i] *= half


@_INLINE
def _add(terms: Array, sums: Array) -> None:
    """Add a row of terms to sums."""
    for i in range(len(terms)):
        sums[i] += terms[i]


@_INLINE
def _relative(
    term: int,
    a: Array,
    b: Array,
    v: Array,
    u: Array,
    w: Array,
    numbers: Array,
    out: Array,
    back: Array,
) -> None:
    """Add the terms of the relative difference prior for a row of pairs to both ends."""
    gamma, eps, one = numbers[0], numbers[1], numbers[3]
    zero = eps - eps
    for i in range(len(a)):
        d = a[i] - b[i]
        D = a[i] + b[i] + gamma * abs(d) + eps
        r = one / D if zero < D else zero
        if term == VALUE:
            t = w[i] * (d * (d * r))
            out[i] += t
            back[i] += t
        elif term == GRADIENT:
            t, e = w[i] * (d * r), D + eps
            out[i] += t * ((e + b[i] + b[i]) * r)
            back[i] -= t * ((e + a[i] + a[i]) * r)
        else:
            # p and q are at most 2: products of three reciprocals would overflow.
            p, q = (b[i] + b[i] + eps) * r, (a[i] + a[i] + eps) * r
            t, s = w[i] * ((r + r) * p), w[i] * ((r + r) * q)
            if term == HESSIAN:
                out[i] += t * (p * v[i] - q * u[i])
                back[i] += s * (q * u[i] - p * v[i])
            else:
                out[i] += t * (p + q)
                back[i] += s * (p + q)


@_INLINE
def _huber(
    term: int,
    a: Array,
    b: Array,
    v: Array,
    u: Array,
    w: Array,
    numbers: Array,
    out: Array,
    back: Array,
) -> None:
    """Add the terms of the Huber prior for a row of pairs to both ends."""
    delta, half, one = numbers[0], numbers[2], numbers[3]
    sign = -one if term in (GRADIENT, HESSIAN) else one
    for i in range(len(a)):
        d = a[i] - b[i]
        size = abs(d)
        is_small = size <= delta
        if term == VALUE:
            t = w[i] * (half * d * d if is_small else delta * (size - half * delta))
        elif term == GRADIENT:
            t = w[i] * (d if is_small else (delta if d > 0 else -delta))
        elif term == HESSIAN:
            t = w[i] * (v[i] - u[i] if is_small else size - size)
        else:
            c = one if is_small else delta / size
            t = w[i] * (c + c)
        out[i] += t
        back[i] += sign * t


@_INLINE
def _quadratic(
    term: int,
    a: Array,
    b: Array,
    v: Array,
    u: Array,
    w: Array,
    numbers: Array,
    out: Array,
    back: Array,
) -> None:
    """Add the terms of the quadratic prior for a row of pairs to both ends."""
    half, one = numbers[2], numbers[3]
    sign = -one if term in (GRADIENT, HESSIAN) else one
    for i in range(len(a)):
        d = a[i] - b[i]
        if term == VALUE:
            t = w[i] * (half * d * d)
        elif term == GRADIENT:
            t = w[i] * d
        elif term == HESSIAN:
            t = w[i] * (v[i] - u[i])
        else:
            t = w[i] * (one + one)
        out[i] += t
        back[i] += sign * t
