"""Detect jumps of the object, and distinguish them from noise and from changing activity.

z = (r, C), centre and covariance of the activity (`engine.live.pet.activity_moments`), is computed
in bins of a quarter of a second. The last w seconds are compared with the extrapolation of a
straight line through the previous twenty seconds, so that slow changes of the activity are not
motion:

    δ = z_after − ẑ,    D = Cov z_after + Cov ẑ

A rigid motion by d and by a small rotation ω about the centre gives δ = J (d, ω) with δr = d and
δC = [ω] C − C [ω]. Least squares with the weight D⁻¹ give d and ω with their errors, and

    χ² = gᵀ F⁻¹ g,  F = Jᵀ D⁻¹ J,  g = Jᵀ D⁻¹ δ

has a χ² distribution with six degrees of freedom if nothing moves. Noise exceeds the limit
`FALSE_PER_HOUR` times per hour over all tests. The remainder δᵀ D⁻¹ δ − χ² is not explained by a
rigid motion, but for example by redistribution of activity. If the remainder is larger, it is no
motion. Rotations about an axis of symmetry of the activity cannot be seen. Shifts along the axis of
a short scanner appear too small, because activity that leaves the field of view is seen less and
less.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

import numpy as np

from engine.core.json_types import Plain
from engine.data.listmode import ListMode
from engine.live.pet.activity_moments import PAIRS, LineMeans, Mask, Matrix, N, Place, Sums, sums_of

BIN_MS = 250
AFTER_BINS = (1, 2, 4, 6)
"""Lengths of the compared intervals, in bins."""
BEFORE_BINS, MIN_BEFORE_BINS = 80, 8
FALSE_PER_HOUR = 1e-3
MIN_MM, MIN_DEG = 1.0, 1.0
"""Smaller motions are not reported: a fifth and a third of the motions that must be found."""
MEASURED_BINS = 8
"""Number of bins after a jump over which its size is measured."""
TESTS_PER_HOUR = 3600_000 / BIN_MS * len(AFTER_BINS)


@dataclass(frozen=True, eq=False)
class Motion:
    """A jump of the object.

    Attributes
    ----------
    at_s : time since the start of the scan [s]
    shift_mm : (3,) shift of the centre of the activity, x, y, z [mm]
    turn_deg : (3,) rotation about x, y and z through the centre [°]
    errors : (6,) standard errors of both
    chi2 : χ² as above
    is_measured : True if the size is final, from two seconds after the jump
    """

    at_s: float
    shift_mm: Matrix
    turn_deg: Matrix
    errors: Matrix
    chi2: float
    is_measured: bool = False

    @property
    def mm(self) -> float:
        """Length of the shift [mm]."""
        return float(np.linalg.norm(self.shift_mm))

    @property
    def deg(self) -> float:
        """Angle of the rotation [°]."""
        return float(np.linalg.norm(self.turn_deg))

    def to_json(self) -> Plain:
        """Return the values by name."""
        return {
            "at_s": self.at_s,
            "mm": self.mm,
            "deg": self.deg,
            "shift_mm": [float(each) for each in self.shift_mm],
            "turn_deg": [float(each) for each in self.turn_deg],
            "errors": [float(each) for each in self.errors],
            "is_measured": self.is_measured,
        }

    def describe(self) -> str:
        """Return the motion as text."""
        mm, deg = (float(np.linalg.norm(self.errors[k : k + 3])) for k in (0, 3))
        return (
            f"by {self.mm:.1f} ± {mm:.1f} mm and {self.deg:.1f} ± {deg:.1f}° at {self.at_s:.1f} s"
        )


class MotionWatch:
    """Detects jumps in the events of one scan."""

    def __init__(self) -> None:
        from scipy.stats import chi2

        self._limit = float(chi2.isf(FALSE_PER_HOUR / TESTS_PER_HOUR, 6))
        self.restart()

    def restart(self) -> None:
        """Discard the previous scan."""
        self._means = LineMeans()
        self._bins: deque[tuple[int, Sums]] = deque(
            maxlen=BEFORE_BINS + max(*AFTER_BINS, MEASURED_BINS)
        )
        # The bin that is still being filled
        self._open: tuple[int, Sums] | None = None
        # Last bin before which comparisons are not allowed
        self._since = -1
        self._found: tuple[int, Place, Motion] | None = None
        self._mask: Mask | None = None

    @property
    def is_watching(self) -> bool:
        """True once there are enough events to detect a jump."""
        return self._mask is not None and len(self._bins) > MIN_BEFORE_BINS

    @property
    def place(self) -> Place | None:
        """Position of the activity in the last second."""
        newest = list(self._bins)[-1000 // BIN_MS :]
        return self._place([sums for _, sums in newest])

    def add(self, events: ListMode) -> list[Motion]:
        """Add events.

        Parameters
        ----------
        events
            events with times, in their order

        Returns
        -------
        motions
            motions that these events reveal; each is returned twice, first with a preliminary size
        """
        times = events.time_ms
        if times is None or not events.n_events:
            return []
        self._means.add(events)
        numbers = times // BIN_MS
        # Events of a batch usually belong to one bin or two
        edges = np.flatnonzero(np.diff(numbers)) + 1
        found = []
        for start, stop in zip([0, *edges], [*edges, len(numbers)], strict=True):
            number, sums = int(numbers[start]), self._sums(events.select(slice(start, stop)))
            if self._open is not None and self._open[0] == number:
                self._open = number, self._open[1] + sums
                continue
            found += self._close()
            self._open = number, sums
        return found

    def _sums(self, events: ListMode) -> Sums:
        return sums_of(events, self._mask)

    def _close(self) -> list[Motion]:
        """Test for a jump when a bin is complete."""
        if self._open is None:
            return []
        self._bins.append(self._open)
        number = self._open[0]
        if self._mask is None:
            self._find_object()
            return []
        if self._found is not None:
            return self._measured(number)
        # Short intervals find large jumps soon, long ones find small jumps
        tested = [self._test(number, n) for n in AFTER_BINS]
        jumps = [each for each in tested if each is not None]
        if not jumps:
            return []
        # The interval that starts at the jump has the largest χ²
        best = max(jumps, key=lambda each: each[1].chi2)
        n = AFTER_BINS[tested.index(best)]
        self._found = number - n + 1, *best
        return [best[1]]

    def _find_object(self) -> None:
        """Find the activity from events everywhere; then use only those near it."""
        place = self._place([sums for _, sums in self._bins])
        if len(self._bins) < MIN_BEFORE_BINS or place is None:
            return
        # Each width must be known to half of itself, or the mask would be noise
        known = np.sqrt(np.diag(place.errors)[3:6]) < np.diag(place.covariance) / 2
        if known.all() and np.linalg.eigvalsh(place.covariance)[0] > 0:
            self._mask = Mask(place.centre_mm, place.covariance)
            self._bins.clear()

    def _measured(self, number: int) -> list[Motion]:
        """Measure the size of a jump once there are enough events after it."""
        if self._found is None or number - self._found[0] < MEASURED_BINS:
            return []
        first, before, motion = self._found
        self._found, self._since = None, first + 1
        # the first bin of the jump, and the next one, may include both positions
        after = self._place([sums for k, sums in self._bins if k > first + 1])
        jump = None if after is None else rigid(before, after, motion.at_s)
        if jump is None:
            return []
        if self._mask is not None:  # moves with the object; earlier bins have the old position
            self._mask = Mask(self._mask.centre_mm + jump.shift_mm, self._mask.covariance)
            self._bins.clear()
        return [Motion(motion.at_s, jump.shift_mm, jump.turn_deg, jump.errors, jump.chi2, True)]

    def _test(self, number: int, n: int) -> tuple[Place, Motion] | None:
        """Compare the last n bins with those before."""
        after = self._place([sums for k, sums in self._bins if k > number - n])
        # Bins before the last jump have another position
        earlier = [(k, s) for k, s in self._bins if self._since < k <= number - n][-BEFORE_BINS:]
        if after is None or len(earlier) < MIN_BEFORE_BINS:
            return None
        before = self._predicted(earlier, number - (n - 1) / 2)
        if before is None:
            return None
        motion = rigid(before, after, (number - n + 1) * BIN_MS / 1e3)
        if motion is None or motion.chi2 <= self._limit:
            return None
        return (before, motion) if motion.mm >= MIN_MM or motion.deg >= MIN_DEG else None

    def _place(self, sums: list[Sums]) -> Place | None:
        if not sums:
            return None
        total = sums[0]
        for each in sums[1:]:
            total = total + each
        return self._means.place_of(total)

    def _predicted(self, bins: list[tuple[int, Sums]], at: float) -> Place | None:
        """Return the value at some time of a straight line through bins, weighted by counts."""
        places = [(k, sums.total[0], self._means.place_of(sums)) for k, sums in bins]
        known = [(k, n, place) for k, n, place in places if place is not None]
        if len(known) < MIN_BEFORE_BINS:
            return None
        times, weights = (np.array([each[i] for each in known], np.float64) for i in (0, 1))
        weights /= weights.sum()
        middle = float(weights @ times)
        spread = float(weights @ (times - middle) ** 2)
        if spread <= 0:
            return None
        # The line's value at `at` as a weighted sum, so that its error follows from theirs
        shares = weights * (1 + (at - middle) * (times - middle) / spread)
        parts = [place for _, _, place in known]
        values = sum(share * part.values for share, part in zip(shares, parts, strict=True))
        errors = sum(share**2 * part.errors for share, part in zip(shares, parts, strict=True))
        return Place(np.asarray(values), np.asarray(errors))


def rigid(before: Place, after: Place, at_s: float) -> Motion | None:
    """Return the rigid motion between two positions.

    Parameters
    ----------
    before, after
        position and covariance of the activity with their errors
    at_s
        time of the motion [s]

    Returns
    -------
    motion
        None if another change of the activity explains more
    """
    change, noise = after.values - before.values, after.errors + before.errors
    width = float(np.sqrt(max(np.trace(before.covariance), 1e-12)))
    J = _jacobian(before.covariance)
    J[:, 3:] /= width  # rotations in mm at this radius, so that all numbers have the same unit
    weight = np.linalg.pinv(noise, hermitian=True)
    F, g = J.T @ weight @ J, J.T @ weight @ change
    known, axes = np.linalg.eigh(F)
    seen = known > 1 / width**2  # rotations that are uncertain by more than one radian are unknown
    inverse = (axes[:, seen] / known[seen]) @ axes[:, seen].T
    found, explained = inverse @ g, float(g @ inverse @ g)
    if float(change @ weight @ change) - explained > explained:
        return None
    scale = np.repeat([1.0, np.degrees(1 / width)], 3)
    errors = np.sqrt(np.maximum(np.diag(inverse), 0)) * scale
    return Motion(at_s, found[:3], found[3:] * scale[3:], errors, explained)


def _jacobian(C: Matrix) -> Matrix:
    """Return the (9, 6) derivative of z by shift [mm] and rotation [rad] for a covariance C."""
    J = np.zeros((N, 6))
    J[:3, :3] = np.eye(3)
    for axis in range(3):
        turn = np.zeros((3, 3))
        a, b = (axis + 1) % 3, (axis + 2) % 3
        turn[b, a], turn[a, b] = 1, -1
        change = turn @ C - C @ turn
        J[3:, 3 + axis] = [change[p] for p in PAIRS]
    return J
