"""Textures through CuPy. CuPy copies whole arrays only; parts are copied by a CUDA structure.

Queued work can still read a texture when its last reference is removed. Its memory is therefore
released only after the device has finished.
"""

from __future__ import annotations

import ctypes
import weakref
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from threading import RLock
from typing import Any

import numpy as np

from engine.core.backend.cupy_faults import faults_in_words
from engine.core.backend.gpu import Array, Texture, TextureKind
from engine.core.backend.textures import ROW_BYTES, check_shape, check_update, padded
from engine.core.errors import DeviceMemoryError

_LAYERED = 0x01  # cudaArrayLayered, which CuPy does not define
_ZEROS_BYTES = 1 << 24  # cleared at once
_lock = RLock()  # re-entrant: a holder of the lock can drop a texture
_n_keeping = 0
_references: list[list[object]] = []


class CupyTexture(Texture):
    """Stack of images in CUDA arrays, or in padded memory of CuPy."""

    def __init__(self, kind: TextureKind, shape: tuple[int, int, int]) -> None:
        check_shape(kind, shape)
        self.kind, self.shape = kind, shape
        self._arrays: list[Any] = []
        with faults_in_words("allocating memory for a texture"):
            if kind == "pitched":
                self._stored, objects = _pitched(shape)
                _, n_rows, n_columns = shape
                self.memory = self._stored[:, :n_rows, :n_columns]
            else:
                self._arrays = _arrays(kind, shape)
                objects = [_over_array(array) for array in self._arrays]
                self._clear()
            self.argument = _argument(kind, objects)
        # Not __del__: a finalizer also runs at exit and cannot revive the texture.
        weakref.finalize(self, _give_back, objects)

    def update(self, values: Array, first: int = 0) -> None:
        check_update(self.shape, values, first)
        with faults_in_words("copying to a texture"):
            if self.kind == "list":
                for i, array in enumerate(self._arrays[first : first + len(values)]):
                    _queue(_copy(values[i : i + 1], to_array=array))
            elif self.kind == "pitched":
                _queue(_copy(values, to_memory=self._stored[first:]))
            else:
                _queue(_copy(values, to_array=self._arrays[0], first=first))

    def _clear(self) -> None:
        import cupy

        n_layers, n_rows, n_columns = self.shape
        n = min(n_layers, max(1, _ZEROS_BYTES // (4 * n_rows * n_columns)))
        zeros = cupy.zeros((n, n_rows, n_columns), np.float32)
        for first in range(0, n_layers, n):
            self.update(zeros[: n_layers - first], first)


def _arrays(kind: TextureKind, shape: tuple[int, int, int]) -> list[Any]:
    """Return the CUDA arrays of a texture; their memory is outside CuPy's pool."""
    import cupy

    try:
        with faults_in_words("allocating memory for a texture"):
            return _new_arrays(kind, shape)
    except DeviceMemoryError:
        # the pool can contain free blocks that CUDA arrays cannot use
        cupy.get_default_memory_pool().free_all_blocks()
        return _new_arrays(kind, shape)


def _new_arrays(kind: TextureKind, shape: tuple[int, int, int]) -> list[Any]:
    from cupy.cuda.texture import CUDAarray

    n_layers, n_rows, n_columns = shape
    if kind == "list":
        return [CUDAarray(_float(), n_columns, n_rows) for _ in range(n_layers)]
    flags = _LAYERED if kind == "layered" else 0
    return [CUDAarray(_float(), n_columns, n_rows, n_layers, flags)]


def _pitched(shape: tuple[int, int, int]) -> tuple[Array, list[Any]]:
    """Return padded memory, all zero, and a texture object for each image in it."""
    import cupy
    from cupy.cuda import runtime
    from cupy.cuda.texture import ResourceDescriptor

    # The alignment of rows depends on the card; a texture object with another pitch is refused.
    asked = runtime.deviceGetAttribute(
        runtime.cudaDevAttrTexturePitchAlignment, runtime.getDevice()
    )
    stored = cupy.zeros(padded(shape, max(ROW_BYTES, asked)), np.float32)
    _, n_rows, n_columns = shape
    objects = [
        _object(
            ResourceDescriptor(
                runtime.cudaResourceTypePitch2D,
                arr=layer,
                chDesc=_float(),
                width=n_columns,
                height=n_rows,
                pitchInBytes=layer.strides[0],
            )
        )
        for layer in stored
    ]
    return stored, objects


def _over_array(array: Any) -> Any:
    from cupy.cuda import runtime
    from cupy.cuda.texture import ResourceDescriptor

    return _object(ResourceDescriptor(runtime.cudaResourceTypeArray, cuArr=array))


def _object(resource: Any) -> Any:
    from cupy.cuda.texture import TextureObject

    return TextureObject(resource, _reading())


def _reading() -> Any:
    """Return the read mode: zero outside, linear, coordinates in texels."""
    from cupy.cuda import runtime
    from cupy.cuda.texture import TextureDescriptor

    return TextureDescriptor(
        (runtime.cudaAddressModeBorder,) * 3,
        runtime.cudaFilterModeLinear,
        runtime.cudaReadModeElementType,
        normalizedCoords=0,
    )


def _float() -> Any:
    from cupy.cuda import runtime
    from cupy.cuda.texture import ChannelFormatDescriptor

    return ChannelFormatDescriptor(32, 0, 0, 0, runtime.cudaChannelFormatKindFloat)


def _argument(kind: TextureKind, objects: list[Any]) -> Any:
    import cupy

    handles = np.array([texture.ptr for texture in objects], np.uint64)
    # Many handles must be in device memory; a single one is passed as a kernel argument.
    return cupy.asarray(handles) if kind in ("list", "pitched") else handles[0]


@contextmanager
def keeping_textures() -> Iterator[None]:
    """Release no texture inside the block, in any thread and by any garbage collection.

    CUDA refuses to wait for the device while it captures a stream, and invalidates the graph.

    Yields
    ------
    nothing; textures dropped inside are released at the end
    """
    global _n_keeping
    with _lock:
        _n_keeping += 1
    try:
        yield
    finally:
        with _lock:
            _n_keeping -= 1
            # Released outside the lock: waiting for the device can take as long as a kernel.
            due = [] if _n_keeping else [_references.pop() for _ in range(len(_references))]
        for objects in due:
            _give_back(objects)


def _give_back(objects: list[Any]) -> None:
    from cupy.cuda import runtime

    with _lock:
        # Any thread can drop a texture, and the garbage collector runs at any allocation.
        if _n_keeping:
            _references.append(objects)
            return
        with suppress(runtime.CUDARuntimeError):
            runtime.deviceSynchronize()
    objects.clear()


class _Position(ctypes.Structure):
    _fields_ = (("x", ctypes.c_size_t), ("y", ctypes.c_size_t), ("z", ctypes.c_size_t))


class _Memory(ctypes.Structure):
    """`cudaPitchedPtr`: address, bytes per row, and size of an image."""

    _fields_ = (
        ("at", ctypes.c_void_p),
        ("pitch", ctypes.c_size_t),
        ("n_columns", ctypes.c_size_t),
        ("n_rows", ctypes.c_size_t),
    )


class _Copy(ctypes.Structure):
    """Parameters of `cudaMemcpy3DAsync`; x is in bytes, or in texels if a CUDA array takes part."""

    _fields_ = (
        ("from_array", ctypes.c_void_p),
        ("from_position", _Position),
        ("from_memory", _Memory),
        ("to_array", ctypes.c_void_p),
        ("to_position", _Position),
        ("to_memory", _Memory),
        ("extent", _Position),
        ("kind", ctypes.c_int),
    )


def _copy(
    values: Array, *, to_array: Any = None, to_memory: Array | None = None, first: int = 0
) -> _Copy:
    """Describe a copy of whole images to a CUDA array, from image `first` on, or to memory."""
    from cupy.cuda import runtime

    n_layers, n_rows, n_columns = values.shape
    copy = _Copy(from_memory=_memory(values), kind=runtime.memcpyDeviceToDevice)
    if to_memory is None:
        copy.to_array, copy.to_position = to_array.ptr, _Position(0, 0, first)
        # The unit of the extent depends on the participants (CUDA Runtime API, cudaMemcpy3DParms).
        copy.extent = _Position(n_columns, n_rows, n_layers)
    else:
        copy.to_memory = _memory(to_memory)
        copy.extent = _Position(4 * n_columns, n_rows, n_layers)
    return copy


def _memory(layers: Array) -> _Memory:
    _, n_rows, n_columns = layers.shape
    return _Memory(layers.data.ptr, 4 * n_columns, n_columns, n_rows)


def _queue(copy: _Copy) -> None:
    import cupy
    from cupy.cuda import runtime

    runtime.memcpy3DAsync(ctypes.addressof(copy), cupy.cuda.get_current_stream().ptr)
