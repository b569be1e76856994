"""Volumes in HDF5: values, grid, unit, checksum and provenance in one file.

Time frames are next to the volume: values, times, and gates.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from engine.core.arrays import Array
from engine.core.errors import FileFormatError
from engine.core.json_types import Plain
from engine.data.storage import volume_file
from engine.data.timing.time_frames import FrameVolume, Gate, TimeFrame
from engine.data.volume import Volume
from engine.io.base import VolumeReader, VolumeWriter
from engine.io.hdf5.file_seal import SEALED, check_seal, seal
from engine.io.hdf5.opening import (
    as_json,
    column,
    dataset,
    open_hdf5,
    read_json,
    refuse_changed,
    text_of,
    unchanged_column,
)
from engine.io.hdf5.writer import reserve, write_hdf5
from engine.io.safety.open_input import InputFile, refuse_not_finite
from engine.io.safety.ranges import known_unit, stated_grid

if TYPE_CHECKING:
    import h5py

    from engine.data.error_map import ErrorMap

VERSION = SEALED
FORMAT, VALUES = "isocenter-volume", "volume/values"
FRAME_GATES = "frames/gates_ms"
FRAMES, FRAME_ENDS, FRAME_TIMES = "frames/values", "frames/ends_ms", "frames/times_ms"
ERRORS = tuple(
    f"{group}/{name}" for group in ("error", "frames/error") for name in ("deviations", "scale")
)
COMPARED = (VALUES, FRAMES, *ERRORS)
"""Datasets with a digest that is compared when they are read."""


class VolumeHdf5(VolumeReader):
    """Isocenter volume."""

    format_name: ClassVar[str] = "Isocenter volume (HDF5)"

    @classmethod
    def read(cls, file: InputFile) -> Volume:
        return _read(file, mapped=False)

    @classmethod
    def frames(cls, file: InputFile) -> tuple[FrameVolume, ...]:
        return stored_frames(file, cls.read(file))


def read_mapped(file: InputFile) -> Volume:
    """Return a volume of one of our own files with memory-mapped values.

    Parameters
    ----------
    file
        open file that no program changes while the volume is in use
    """
    return _read(file, mapped=True)


def _read(file: InputFile, *, mapped: bool) -> Volume:
    path = file.path
    with open_hdf5(file) as tree:
        notes = check_seal(tree, path, FORMAT, COMPARED)
        item = dataset(tree, VALUES, path)
        if item.ndim != 3 or item.dtype != np.float32:
            raise FileFormatError(
                f"{path.name}: the volume has {item.ndim} axes and the type {item.dtype}, expected "
                "three axes and float32; write the file again."
            )
        # The checksum is compared in both cases, which reads a mapped file once.
        values = _mapped(item, path) if mapped else column(item, "<f4", path)
        refuse_changed(item, values, path)
        voxel = dataset(tree, "volume/voxel_mm", path)[()].tolist()
        centre = dataset(tree, "volume/centre_mm", path)[()].tolist()
        unit = text_of(item.attrs.get("units", b""))
        # A file without a seal can come from another program, so its unit is checked.
        if notes:
            known_unit(path, unit)
        info = read_json(tree, "provenance", path)
        error = _error(tree, values, path)
    refuse_not_finite(path, values)
    grid = stated_grid(path, values.shape, voxel, centre)
    return Volume(values, grid, unit, info, notes, error=error)


def _error(tree: h5py.File, image: Array, path: Path) -> ErrorMap | None:
    if "error" not in tree:
        return None
    from engine.io.hdf5.error_map import stored_error  # few images have one

    return stored_error(tree, image, path)


def _frame_errors(tree: h5py.File, images: Array, path: Path) -> tuple[ErrorMap | None, ...]:
    if "frames/error" not in tree:
        return (None,) * len(images)
    from engine.io.hdf5.error_map import stored_frame_errors

    return stored_frame_errors(tree, images, path)


def _mapped(item: h5py.Dataset, path: Path) -> Array:
    # None for chunked or compressed values, which cannot be mapped.
    first_byte = item.id.get_offset()
    if first_byte is None or item.dtype.str != "<f4" or not item.size:
        raise FileFormatError(
            f"{path.name}: its values are not stored contiguously; write the file again."
        )
    a, b, c = item.shape
    return volume_file.opened(path, (a, b, c), first_byte=first_byte)


class VolumeHdf5Writer(VolumeWriter):
    """Isocenter volume."""

    in_pieces: ClassVar[bool] = True
    stores_errors: ClassVar[bool] = True
    detail: ClassVar[str] = "volume and provenance in one file"

    @classmethod
    def write(cls, volume: Volume, path: Path, provenance: Plain) -> None:
        values = np.ascontiguousarray(volume.values, "<f4")
        error, errors = volume.error, dict[str, Array]()
        if error is not None:
            from engine.io.hdf5.error_map import columns_of, reserve_errors  # few images have one

            errors = columns_of(error)

        def fill(file: h5py.File) -> None:
            fill_volume(file, volume, values, provenance)
            if error is not None:
                reserve_errors(file, errors, volume.unit, error)
            # The seal covers all objects, so it must be the last step.
            seal(file)

        write_hdf5(path, fill, {VALUES: values, **errors})


def fill_volume(file: h5py.File, volume: Volume, values: Array, provenance: Plain) -> None:
    """Write a volume to a file that is not sealed yet.

    Parameters
    ----------
    file
        open for writing
    volume
        grid, unit and axes
    values
        its values as float32; only their space is reserved, and `write_hdf5` writes them
    provenance
        origin of the volume as JSON values
    """
    file.attrs["format"] = np.bytes_(FORMAT)
    file.attrs["version"] = VERSION
    # Visible in any HDF5 viewer, even if the provenance is not read.
    file.attrs["note"] = np.bytes_("Research use only. Not for diagnosis or treatment.")
    group = file.create_group("volume")
    item = reserve(file, VALUES, values)
    item.attrs["units"] = np.bytes_(volume.unit.encode())
    item.attrs["axes"] = np.bytes_(f"z, y, x; {volume.axes}")
    for name, numbers in (("voxel_mm", volume.grid.voxel_mm), ("centre_mm", volume.grid.centre_mm)):
        # Times of objects would make the bytes of equal volumes differ.
        axes = group.create_dataset(name, data=np.array(numbers, "<f8"), track_times=False)
        axes.attrs["units"] = np.bytes_("mm")
        axes.attrs["axes"] = np.bytes_(f"x, y, z; {volume.axes}")
    file.create_dataset("provenance", data=as_json(provenance), track_times=False)


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
        check_seal(tree, path, FORMAT, COMPARED)
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
        values = unchanged_column(item, "<f4", path)
        errors = _frame_errors(tree, values, path)
    refuse_not_finite(path, values)
    return tuple(
        FrameVolume(
            frame,
            Volume(
                each if error is None else error.image,
                volume.grid,
                volume.unit,
                volume.info,
                error=error,
            ),
        )
        for frame, each, error in zip(frames, values, errors, strict=True)
    )


def _frames(tree: h5py.File, path: Path) -> tuple[TimeFrame, ...]:
    """Return the frames or gates of a file."""
    times = _times(tree, path)
    gate_ms: tuple[int, ...] = ()
    if FRAME_GATES in tree:
        gate_ms = tuple(column(dataset(tree, FRAME_GATES, path), "<i8", path).ravel().tolist())
    # Gates overlap in time by nature. Frames must follow each other, with gaps or without.
    disorder = len(gate_ms) != len(times) if gate_ms else (np.diff(times.ravel()) < 0).any()
    if disorder or (times[:, 1] <= times[:, 0]).any():
        raise FileFormatError(
            f"{path.name}: its {len(times)} time frames overlap or are out of order; write the "
            "file again."
        )
    gates: list[Gate | None] = [
        Gate(k, len(gate_ms), used_ms) for k, used_ms in enumerate(gate_ms, 1)
    ]
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
