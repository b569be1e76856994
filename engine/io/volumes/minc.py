"""Read volumes of the MINC toolkit (.mnc): version 1 is NetCDF, version 2 HDF5; with nibabel.

MINC axes point to the right, front and head, like the matrix of nibabel. Values are real numbers;
the file stores a scale for each slice.
"""

from __future__ import annotations

from importlib import import_module
from io import BytesIO
from typing import Protocol

import numpy as np

from engine.core.arrays import Array
from engine.core.errors import FileFormatError, GeometryError
from engine.data.timing.time_frames import FrameVolume
from engine.io.base import FramesReader
from engine.io.hdf5.opening import DAMAGE, is_hdf5, library_file, refuse_unsafe
from engine.io.safety.budget import refuse_bomb, refuse_large_data
from engine.io.safety.open_input import InputFile
from engine.io.volumes.frame_stack import NO_CLOCK, FrameClock
from engine.io.volumes.patient_images import patient_frames
from engine.io.volumes.straight_axes import LPS_TO_RAS
from engine.io.xray.hdf5.dxchange import has_object

NETCDF = (b"CDF\x01", b"CDF\x02")
GROUP = "/minc-2.0"
IMAGES = ("image", "image-min", "image-max")


Frames = tuple[FrameVolume, ...]


class _Stored(Protocol):
    """The parts of a MINC file opened by nibabel that we use."""

    _dim_names: list[str]
    _dims: list[object]

    def get_data_shape(self) -> tuple[int, ...]: ...
    def get_affine(self) -> Array: ...
    def get_scaled_data(self) -> Array: ...


class Minc(FramesReader):
    """MINC volume."""

    @classmethod
    def format_of(cls, file: InputFile) -> str:
        return "MINC 2" if is_hdf5(file.head) else "MINC 1"

    @classmethod
    def accepts(cls, file: InputFile) -> bool:
        if is_hdf5(file.head):
            return has_object(file, GROUP)
        return file.head[:4] in NETCDF and cls.ends(file.path)

    @classmethod
    def images(cls, file: InputFile) -> tuple[FrameVolume, ...]:
        from nibabel.minc1 import MincError

        try:
            return _second(file) if is_hdf5(file.head) else _first(file)
        # nibabel raises errors of many types for damaged files.
        except (*DAMAGE, MincError, AttributeError, AssertionError, IndexError, TypeError) as e:
            reason = " ".join(str(e).split())
            raise FileFormatError(
                f"{file.name}: damaged or truncated MINC file ({reason}); copy it again."
            ) from e


def _first(file: InputFile) -> Frames:
    # From memory: a mapped file that is truncated meanwhile would kill the process.
    netcdf = import_module("nibabel.externals.netcdf")
    with netcdf.netcdf_file(BytesIO(file.read()), mmap=False) as stored:
        return _images(file, import_module("nibabel.minc1").Minc1File(stored))


def _second(file: InputFile) -> Frames:
    with library_file(file) as stored:
        for name in IMAGES:
            item = stored.get(f"{GROUP}/image/0/{name}")
            if item is not None and item.shape:
                # Before nibabel reads: HDF5 filters and external files can do harm.
                refuse_unsafe(item, f"{file.name}: {name}", file.size)
        return _images(file, import_module("nibabel.minc2").Minc2File(stored))


def _images(file: InputFile, stored: _Stored) -> Frames:
    """Return the images; an axis other than the three of space is time."""
    shape = stored.get_data_shape()
    if len(shape) not in (3, 4):
        raise GeometryError(
            f"{file.name}: has {' × '.join(map(str, shape))} values, expected a 3D array (4D with "
            "time frames); export one number per voxel."
        )
    n_values = int(np.prod(shape, dtype=object))
    refuse_bomb(n_values, file.size, file.name)
    # nibabel scales in float64, and we keep float32: 8 + 4 bytes.
    refuse_large_data(12 * n_values, file.name)
    values = np.asarray(stored.get_scaled_data(), np.float32)
    affine, clock = LPS_TO_RAS @ np.asarray(stored.get_affine(), np.float64), NO_CLOCK
    if values.ndim == 4:
        names = [str(name) for name in stored._dim_names]
        of_time = next((k for k, name in enumerate(names) if not name.endswith("space")), 0)
        values, clock = np.moveaxis(values, of_time, 3), _clock(stored._dims[of_time])
    return patient_frames(file, values, affine, "", clock=clock)


def _clock(dimension: object) -> FrameClock:
    """Return the frame times if the time axis states its step; MINC uses seconds."""
    start, step = (getattr(dimension, name, None) for name in ("start", "step"))
    if not isinstance(step, int | float | np.number):
        return NO_CLOCK
    first = float(start) if isinstance(start, int | float | np.number) else 0.0
    return FrameClock(first, float(step))
