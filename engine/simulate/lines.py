"""Random lines of response in proportion to any rate: exact, whatever the number of lines.

Two ways, the cheaper one of which is taken. Rejection draws lines evenly and keeps each with
probability rate / bound; a bound that proves too low is raised and the kept lines are thinned, so
that none is favoured. Enumeration works out the rate of every line and draws from the sum.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.backend import usable_cores
from engine.errors import DataError
from engine.geometry.scanner import Scanner

Array = NDArray[Any]
Rate = Callable[[NDArray[np.int32]], Array]
"""(n,) relative expected counts of crystal pairs (n, 2) that are in coincidence."""
Tick = Callable[[int, int], None]

_CHUNK = 1 << 16
"""Lines whose rates one thread works out at a time."""
_PILOT = 1 << 17
_ROUND = 1 << 21
"""Most candidates drawn at a time."""
_HEADROOM = 1.2
"""The bound above the largest rate seen so far."""


@dataclass(frozen=True)
class DrawnLines:
    """Lines of events in order of their numbers, and the sum of the rates of all lines.

    Attributes
    ----------
    crystals : (n, 2) int32
    total_rate : Σ rate over all lines; an estimate where lines were rejected
    """

    crystals: NDArray[np.int32]
    total_rate: float


def draw_lines(
    scanner: Scanner,
    rate: Rate,
    n: int,
    rng: np.random.Generator,
    tick: Tick | None = None,
) -> DrawnLines:
    """Draw `n` independent lines, each with probability rate / total rate."""
    pilot = rng.integers(scanner.n_lors, size=min(_PILOT, scanner.n_lors))
    rates = _rates_of(scanner, rate, np.sort(pilot))
    peak = float(rates.max())
    if n == 0 and peak > 0:
        return DrawnLines(np.empty((0, 2), np.int32), float(rates.mean()) * scanner.n_lors)
    candidates = n * _HEADROOM * peak / float(rates.mean()) if peak > 0 else np.inf
    if candidates < scanner.n_lors:
        return by_rejection(scanner, rate, n, rng, peak, tick)
    return by_enumeration(scanner, rate, n, rng, tick)


def by_rejection(
    scanner: Scanner,
    rate: Rate,
    n: int,
    rng: np.random.Generator,
    peak: float,
    tick: Tick | None = None,
) -> DrawnLines:
    """Draw lines evenly and keep some; `peak` is a first guess of the largest rate."""
    bound, total, tried = _HEADROOM * peak, 0.0, 0
    kept = np.empty(0, np.int64)
    share = 0.05
    while len(kept) < n:
        size = int(min(1.1 * (n - len(kept)) / share + 1000, _ROUND))
        numbers = np.sort(rng.integers(scanner.n_lors, size=size))
        rates = _rates_of(scanner, rate, numbers)
        if rates.max() > bound:
            kept = kept[rng.random(len(kept)) * _HEADROOM * rates.max() < bound]
            bound = _HEADROOM * float(rates.max())
        new = numbers[rng.random(size) * bound < rates]
        total, tried = total + float(rates.sum()), tried + size
        share = max(total / tried / bound, 1e-6)
        kept = np.concatenate([kept, new])
        if tick is not None:
            tick(min(len(kept), n), n)
    kept = np.sort(rng.permutation(kept)[:n])
    return DrawnLines(scanner.lors(kept), total / tried * scanner.n_lors)


def by_enumeration(
    scanner: Scanner, rate: Rate, n: int, rng: np.random.Generator, tick: Tick | None = None
) -> DrawnLines:
    """Work out the rate of every line and draw from their sum."""
    numbers, rates = [np.empty(0, np.int64)], [np.empty(0)]
    for start in range(0, scanner.n_lors, _ROUND):
        stop = min(start + _ROUND, scanner.n_lors)
        part = _rates_of(scanner, rate, np.arange(start, stop))
        seen = np.flatnonzero(part)
        numbers.append(seen + start)
        rates.append(part[seen])
        if tick is not None:
            tick(stop, scanner.n_lors)
    upto = np.cumsum(np.concatenate(rates))
    if len(upto) == 0:
        raise DataError(
            f"no line of response of {scanner.name!r} sees any activity; move or enlarge the "
            "phantom, or choose another scanner."
        )
    drawn = np.searchsorted(upto, np.sort(rng.random(n)) * upto[-1], side="right")
    drawn = np.concatenate(numbers)[np.minimum(drawn, len(upto) - 1)]
    return DrawnLines(scanner.lors(drawn), float(upto[-1]))


def _rates_of(scanner: Scanner, rate: Rate, numbers: NDArray[np.int64]) -> Array:
    """(n,) rates of numbered lines, zero where the pair is not in coincidence."""

    def work(part: NDArray[np.int64]) -> Array:
        crystals = scanner.lors(part)
        live = np.flatnonzero(scanner.in_coincidence(crystals))
        rates = np.zeros(len(part))
        rates[live] = rate(crystals[live])
        return rates

    with ThreadPoolExecutor(usable_cores()) as pool:
        return np.concatenate(list(pool.map(work, _chunks(numbers))))


def _chunks(numbers: NDArray[np.int64]) -> Iterator[NDArray[np.int64]]:
    for start in range(0, len(numbers), _CHUNK):
        yield numbers[start : start + _CHUNK]
