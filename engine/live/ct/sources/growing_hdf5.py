"""Frames of an HDF5 file that is being written: Data Exchange or NXtomo, with or without SWMR.

Each look opens the file, reads new frames and closes it, in a separate process, because the library
may crash on a file that is half written. It takes no lock, which would prevent the writer from
opening the file. If the file states that a writer has it open without SWMR, the look waits. If it
states nothing, its frames count only if the file did not change during the look. Frames of zeros
are reserved space, as long as no later frame is filled.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from engine.core.arrays import Array
from engine.geometry.xray import XrayGeometry
from engine.io.folder import identity_of, state_of
from engine.io.hdf5.opening import DAMAGE, damaged, written_file
from engine.io.safety.open_input import open_head
from engine.live.core.frame import FrameKind
from engine.live.ct.sources.hdf5_layout import Hdf5Layout, layout_of

if TYPE_CHECKING:
    import h5py

MAX_BYTES = 64 * 2**20
"""Most bytes of frames in one look,"""
MAX_UNSHARED_BYTES = 16 * 2**20
"""and for a file that may change during the look."""
AHEAD = 4
"""Number of images after an empty one that are checked."""


@dataclass(frozen=True)
class GrownFrame:
    """A frame in the file, with its number among those of its kind."""

    kind: FrameKind
    index: int
    angle_rad: float | None
    values: Array


@dataclass
class Grown:
    """Result of one look at the file.

    Attributes
    ----------
    frames : new frames in order
    n_read : number of images of each dataset that were read, for the next look
    is_open : True if a writer has the file open and shares it (SWMR)
    is_in_use : True if a writer has it open without sharing
    planned : number of projections for which the file has space or angles, None if unknown
    geometry : geometry of all of them, None without angles
    left_out : numbers of frames of zeros before filled ones
    identity : inode number of the file
    restarted : reason why the file contains another scan than before; empty if it does not
    """

    frames: list[GrownFrame] = field(default_factory=list)
    n_read: dict[str, int] = field(default_factory=dict)
    is_open: bool = False
    is_in_use: bool = False
    planned: int | None = None
    geometry: XrayGeometry | None = None
    left_out: list[int] = field(default_factory=list)
    identity: int | None = None
    restarted: str = ""


def new_frames(path: Path, n_read: dict[str, int]) -> Grown:
    """Return the new frames since the last look.

    Parameters
    ----------
    path
        HDF5 file
    n_read
        `Grown.taken` of the last look; empty at the first

    Returns
    -------
    grown
        new frames; none if the file changed during the look

    Raises
    ------
    FileFormatError
        if the file contains no frames, perhaps not yet
    """
    open_head(path)  # raises for anything that is not a file
    grown, before = Grown(n_read=dict(n_read), identity=identity_of(path)), state_of(path)
    with written_file(path) as (file, is_open):
        grown.is_open, grown.is_in_use = is_open, file is None
        if file is not None:
            try:
                _read(layout_of(file, path, is_open=grown.is_open), grown)
            except DAMAGE as e:
                raise damaged(path, e) from e
    # Without SWMR the library may have read blocks of two states
    if not grown.is_open and state_of(path) != before:
        return Grown(n_read=dict(n_read), identity=grown.identity)
    return grown


def _read(layout: Hdf5Layout, grown: Grown) -> None:
    left = MAX_BYTES if grown.is_open else MAX_UNSHARED_BYTES
    grown.planned, grown.geometry = layout.planned, layout.geometry
    for name, item in layout.images.items():
        at, filled = grown.n_read.get(name, 0), 0
        n_there = layout.n_there(name)
        # Another scan was written into a file of the same name
        if at > n_there:
            grown.restarted = (
                f"{layout.path.name}: {name} has {n_there} images, fewer than the {at} before."
            )
            return
        for k in range(at, n_there):
            values = np.asarray(item[k] if layout.axis == 0 else item[:, k])
            # HDF5 fills chunks that were never written with zeros
            is_empty = not values.any()
            if is_empty and not _is_filled_after(layout, item, k, n_there):
                break
            # The results pass through a pipe to the main process
            left -= values.nbytes
            filled = k + 1
            kind, index = layout.place(name, k)
            if kind is None:
                continue
            # The detector may really have delivered zeros: no line integral is possible
            if is_empty and kind == FrameKind.PROJECTION:
                grown.left_out.append(index)
                continue
            grown.frames.append(GrownFrame(kind, index, layout.angle(kind, index, k), values))
            if left <= 0:
                break
        grown.n_read[name] = max(at, filled)


def _is_filled_after(layout: Hdf5Layout, item: h5py.Dataset, k: int, n_there: int) -> bool:
    """Return True if one of the next images, or the last one, is filled."""
    # A few are enough: writers fill images nearly in order
    after = {*range(k + 1, min(k + 1 + AHEAD, n_there)), n_there - 1} - {k}
    images = (item[i] if layout.axis == 0 else item[:, i] for i in sorted(after))
    return any(np.asarray(image).any() for image in images)
