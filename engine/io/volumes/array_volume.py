"""Read volumes from arrays of NumPy (.npy, .npz) and MATLAB (.mat) that state their voxel size.

`engine.io.volumes.array_sizes` explains how they state it. The centre of the voxel with indices
(i, j, k) is at centre + Σ s_a e_a (i_a − (n_a − 1) / 2) along the axis of space of each index a,
with voxel edge e, direction s and axis length n.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from engine.core.errors import EngineError, FileFormatError, GeometryError
from engine.data.volume import Volume
from engine.io.base import VolumeReader
from engine.io.safety.open_input import InputFile, refuse_not_finite
from engine.io.safety.ranges import stated_grid
from engine.io.volumes.array_sizes import (
    FACTS,
    NAME,
    VOXEL,
    ArraySizes,
    adjacent_sidecar,
    facts_in,
    is_array_file,
    is_npz,
    sizes_from,
    stated_in,
)
from engine.io.volumes.straight_axes import straightened
from engine.io.xray import matlab
from engine.io.xray.array_files import array_of, arrays_in


class ArrayVolume(VolumeReader):
    """NumPy or MATLAB array that states its voxel size."""

    @classmethod
    def format_of(cls, file: InputFile) -> str:
        if file.head.startswith(matlab.MARK_OF_HDF5):
            return "MATLAB 7.3"
        if file.head.startswith(matlab.MARK):
            return "MATLAB 5"
        return "NumPy archive (.npz)" if is_npz(file.head) else "NumPy array (.npy)"

    @classmethod
    def accepts(cls, file: InputFile) -> bool:
        if not is_array_file(file):
            return False
        if adjacent_sidecar(file.path) is not None:
            return True
        try:
            return VOXEL in facts_in(file, (VOXEL,))
        except EngineError:
            return True  # read() explains the damage

    @classmethod
    def read(cls, file: InputFile) -> Volume:
        sizes = _sizes(file)
        with np.errstate(over="ignore"):  # values beyond float32 become infinite; refused below
            values = np.asarray(array_of(file, _volume_name(file, sizes)), np.float32)
        if sizes.shape is not None and values.shape != sizes.shape:
            raise GeometryError(
                f"{file.name}: the array has {_listed(values.shape)} values, but its sidecar "
                f"states {_listed(sizes.shape)}; use the sidecar of this array."
            )
        centre = sizes.centre_mm or (0.0, 0.0, 0.0)
        # Check the stated numbers themselves: after the matrix, messages would name other ones.
        stated_grid(file.path, values.shape, sizes.voxel_mm, centre)
        values, grid = straightened(file.path, values, _affine(sizes, centre, values.shape))
        refuse_not_finite(file.path, values)
        note = f"{file.name}: states no position; the centre of the volume is used as the origin."
        notes = (note,) if sizes.centre_mm is None else ()
        return Volume(values, grid, sizes.unit, {}, notes)


def _sizes(file: InputFile) -> ArraySizes:
    sidecar = adjacent_sidecar(file.path)
    within = {name: fact for name, fact in facts_in(file, FACTS).items() if _is_fact(name, fact)}
    if sidecar is None:
        return sizes_from(within, file, file.name)
    # Two sources can contradict each other, and neither is more credible.
    if VOXEL in within:
        raise FileFormatError(
            f"{file.name}: both this file and {sidecar.name} state a voxel size; remove the "
            "voxel size from one of these files."
        )
    return sizes_from(stated_in(sidecar), file, sidecar.name)


def _is_fact(name: str, found: object) -> bool:
    """Return True if a variable is a fact; `array` could also be the name of the volume itself."""
    return name != NAME or isinstance(found, str) or np.asarray(found).dtype.kind == "U"


def _volume_name(file: InputFile, sizes: ArraySizes) -> str:
    """Return the name of the array that is the volume."""
    found = {each.name: each for each in arrays_in(file)}
    volumes = [name for name, each in found.items() if len(each.shape) == 3]
    # Arrays with other than three axes, such as projections, can be in the same file.
    if sizes.array in volumes:
        return sizes.array
    if sizes.array or len(volumes) != 1:
        there = ", ".join(f"{name or 'one'} {_listed(each.shape)}" for name, each in found.items())
        raise FileFormatError(
            f"{file.name}: contains no volume {sizes.array[:40]!r} (arrays of real numbers: "
            f"[{there[:200]}]), expected one 3D array; state the array, for example "
            'array = "mu".'
            if sizes.array
            else f"{file.name}: contains {len(volumes)} volumes (arrays of real numbers: "
            f'[{there[:200]}]), expected one; state the array, for example array = "mu".'
        )
    return volumes[0]


def _affine(
    sizes: ArraySizes, centre_mm: tuple[float, ...], shape: tuple[int, ...]
) -> NDArray[np.float64]:
    """Return the matrix from indices to mm."""
    affine = np.eye(4)
    affine[:3, :3] = 0
    for index, (axis, sense) in enumerate(sizes.axes):
        affine[axis, index] = sense * sizes.voxel_mm[axis]
    affine[:3, 3] = np.asarray(centre_mm) - affine[:3, :3] @ ((np.asarray(shape) - 1) / 2)
    return affine


def _listed(shape: Sequence[float]) -> str:
    return " × ".join(f"{n:g}" for n in shape)
