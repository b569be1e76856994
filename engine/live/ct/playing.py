"""Play a stored scan as it was measured: darks, flats, and projections with flats in between.

Transmissions T are played as counts with a flat of 1, line integrals p as exp(−p) with a flat of 1.
Receivers therefore need to know counts only.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from engine.core.arrays import Array
from engine.data.projections import Projections
from engine.live.core.frame import FrameKind

BLOCK = 32
MAX_COUNTS = 65535


@dataclass(frozen=True, eq=False)
class Played:
    """A frame to be sent; see `engine.live.core.frame.Frame`."""

    kind: FrameKind
    index: int
    angle_rad: float | None
    values: Array


def played(scan: Projections) -> Iterator[Played]:
    """Yield the frames of a scan in the order of acquisition.

    Parameters
    ----------
    scan
        stored scan of any kind

    Yields
    ------
    frame
        darks, flats and projections as counts
    """
    if scan.kind == "counts":
        yield from _of_counts(scan)
        return
    # One flat of 1 makes any receiver's flat-field correction an identity
    yield Played(FrameKind.FLAT, 0, None, np.ones(scan.geometry.shape, np.float32))
    for k, angle in enumerate(scan.geometry.angles_rad):
        values = scan.values[k]
        light = np.exp(-values) if scan.kind == "integrals" else values
        yield Played(FrameKind.PROJECTION, k, float(angle), light)


def n_frames(scan: Projections) -> int:
    """Return the number of frames that `played` yields."""
    if scan.kind != "counts":
        return 1 + scan.n_views
    return scan.n_views + sum(len(a) for a in (scan.darks, scan.flats) if a is not None)


def _of_counts(scan: Projections) -> Iterator[Played]:
    kind = _smallest(scan)
    for k, dark in enumerate(() if scan.darks is None else scan.darks):
        # Darks first: receivers need them before the first projection
        yield Played(FrameKind.DARK, k, None, dark.astype(kind))
    flats = [] if scan.flats is None else list(enumerate(scan.flats))
    followed_by = _followed_by(scan, len(flats))
    # One more than views: flats may have been taken after the last one
    for k in range(scan.n_views + 1):
        for i, flat in flats:
            if followed_by[i] == k:
                yield Played(FrameKind.FLAT, i, None, flat.astype(kind))
        if k < scan.n_views:
            angle = float(scan.geometry.angles_rad[k])
            yield Played(FrameKind.PROJECTION, k, angle, scan.values[k].astype(kind))


def _followed_by(scan: Projections, n_flats: int) -> list[int]:
    """Return the view before which each flat was taken; without this information all are first."""
    stated = [int(k) for k in scan.info.get("flat_views", ())]
    views = [min(max(k, 0), scan.n_views) for k in stated]
    return views if len(views) == n_flats and 0 in views else [0] * n_flats


def _smallest(scan: Projections) -> type[np.uint16] | type[np.float32]:
    """Return the number type of the detector; readers store all counts as float32."""
    for images in (scan.darks, scan.flats, scan.values):
        # Block by block, since the values may be mapped from a large file
        for k in range(0, 0 if images is None else len(images), BLOCK):
            block = np.asarray(images[k : k + BLOCK]) if images is not None else np.zeros(0)
            if block.min() < 0 or block.max() > MAX_COUNTS or (block != np.rint(block)).any():
                return np.float32
    return np.uint16
