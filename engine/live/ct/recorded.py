"""The X-ray scan of a recording."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import prod
from pathlib import Path

import numpy as np
import psutil

from engine.core.arrays import Array
from engine.core.errors import DataError
from engine.data.projections import Projections
from engine.data.storage.spooled_array import mapped
from engine.geometry.xray import XrayGeometry
from engine.live.core.frame import Frame, FrameKind
from engine.live.core.message import read_message
from engine.live.ct.references import References
from engine.live.ct.view_ring import views_of
from engine.live.recording.records import RecordingFile

SHARE = 0.3
"""Share of the free memory for the projections; larger scans are stored in a temporary file."""


def assembled(
    geometry: XrayGeometry, frames: Sequence[Frame], values: Array, flats: References,
    darks: References,
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
    flats, darks
        references of the scan

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
        flats=flats.stacked,
        darks=darks.stacked,
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
    for number, record in enumerate(file.records()):
        message = _message_in(record.header, record.data)
        if isinstance(message, XrayGeometry):
            geometry = geometry or message
        elif isinstance(message, Frame) and message.kind != FrameKind.PROJECTION:
            # A copy: the record's own bytes are large and shared
            frame = replace(message, values=np.array(message.values))
            references[message.kind].keep(frame, len(places))
        elif isinstance(message, Frame):
            # One value stands for all, since the values are read once their place is known
            dummy = np.broadcast_to(message.values[0, 0], message.values.shape)
            places[message.index] = number, replace(message, values=dummy)
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
    values = _values(
        file, {number: k for k, (number, _) in enumerate(chosen)}, chosen[0][1], folder
    )
    frames = [frame for _, frame in chosen]
    return assembled(
        geometry, frames, values, references[FrameKind.FLAT], references[FrameKind.DARK]
    )


def _values(file: RecordingFile, rows: dict[int, int], first: Frame, folder: Path) -> Array:
    """Return the values of the records with given numbers, in the given rows."""
    shape, kind = (len(rows), *first.values.shape), first.values.dtype
    n_bytes = prod(shape[1:]) * kind.itemsize
    frames = ((rows[n], each) for n, each in _frames_in(file) if n in rows)
    if n_bytes * len(rows) <= SHARE * psutil.virtual_memory().available:
        values = np.empty(shape, kind)
        for row, frame in frames:
            values[row] = frame.values
        return values
    with tempfile.TemporaryFile(dir=folder) as spool:
        for row, frame in frames:
            spool.seek(row * n_bytes)
            spool.write(np.ascontiguousarray(frame.values).data)
        spool.flush()
        return mapped(spool, kind.str, shape)


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
        return None  # facts and notes are no messages
