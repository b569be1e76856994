"""One work on a card by us and by another program, in turn, on data that already lie there.

ratio = median seconds of the peer over ours

Seconds are by the clock of the host, the card idle before and after each run: what a processor
does meanwhile says nothing. A peer that is absent or fails leaves its reason, and ours alone.
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
    LEAST_CORRELATION,
    PeerRun,
    Run,
    agreement,
    sampled,
    sentence,
)


@dataclass(frozen=True)
class CardCase:
    """One work.

    Attributes
    ----------
    work : what it is
    ours : does it once; returns what is compared
    peer : name of the other program
    theirs : readies it; raises one sentence where it is not there
    compared : what the results are of which agreement is told
    """

    work: str
    ours: Callable[[], Array]
    peer: str
    theirs: Callable[[], PeerRun]
    compared: str


def row(case: CardCase, gpu: Gpu, repeats: int) -> Plain:
    """Measure one work `repeats` times, each program in turn."""
    expected = sampled(case.ours())  # compiles
    try:
        return _row(case) | _peer_run(case, case.theirs(), expected, gpu, repeats)
    except FAULTS as e:
        (own,) = _in_turn((case.ours,), gpu, repeats)
        return _row(case) | {"ours_s": own, "why_not": sentence(case.peer, e)}


def _peer_run(
    case: CardCase, peer: PeerRun, expected: NDArray[np.float64], gpu: Gpu, repeats: int
) -> Plain:
    try:
        peer.run()
        found = agreement(case.compared, expected, peer)
        own, theirs = _in_turn((case.ours, peer.run), gpu, repeats)
    finally:
        peer.close()
    times = {"ours_s": own, "peer_s": theirs, "ratio": theirs / own}
    return {"build": peer.build, **times, "agreement": found}


def agreed(rows: list[Plain]) -> list[Bar]:
    """Return for each work of two programs whether both did the same."""
    return [
        at_least(
            f"{row['work']}: correlation with {row['peer']}",
            row["agreement"]["correlation"],
            LEAST_CORRELATION,
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
    """Median seconds of each."""
    times = [[_seconds(run, gpu) for run in runs] for _ in range(repeats)]
    return [median(each) for each in zip(*times, strict=True)]


def _seconds(run: Run, gpu: Gpu) -> float:
    gpu.stamp().wait()
    start = perf_counter()
    run()
    gpu.stamp().wait()
    return perf_counter() - start
