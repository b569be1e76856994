"""A head that is still, jumps, or takes up activity, as events in real time.

Events are simulated once, one pool for each position of the head and each of its two compartments.
They are then drawn repeatedly, in Poisson distributed numbers. A scan of any length thus has
realistic counting noise, and the activity of each compartment can change over time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from threading import Event
from time import monotonic

import numpy as np

from engine.data.listmode import ListMode
from engine.data.volume import Volume
from engine.geometry.grid import Point
from engine.io import read_scanner
from engine.live.core.frame import Ended
from engine.live.pet.event_batch import EventArrival, EventBatch, head_of, joined
from engine.simulate import ShapePhantom, simulate_listmode
from engine.simulate.shapes import Ellipsoid

SCANNER, SEED = "demo-ring", 20240701
POOL, RANDOMS = 300_000, 0.15
MOMENT_S = 0.1
PROMPTS_PER_S, DELAYEDS_PER_S = 174_000.0, 26_000.0
"""Together 2e5 events per second."""

Activity = Callable[[float], tuple[float, float]]
"""Maps time [s] to the relative rates of both compartments."""


@dataclass(frozen=True)
class Pose:
    """Position of the head: shift, and rotation about the axis of the scanner."""

    shift_mm: Point = (0.0, 0.0, 0.0)
    turn_deg: float = 0.0


@dataclass(frozen=True, eq=False)
class Pools:
    """Events of both compartments and delayeds at one position, with the μ-map."""

    parts: tuple[ListMode, ListMode]
    delayeds: ListMode
    mu_map: Volume | None


def steady(_: float) -> tuple[float, float]:
    """Return constant rates of both compartments."""
    return 0.7, 0.3


def changing(seconds: float) -> tuple[float, float]:
    """Return rates with uptake in one compartment, washout in the other, and decay of C-11.

    Parameters
    ----------
    seconds
        time since the start of the scan [s]
    """
    # Half-life of C-11: 1220 s
    decay = 2 ** (-seconds / 1220)
    return decay * (0.3 + 0.5 * (1 - np.exp(-seconds / 60))), decay * 0.7 * np.exp(-seconds / 120)


def pools_of(pose: Pose) -> Pools:
    """Simulate the head at a position.

    Parameters
    ----------
    pose
        shift and rotation

    Returns
    -------
    pools
        events of both compartments, delayeds and μ-map
    """
    scanner = read_scanner(SCANNER)
    found, mu_map = [], None
    for k, phantom in enumerate(_head(pose)):
        data = simulate_listmode(
            phantom, scanner, n_prompts=POOL, seed=SEED + k, randoms_fraction=RANDOMS
        )
        # Both compartments have the same map, which the pools store once
        found.append(replace(data, mu_map=None))
        mu_map = data.mu_map
    first, second = (replace(each.prompts, delayed=None) for each in found)
    return Pools((first, second), replace(found[0].delayeds, delayed=None), mu_map)


def moments_of(
    pools: Callable[[float], Pools], activity: Activity, seconds: float, *, seed: int = SEED
) -> Iterator[ListMode]:
    """Yield the events of a scan in steps of a tenth of a second.

    Parameters
    ----------
    pools
        returns the pools for a time [s]
    activity
        returns the rates of both compartments for a time [s]
    seconds
        duration [s]
    seed
        random seed

    Yields
    ------
    events
        events with times, in order
    """
    rng = np.random.default_rng(seed)
    for k in range(round(seconds / MOMENT_S)):
        at = (k + 0.5) * MOMENT_S
        now, rates = pools(at), activity(at)
        # Randoms grow with the square of the activity
        counts = [PROMPTS_PER_S * rate for rate in rates] + [DELAYEDS_PER_S * sum(rates) ** 2]
        parts = []
        for n, pool, is_delayed in zip(
            counts, (*now.parts, now.delayeds), (False, False, True), strict=True
        ):
            # With replacement, so that a pool of any size gives a scan of any length
            rows = rng.integers(pool.n_events, size=rng.poisson(n * MOMENT_S))
            # Marked per pool, since a scanner delivers both kinds in one list
            parts.append(
                replace(pool.select(rows), delayed=np.full(len(rows), is_delayed, np.bool_))
            )
        events = joined(parts)
        times = np.sort(rng.integers(round(1e3 * MOMENT_S), size=events.n_events))
        # Shuffled, so that compartments and delayeds alternate as in a scanner
        order = rng.permutation(events.n_events)
        yield replace(
            events.select(order), time_ms=(times + round(1e3 * k * MOMENT_S)).astype(np.uint32)
        )


class ClockedScanner:
    """Deliver events when they are due, even if nobody reads them.

    Attributes
    ----------
    begun_s : start of the scan, by `time.monotonic` [s]
    """

    can_wait, name = False, "scanner"

    def __init__(self, moments: list[ListMode], mu_map: Volume | None = None) -> None:
        self._moments, self._mu_map = moments, mu_map
        self.begun_s = 0.0

    @property
    def head(self) -> ListMode:
        """Scanner and μ-map, without events."""
        return replace(head_of(self._moments[0]), mu_map=self._mu_map)

    def batches(self, stop: Event) -> Iterator[EventArrival]:
        """Yield events until the end, or until it is stopped.

        Parameters
        ----------
        stop
            set by the consumer
        """
        self.begun_s, first = monotonic(), 0
        for k, events in enumerate(self._moments):
            due = self.begun_s + (k + 1) * MOMENT_S
            stop.wait(max(due - monotonic(), 0))
            if stop.is_set():
                break
            # The due time counts as the arrival: a late thread must not hide a delay
            yield EventBatch(events, first, due)
            first += events.n_events
        yield Ended("scanner: ended.")

    def close(self) -> None:
        """Do nothing: nothing is open."""


def _head(pose: Pose) -> tuple[ShapePhantom, ShapePhantom]:
    """Return a large ellipsoid, and two small ones off the centre with another uptake."""
    water = {"mu_per_mm": 0.0096}
    big = Ellipsoid((0, 0, 0), (65, 85, 60), activity=1.0, **water)
    body = Ellipsoid((0, 0, 0), (65, 85, 60), **water)
    spots = (
        Ellipsoid((-25, 30, 10), (12, 20, 15), activity=1.0),
        Ellipsoid((20, -10, -15), (15, 12, 10), activity=1.0),
    )
    return (
        ShapePhantom("head", (_posed(big, pose),)),
        ShapePhantom("spots", tuple(_posed(each, pose) for each in (body, *spots))),
    )


def _posed(shape: Ellipsoid, pose: Pose) -> Ellipsoid:
    angle = np.radians(pose.turn_deg)
    x, y, z = shape.centre_mm
    c, s = float(np.cos(angle)), float(np.sin(angle))
    dx, dy, dz = pose.shift_mm
    at = (c * x - s * y + dx, s * x + c * y + dy, z + dz)
    return replace(shape, centre_mm=at, turn_deg=shape.turn_deg + pose.turn_deg)
