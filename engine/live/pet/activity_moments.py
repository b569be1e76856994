"""Position and extent of the activity: first and second moments of the events.

An event stands for a position p. With time of flight this is the centre of its TOF bin on the line.
Without it, only the position across the line is known, P p with P = 1 − u uᵀ and u the direction of
the line. With the position c of a decay, independent of u,

    E[P c] = G E[c],  G = E[P];    E[P c cᵀ P] = K E[c cᵀ],  K = E[P ⊗ P]

so that G and K, averages over the lines, give the centre r and the covariance C = E[c cᵀ] − r rᵀ.
With time of flight both are 1, and C includes the width of the timing, which is constant. Randoms
are corrected by subtracting delayeds. Counts are Poisson distributed. The sums S = Σ ± Φ over
events, Φ = (1, p, p pᵀ), therefore have the covariance V = Σ Φ Φᵀ exactly, whatever the count rate
is. Events outside of the object are noise: those more than three standard deviations of C from the
centre are left out.

After Lu et al., J Nucl Med 61 (2020) 1397 (centroid of distribution) and Phys Med Biol 66 (2021)
184001, "Rigid motion tracking using moments of inertia in TOF-PET brain studies".
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.data.listmode import ListMode

PAIRS = ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))
"""Elements of a symmetric matrix in order: xx, yy, zz, xy, xz, yz."""
N = 3 + len(PAIRS)
WIDTHS = 3.0
SAMPLE = 2000
"""Lines of a batch from which G and K are computed."""

Matrix = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Mask:
    """The part of space whose events count.

    Attributes
    ----------
    centre_mm : (3,) centre of the activity
    covariance : (3, 3) covariance of the activity [mm²]; limits events to `WIDTHS` standard
        deviations
    """

    centre_mm: Matrix
    covariance: Matrix

    def holds(self, places: Matrix, along: Matrix, *, timed: bool) -> NDArray[np.bool_]:
        """Select events near the activity.

        Parameters
        ----------
        places
            (n, 3) positions of events [mm]
        along
            (n, 3) directions of their lines
        timed
            True if the positions are from time of flight

        Returns
        -------
        inside
            (n,) True for events that count
        """
        if timed:
            away = places - self.centre_mm
            distances = np.einsum("ni,ij,nj->n", away, np.linalg.inv(self.covariance), away)
            return np.asarray(distances < WIDTHS**2)
        # Without time of flight only the distance across the line is known
        across = self.centre_mm - (along @ self.centre_mm)[:, None] * along
        # The largest extent in every direction: a line may pass along the object
        widest = float(np.linalg.eigvalsh(self.covariance)[-1])
        return np.asarray(((places - across) ** 2).sum(axis=1) < WIDTHS**2 * widest)


@dataclass(frozen=True, eq=False)
class Sums:
    """Sums over the events of a time interval.

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
    values : (9,) centre [mm], then the elements of C in the order of `PAIRS` [mm²]
    errors : (9, 9) their covariance from counting statistics
    """

    values: Matrix
    errors: Matrix

    @property
    def centre_mm(self) -> Matrix:
        """Centre, (3,) [mm]."""
        return self.values[:3]

    @property
    def covariance(self) -> Matrix:
        """Covariance C, (3, 3) [mm²]."""
        return symmetric(self.values[3:])


def sums_of(events: ListMode, mask: Mask | None = None) -> Sums:
    """Return the sums of prompts minus those of delayeds.

    Parameters
    ----------
    events
        prompts and delayeds with the scanner
    mask
        part of space whose events count; None for all

    Returns
    -------
    sums
        S and V of the events
    """
    places, along, timed = _places(events)
    # Delayeds are subtracted, and their variance still adds up
    signs = np.ones(len(places)) if events.delayed is None else 1.0 - 2.0 * events.delayed
    if mask is not None:
        inside = mask.holds(places, along, timed=timed)
        places, signs = places[inside], signs[inside]
    products = [places[:, a] * places[:, b] for a, b in PAIRS]
    features = np.column_stack([np.ones(len(places)), places, *products])
    return Sums(np.asarray(signs @ features, np.float64), features.T @ features)


def _places(events: ListMode) -> tuple[Matrix, Matrix, bool]:
    """Return (n, 3) positions and directions of events, and True if time of flight is used."""
    first, second = np.moveaxis(events.scanner.positions_mm[events.crystals], 1, 0)
    along = second - first
    along /= np.linalg.norm(along, axis=1)[:, None]
    places = (first + second) / 2
    tof = events.scanner.tof
    if events.tof_bins is not None and tof is not None:
        from_middle = (events.tof_bins - (tof.n_bins - 1) / 2) * tof.bin_mm
        return places + from_middle[:, None] * along, along, True
    # The foot of the perpendicular from the origin: the part of p across the line
    return places - (places * along).sum(axis=1)[:, None] * along, along, False


class LineMeans:
    """Averages G and K over the lines of a scan."""

    def __init__(self) -> None:
        self._sum = np.zeros((3, 3)), np.zeros((len(PAIRS), len(PAIRS)))
        self._n = 0
        self._inverse = np.eye(N)

    def add(self, events: ListMode) -> None:
        """Add the lines of some events to the averages; with time of flight none are needed.

        Parameters
        ----------
        events
            events with the scanner; a sample of their lines is used
        """
        if events.tof_bins is not None and events.scanner.tof is not None:
            return
        every = max(1, events.n_events // SAMPLE)
        first, second = np.moveaxis(events.scanner.positions_mm[events.crystals[::every]], 1, 0)
        along = (second - first) / np.linalg.norm(second - first, axis=1)[:, None]
        across = np.eye(3) - along[:, :, None] * along[:, None, :]
        K = np.empty((len(PAIRS), len(PAIRS)))
        for i, (a, b) in enumerate(PAIRS):
            for j, (c, d) in enumerate(PAIRS):
                # K acts on symmetric matrices: an off-diagonal element stands for two entries
                K[i, j] = (across[:, a, c] * across[:, b, d]).sum()
                if c != d:
                    K[i, j] += (across[:, a, d] * across[:, b, c]).sum()
        self._sum = self._sum[0] + across.sum(axis=0), self._sum[1] + K
        self._n += len(along)
        self._inverse = np.zeros((N, N))
        # Pseudo-inverse: if all lines are parallel, the position along them is unknown
        self._inverse[:3, :3] = np.linalg.pinv(self._sum[0] / self._n)
        self._inverse[3:, 3:] = np.linalg.pinv(self._sum[1] / self._n)

    def place_of(self, sums: Sums) -> Place | None:
        """Return centre and covariance with their errors.

        Parameters
        ----------
        sums
            sums over the events

        Returns
        -------
        place
            None if there are no more prompts than delayeds
        """
        n = sums.total[0]
        if n <= 0:
            return None
        means = sums.total[1:] / n
        # Derivatives of the ratio S / n, so that errors of n are included
        jacobian = self._inverse @ np.column_stack([-means, np.eye(N)]) / n
        values = self._inverse @ means
        centre = values[:3].copy()
        to_central = np.eye(N)
        # From moments about the origin to central moments
        for i, (a, b) in enumerate(PAIRS):
            values[3 + i] -= centre[a] * centre[b]
            to_central[3 + i, a] -= centre[b]
            to_central[3 + i, b] -= centre[a]
        jacobian = to_central @ jacobian
        return Place(values, jacobian @ sums.variance @ jacobian.T)


def symmetric(elements: Matrix) -> Matrix:
    """Return the (3, 3) matrix of its six elements."""
    out = np.empty((3, 3))
    for value, (a, b) in zip(elements, PAIRS, strict=True):
        out[a, b] = out[b, a] = value
    return out
