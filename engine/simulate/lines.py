"""Draw random lines of response with exact probabilities, for any number of lines.

There are two methods, and the cheaper one is used. Rejection draws lines uniformly and accepts each
with the probability rate / bound. If a rate exceeds the bound, the bound is raised and the accepted
lines are thinned, so that no line is favoured. Enumeration computes the rate of every line and
draws from the cumulative sum.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.core.arrays import Array
from engine.core.backend import usable_cores
from engine.core.errors import DataError
from engine.simulate.candidate_lines import CandidateLines

Rate = Callable[[NDArray[np.int32]], Array]
"""Function that returns relative expected counts (n,) of crystal pairs (n, 2) in coincidence."""
OnProgress = Callable[[int, int], None]

_CHUNK = 1 << 16
"""Lines per task of a thread."""
_PILOT = 1 << 17
_ROUND = 1 << 21
"""Maximum number of candidates per round, which limits the memory."""
_HEADROOM = 1.2
"""Bound divided by the largest rate so far."""


@dataclass(frozen=True)
class DrawnLines:
    """Lines of events, in order, and the sum of the rates of all candidates.

    Attributes
    ----------
    crystals : (n, 2) int32
    total_rate : Σ rate over all candidates; with rejection an estimate
    """

    crystals: NDArray[np.int32]
    total_rate: float


def draw_lines(
    lines: CandidateLines,
    rate: Rate,
    n: int,
    rng: np.random.Generator,
    on_progress: OnProgress | None = None,
) -> DrawnLines:
    """Draw `n` independent lines, each with probability rate / total rate.

    Rejection is used to draw few of many lines, otherwise enumeration; a pilot sample decides.

    Parameters
    ----------
    lines
        candidates
    rate
        expected counts of lines, in any unit
    n
        number of lines; a line may occur more than once
    rng
        source of the random numbers
    on_progress
        called with (done, total)

    Raises
    ------
    DataError
        if no line has a rate above 0
    """
    # The pilot also estimates the largest rate, on which the cost of rejection depends.
    pilot = rng.integers(max(len(lines), 1), size=min(_PILOT, len(lines)))
    rates = _rates_of(lines, rate, np.sort(pilot))
    peak = float(rates.max(initial=0))
    if n == 0 and peak > 0:
        return DrawnLines(np.empty((0, 2), np.int32), float(rates.mean()) * len(lines))
    # Expected number of tries, against one rate for each line of an enumeration.
    candidates = n * _HEADROOM * peak / float(rates.mean()) if peak > 0 else np.inf
    if candidates < len(lines):
        return by_rejection(lines, rate, n, rng, peak, on_progress)
    return by_enumeration(lines, rate, n, rng, on_progress)


def by_rejection(
    lines: CandidateLines,
    rate: Rate,
    n: int,
    rng: np.random.Generator,
    peak: float,
    on_progress: OnProgress | None = None,
) -> DrawnLines:
    """Draw lines uniformly and accept each with probability rate / bound.

    Parameters
    ----------
    lines
        candidates
    rate
        expected counts of lines, in any unit
    n
        number of lines
    rng
        source of the random numbers
    peak
        first estimate of the largest rate
    on_progress
        called with (done, total)
    """
    bound, total, tried = _HEADROOM * peak, 0.0, 0
    accepted = np.empty(0, np.int64)
    # First guess of the accepted fraction; each round replaces it by the measured one.
    share = 0.05
    while len(accepted) < n:
        size = int(min(1.1 * (n - len(accepted)) / share + 1000, _ROUND))
        # Sorted numbers make lines of one run adjacent, where `may_cross` excludes most shapes.
        numbers = np.sort(rng.integers(len(lines), size=size))
        rates = _rates_of(lines, rate, numbers)
        if rates.max() > bound:
            # Lines accepted so far had the probability rate / old bound. Thinning by old / new
            # bound gives them the same probability as all later ones.
            accepted = accepted[rng.random(len(accepted)) * _HEADROOM * rates.max() < bound]
            bound = _HEADROOM * float(rates.max())
        new = numbers[rng.random(size) * bound < rates]
        total, tried = total + float(rates.sum()), tried + size
        share = max(total / tried / bound, 1e-6)
        accepted = np.concatenate([accepted, new])
        if on_progress is not None:
            on_progress(min(len(accepted), n), n)
    # Permuting before the cut keeps the sample fair, because the last round was sorted.
    accepted = np.sort(rng.permutation(accepted)[:n])
    return DrawnLines(lines.crystals(accepted), total / tried * len(lines))


def by_enumeration(
    lines: CandidateLines,
    rate: Rate,
    n: int,
    rng: np.random.Generator,
    on_progress: OnProgress | None = None,
) -> DrawnLines:
    """Compute the rate of every line and draw from the cumulative sum.

    Parameters
    ----------
    lines
        candidates
    rate
        expected counts of lines, in any unit
    n
        number of lines
    rng
        source of the random numbers
    on_progress
        called with (done, total)

    Raises
    ------
    DataError
        if no line has a rate above 0
    """
    numbers, rates = [np.empty(0, np.int64)], [np.empty(0)]
    for start in range(0, len(lines), _ROUND):
        stop = min(start + _ROUND, len(lines))
        part = _rates_of(lines, rate, np.arange(start, stop))
        # Only lines with a rate are stored; of a small object most have none.
        seen = np.flatnonzero(part)
        numbers.append(seen + start)
        rates.append(part[seen])
        if on_progress is not None:
            on_progress(stop, len(lines))
    upto = np.cumsum(np.concatenate(rates))
    if len(upto) == 0:
        raise DataError(
            f"no line of response of {lines.scanner.name!r} crosses the activity of the phantom; "
            "move or enlarge the phantom, or choose another scanner."
        )
    drawn = np.searchsorted(upto, np.sort(rng.random(n)) * upto[-1], side="right")
    # Rounding can place a draw beyond the last sum, hence the minimum.
    drawn = np.concatenate(numbers)[np.minimum(drawn, len(upto) - 1)]
    return DrawnLines(lines.crystals(drawn), float(upto[-1]))


def _rates_of(lines: CandidateLines, rate: Rate, numbers: NDArray[np.int64]) -> Array:
    """Return the rates (n,) of numbered lines; 0 if the pair is not in coincidence."""

    def work(part: NDArray[np.int64]) -> Array:
        crystals = lines.crystals(part)
        live = np.flatnonzero(lines.scanner.in_coincidence(crystals))
        rates = np.zeros(len(part))
        rates[live] = rate(crystals[live])
        return rates

    with ThreadPoolExecutor(usable_cores()) as pool:
        return np.concatenate([np.empty(0), *pool.map(work, _chunks(numbers))])


def _chunks(numbers: NDArray[np.int64]) -> Iterator[NDArray[np.int64]]:
    for start in range(0, len(numbers), _CHUNK):
        yield numbers[start : start + _CHUNK]
