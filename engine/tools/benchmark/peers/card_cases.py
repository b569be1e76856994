"""One case on a GPU with our program and another one, alternating, on data that are on the GPU.

    ratio = median seconds of the peer / ours

Seconds are wall-clock time with an idle GPU before and after each run, since CPU time says nothing.
If the peer is missing or fails, its reason is recorded, and only our time.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from statistics import median
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from engine.core.arrays import Array
from engine.core.backend.gpu import Gpu
from engine.core.json_types import Plain
from engine.tools.benchmark.bars import Bar, at_least
from engine.tools.benchmark.peers.peer_run import (
    FAULTS,
    MIN_CORRELATION,
    PeerRun,
    Run,
    agreement,
    sampled,
    sentence,
)


@dataclass(frozen=True)
class CardCase:
    """One case.

    Attributes
    ----------
    work : name of the case
    ours : runs once, and returns the compared result
    peer : name of the other program
    theirs : prepares it; raises an error if it is missing
    compared : quantity that is compared
    """

    work: str
    ours: Callable[[], Array]
    peer: str
    theirs: Callable[[], PeerRun]
    compared: str


def row(case: CardCase, gpu: Gpu, repeats: int) -> Plain:
    """Measure one case with alternating programs.

    Parameters
    ----------
    case
        the case
    gpu
        GPU
    repeats
        runs of each program; the median counts

    Returns
    -------
    row
        times, ratio and agreement; the reason if the peer could not be measured
    """
    expected = sampled(case.ours())  # compiles
    try:
        return _row(case) | _peer_run(case, case.theirs(), expected, gpu, repeats)
    except FAULTS as e:
        # Our time is still worth having without the peer
        (own,) = _in_turn((case.ours,), gpu, repeats)
        return _row(case) | {"ours_s": own, "why_not": sentence(case.peer, e)}


def _peer_run(
    case: CardCase, peer: PeerRun, expected: NDArray[np.float64], gpu: Gpu, repeats: int
) -> Plain:
    try:
        # Once before the clock: the peer compiles or uploads at its first run
        peer.run()
        found = agreement(case.compared, expected, peer)
        own, theirs = _in_turn((case.ours, peer.run), gpu, repeats)
    finally:
        peer.close()
    times = {"ours_s": own, "peer_s": theirs, "ratio": theirs / own}
    return {"build": peer.build, **times, "agreement": found}


def agreed(rows: list[Plain]) -> list[Bar]:
    """Return for each measured case if both results agree.

    Parameters
    ----------
    rows
        rows from `row`
    """
    return [
        at_least(
            f"{row['work']}: correlation with {row['peer']}",
            row["agreement"]["correlation"],
            MIN_CORRELATION,
        )
        for row in rows
        if row["agreement"] is not None
    ]


def _row(case: CardCase) -> Plain:
    return {
        "work": case.work,
        "peer": case.peer,
        "build": None,
        "ours_s": None,
        "peer_s": None,
        "ratio": None,
        "agreement": None,
        "why_not": "",
    }


def _in_turn(runs: tuple[Run, ...], gpu: Gpu, repeats: int) -> list[float]:
    """Return the median seconds of each program."""
    times = [[_seconds(run, gpu) for run in runs] for _ in range(repeats)]
    return [median(each) for each in zip(*times, strict=True)]


def _seconds(run: Run, gpu: Gpu) -> float:
    # Launches return before their kernels have finished, so the GPU is waited for
    gpu.stamp().wait()
    start = perf_counter()
    run()
    gpu.stamp().wait()
    return perf_counter() - start
