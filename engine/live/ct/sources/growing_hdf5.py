"""Frames of an HDF5 file that is being written: Data Exchange or NXtomo, shared (SWMR) or not.

One look opens the file, reads what is new and closes it, in a process of its own: the library may
crash on a file that is half written. It takes no lock, which would keep a writer from opening its
file. One that says that its writer has it open without SWMR is waited for; of one that says
nothing, what was read counts only if the file did not change meanwhile. Frames of zeros are room
that is not filled yet, as long as no later one is filled.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from engine.core.arrays import Array
from engine.core.errors import FileFormatError
from engine.geometry.xray import XrayGeometry
from engine.io.folder import identity_of, state_of
from engine.io.hdf5.opening import DAMAGE, damaged, written_file
from engine.io.safety.open_input import open_head
from engine.live.core.frame import FrameKind
from engine.live.ct.sources.hdf5_layout import Hdf5Layout, layout_of

if TYPE_CHECKING:
    import h5py

MOST_BYTES = 64 * 2**20
"""Frames that one look reads,"""
MOST_UNSHARED_BYTES = 16 * 2**20
"""and of a file that may change meanwhile."""
AHEAD = 4
"""Images after one of zeros that are looked at."""


@dataclass(frozen=True)
class GrownFrame:
    """A frame as the file holds it, with its number among those of its kind."""

    kind: FrameKind
    index: int
    angle_rad: float | None
    values: Array


@dataclass
class Grown:
    """What one look at the file found.

    Attributes
    ----------
    frames : new ones, in their order
    taken : how many images of each dataset are behind these, for the next look
    is_open : whether a writer has the file open and shares it
    is_in_use : whether a writer has it open and does not share it
    planned : projections that the file has room or angles for, None where it does not say
    geometry : of all of these, None where angles or room are not there yet
    left_out : frames of zeros that stand before filled ones, by their numbers
    identity : number of the file on its drive
    """

    frames: list[GrownFrame] = field(default_factory=list)
    taken: dict[str, int] = field(default_factory=dict)
    is_open: bool = False
    is_in_use: bool = False
    planned: int | None = None
    geometry: XrayGeometry | None = None
    left_out: list[int] = field(default_factory=list)
    identity: int | None = None


def look_at(path: Path, taken: dict[str, int]) -> Grown:
    """Return what is new in a file since the last look.

    Parameters
    ----------
    path
        of the file
    taken
        of the last look, empty at the first

    Raises
    ------
    FileFormatError
        for what holds no frames, perhaps not yet
    """
    open_head(path)  # says what is no file
    grown, before = Grown(taken=dict(taken), identity=identity_of(path)), state_of(path)
    with written_file(path) as (file, is_open):
        grown.is_open, grown.is_in_use = is_open, file is None
        if file is not None:
            try:
                _read(layout_of(file, path, is_open=grown.is_open), grown)
            except DAMAGE as e:
                raise damaged(path, e) from e
    if not grown.is_open and state_of(path) != before:
        return Grown(taken=dict(taken), identity=grown.identity)
    return grown


def _read(layout: Hdf5Layout, grown: Grown) -> None:
    left = MOST_BYTES if grown.is_open else MOST_UNSHARED_BYTES
    grown.planned, grown.geometry = layout.planned, layout.geometry
    for name, item in layout.images.items():
        at, filled = grown.taken.get(name, 0), 0
        n_there = layout.n_there(name)
        if at > n_there:
            raise FileFormatError(f"{layout.path.name}: has fewer images than before.")
        for k in range(at, n_there):
            values = np.asarray(item[k] if layout.axis == 0 else item[:, k])
            is_room = not values.any()
            if is_room and not _is_filled_after(layout, item, k, n_there):
                break
            left -= values.nbytes
            filled = k + 1
            kind, index = layout.place(name, k)
            if kind is None:
                continue
            if is_room and kind == FrameKind.PROJECTION:
                grown.left_out.append(index)
                continue
            grown.frames.append(GrownFrame(kind, index, layout.angle(kind, index, k), values))
            if left <= 0:
                break
        grown.taken[name] = max(at, filled)


def _is_filled_after(layout: Hdf5Layout, item: h5py.Dataset, k: int, n_there: int) -> bool:
    """Whether one of the next images is filled, or the last."""
    after = {*range(k + 1, min(k + 1 + AHEAD, n_there)), n_there - 1} - {k}
    images = (item[i] if layout.axis == 0 else item[:, i] for i in sorted(after))
    return any(np.asarray(image).any() for image in images)
