"""A GPU whose arrays lie between fences, and hold no numbers until a kernel writes some.

A write beside an array, which a card does not tell, breaks a fence; a place that no kernel wrote
is NaN, and not by luck what an earlier run left there.
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
"""Before and behind every array; a multiple of what any access is aligned to."""
_FILLED = 0xFF
"""Four such bytes are NaN as a float, and -1 as a number."""


class Fenced(Gpu):
    """The GPU it is given, with fences around the arrays that are asked of it."""

    def __init__(self, gpu: Gpu) -> None:
        self._gpu, self.xp, self.facts = gpu, gpu.xp, gpu.facts
        self._fences: list[Array] = []

    def n_broken(self) -> int:
        """Count the bytes beside arrays that were written, and take all fences down."""
        fences, self._fences = self._fences, []
        return sum(int((self._gpu.download(fence) != _FILLED).sum()) for fence in fences)

    def faults(self, doing: str) -> AbstractContextManager[None]:
        return self._gpu.faults(doing)

    def load(self, source: str, options: tuple[str, ...]) -> Module:
        gpu = self._gpu
        return gpu.load(source, options)

    def empty(self, shape: tuple[int, ...], dtype: DTypeLike) -> Array:
        n_bytes = prod(shape) * np.dtype(dtype).itemsize
        whole = self._gpu.empty((n_bytes + 2 * FENCE_BYTES,), np.uint8)
        whole[...] = _FILLED
        stop = FENCE_BYTES + n_bytes
        self._fences += [whole[:FENCE_BYTES], whole[stop:]]
        return whole[FENCE_BYTES:stop].view(dtype).reshape(shape)

    def upload(self, values: NDArray[Any], out: Array | None = None) -> Array:
        # of the host's order in memory, whatever order the values come in
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
