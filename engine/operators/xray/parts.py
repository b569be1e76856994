"""Division of a projection into parts that fit the memory: slabs of slices and chunks of views."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from engine.core.backend.gpu import Gpu, Stamp
from engine.kernels.blocks import OnProgress


@dataclass(frozen=True)
class Parts:
    """Slabs of slices and chunks of views; each slab is combined with each chunk."""

    slabs: list[range]
    views: list[range]

    def is_smallest(self, cuts_slabs: bool, cuts_views: bool) -> bool:
        """Return True if the parts cannot be divided further.

        Parameters
        ----------
        cuts_slabs
            True if smaller slabs save memory
        cuts_views
            True if smaller chunks save memory
        """
        slabs, views = (max(map(len, part)) == 1 for part in (self.slabs, self.views))
        return (slabs or not cuts_slabs) and (views or not cuts_views)


def parts_for(
    n_slices: int, per_slice: int, n_views: int, per_view: int, budget: int, max_views: int
) -> Parts:
    """Divide slices and views so that a slab and a chunk fit the budget together.

    Parameters
    ----------
    n_slices, n_views
        numbers to divide
    per_slice, per_view
        bytes of one; 0 if it needs no memory
    budget
        bytes; one slice and one view are used even if they exceed it
    max_views
        maximum views of a chunk
    """
    views = min(n_views, max_views)
    if per_slice * n_slices + per_view * views > budget:
        # the smaller of the two is not divided if it fits half of the budget
        for_slices = min(per_slice * n_slices, max(budget // 2, budget - per_view * views))
        slices = max(1, min(n_slices, for_slices // per_slice)) if per_slice else n_slices
        left = budget - per_slice * slices
        views = max(1, min(views, left // per_view)) if per_view else views
    else:
        slices = n_slices
    return Parts(pieces(n_slices, slices), pieces(n_views, views))


def pieces(n: int, size: int) -> list[range]:
    """Divide 0 ... n - 1 into even ranges of at most `size`.

    Parameters
    ----------
    n
        number of elements
    size
        maximum length of a range
    """
    n_pieces = -(-n // max(size, 1))
    # even pieces: a small rest at the end would leave the device idle
    edges = [i * n // n_pieces for i in range(n_pieces + 1)]
    return [range(start, stop) for start, stop in pairwise(edges)]


SHARES_LEAVING = 8
"""Number of parts in which a slab is downloaded, each during the work on the next one."""


def leaving(slab: range) -> list[range]:
    """Divide a slab into the slices that are downloaded together."""
    shares = pieces(len(slab), -(-len(slab) // SHARES_LEAVING))
    return [range(slab.start + share.start, slab.start + share.stop) for share in shares]


def within(layer: range, slab: range) -> slice:
    """Return the position of slices of the volume in a slab.

    Parameters
    ----------
    layer
        slices of the volume
    slab
        slices of the slab, which contains them
    """
    return slice(layer.start - slab.start, layer.stop - slab.start)


class PartProgress:
    """Reports progress, and keeps the host at most one part ahead of the device."""

    def __init__(self, gpu: Gpu, on_progress: OnProgress | None, total: int) -> None:
        self._gpu, self._tick, self._total = gpu, on_progress, total
        self._done = 0
        self._earlier: Stamp | None = None

    def step(self, n: int) -> None:
        """Report a completed part.

        Parameters
        ----------
        n
            share of the total in this part
        """
        stamp = self._gpu.stamp()
        # Waiting for the part before last keeps two parts in the queue, so the device is never
        # idle.
        if self._earlier is not None:
            self._earlier.wait()
        self._earlier = stamp
        self._done += n
        if self._tick is not None:
            self._tick(self._done, self._total)
