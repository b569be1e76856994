"""The X-ray scan of a recording."""

from __future__ import annotations

import tempfile
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from math import prod
from pathlib import Path
from typing import IO

import numpy as np

from engine.core.arrays import Array
from engine.core.errors import DataError
from engine.data.projections import Projections
from engine.data.storage.spooled_array import mapped
from engine.geometry.xray import XrayGeometry
from engine.io.safety.budget import available_memory
from engine.live.core.frame import Frame, FrameKind
from engine.live.core.message import read_message
from engine.live.ct.references import References
from engine.live.ct.view_ring import views_of
from engine.live.recording.records import RecordingFile

SHARE = 0.3
"""Share of the free memory for the projections; larger scans are stored in a temporary file."""


def assembled(
    geometry: XrayGeometry, frames: Sequence[Frame], values: Array,
    references: tuple[Array | None, Array | None], flats: References,
) -> Projections:  # fmt: skip
    """Return frames as a scan of counts.

    Parameters
    ----------
    geometry
        geometry of the whole scan
    frames
        projections in the order of their numbers; their values are not used
    values
        (n_frames, n_rows, n_columns) counts
    references
        flats and darks of the scan
    flats
        gives the number of projections before each flat

    Returns
    -------
    scan
        projections with the measured angles, and a note about missing ones
    """
    missing, flat_views = geometry.n_views - len(frames), flats.followed_by
    return Projections(
        values,
        views_of(geometry, frames),
        kind="counts",
        flats=references[0],
        darks=references[1],
        info={"flat_views": flat_views} if flat_views else {},
        notes=(f"{missing} of {geometry.n_views} projections are missing.",) if missing else (),
    )


def recorded_projections(
    file: RecordingFile, folder: Path, geometry: XrayGeometry | None = None
) -> Projections:
    """Return the scan of a recording.

    Parameters
    ----------
    file
        recording of frames
    folder
        folder for a temporary file if the scan exceeds the memory
    geometry
        geometry of the whole scan; None: that of the recording

    Returns
    -------
    scan
        projections in the order of their numbers

    Raises
    ------
    DataError
        if the recording has no geometry or no projection
    """
    places: dict[int, tuple[int, Frame]] = {}
    references = {FrameKind.FLAT: References(), FrameKind.DARK: References()}
    types: dict[FrameKind, set[np.dtype[np.generic]]] = {kind: set() for kind in FrameKind}
    for number, record in enumerate(file.records()):
        message = _message_in(record.header, record.data)
        if isinstance(message, XrayGeometry):
            geometry = geometry or message
        elif isinstance(message, Frame):
            types[message.kind].add(message.values.dtype)
            # One value stands for all, since the values are read once their place is known
            dummy = np.broadcast_to(message.values[0, 0], message.values.shape)
            frame = replace(message, values=dummy)
            if message.kind == FrameKind.PROJECTION:
                places[message.index] = number, frame
            else:
                references[message.kind].keep(frame, len(places), number)
    if geometry is None:
        raise DataError(
            f"{file.path.name}: the recording has no geometry; give a stored scan with the same "
            "geometry (--geometry)."
        )
    chosen = [places[k] for k in sorted(places) if k < geometry.n_views]
    if not chosen:
        raise DataError(
            f"{file.path.name}: the scan cannot be saved because no projections were recorded; "
            "discard the recording."
        )
    rows = {kind: stored.records for kind, stored in references.items()}
    rows[FrameKind.PROJECTION] = [number for number, _ in chosen]
    shape = chosen[0][1].values.shape
    stacks = _filled(file, {kind: _Wanted(rows[kind], shape, types[kind]) for kind in rows}, folder)
    return assembled(
        geometry,
        [frame for _, frame in chosen],
        stacks[FrameKind.PROJECTION],
        (stacks.get(FrameKind.FLAT), stacks.get(FrameKind.DARK)),
        references[FrameKind.FLAT],
    )


@dataclass(frozen=True)
class _Wanted:
    """The records of one kind of frames in order, their shape and their types."""

    records: Sequence[int]
    frame_shape: tuple[int, ...]
    types: Collection[np.dtype[np.generic]]

    @property
    def shape(self) -> tuple[int, ...]:
        return (len(self.records), *self.frame_shape)

    @property
    def dtype(self) -> np.dtype[np.generic]:
        return np.result_type(*self.types)

    @property
    def n_bytes(self) -> int:
        return prod(self.shape) * self.dtype.itemsize


class _Stack:
    """An array in memory or in a temporary file, filled row by row."""

    def __init__(self, wanted: _Wanted, spool: IO[bytes] | None) -> None:
        self._wanted, self._spool = wanted, spool
        self._values = np.empty(wanted.shape if spool is None else 0, wanted.dtype)

    def put(self, row: int, values: Array) -> None:
        if self._spool is None:
            self._values[row] = values
            return
        whole = np.ascontiguousarray(values, self._wanted.dtype)
        self._spool.seek(row * whole.nbytes)
        self._spool.write(whole.data)

    def whole(self) -> Array:
        if self._spool is None:
            return self._values
        self._spool.flush()
        return mapped(self._spool, self._wanted.dtype.str, self._wanted.shape)


def _filled(
    file: RecordingFile, wanted: Mapping[FrameKind, _Wanted], folder: Path
) -> dict[FrameKind, Array]:
    """Return the frames of each kind that has some."""
    wanted = {kind: each for kind, each in wanted.items() if each.records}
    n_bytes = sum(each.n_bytes for each in wanted.values())
    is_small = n_bytes <= SHARE * available_memory()
    row_of = {n: k for each in wanted.values() for k, n in enumerate(each.records)}
    with ExitStack() as stack:
        made = {
            kind: _Stack(
                each,
                None if is_small else stack.enter_context(tempfile.TemporaryFile(dir=folder)),
            )
            for kind, each in wanted.items()
        }
        for number, frame in _frames_in(file):
            if number not in row_of:
                continue
            if frame.values.shape != wanted[frame.kind].frame_shape:
                raise DataError(
                    f"{file.path.name}: a frame has {frame.values.shape} pixels, expected "
                    f"{wanted[frame.kind].frame_shape} as in the first projection; discard the "
                    "recording."
                )
            made[frame.kind].put(row_of[number], frame.values)
        return {kind: each.whole() for kind, each in made.items()}


def _frames_in(file: RecordingFile) -> Iterator[tuple[int, Frame]]:
    """Yield the frames of a recording with the numbers of their records."""
    for number, record in enumerate(file.records()):
        message = _message_in(record.header, record.data)
        if isinstance(message, Frame):
            yield number, message


def _message_in(header: bytes, data: bytes) -> object:
    try:
        return read_message((header, data), 0.0)
    except DataError:
        return None  # facts and notes are not messages
