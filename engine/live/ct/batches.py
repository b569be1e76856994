"""Batches of frames that are processed together."""

from __future__ import annotations

from collections.abc import Sequence
from time import monotonic

from engine.live.core.arrivals import Arrivals
from engine.live.core.frame import Arrival, Ended, Frame, FrameKind
from engine.live.ct.views import starts_new_scan

MAX_AT_ONCE = 32
"""Most frames that are processed before the next image,"""
MAX_DRAINED = 512
"""and most frames taken from a source that cannot wait."""
POLL_S = 0.1
"""Interval of checks when nothing arrives."""


def batch_of(arrivals: Arrivals, min_s: float) -> list[Arrival]:
    """Take everything in the queue, and everything that arrives soon, for one image.

    Parameters
    ----------
    arrivals
        queue of the source
    min_s
        shortest time for the batch [s]

    Returns
    -------
    batch
        frames and events in order; empty if nothing arrived
    """
    # Images more often than the screen shows them would only cost time
    until = monotonic() + min_s
    first = arrivals.take(max(min_s, POLL_S))
    batch = [] if first is None else [first]
    # A source that cannot wait would otherwise lose frames in its own queue
    most = MAX_AT_ONCE if arrivals.source.can_wait else MAX_DRAINED
    while batch and len(batch) < most and not isinstance(batch[-1], Ended):
        try:
            more = arrivals.take(max(until - monotonic(), 0))
        except Exception:  # noqa: BLE001  raised again at the next call
            break
        if more is None:
            break
        batch.append(more)
    return batch


def split_scans(views: Sequence[Frame], newest: int | None, scan: int | None) -> list[list[Frame]]:
    """Divide views at the starts of other scans.

    Parameters
    ----------
    views
        projections in the order of arrival
    newest, scan
        number and scan of the view before them

    Returns
    -------
    scans
        views of each scan
    """
    scans: list[list[Frame]] = []
    for frame in views:
        if not scans or starts_new_scan(frame, newest, scan):
            scans.append([])
            newest = None
        scans[-1].append(frame)
        # A late frame must not lower the newest number
        newest, scan = max(frame.index, -1 if newest is None else newest), frame.scan
    return scans


def evenly_thinned(frames: list[Frame]) -> tuple[list[Frame], int]:
    """Thin out projections evenly if there are too many.

    An image with too few views then still has views from all directions, not from a small angle.

    Parameters
    ----------
    frames
        frames in the order of arrival

    Returns
    -------
    kept
        darks, flats and every n-th projection by its number
    n_skipped
        number of projections left out
    """
    n = sum(frame.kind == FrameKind.PROJECTION for frame in frames)
    every = -(-n // MAX_AT_ONCE)
    if every <= 1:
        return frames, 0
    # By number, not by position: the choice must not jump between batches
    selected = [f for f in frames if f.kind != FrameKind.PROJECTION or f.index % every == 0]
    return selected, len(frames) - len(selected)
