"""A GPU with guard bands around its arrays, which are filled with NaN before use.

A write outside an array, which a card does not report, changes a guard band. An element that no
kernel wrote is NaN instead of a value from an earlier run.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from math import prod
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from engine.core.backend.gpu import Array, Gpu, Graph, Module, Stamp, Texture, TextureKind

FENCE_BYTES = 4096
"""Size of each guard band; a multiple of every alignment."""
_FILLED = 0xFF
"""Four such bytes are NaN as float32 and -1 as int32."""


class Fenced(Gpu):
    """A GPU with guard bands around all arrays that are allocated through it."""

    def __init__(self, gpu: Gpu) -> None:
        self._gpu, self.xp, self.facts = gpu, gpu.xp, gpu.facts
        # References keep the bands alive after their array is freed, so that late writes are seen
        # too.
        self._fences: list[Array] = []

    def n_broken(self) -> int:
        """Return the number of overwritten guard bytes, and release all guard bands."""
        fences, self._fences = self._fences, []
        return sum(int((self._gpu.download(fence) != _FILLED).sum()) for fence in fences)

    def faults(self, doing: str) -> AbstractContextManager[None]:
        return self._gpu.faults(doing)

    def load(self, source: str, options: tuple[str, ...]) -> Module:
        """Compile a module on the GPU below; code needs no guard bands.

        Parameters
        ----------
        source
            CUDA source text
        options
            options of the compiler
        """
        gpu = self._gpu
        return gpu.load(source, options)

    def empty(self, shape: tuple[int, ...], dtype: DTypeLike) -> Array:
        """Allocate an array between two guard bands.

        Parameters
        ----------
        shape
            shape of the array
        dtype
            element type

        Returns
        -------
        Array
            filled with bytes 0xFF: NaN as float, -1 as integer
        """
        n_bytes = prod(shape) * np.dtype(dtype).itemsize
        # One allocation, so that the bands are adjacent in memory and no other array is between.
        whole = self._gpu.empty((n_bytes + 2 * FENCE_BYTES,), np.uint8)
        whole[...] = _FILLED
        stop = FENCE_BYTES + n_bytes
        self._fences += [whole[:FENCE_BYTES], whole[stop:]]
        return whole[FENCE_BYTES:stop].view(dtype).reshape(shape)

    def upload(self, values: NDArray[Any], out: Array | None = None) -> Array:
        """Copy values to the device, into `out` or into a new guarded array.

        Parameters
        ----------
        values
            array of the host
        out
            target on the device; None: allocate one
        """
        # The target is C-ordered, whatever the memory order of the values.
        target = self.empty(values.shape, values.dtype) if out is None else out
        return self._gpu.upload(values, target)

    def download(self, values: Array, out: NDArray[Any] | None = None) -> NDArray[Any]:
        return self._gpu.download(values, out)

    def texture(self, kind: TextureKind, shape: tuple[int, int, int]) -> Texture:
        return self._gpu.texture(kind, shape)

    def copy(self, values: Array, out: Array) -> None:
        self._gpu.copy(values, out)

    def zero(self, values: Array) -> None:
        self._gpu.zero(values)

    def pinned(self, values: NDArray[Any]) -> NDArray[Any]:
        return self._gpu.pinned(values)

    def copying(self, *, to_host: bool = False) -> AbstractContextManager[None]:
        return self._gpu.copying(to_host=to_host)

    def stamp(self) -> Stamp:
        return self._gpu.stamp()

    def wait_for(self, stamp: Stamp) -> None:
        self._gpu.wait_for(stamp)

    def wait(self) -> None:
        self._gpu.wait()

    def record(self, work: Callable[[], None]) -> Graph:
        return self._gpu.record(work)

    def free_bytes(self) -> int:
        return self._gpu.free_bytes()

    def release(self) -> None:
        self._gpu.release()
