"""Textures of an emulated GPU: arrays with handles that are never reused."""

from __future__ import annotations

import ctypes
import weakref
from typing import TYPE_CHECKING, Any

import numpy as np

from engine.core.backend.gpu import Texture, TextureKind
from engine.core.backend.textures import check_shape, check_update, padded
from tests.emulator.arrays import DeviceArray, bare

if TYPE_CHECKING:
    from tests.emulator.gpu import EmulatedGpu

_KINDS: dict[TextureKind, int] = {"list": 2, "pitched": 2, "array": 3, "layered": 1}


class _Texture(ctypes.Structure):
    """Same layout as in tests/emulator/runtime.h."""

    _fields_ = (
        ("data", ctypes.c_void_p),
        ("width", ctypes.c_int64),
        ("height", ctypes.c_int64),
        ("depth", ctypes.c_int64),
        ("row", ctypes.c_int64),
        ("slice_stride", ctypes.c_int64),
        ("kind", ctypes.c_int64),
    )


class _Textures(ctypes.Structure):
    _fields_ = (
        ("all", ctypes.POINTER(_Texture)),
        ("n", ctypes.c_uint64),
        ("exact", ctypes.c_int64),
    )


class TextureTable:
    """The textures of one GPU by handle; kernels get the table at each launch."""

    def __init__(self, *, exact: bool) -> None:
        self._all = (_Texture * 16)()
        self._table = _Textures(self._all, 0, exact)

    @property
    def address(self) -> int:
        """Return the address of the table for a launch."""
        return ctypes.addressof(self._table)

    def add(self, slices: np.ndarray, kind: TextureKind) -> int:
        """Return a new handle for slices (n_slices, n_rows, n_columns) with strided rows."""
        n = self._table.n
        if n == len(self._all):
            larger = (_Texture * (2 * n))()
            ctypes.memmove(larger, self._all, ctypes.sizeof(self._all))
            self._all = larger
            self._table.all = larger
        n_slices, n_rows, n_columns = slices.shape
        slice_stride, row, _ = (stride // 4 for stride in slices.strides)
        self._all[n] = _Texture(
            slices.ctypes.data, n_columns, n_rows, n_slices, row, slice_stride, _KINDS[kind]
        )
        self._table.n = n + 1
        return n + 1

    def forget(self, handles: list[int]) -> None:
        """Remove textures; kernels that read them fail."""
        for handle in handles:
            self._all[handle - 1].data = None


class EmulatedTexture(Texture):
    """Slices in a device array; padding between rows is NaN."""

    def __init__(self, kind: TextureKind, shape: tuple[int, int, int], gpu: EmulatedGpu) -> None:
        check_shape(kind, shape)
        gpu.refuse_while_recording("a texture")
        self.kind, self.shape, self._gpu = kind, shape, gpu
        stored = gpu.empty(padded(shape) if kind == "pitched" else shape, np.float32)
        stored[...] = np.nan
        _, n_rows, n_columns = shape
        self._slices: DeviceArray = stored[:, :n_rows, :n_columns]
        self._slices[...] = 0
        self.memory = self._slices if kind == "pitched" else None
        plain = bare(self._slices)
        if kind in ("array", "layered"):
            handles = [gpu.textures.add(plain, kind)]
            self.argument: Any = np.uint64(handles[0])
        else:
            handles = [gpu.textures.add(plain[i : i + 1], kind) for i in range(len(plain))]
            self.argument = gpu.upload(np.array(handles, np.uint64))
        weakref.finalize(self, gpu.textures.forget, handles).atexit = False

    def update(self, values: DeviceArray, first: int = 0) -> None:
        check_update(self.shape, values, first)
        self._gpu.copy_into(self._slices[first : first + len(values)], values)
