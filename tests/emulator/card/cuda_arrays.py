"""CUDA arrays, texture objects over them, and copies of boxes into them.

Only one texture mode is supported: single floats, linear interpolation, zero outside, and
coordinates in texels.
"""

from __future__ import annotations

import ctypes
import math
from ctypes import c_uint64, c_void_p
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tests.emulator.card.card import ADDRESS, SIZE, UINT, Card, call, put
from tests.emulator.card.copying import check_alive, queue_copy
from tests.emulator.card.errors import CudaError, Status
from tests.emulator.card.machine import PITCH_ALIGNMENT
from tests.emulator.card.structures import (
    Channels,
    Memcpy3D,
    Pitched,
    Position,
    ResourceDesc,
    TextureDesc,
)

_LAYERED = 1
_BORDER, _LINEAR, _AS_IS = 3, 1, 0
_OF_ARRAY, _PITCHED = 0, 3
_FLOAT = (32, 0, 0, 0, 2)
_DEVICE_TO_DEVICE = 3


@dataclass(frozen=True, eq=False)
class CudaArray:
    """A CUDA array of floats (n_layers, n_rows, n_columns); callers cannot see its layout."""

    values: NDArray[np.float32]
    is_layered: bool
    is_deep: bool
    """True if the array has three dimensions."""


def _check(wanted: bool, words: str, card: Card) -> None:
    if not wanted:
        card.note(words)
        raise CudaError(Status.INVALID_VALUE, words)


def _is_float(channels: Channels) -> bool:
    return (channels.x, channels.y, channels.z, channels.w, channels.kind) == _FLOAT


def _new(card: Card, at: int, channels: int, extent: Position, flags: int) -> None:
    floats = _is_float(Channels.from_address(channels))
    _check(floats and not flags & ~_LAYERED, "an array without floats", card)
    most = (32768, 32768, 2048) if flags else (16384, 16384, 16384) if extent.z else (131072,) * 3
    given = (extent.x, extent.y, extent.z)
    _check(all(n <= limit for n, limit in zip(given, most, strict=True)), "too large", card)
    shape = (max(extent.z, 1), max(extent.y, 1), extent.x)
    card.memory.charge(4 * math.prod(shape))
    cuda_array = CudaArray(np.full(shape, np.nan, np.float32), bool(flags), extent.z > 0)
    put(at, c_void_p, card.work.new(card.arrays, cuda_array))


@call(ADDRESS, ADDRESS, Position, UINT)
def cudaMalloc3DArray(card: Card, at: int, channels: int, extent: Position, flags: int) -> None:
    _new(card, at, channels, extent, flags)


@call(ADDRESS, ADDRESS, SIZE, SIZE, UINT)
def cudaMallocArray(card: Card, at: int, channels: int, x: int, y: int, flags: int) -> None:
    _new(card, at, channels, Position(x, y, 0), flags)


@call(ADDRESS)
def cudaFreeArray(card: Card, handle: int | None) -> None:
    if handle is None:
        return
    _check(handle in card.arrays, f"{handle} is no array", card)
    card.work.finish_all()
    card.memory.charge(-card.arrays.pop(handle).values.nbytes)


@call(ADDRESS, ADDRESS, ADDRESS, ADDRESS)
def cudaCreateTextureObject(
    card: Card, at: int, resource: int, texture: int, view: int | None
) -> None:
    of, how = ResourceDesc.from_address(resource), TextureDesc.from_address(texture)
    reads = (*how.addressMode, how.filterMode, how.readMode, how.normalizedCoords)
    same = reads == (_BORDER, _BORDER, _BORDER, _LINEAR, _AS_IS, 0) and not any(how.borderColor)
    _check(same and view is None, f"an unsupported texture mode: {reads}", card)
    if of.resType == _OF_ARRAY:
        _check(of.res.array in card.arrays, "a texture without an array", card)
        cuda_array = card.arrays[of.res.array]
        kind = "layered" if cuda_array.is_layered else "array" if cuda_array.is_deep else "list"
        values = cuda_array.values
    else:
        _check(of.resType == _PITCHED, f"a texture of {of.resType}", card)
        values, kind = _pitched(card, of), "pitched"
    handle = card.textures.add(values, kind)
    card.texture_objects[handle] = values
    put(at, c_uint64, handle)


def _pitched(card: Card, of: ResourceDesc) -> NDArray[np.float32]:
    """Return the image in memory for a texture."""
    flat = of.res.pitch2D
    n_bytes = flat.pitchInBytes * (flat.height - 1) + 4 * flat.width
    card.check(flat.devPtr, n_bytes, "a texture in memory")
    rows_fit = flat.pitchInBytes % PITCH_ALIGNMENT == 0 and flat.pitchInBytes >= 4 * flat.width
    fits = rows_fit and flat.devPtr % 512 == 0 and _is_float(flat.desc)
    _check(fits, f"a texture at {flat.devPtr:#x}, rows of {flat.pitchInBytes} bytes", card)
    memory = (ctypes.c_uint8 * n_bytes).from_address(flat.devPtr)
    shape = (1, flat.height, flat.width)
    return np.ndarray(shape, np.float32, memory, strides=(n_bytes // 4 * 4, flat.pitchInBytes, 4))


@call(c_uint64)
def cudaDestroyTextureObject(card: Card, handle: int) -> None:
    _check(card.texture_objects.pop(handle, None) is not None, f"{handle} is no texture", card)
    card.textures.forget([handle])


@call(ADDRESS, ADDRESS)
def cudaMemcpy3DAsync(card: Card, at: int, stream: int | None) -> None:
    """Copy a box of device memory into an array or into device memory."""
    given = Memcpy3D.from_buffer_copy(Memcpy3D.from_address(at))
    _check(given.kind == _DEVICE_TO_DEVICE and not given.srcArray, "a copy of another kind", card)
    size = given.extent
    if not size.x * size.y * size.z:
        return
    n_bytes = size.x * (4 if given.dstArray else 1)
    source = _rows(card, given.srcPtr, given.srcPos, size, n_bytes)
    if given.dstArray:
        _check(given.dstArray in card.arrays, "a copy without an array", card)
        _check(not given.dstPtr.ptr, "a copy to an array and to memory", card)
        values, first = card.arrays[given.dstArray].values, given.dstPos
        ends = (first.z + size.z, first.y + size.y, first.x + size.x)
        fits = all(n <= limit for n, limit in zip(ends, values.shape, strict=True))
        _check(fits, f"a copy up to {ends} of an array {values.shape}", card)
        base = values.ctypes.data + 4 * first.x
        _, n_rows, n_columns = values.shape
        pitched = Pitched(base, 4 * n_columns, 4 * n_columns, n_rows)
        target = _places(pitched, Position(0, first.y, first.z), size)
    else:
        target = _rows(card, given.dstPtr, given.dstPos, size, n_bytes)
    array = card.arrays.get(given.dstArray)

    def copy(_: int) -> None:
        for here, there in zip(source, target, strict=True):
            ends = ((here, "device"),) if array else ((here, "device"), (there, "device"))
            check_alive(card, ends, n_bytes)
            ctypes.memmove(there, here, n_bytes)

    queue_copy(card, card.work.stream(stream), copy, (source[0], "device", n_bytes), "device")


def _rows(card: Card, of: Pitched, first: Position, size: Position, n_bytes: int) -> list[int]:
    """Return the address of each row of a box; check that all of it is in the card's memory."""
    within = first.x + n_bytes <= of.pitch and (size.z == 1 or first.y + size.y <= of.ysize)
    _check(within, f"a copy of rows of {n_bytes} bytes, {of.pitch} apart", card)
    places = _places(of, first, size)
    for at in (places[0], places[-1]):
        card.check(at, n_bytes, "a copy of a box")
    return places


def _places(of: Pitched, first: Position, size: Position) -> list[int]:
    start = (of.ptr or 0) + first.x
    return [
        start + ((first.z + z) * of.ysize + first.y + y) * of.pitch
        for z in range(size.z)
        for y in range(size.y)
    ]
