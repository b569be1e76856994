"""Simulate pairs that scatter twice in total, in the units of the image.

With a direction w from the scatter point s, the point t at distance l along it, and otherwise the
notation of `engine.corrections.scatter_estimation.simulation`, a line counts in addition to S(A, B)

    D(A, B) = n r² / (E E) Σ_s ΔV μ(s) ∫dw ∫dl μ(t) [P(A, B) + Q(A, B) + Q(B, A)]
    P = G_A(s) G_B(t) p(θ_A) p(θ_B) ∫_s^t f dl · exp(−∫_s^t μ dl − g_A ∫_s^A μ dl − g_B ∫_t^B μ dl)
    Q = G_A(s) G_B(t) q(θ₁, θ₂) ∫_s^A f dl · exp(−∫_s^A μ dl − g₁ ∫_s^t μ dl − g₂ ∫_t^B μ dl)

P: the pair was emitted between s and t, and one photon scatters at each: from −w by θ_A, from w by
θ_B. Q: it was emitted between A and s, and one photon scatters into w by θ₁ at s and by θ₂ at t.
With the energies E₁ and E₂ after these,

    q = (dσ/dΩ)(θ₁) / σ · (dσ/dΩ)(E₁, θ₂) / σ · ε(E₂) / ε(511)

and g = σ(E) / σ(511) for the energy on each path. E₂ depends on both angles; g₂ uses the typical
θ₁, `TYPICAL_SHARE`. dw dl is a volume divided by a squared distance, so the weight of near points
stays finite. t is moved to the nearest of the points s, from which paths are traced. A singular
value decomposition writes q as a sum of few products of functions of θ₁ and of θ₂. The sum over
paths is then a matrix product of terms for A and terms for B.

Multiple scatter as integrals: Barney et al., IEEE TNS 38 (1991) 719. Comparison with tracked
photons: docs/physics/scatter.md.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from engine.core.backend import Backend
from engine.corrections.scatter_estimation.detection import Efficiency, efficiency_of
from engine.corrections.scatter_estimation.klein_nishina import differential, energy_ratio, total
from engine.corrections.scatter_estimation.pair_sums import line_factors, scene_of
from engine.corrections.scatter_estimation.path_segments import legs_between
from engine.corrections.scatter_estimation.samples import DetectorSamples, ScatterPoints
from engine.corrections.scatter_estimation.spline import spline_weights
from engine.corrections.scatter_estimation.sums import traced
from engine.corrections.scatter_estimation.timing import PathTiming
from engine.data.volume import Volume
from engine.geometry.energy import ELECTRON_KEV, EnergyWindow
from engine.geometry.scanner import Scanner
from engine.kernels.blocks import run_blocks
from engine.kernels.scatter.double_scatter import TwiceTables, fill_legs, side_by_side
from engine.kernels.scatter.path_segments import Legs
from engine.kernels.scatter.paths import Paths

FEWER = 2
"""Factor by which detector samples are sparser than for single scatter.

Double scatter is smooth.
"""
N_COSINES = 1025
"""Number of entries of the tables over the scattering angle."""
N_PARTS = 4
"""Number of products that make up q; the fifth is 0.2 % of the first."""
N_TRIED, N_ENERGIES = 201, 401
"""Number of angles for the decomposition, and of energies at which ε is computed."""
TYPICAL_SHARE = 0.93
"""Cosine of the first of two angles: 22 degrees; g₂ changes by 2 % from 10 to 30."""
LEGS_AT_ONCE, PIECES = 256, 32
"""Number of paths in one matrix product, and number of products in memory at a time."""

Table = NDArray[np.float64]
Sent = NDArray[np.float32]


class SharedPaths:
    """Paths that single scatter traced, at the sparser samples of double scatter.

    Both have the same scatter points if they have the same seed.

    Attributes
    ----------
    samples : samples of double scatter
    """

    def __init__(self, scanner: Scanner, dense: DetectorSamples) -> None:
        # `nearest=1`: double scatter also connects neighbouring samples, and the spline needs them.
        self.samples = DetectorSamples.of(scanner, FEWER, nearest=1)
        self._rows, self._parts = _rows_of(self.samples, dense), list[Paths]()

    def add(self, paths: Paths) -> None:
        """Keep the paths of the next scatter points if double scatter can use them.

        Parameters
        ----------
        paths
            paths to the dense samples
        """
        # With time of flight, the activity of a path is summed in other steps.
        if self._rows is not None and not paths.activity.shape[2]:
            *each, activity = paths
            own = [np.take(part, self._rows, axis=-1) for part in each]
            self._parts.append(Paths._make([*own, activity[:, self._rows]]))

    def found(self) -> Paths | None:
        """Return the paths of all scatter points; None if they cannot be shared."""
        if not self._parts:
            return None
        return Paths(*(np.concatenate(each) for each in zip(*self._parts, strict=True)))


def _rows_of(samples: DetectorSamples, dense: DetectorSamples) -> NDArray[np.int64] | None:
    """Return the row of each sample among dense ones; None if other places are between these."""
    rings, angles = (np.arange(0, n, FEWER) for n in (dense.n_rings, dense.n_angles))
    rows = (rings[:, None] * dense.n_angles + angles).reshape(-1)
    is_same = np.array_equal(dense.places_mm[rows], samples.places_mm)
    return rows if is_same and np.array_equal(dense.normals[rows], samples.normals) else None


def simulate_twice(
    image: Volume,
    mu_map: Volume,
    scanner: Scanner,
    window: EnergyWindow,
    *,
    samples: DetectorSamples,
    n_points: int,
    seed: int,
    on: Backend,
    points: ScatterPoints | None = None,
    shared: SharedPaths | None = None,
) -> Table:
    """Return D / n of an image in an object, summed over time of flight.

    The CPU does all of the work, even with a GPU: it is a small part of that of single scatter.

    Parameters
    ----------
    image
        activity [counts/mm]
    mu_map
        attenuation at 511 keV [1/mm]
    scanner
        rings of crystals
    window
        energies that are counted
    samples
        detector samples between which the result is known
    n_points
        number of scatter points s
    seed
        seed of the scatter points
    on
        backend whose number of threads is used
    points
        scatter points; None to draw them
    shared
        paths that single scatter traced with the same scatter points; None to trace them

    Returns
    -------
    simulate_twice
        (rings, angles, rings, angles) [counts]
    """
    shared = shared or SharedPaths(scanner, samples)
    coarse = shared.samples
    if points is None:
        points = ScatterPoints.of(mu_map, n_points, seed)
    depth = scanner.crystal_depth
    efficiency = efficiency_of(window, depth, scanner.block_mm)
    paths = shared.found()
    if paths is None:
        timing = PathTiming.of(None, image)
        scene = scene_of((image, mu_map), coarse, depth, efficiency, timing)
        paths = traced(scene, points.places_mm, on.threads)
    legs = legs_between(points, image, mu_map, seed, threads=on.threads)
    tables = tables_of(efficiency)
    sums = _summed(legs, paths, tables, on.threads)
    values = (sums * line_factors(coarse, depth)).reshape((coarse.n_rings, coarse.n_angles) * 2)
    return _drawn_up(values, coarse, samples)


def _summed(legs: Legs, paths: Paths, tables: TwiceTables, threads: int) -> Table:
    """Return Σ (P + Q + Q) for pairs of samples, (n, n)."""
    n, both = paths.seen.shape[1], side_by_side(tables)
    sums = np.zeros((2, n, n))
    # Each thread has its own buffers; only the matrix products are shared.
    shape = threads, 1 + len(tables.former), LEGS_AT_ONCE, n
    firsts, seconds = np.empty(shape, np.float32), np.empty(shape, np.float32)
    pieces = np.arange(0, len(legs.first), LEGS_AT_ONCE)
    products = np.empty((min(PIECES, len(pieces)), 2, n, n), np.float32)

    def work(thread: int, start: int, stop: int) -> None:
        for i in range(start, stop):
            part = Legs(*(each[begins[i] : begins[i] + LEGS_AT_ONCE] for each in legs))
            first, second = (each[thread, :, : len(part.first)] for each in (firsts, seconds))
            _multiply(part, paths, both, first, second, products[i])

    for piece in range(0, len(pieces), PIECES):
        begins = pieces[piece : piece + PIECES]
        run_blocks(work, len(begins), threads, rows=1)
        # The order of the sum does not depend on threads, so neither do the bits of the result.
        for product in products[: len(begins)]:
            sums += product
    shared, turned = sums
    every: Table = (shared + shared.T) / 2 + turned + turned.T
    return every


def _multiply(
    legs: Legs, paths: Paths, tables: tuple[Sent, Sent], firsts: Sent, seconds: Sent, out: Sent
) -> None:
    """Compute the sums of some paths, (2, n, n): both photons scattered, or one of them twice."""
    fill_legs(0, len(legs.first), legs, paths, tables, firsts, seconds)
    n = firsts.shape[2]
    np.matmul(firsts[0].T, seconds[0], out=out[0])
    np.matmul(firsts[1:].reshape(-1, n).T, seconds[1:].reshape(-1, n), out=out[1])


@lru_cache(maxsize=4)  # which rounds have in common
def tables_of(efficiency: Efficiency) -> TwiceTables:
    """Return p, q and g over the cosines of angles.

    Parameters
    ----------
    efficiency
        ε by energy, up to a constant factor
    """
    sigma = total(np.array(ELECTRON_KEV))
    full = efficiency(np.array([ELECTRON_KEV]))[0]
    cosine = np.linspace(-1, 1, N_COSINES)
    kev = ELECTRON_KEV * energy_ratio(cosine)
    after_both = 1 / (1 / kev + (1 - TYPICAL_SHARE) / ELECTRON_KEV)
    former, latter = _products(efficiency, float(full), float(sigma))
    tried = np.linspace(-1, 1, N_TRIED)
    return TwiceTables(
        differential(cosine) / sigma * efficiency(kev) / full,
        total(kev) / sigma,
        np.array([np.interp(cosine, tried, part) for part in former]),
        np.array([np.interp(cosine, tried, part) for part in latter]),
        total(after_both) / sigma,
    )


def _products(efficiency: Efficiency, full: float, sigma: float) -> tuple[Table, Table]:
    """Return functions (parts, angles) of θ₁ and of θ₂ whose products add up to q."""
    tried = np.linspace(-1, 1, N_TRIED)
    first = (ELECTRON_KEV * energy_ratio(tried))[:, None]
    second = first * energy_ratio(tried[None, :], first)
    chance = differential(tried) / sigma
    again = differential(tried[None, :], first) / sigma
    kev = np.linspace(second.min(), ELECTRON_KEV, N_ENERGIES)
    seen = np.interp(second, kev, efficiency(kev)) / full
    # Weights are the chance of an angle, so that the products are most accurate for typical angles.
    weight = np.sqrt(chance)
    former, sizes, latter = np.linalg.svd(weight[:, None] * again * seen, full_matrices=False)
    own = (former[:, :N_PARTS] * sizes[:N_PARTS] * weight[:, None]).T
    return np.ascontiguousarray(own), np.ascontiguousarray(latter[:N_PARTS])


def _drawn_up(values: Table, at: DetectorSamples, samples: DetectorSamples) -> Table:
    """Interpolate values between samples by a spline at the denser samples."""
    turns = np.arange(samples.n_angles) * (at.n_angles / samples.n_angles)
    angles = spline_weights(at.n_angles, turns, goes_round=True)
    heights = np.linspace(0, at.n_rings - 1, samples.n_rings)  # both from the first to the last
    rings = spline_weights(at.n_rings, heights)
    for axis, weights in enumerate((rings, angles, rings, angles)):
        values = np.moveaxis(np.tensordot(weights, values, axes=(1, axis)), 0, axis)
    # The spline can undershoot next to steep gradients; negative counts are impossible.
    return np.maximum(values, 0.0)
