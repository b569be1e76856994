"""Kernels that users write: a CUDA text for GPUs, and a Python twin for the CPU."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import prod
from pathlib import Path
from typing import Any, Literal

import numpy as np

from engine.core.arrays import Array
from engine.core.backend.gpu import Function, Gpu
from engine.core.checked import checked_class
from engine.core.errors import SettingsError
from engine.geometry.grid import ImageGrid
from engine.geometry.xray import XrayGeometry
from engine.kernels.cone.device_cone import back_rows
from engine.kernels.user_source import OPTIONS, complete, n_arguments, text_of
from engine.operators.base import Shape

Table = Callable[[XrayGeometry, ImageGrid], Any]
"""Computes an array that a kernel reads."""
MAX_THREADS = 1024
BLOCK = {"BLOCK_X": 32, "BLOCK_Y": 4, "BLOCK_Z": 1, "PER_THREAD": 1}
"""Default threads of a block, and elements along the first axis that a thread computes."""
CHOICES: dict[str, Sequence[int]] = {"BLOCK_X": (8, 16, 32, 64), "BLOCK_Y": (1, 2, 4, 8, 16)}
"""Values that the tuner tries."""


@checked_class(unchecked=("constants", "choices"))
@dataclass(frozen=True)
class UserKernel:
    '''Kernel of a user: a CUDA text for GPUs, and a Python function that computes the same.

    Both have the arguments `(values, matrices, *reads, sizes, out)` and the same name.

    Attributes
    ----------
    twin : function of NumPy or Numba that adds its result to `out`, which is zero
    text : CUDA text, or the path of its file, which is read again at each use
    reads : functions of geometry and grid that return the arrays `reads`, as float32
    threads_over : array with one thread per element: "out", or "in" for `values`
    constants : numbers that the text uses by their names. BLOCK_X, BLOCK_Y and BLOCK_Z are the
        threads of a block along the last three axes, last axis first. PER_THREAD is the number of
        elements along the first of these axes that a thread computes
    choices : values of some constants for the tuner

    Raises
    ------
    SettingsError
        if the text does not contain the kernel with these arguments, or a constant is invalid

    Examples
    --------
    >>> import numpy as np, engine
    >>> def total(values, matrices, sizes, out):
    ...     out += values.sum()
    >>> text = """extern "C" __global__ void total(
    ...     const float* values, const float* matrices, const int* sizes, float* out) {
    ...   for (int i = 0; i < sizes[N_VIEWS]; ++i) out[threadIdx.x] += values[i];
    ... }"""
    >>> engine.UserKernel(total, text).name
    'total'
    '''

    twin: Callable[..., None]
    text: str | Path
    reads: tuple[Table, ...] = ()
    threads_over: Literal["out", "in"] = "out"
    constants: Mapping[str, int | float] = field(default_factory=dict)
    choices: Mapping[str, Sequence[int]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        n_threads = prod(self.all_constants[name] for name in ("BLOCK_X", "BLOCK_Y", "BLOCK_Z"))
        if any(not _is_count(self.all_constants[name]) for name in BLOCK) or not (
            n_threads <= MAX_THREADS
        ):
            found = ", ".join(f"{name} = {self.all_constants[name]}" for name in BLOCK)
            raise SettingsError(
                f"kernel {self.name}: {found}; use whole numbers above 0, and at most "
                f"{MAX_THREADS} threads in a block."
            )
        self.source()

    @property
    def name(self) -> str:
        """Name of the twin and of the kernel in the text."""
        return self.twin.__name__

    @property
    def all_constants(self) -> dict[str, Any]:
        """Constants with the defaults of those that are not given."""
        return {**BLOCK, **self.constants}

    @property
    def all_choices(self) -> dict[str, Sequence[int]]:
        """Values of constants for the tuner, which contain the current ones."""
        now = self.all_constants
        found = {**CHOICES, **self.choices}
        return {name: tuple(dict.fromkeys((now[name], *some))) for name, some in found.items()}

    def with_constants(self, **constants: float) -> UserKernel:
        """Return the kernel with other values of constants.

        Parameters
        ----------
        constants
            values by name; others stay
        """
        return replace(self, constants={**self.constants, **constants})

    def source(self) -> str:
        """Return the complete source for the compiler.

        Raises
        ------
        SettingsError
            if the file cannot be read, or does not contain the kernel
        """
        n, expected = n_arguments(text_of(self.text), self.name), 4 + len(self.reads)
        if n is None:
            raise SettingsError(
                f"kernel {self.name}: the CUDA text does not contain it; define it as extern "
                f'"C" __global__ void {self.name}(...), with the name of its twin.'
            )
        if n != expected:
            raise SettingsError(
                f"kernel {self.name} has {n} arguments in the CUDA text, expected {expected}; use "
                f"values, matrices, {len(self.reads)} arrays of `reads`, sizes and out."
            )
        return complete(self.text, self.all_constants)

    def compiled(self, gpu: Gpu) -> Function:
        """Return the kernel for a GPU; only a changed source is compiled.

        Parameters
        ----------
        gpu
            the device

        Raises
        ------
        DeviceError
            if the text does not compile
        """
        return gpu.load(self.source(), OPTIONS).function(self.name)

    def tables(self, geometry: XrayGeometry, grid: ImageGrid) -> tuple[Array, ...]:
        """Return the arrays between `values` and `out`: matrices, `reads` and sizes.

        Parameters
        ----------
        geometry
            source and detector of each view
        grid
            the volume
        """
        rows = back_rows(geometry.in_voxels(grid), grid.shape, geometry.shape)
        sizes = np.array((geometry.n_views, *geometry.shape, *grid.shape), np.int32)
        given = (np.ascontiguousarray(read(geometry, grid), np.float32) for read in self.reads)
        return rows, *given, sizes

    def run(self, gpu: Gpu, values: Array, tables: tuple[Array, ...], shape: Shape) -> Array:
        """Queue the kernel, and return its result on the device.

        Parameters
        ----------
        gpu
            the device
        values
            input on the device, float32 and contiguous
        tables
            arrays of `tables` on the device
        shape
            shape of the result
        """
        kernel, now = self.compiled(gpu), self.all_constants
        out: Array = gpu.empty(shape, np.float32)
        gpu.zero(out)
        covered = shape if self.threads_over == "out" else values.shape
        # further axes in front belong to the first of the three
        z, y, x = prod(covered[:-2]), *((1, 1, *covered)[-2:])
        block = now["BLOCK_X"], now["BLOCK_Y"], now["BLOCK_Z"]
        sizes = x, y, -(-z // now["PER_THREAD"])
        grid = tuple(-(-size // of) for size, of in zip(sizes, block, strict=True))
        kernel(grid, block, values, *tables, out)
        return out

    def run_twin(self, values: Array, tables: tuple[Array, ...], shape: Shape) -> Array:
        """Return the result of the twin.

        Parameters
        ----------
        values
            input on the host
        tables
            arrays of `tables`
        shape
            shape of the result
        """
        out = np.zeros(shape, values.dtype)
        self.twin(values, *tables, out)
        return out


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value > 0
