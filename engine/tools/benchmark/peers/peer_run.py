"""Another program for one of our cases: running it, comparing results, and reasons of failure."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.core.arrays import Array, to_host
from engine.core.errors import EngineError
from engine.core.json_types import Plain

Run = Callable[[], object]
FAULTS = (
    *(EngineError, ImportError, OSError, AttributeError),
    *(RuntimeError, TypeError, ValueError, MemoryError),
)
"""Errors that other programs raise if they do not fit the machine."""
FORWARD_SUMS, VOLUMES = "forward sums", "volumes"
"""Names of compared quantities."""
MIN_CORRELATION = 0.95
"""Least correlation between results of the same case.

Joseph's method and ours differ by less, and so does TOF truncated at 3 σ and at 4 σ.
"""
MAX_COMPARED = 1_000_000
"""Approximate number of compared values."""


@dataclass(frozen=True)
class PeerRun:
    """Another program, ready for one case.

    Attributes
    ----------
    build : version and kind of build
    run : runs the case once; kernels on a GPU may still be queued afterwards
    result : returns the result of the last run in our units and order of axes; None if not compared
    close : frees its memory
    """

    build: str
    run: Run
    result: Callable[[], Array] | None = None
    close: Run = lambda: None


def returning(build: str, run: Callable[[], Array]) -> PeerRun:
    """Return a peer that compares the array that each run returns.

    Parameters
    ----------
    build
        version and kind of build
    run
        runs the case once; the result has our units and order of axes
    """
    last: list[Array] = []

    def once() -> None:
        # The previous result is freed first, so that only one is in memory
        last.clear()
        last.append(run())

    return PeerRun(build, once, lambda: last[0])


def sampled(values: Array) -> NDArray[np.float64]:
    """Return every n-th value along the first axis, on the host.

    Parameters
    ----------
    values
        array on the host or on the GPU
    """
    # A sample is enough for a correlation, and keeps the host's memory small
    step = max(1, values.size // MAX_COMPARED)
    some: NDArray[np.float64] = to_host(values[:: min(step, len(values))].copy())
    return some.astype(np.float64).ravel()


def agreement(of: str, ours: NDArray[np.float64], peer: PeerRun) -> Plain | None:
    """Return means and correlation of both results.

    Parameters
    ----------
    of
        name of the quantity
    ours
        our result, sampled
    peer
        the other program after a run

    Returns
    -------
    row
        None if the results are not compared
    """
    if peer.result is None:
        return None
    theirs = sampled(peer.result())
    return {
        "of": of,
        "mean_ours": float(ours.mean()),
        "mean_peer": float(theirs.mean()),
        # The correlation ignores scale; the means show it
        "correlation": float(np.corrcoef(ours, theirs)[0, 1]),
    }


def sentence(peer: str, fault: BaseException) -> str:
    """Return the reason why a peer could not be measured.

    Parameters
    ----------
    peer
        name of the other program
    fault
        its exception
    """
    if isinstance(fault, EngineError):
        return str(fault)
    # Messages of other programs can have several lines
    text = " ".join(str(fault).split()).rstrip(".")
    return f"{peer} failed: {type(fault).__name__}: {text}."
