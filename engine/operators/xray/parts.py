"""How to cut a projection into parts that a memory holds: slabs of slices and chunks of views."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from engine.core.backend.gpu import Gpu, Stamp
from engine.kernels.blocks import OnProgress


@dataclass(frozen=True)
class Parts:
    """Slices and views that are worked on together; every slab meets every chunk."""

    slabs: list[range]
    views: list[range]

    def is_least(self, cuts_slabs: bool, cuts_views: bool) -> bool:
        """Whether nothing is left to cut, of what may be cut."""
        slabs, views = (max(map(len, part)) == 1 for part in (self.slabs, self.views))
        return (slabs or not cuts_slabs) and (views or not cuts_views)


def parts_for(
    n_slices: int, per_slice: int, n_views: int, per_view: int, budget: int, most_views: int
) -> Parts:
    """Cut so that a slab and a chunk together stay within the budget.

    Parameters
    ----------
    n_slices, n_views
        to cut up
    per_slice, per_view
        bytes of one; 0 where it takes no room
    budget
        bytes; one slice and one view are taken even where they exceed it
    most_views
        of a chunk, whatever their size
    """
    views = min(n_views, most_views)
    if per_slice * n_slices + per_view * views > budget:
        # the smaller of the two comes whole if half of the budget holds it
        for_slices = min(per_slice * n_slices, max(budget // 2, budget - per_view * views))
        slices = max(1, min(n_slices, for_slices // per_slice)) if per_slice else n_slices
        left = budget - per_slice * slices
        views = max(1, min(views, left // per_view)) if per_view else views
    else:
        slices = n_slices
    return Parts(pieces(n_slices, slices), pieces(n_views, views))


def pieces(n: int, size: int) -> list[range]:
    """0 ... n - 1 in even pieces of `size` at most."""
    n_pieces = -(-n // max(size, 1))
    # even pieces: a small rest at the end would use the device badly
    edges = [i * n // n_pieces for i in range(n_pieces + 1)]
    return [range(start, stop) for start, stop in pairwise(edges)]


SHARES_LEAVING = 8
"""Parts in which a slab leaves the device, each while the work on the next one runs."""


def leaving(slab: range) -> list[range]:
    """Return slices of a slab that leave the device together."""
    shares = pieces(len(slab), -(-len(slab) // SHARES_LEAVING))
    return [range(slab.start + share.start, slab.start + share.stop) for share in shares]


def within(layer: range, slab: range) -> slice:
    """Return where slices of the volume lie in a slab."""
    return slice(layer.start - slab.start, layer.stop - slab.start)


class Pace:
    """Tells of progress, and keeps the host at most one part ahead of the device."""

    def __init__(self, gpu: Gpu, on_progress: OnProgress | None, total: int) -> None:
        self._gpu, self._tick, self._total = gpu, on_progress, total
        self._done = 0
        self._earlier: Stamp | None = None

    def step(self, n: int) -> None:
        """Call after each part, of `n` of the total."""
        stamp = self._gpu.stamp()
        if self._earlier is not None:
            self._earlier.wait()
        self._earlier = stamp
        self._done += n
        if self._tick is not None:
            self._tick(self._done, self._total)
