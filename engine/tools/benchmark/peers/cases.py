"""One case on a CPU with our program and another one, alternating.

    ratio = CPU time of the peer / ours: median over neighbours in time

If the peer is missing, only ours is measured. If it fails, its reason is recorded too.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median
from time import perf_counter, process_time

from engine.core.arrays import Array
from engine.core.errors import ResourceError
from engine.core.json_types import Plain
from engine.tools.benchmark.peers.peer_run import (
    FAULTS,
    MIN_CORRELATION,
    PeerRun,
    Run,
    agreement,
    sampled,
    sentence,
)

Times = tuple[float, float]
"""Wall-clock seconds, and CPU seconds on all cores."""


@dataclass(frozen=True)
class PeerCase:
    """One case.

    Attributes
    ----------
    work : name of the case
    peer : name of the other program
    ours : runs once, and returns the compared result
    theirs : prepares it, and raises an error if that fails; None if it is not installed
    compared : quantity that is compared
    """

    work: str
    peer: str
    ours: Callable[[], Array]
    theirs: Callable[[], PeerRun] | None
    compared: str = "results"


def row(case: PeerCase, repeats: int) -> Plain:
    """Measure one case with alternating programs.

    Parameters
    ----------
    case
        the case
    repeats
        runs of each program; the median counts

    Returns
    -------
    row
        times, ratio and agreement; the reason if the peer could not be measured
    """
    result = case.ours()  # compiles, and reserves memory
    # Not installed is not a failure, and has no reason in the table
    if case.theirs is None:
        return _row(case) | _times_of_ours(case, repeats)
    try:
        return _row(case) | _peer_run(case, case.theirs(), result, repeats)
    except FAULTS as e:
        return _row(case) | _times_of_ours(case, repeats) | {"why_not": sentence(case.peer, e)}


def _row(case: PeerCase) -> Plain:
    return {
        "work": case.work,
        "peer": case.peer,
        "build": None,
        "ours_s": None,
        "ours_cpu_s": None,
        "peer_s": None,
        "peer_cpu_s": None,
        "ratio": None,
        "agreement": None,
        "why_not": "",
    }


def _times_of_ours(case: PeerCase, repeats: int) -> Plain:
    return _medians("ours", [_time(case.ours) for _ in range(repeats)])


def _peer_run(case: PeerCase, peer: PeerRun, result: Array, repeats: int) -> Plain:
    try:
        peer.run()
        found = agreement(case.compared, sampled(result), peer)
        if found is not None:
            _require(found, peer)
        pairs = [(_warm_time(case.ours), _warm_time(peer.run)) for _ in range(repeats)]
    finally:
        peer.close()
    own, theirs = zip(*pairs, strict=True)
    # CPU time: on a busy machine wall time depends on the other programs
    # The median of ratios, not the ratio of medians: neighbours met the same load
    ratio = median(other[1] / our[1] for our, other in pairs)
    times = _medians("ours", own) | _medians("peer", theirs)
    return {"build": peer.build, **times, "ratio": ratio, "agreement": found}


def _require(found: Plain, peer: PeerRun) -> None:
    """Refuse times of a peer that has computed something else."""
    # also refuses NaN, which compares as false
    if not found["correlation"] >= MIN_CORRELATION:
        raise ResourceError(
            f"{peer.build}, {found['of']}: the correlation with the result of Isocenter is "
            f"{found['correlation']:.3g}, expected at least {MIN_CORRELATION}; try another build."
        )


def _medians(name: str, times: Sequence[Times]) -> Plain:
    clock, busy = (median(column) for column in zip(*times, strict=True))
    return {f"{name}_s": clock, f"{name}_cpu_s": busy}


def _warm_time(run: Run) -> Times:
    """Measure a run after an unmeasured one, because updates also follow one another.

    The system may take back memory while the other program works, and reserving it again takes
    time.
    """
    run()
    return _time(run)


def _time(run: Run) -> Times:
    clock, busy = perf_counter(), process_time()
    run()
    return perf_counter() - clock, process_time() - busy
