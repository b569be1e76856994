"""Another program that does a work of ours: how it is run, whether it did the same, or why not."""

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
"""What the code of others raises where it does not fit the machine."""
LEAST_CORRELATION = 0.95
"""Between results of the same work: Joseph's method and ours, times of flight cut off at 3 σ and
at 4 σ, differ by less."""
MOST_COMPARED = 1_000_000
"""Values, or so, of which an agreement is judged."""


@dataclass(frozen=True)
class PeerRun:
    """Another program, ready to do one work.

    Attributes
    ----------
    build : which one it is, and how it was built
    run : does the work once; what it queues on a card may still run
    result : what the last run made, in our units, axes as ours; None: it is not compared
    close : gives back what it took
    """

    build: str
    run: Run
    result: Callable[[], Array] | None = None
    close: Run = lambda: None


def sampled(values: Array) -> NDArray[np.float64]:
    """Return every n-th value along the first axis, on the host."""
    step = max(1, values.size // MOST_COMPARED)
    some: NDArray[np.float64] = to_host(values[:: min(step, len(values))].copy())
    return some.astype(np.float64).ravel()


def agreement(of: str, ours: NDArray[np.float64], peer: PeerRun) -> Plain | None:
    """Return means and correlation of both results, ours sampled; None if they are not compared."""
    if peer.result is None:
        return None
    theirs = sampled(peer.result())
    return {
        "of": of,
        "mean_ours": float(ours.mean()),
        "mean_peer": float(theirs.mean()),
        "correlation": float(np.corrcoef(ours, theirs)[0, 1]),
    }


def sentence(peer: str, fault: BaseException) -> str:
    """Say why a peer could not be measured."""
    if isinstance(fault, EngineError):
        return str(fault)
    text = " ".join(str(fault).split()).rstrip(".")
    return f"{peer} failed: {type(fault).__name__}: {text}."
