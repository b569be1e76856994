"""Maximum-likelihood singles rates from delayeds: products of rates are the randoms.

Delayeds of line (i, j) are Poisson with mean r_ij = σ_i σ_j.

Rates of crystals: every crystal has its own σ. The likelihood is largest if each crystal has the
expected delayeds, D_i = σ_i Σ_j σ_j over its partners j in coincidence. The fixed point of
σ ← σ √(D / (σ Σ σ)) solves this. Each line then uses the delayeds of two fans, not only its own.
After Hogg, Thielemans, Mustafovic & Spinks, IEEE NSS 2002, 1391; Panin, Chen & Michel, IEEE NSS
2007, 2877.

Rates of blocks: σ_i = ε_i τ_g(i) with the crystal efficiency ε (0 in gaps) and one rate τ for each
detector block g. The delayeds of block g are D_g = τ_g Σ_h M_gh τ_h with M_gh = Σ ε_i ε_j over the
lines of response between g and h. The fixed point of τ ← τ √(D / (τ Σ M τ)) solves this. After
Casey & Hoffman, J Comput Assist Tomogr 10 (1986) 845.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from engine.core.arrays import Array
from engine.data.storage.columns import pieces
from engine.geometry.ring import RingScanner
from engine.geometry.sampling import lattice
from engine.geometry.scanner import Scanner, pair_product

N_LINES = 4_000_000
"""Lines of response sampled for M."""
N_STEPS, CONVERGED = 100, 1e-9
"""Largest number of steps of a fixed point; relative deviation of expected counts at which it ends.
"""


def crystal_rates(scanner: RingScanner, delayeds: Array) -> NDArray[np.float64]:
    """Return σ of each crystal of a ring scanner from its delayeds.

    Parameters
    ----------
    scanner
        scanner of the delayeds; only its lines in coincidence are used
    delayeds
        (n, 2) crystals of each delayed

    Returns
    -------
    crystal_rates
        (n_crystals,) square roots of counts; 0 for crystals without delayeds
    """
    # Delayeds outside the coincidence fan have no counterpart in the partner sums.
    seen = _delayeds_by_crystal(scanner, delayeds, lambda part: part[scanner.in_coincidence(part)])
    facing = scanner.facing()
    return _fixed_point(seen, lambda values: partner_sums(scanner, facing, values))


def spread_in_blocks(scanner: RingScanner, delayeds: Array, rates: Array) -> float:
    """Return the mean of (D − E)² / E over the crystals of a ring; 1 if they differ only by chance.

    Parameters
    ----------
    scanner
        scanner of the delayeds
    delayeds
        (n, 2) crystals of each delayed; D counts them by crystal
    rates
        (n_crystals,) σ, from which E follows
    """
    seen = _delayeds_by_crystal(scanner, delayeds, lambda part: part[scanner.in_coincidence(part)])
    expected = rates * partner_sums(scanner, scanner.facing(), rates)
    is_expected = expected > 0
    difference = seen[is_expected] - expected[is_expected]
    return float(np.mean(difference**2 / expected[is_expected])) if is_expected.any() else 1.0


def partner_sums(
    scanner: RingScanner, facing: tuple[Array, Array], values: Array
) -> NDArray[np.float64]:
    """Return the sums of values over the partners of each crystal, (n_crystals,).

    Parameters
    ----------
    scanner
        ring scanner
    facing
        first and last facing places, from `RingScanner.facing`
    values
        (n_crystals,) rates, 0 in gaps
    """
    s = scanner.settings
    rings = values.reshape(s.n_rings, -1)
    # Cumulative sums make the cost independent of the numbers of rings and places in coincidence.
    sums = _sums_before(rings, axis=0)
    ring = np.arange(s.n_rings)
    last = np.minimum(ring + s.max_ring_difference + 1, s.n_rings)
    near = sums[last] - sums[np.maximum(ring - s.max_ring_difference, 0)]
    sums = _sums_before(near, axis=1)
    start = facing[0] % s.n_crystals_per_ring
    end = start + facing[1] - facing[0] + 1
    crosses_0 = end > s.n_crystals_per_ring
    within = sums[:, end - crosses_0 * s.n_crystals_per_ring] - sums[:, start]
    found: NDArray[np.float64] = (within + crosses_0 * sums[:, -1:]).ravel() * scanner.alive
    return found


def _sums_before(values: Array, axis: int) -> Array:
    """Return the sums before each element and after the last one along an axis."""
    return np.insert(np.cumsum(values, axis=axis), 0, 0.0, axis=axis)


def block_rates(
    scanner: Scanner, delayeds: Array, weights: Array, groups: Array
) -> NDArray[np.float64]:
    """Return σ of each crystal, (n_crystals,), from one rate for each group.

    Parameters
    ----------
    scanner
        scanner of the delayeds
    delayeds
        (n, 2) crystals of each delayed
    weights
        (n_crystals,) efficiencies ε, 0 in gaps
    groups
        (n_crystals,) number of the block of each crystal
    """
    n_groups = int(groups.max()) + 1
    seen = np.bincount(groups, _delayeds_by_crystal(scanner, delayeds), n_groups).astype(np.float64)
    rates = _fixed_point(seen, _group_partners(scanner, weights, groups, n_groups))
    return np.asarray(weights * rates[groups], np.float64)


def _delayeds_by_crystal(
    scanner: Scanner, delayeds: Array, select: Callable[[Array], Array] = lambda part: part
) -> NDArray[np.float64]:
    """Return the delayeds of each crystal, (n_crystals,), of those that `select` passes."""
    seen = np.zeros(scanner.n_crystals)
    # Delayeds can be in a file, so they are read in pieces.
    for rows in pieces(len(delayeds)):
        seen += np.bincount(select(delayeds[rows]).ravel(), minlength=scanner.n_crystals)
    return seen


def _group_partners(
    scanner: Scanner, weights: Array, groups: Array, n_groups: int
) -> Callable[[Array], Array]:
    """Return the function τ → M τ, exact for rings and from sampled lines for other scanners."""
    if not isinstance(scanner, RingScanner):
        pairs = _pair_weights(scanner, weights, groups, n_groups)
        return lambda values: pairs @ values
    facing, weights = scanner.facing(), weights * scanner.alive

    def partners(values: Array) -> Array:
        met = partner_sums(scanner, facing, weights * values[groups])
        return np.bincount(groups, weights * met, n_groups)

    return partners


def _pair_weights(
    scanner: Scanner, weights: Array, groups: Array, n_groups: int
) -> NDArray[np.float64]:
    """M (n_groups, n_groups): Σ ε_i ε_j over lines of response, both directions counted."""
    n = min(scanner.n_lors, N_LINES)
    pairs = np.zeros(n_groups * n_groups)
    # An evenly spaced lattice of lines samples every pair of blocks without random noise.
    for numbers in np.array_split(lattice(scanner.n_lors, n, shift=0.5), max(1, n // 1_000_000)):
        crystals = scanner.lors(numbers)
        w = pair_product(weights, crystals) * scanner.in_coincidence(crystals)
        g = groups[crystals].astype(np.int64)
        pairs += np.bincount(g[:, 0] * n_groups + g[:, 1], w, n_groups * n_groups)
    m = pairs.reshape(n_groups, n_groups) * (scanner.n_lors / n)
    # A line is stored once, but both of its blocks see it.
    return m + m.T


def _fixed_point(
    seen: NDArray[np.float64], partners: Callable[[Array], Array]
) -> NDArray[np.float64]:
    """Return rates whose expected counts are those seen; `partners` sums rates over partners."""
    # Crystals or blocks without delayeds start and stay at rate 0.
    live = (seen > 0).astype(np.float64)
    total = float((live * partners(live)).sum())
    rates = live * (np.sqrt(seen.sum() / total) if total > 0 else 0.0)
    for _ in range(N_STEPS):
        expected = rates * partners(rates)
        ratio = np.divide(seen, expected, out=np.zeros_like(rates), where=expected > 0)
        # Without the square root the steps oscillate: a rate and its partners change at once.
        rates = rates * np.sqrt(ratio)
        if np.abs(ratio[rates > 0] - 1).max(initial=0) < CONVERGED:
            break
    return rates
