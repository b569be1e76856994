"""Search for the rotation axis on the detector of a parallel-beam scan [0-based column].

Each of the three published methods has its own requirement. The first moment needs the whole object
in view, opposite views need half a turn with both ends, and the method of Vo et al. needs evenly
spaced angles. For a whole turn, `opposite_parallel` compares the rays that were measured twice.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from engine.core.errors import DataError
from engine.corrections.preprocess.parameter_sweep import Candidate, Estimate, lowest
from engine.data.projections import Projections
from engine.recon.filtering.redundancy import coverage

if TYPE_CHECKING:
    from engine.corrections.preprocess.rotation_axis import Method

EDGE = 4
"""Number of columns on each side that must be free of the object for the first moment to hold."""
MAX_AT_EDGE = 0.05
MAX_PAIRS = 32
FINER = 4
"""Points of a correlation in each column."""
SAME_RAD = 1e-6
"""Angles closer than this are the same."""
FINE = 0.05
"""Step of the last search [columns]."""


def by_moment(projections: Projections) -> Estimate:
    """Fit c + x cos θ + y sin θ to the centre of mass of each view.

    The first moment of a parallel view is that of the object, so only the axis stays fixed. Azevedo
    et al., IEEE TNS 37 (1990) 1525.

    Parameters
    ----------
    projections
        line integrals on the host

    Raises
    ------
    DataError
        if the object extends to the edge of the detector
    """
    profiles = projections.values.mean(axis=1, dtype=np.float64)
    edges = np.concatenate([profiles[:, :EDGE], profiles[:, -EDGE:]], axis=1)
    if np.abs(edges).mean() > MAX_AT_EDGE * profiles.max():
        raise DataError(
            "Centre of rotation: the object is wider than the detector, so its centre of mass is "
            "unknown; choose another method or a sweep."
        )
    mass = profiles.sum(axis=1)
    centroid = profiles @ np.arange(profiles.shape[1]) / mass
    angles = projections.geometry.angles_rad
    basis = np.stack([np.ones_like(angles), np.cos(angles), np.sin(angles)], axis=1)
    fit = np.linalg.lstsq(basis, centroid, rcond=None)[0]
    return Estimate(float(fit[0]), "first moment", "pixels")


def by_opposite_views(projections: Projections) -> Estimate:
    """Correlate views with the mirrored ones half a turn later; return the median of the pairs.

    A half turn often ends one step early. The pairs one and two steps short of it then show how far
    the object moves in one step.

    Parameters
    ----------
    projections
        line integrals on the host

    Raises
    ------
    DataError
        if no two views are half a turn apart
    """
    values, angles = projections.values, projections.geometry.angles_rad
    step = float(np.median(np.abs(np.diff(np.unwrap(angles)))))
    # Angles modulo a turn: exp(i φ) makes the distance independent of unwrapped values.
    short = np.abs(np.angle(np.exp(1j * (angles[None, :] - angles[:, None] - np.pi))))
    first, second = np.nonzero(np.triu(short < 0.51 * step))
    if len(first):
        chosen = np.linspace(0, len(first) - 1, min(len(first), MAX_PAIRS)).round().astype(int)
        pairs = zip(first[chosen], second[chosen], strict=True)
        found = float(np.median([_mirror_axis(values[i], values[k]) for i, k in pairs]))
    elif short[0, -1] < 1.01 * step and len(angles) > 2:
        # Linear extrapolation from one and two missing steps to none.
        one = _mirror_axis(values[0], values[-1])
        two = (_mirror_axis(values[0], values[-2]) + _mirror_axis(values[1], values[-1])) / 2
        found = 2 * one - two
    else:
        raise DataError("Centre of rotation: no two views are 180° apart; choose another method.")
    return Estimate(found, "opposite views", "pixels")


def _mirror_axis(view: NDArray[np.floating], opposite: NDArray[np.floating]) -> float:
    """Return the column about which `opposite` (rows, cols) is the mirror image of `view`."""
    n = view.shape[1]
    # Derivatives correlate edges. Without them, the large uniform areas would dominate.
    a, b = (np.fft.rfft(np.diff(v), 2 * n) for v in (view, opposite[:, ::-1]))
    spectrum = (a * b.conj()).sum(axis=0)
    correlation = np.fft.irfft(spectrum, 2 * n * FINER)  # between the columns too
    lags = np.fft.fftfreq(len(correlation), 1 / (2 * n))
    order = np.argsort(lags)
    return (n - 1 + lowest(lags[order], -correlation[order])) / 2


def by_wedge(projections: Projections, *, reach: float | None = None) -> Estimate:
    """Complete half a turn by its mirror image so that its spectrum stays in the double wedge.

    The sinogram of a full turn has no power where |n| > r |ω| (n periods per turn, ω in rad per
    pixel, r the object's radius). A wrong axis puts power there. The mirror image is shifted by
    phases, so nothing is interpolated. Vo et al., Optics Express 22 (2014) 19078.

    Parameters
    ----------
    projections
        line integrals on the host
    reach
        largest distance from the middle of the detector [columns]; None for a quarter of the width

    Raises
    ------
    DataError
        if there are too few views, or they are not evenly spaced over half a turn
    """
    sinogram = _half_turn(projections)
    n_views, n = sinogram.shape
    waves = np.fft.rfft(sinogram, 2 * n, axis=1)
    omega = np.pi * np.arange(n + 1) / n
    # The transforms of both halves are computed once; each trial axis only changes a phase.
    first = np.fft.fft(waves, 2 * n_views, axis=0)
    shifted = np.zeros((2 * n_views, n + 1), complex)
    shifted[n_views:] = waves.conj()
    second = np.fft.fft(shifted, axis=0)
    harmonic = np.abs(np.fft.fftfreq(2 * n_views, 1 / (2 * n_views)))
    empty = harmonic[:, None] > 1.05 * (n / 2) * omega + 2  # a margin for the ends of the object
    # The zero frequency contains the mean, which no axis changes.
    empty[:, 0] = False
    columns = np.flatnonzero(empty.any(axis=0))
    if not len(columns):
        raise DataError(
            f"Centre of rotation: {n_views} views over half a turn are too few; choose "
            "another method, or enter the column."
        )
    terms = _Terms.of(first[:, columns], second[:, columns], empty[:, columns], omega[columns])
    middle, reach = (n - 1) / 2, n / 4 if reach is None else reach
    coarse = terms.excess(np.arange(middle - reach, middle + reach + 1))
    near = min(coarse, key=lambda one: one.score).value
    fine = terms.excess(near + np.arange(-1.5, 1.5 + FINE, FINE))
    values, scores = np.array([(one.value, one.score) for one in fine]).T
    candidates = tuple(sorted((*coarse, *fine), key=lambda one: one.value))
    return Estimate(lowest(values, scores), "spectrum of the sinogram", "pixels", candidates)


class _Terms(NamedTuple):
    """Transforms of both halves of a turn outside the double wedge, by frequency.

    Attributes
    ----------
    starts, waves : as those of `engine.kernels.double_wedge`
    omega : (n_frequencies,) [rad per column]
    n : number of terms, without the zeros that fill registers
    """

    starts: NDArray[np.int64]
    waves: NDArray[np.float64]
    omega: NDArray[np.float64]
    n: int

    @classmethod
    def of(
        cls,
        first: NDArray[np.complexfloating],
        second: NDArray[np.complexfloating],
        empty: NDArray[np.bool_],
        omega: NDArray[np.float64],
    ) -> Self:
        """Return the terms (harmonics, frequencies) at which `empty` is True."""
        from engine.kernels.processor import LANES  # only a search needs kernels

        counts = empty.sum(axis=0)
        starts = np.concatenate([[0], np.cumsum(-(-counts // LANES) * LANES)])
        # The terms of a frequency fill whole registers; the rest is 0.
        n = int(counts.sum())
        places = np.arange(n) + np.repeat(starts[:-1] - (np.cumsum(counts) - counts), counts)
        waves = np.zeros((4, starts[-1]))
        for row, half in ((0, first), (2, second)):
            some = half.T[empty.T]
            waves[row, places], waves[row + 1, places] = some.real, some.imag
        return cls(starts, waves, omega, n)

    def excess(self, axes: NDArray[np.float64]) -> list[Candidate]:
        """Return the mean amplitude of the terms for each axis [columns]."""
        from engine.kernels.double_wedge import add_amplitudes
        from engine.kernels.processor import LANES

        phases = np.exp(-2j * self.omega[:, None] * axes)
        sums = np.zeros((len(axes), LANES))
        add_amplitudes(self.starts, self.waves, np.stack([phases.real, phases.imag], 2), sums)
        means = sums.sum(axis=1) / self.n
        return [Candidate(float(axis), float(mean)) for axis, mean in zip(axes, means, strict=True)]


def compile_kernels() -> None:
    """Compile the kernel of the search, or load it."""
    one = np.ones((1, 1), complex)
    _Terms.of(one, one, one == 1, np.ones(1)).excess(np.ones(1))


def _half_turn(projections: Projections) -> NDArray[np.float64]:
    """Return the mean sinogram (n_views, cols) of the middle rows, over half a turn in order."""
    angles = projections.geometry.angles_rad
    order = _even_half_turn(np.unwrap(angles))
    if order is None:
        order = _even_half_turn(*_in_order(angles))
    if order is None:
        raise DataError(
            "Centre of rotation: the views are not evenly spaced over half a turn; "
            "choose another method."
        )
    middle = projections.shape[1] // 2
    rows = slice(max(middle - 1, 0), middle + 2)
    return projections.values[order, rows].mean(axis=1, dtype=np.float64)


def _even_half_turn(
    angles: NDArray[np.float64], views: NDArray[np.intp] | None = None
) -> NDArray[np.intp] | None:
    """Return the views of an evenly spaced half turn from these angles; None if steps differ."""
    steps = np.diff(angles)
    step = float(np.median(steps)) if len(steps) else 0.0
    n_half = round(np.pi / abs(step)) if step else 0
    if len(angles) < 8 or n_half > len(angles) or np.abs(steps - step).max() > 0.01 * abs(step):
        return None
    return (np.arange(len(angles)) if views is None else views)[:n_half]


def _in_order(angles: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.intp]]:
    """Return sorted angles from the start of their range, and their views, without repetitions."""
    from_start = coverage(angles).from_start_rad
    order = np.argsort(from_start, kind="stable")
    is_new = np.diff(from_start[order], prepend=-np.inf) > SAME_RAD
    return from_start[order][is_new], order[is_new]


METHODS: dict[Method, Callable[[Projections], Estimate]] = {
    "moment": by_moment,
    "opposite": by_opposite_views,
    "wedge": by_wedge,
}
