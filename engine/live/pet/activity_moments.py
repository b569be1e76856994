"""Place of the activity of a scan, and how it lies: first and second moments of its events.

An event stands for a place p: with time of flight the middle of its time bin on its line; without,
what is known across the line, P p with P = 1 − u uᵀ, u its direction. With the place c of a decay,
independent of u,

    E[P c] = G E[c],  G = E[P];    E[P c cᵀ P] = K E[c cᵀ],  K = E[P ⊗ P]

so G and K, means over the lines, give centre r and covariance C = E[c cᵀ] − r rᵀ (with time of
flight both are 1, and C has the width of the timing in it, which stays the same). Randoms go by
subtraction of delayeds. Counts are Poisson, so that sums S = Σ ± Φ over events, Φ = (1, p, p pᵀ),
have the covariance V = Σ Φ Φᵀ exactly, whatever the count rate does. Events beside the object are
only noise: those more than three standard deviations of C from the centre are left out.

After Lu et al., J Nucl Med 61 (2020) 1397 (centroid of distribution) and Phys Med Biol 66 (2021)
184001, "Rigid motion tracking using moments of inertia in TOF-PET brain studies".
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.data.listmode import ListMode

PAIRS = ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))
"""Elements of a symmetric matrix, in their order: xx, yy, zz, xy, xz, yz."""
N = 3 + len(PAIRS)
WIDTHS = 3.0
SAMPLE = 2000
"""Lines of a batch from which G and K are."""

Matrix = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Mask:
    """The part of space whose events count.

    Attributes
    ----------
    centre_mm : (3,)
    covariance : (3, 3) of the activity [mm²]; they count within `WIDTHS` standard deviations
    """

    centre_mm: Matrix
    covariance: Matrix

    def holds(self, places: Matrix, along: Matrix, *, timed: bool) -> NDArray[np.bool_]:
        """Whether events count, by their places and directions."""
        if timed:
            away = places - self.centre_mm
            distances = np.einsum("ni,ij,nj->n", away, np.linalg.inv(self.covariance), away)
            return np.asarray(distances < WIDTHS**2)
        across = self.centre_mm - (along @ self.centre_mm)[:, None] * along
        widest = float(np.linalg.eigvalsh(self.covariance)[-1])
        return np.asarray(((places - across) ** 2).sum(axis=1) < WIDTHS**2 * widest)


@dataclass(frozen=True, eq=False)
class Sums:
    """Sums over the events of some time.

    Attributes
    ----------
    total : (10,) S
    variance : (10, 10) V
    """

    total: Matrix
    variance: Matrix

    def __add__(self, other: Sums) -> Sums:
        return Sums(self.total + other.total, self.variance + other.variance)


@dataclass(frozen=True, eq=False)
class Place:
    """Centre and covariance of the activity.

    Attributes
    ----------
    values : (9,) centre [mm], then the elements of C as in `PAIRS` [mm²]
    errors : (9, 9) their covariance by counting
    """

    values: Matrix
    errors: Matrix

    @property
    def centre_mm(self) -> Matrix:
        """(3,) centre [mm]."""
        return self.values[:3]

    @property
    def covariance(self) -> Matrix:
        """(3, 3) C [mm²]."""
        return symmetric(self.values[3:])


def sums_of(events: ListMode, mask: Mask | None = None) -> Sums:
    """Return the sums of prompts less those of delayeds, of all or of those within a mask."""
    places, along, timed = _places(events)
    signs = np.ones(len(places)) if events.delayed is None else 1.0 - 2.0 * events.delayed
    if mask is not None:
        inside = mask.holds(places, along, timed=timed)
        places, signs = places[inside], signs[inside]
    products = [places[:, a] * places[:, b] for a, b in PAIRS]
    features = np.column_stack([np.ones(len(places)), places, *products])
    return Sums(np.asarray(signs @ features, np.float64), features.T @ features)


def _places(events: ListMode) -> tuple[Matrix, Matrix, bool]:
    """(n, 3) places and directions of events, and whether their time of flight is in them."""
    first, second = np.moveaxis(events.scanner.positions_mm[events.crystals], 1, 0)
    along = second - first
    along /= np.linalg.norm(along, axis=1)[:, None]
    places = (first + second) / 2
    tof = events.scanner.tof
    if events.tof_bins is not None and tof is not None:
        from_middle = (events.tof_bins - (tof.n_bins - 1) / 2) * tof.bin_mm
        return places + from_middle[:, None] * along, along, True
    return places - (places * along).sum(axis=1)[:, None] * along, along, False


class LineMeans:
    """G and K of the lines of a scan."""

    def __init__(self) -> None:
        self._sum = np.zeros((3, 3)), np.zeros((len(PAIRS), len(PAIRS)))
        self._n = 0
        self._inverse = np.eye(N)

    def add(self, events: ListMode) -> None:
        """Take the lines of some events into the means; with time of flight nothing is needed."""
        if events.tof_bins is not None and events.scanner.tof is not None:
            return
        every = max(1, events.n_events // SAMPLE)
        first, second = np.moveaxis(events.scanner.positions_mm[events.crystals[::every]], 1, 0)
        along = (second - first) / np.linalg.norm(second - first, axis=1)[:, None]
        across = np.eye(3) - along[:, :, None] * along[:, None, :]
        K = np.empty((len(PAIRS), len(PAIRS)))
        for i, (a, b) in enumerate(PAIRS):
            for j, (c, d) in enumerate(PAIRS):
                K[i, j] = (across[:, a, c] * across[:, b, d]).sum()
                if c != d:
                    K[i, j] += (across[:, a, d] * across[:, b, c]).sum()
        self._sum = self._sum[0] + across.sum(axis=0), self._sum[1] + K
        self._n += len(along)
        self._inverse = np.zeros((N, N))
        self._inverse[:3, :3] = np.linalg.pinv(self._sum[0] / self._n)
        self._inverse[3:, 3:] = np.linalg.pinv(self._sum[1] / self._n)

    def place_of(self, sums: Sums) -> Place | None:
        """Return centre and covariance with their errors; None where there are no counts."""
        n = sums.total[0]
        if n <= 0:
            return None
        means = sums.total[1:] / n
        jacobian = self._inverse @ np.column_stack([-means, np.eye(N)]) / n
        values = self._inverse @ means
        centre = values[:3].copy()
        to_central = np.eye(N)
        for i, (a, b) in enumerate(PAIRS):
            values[3 + i] -= centre[a] * centre[b]
            to_central[3 + i, a] -= centre[b]
            to_central[3 + i, b] -= centre[a]
        jacobian = to_central @ jacobian
        return Place(values, jacobian @ sums.variance @ jacobian.T)


def symmetric(elements: Matrix) -> Matrix:
    """(3, 3) matrix of its elements."""
    out = np.empty((3, 3))
    for value, (a, b) in zip(elements, PAIRS, strict=True):
        out[a, b] = out[b, a] = value
    return out
