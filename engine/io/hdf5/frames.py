"""Time frames next to a volume in our HDF5 files: values, times, and gates."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from engine.core.arrays import Array
from engine.core.errors import FileFormatError
from engine.data.timing.time_frames import FrameVolume, Gate, TimeFrame
from engine.data.volume import Volume
from engine.io.hdf5.file_seal import check_seal
from engine.io.hdf5.opening import column, dataset, open_hdf5, text_of
from engine.io.safety.open_input import InputFile, refuse_not_finite
from engine.io.safety.seal import digest

if TYPE_CHECKING:
    import h5py

FORMAT, VALUES = "isocenter-volume", "volume/values"
FRAME_GATES = "frames/gates_ms"
FRAMES, FRAME_ENDS, FRAME_TIMES = "frames/values", "frames/ends_ms", "frames/times_ms"


def stored_frames(file: InputFile, volume: Volume) -> tuple[FrameVolume, ...]:
    """Return the time frames of a file.

    Parameters
    ----------
    file
        open volume file
    volume
        its volume, which has the grid and unit of the frames

    Returns
    -------
    frames
        empty if the file contains only one image

    Raises
    ------
    FileFormatError
        if shape, times or checksum are wrong
    """
    path = file.path
    with open_hdf5(file) as tree:
        # Both datasets are compared where they are read: the volume by its reader, the frames
        # below.
        check_seal(tree, path, FORMAT, (VALUES, FRAMES))
        if FRAMES not in tree:
            return ()
        item = dataset(tree, FRAMES, path)
        frames = _frames(tree, path)
        if item.shape != (len(frames), *volume.grid.shape):
            raise FileFormatError(
                f"{path.name}: the frames have the shape {item.shape}, expected "
                f"{(len(frames), *volume.grid.shape)} for {len(frames)} frame times; write the "
                "file again."
            )
        values = column(item, "<f4", path)
        refuse_changed(item, values, path)
    refuse_not_finite(path, values)
    return tuple(
        FrameVolume(frame, Volume(each, volume.grid, volume.unit, volume.info))
        for frame, each in zip(frames, values, strict=True)
    )


def refuse_changed(item: h5py.Dataset, values: Array, path: Path) -> None:
    """Refuse values that differ from their checksum.

    Parameters
    ----------
    item
        dataset; files of other programs may have no checksum
    values
        its values
    path
        file, for the message

    Raises
    ------
    FileFormatError
        if the checksum differs
    """
    written = item.attrs.get("sha256")
    if written is not None and digest(values) != text_of(written):
        raise FileFormatError(
            f"{path.name}: {item.name.strip('/')} has changed since it was written (its checksum "
            "differs); copy the file again."
        )


def _frames(tree: h5py.File, path: Path) -> tuple[TimeFrame, ...]:
    """Return the frames or gates of a file."""
    times = _times(tree, path)
    held: tuple[int, ...] = ()
    if FRAME_GATES in tree:
        held = tuple(column(dataset(tree, FRAME_GATES, path), "<i8", path).ravel().tolist())
    # Gates overlap in time by nature. Frames must follow each other, with gaps or without.
    disorder = len(held) != len(times) if held else (np.diff(times.ravel()) < 0).any()
    if disorder or (times[:, 1] <= times[:, 0]).any():
        raise FileFormatError(
            f"{path.name}: its {len(times)} time frames overlap or are out of order; write the "
            "file again."
        )
    gates: list[Gate | None] = [Gate(k, len(held), used_ms) for k, used_ms in enumerate(held, 1)]
    gates = gates or [None] * len(times)
    return tuple(
        TimeFrame(int(start), int(end), gate)
        for (start, end), gate in zip(times, gates, strict=True)
    )


def _times(tree: h5py.File, path: Path) -> NDArray[np.int64]:
    """Return the starts and ends of the frames [ms], shape (n, 2)."""
    # Files without gaps store only the n + 1 borders.
    if FRAME_TIMES not in tree:
        ends = column(dataset(tree, FRAME_ENDS, path), "<i8", path)
        return np.column_stack([ends[:-1], ends[1:]])
    times = column(dataset(tree, FRAME_TIMES, path), "<i8", path)
    if times.ndim != 2 or times.shape[1] != 2:
        raise FileFormatError(
            f"{path.name}: the frame times have the shape {times.shape}, expected (n, 2); write "
            "the file again."
        )
    return times
