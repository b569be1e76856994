"""Frames that are worked on together."""

from __future__ import annotations

from collections.abc import Sequence
from time import monotonic

from engine.live.core.arrivals import Arrivals
from engine.live.core.frame import Arrival, Ended, Frame, FrameKind
from engine.live.ct.views import begins_anew

MOST_AT_ONCE = 32
"""Frames worked on before the next image,"""
MOST_DRAINED = 512
"""and those taken from a source that cannot wait."""
LOOK_S = 0.1
"""Without anything to do, it is looked again after so long."""


def batch_of(arrivals: Arrivals, least_s: float) -> list[Arrival]:
    """Take all that waits, and what comes within a moment; no more than is worth one image."""
    until = monotonic() + least_s
    first = arrivals.take(max(least_s, LOOK_S))
    batch = [] if first is None else [first]
    most = MOST_AT_ONCE if arrivals.source.can_wait else MOST_DRAINED
    while batch and len(batch) < most and not isinstance(batch[-1], Ended):
        try:
            more = arrivals.take(max(until - monotonic(), 0))
        except Exception:  # noqa: BLE001  raised again when this batch is done, so that it is not lost
            break
        if more is None:
            break
        batch.append(more)
    return batch


def scans_apart(views: Sequence[Frame], newest: int | None, scan: int | None) -> list[list[Frame]]:
    """Split views where another scan begins; `newest` and `scan` are of the view before them."""
    scans: list[list[Frame]] = []
    for frame in views:
        if not scans or begins_anew(frame, newest, scan):
            scans.append([])
            newest = None
        scans[-1].append(frame)
        newest, scan = max(frame.index, -1 if newest is None else newest), frame.scan
    return scans


def evenly_thinned(frames: list[Frame]) -> tuple[list[Frame], int]:
    """Return some of the projections, evenly, where there are too many; and how many are not.

    So an image that cannot have all views has some from all around, not all from a small angle.
    """
    n = sum(frame.kind == FrameKind.PROJECTION for frame in frames)
    every = -(-n // MOST_AT_ONCE)
    if every <= 1:
        return frames, 0
    kept = [f for f in frames if f.kind != FrameKind.PROJECTION or f.index % every == 0]
    return kept, len(frames) - len(kept)
