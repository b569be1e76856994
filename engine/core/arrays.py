"""Functions for NumPy and GPU arrays: find their module, copy them, scan large ones piecewise.

The Python array API standard and DLPack define the exchange with other libraries. A copy is made
only where a library cannot share its memory, or to move a result to the device of the input.
"""

from __future__ import annotations

import mmap
import sys
from collections.abc import Callable, Iterator
from hashlib import sha256
from importlib import import_module
from types import ModuleType
from typing import Any

import numpy
from numpy.typing import NDArray

from engine.core.errors import DataError, ResourceError
from engine.core.interactive import shown

Array = NDArray[Any]
"""A NumPy array, or a GPU array with the same interface; docstrings state a required dtype."""
Back = Callable[[Array], Any]
"""Converts a result, NumPy or CuPy, to the library and device of an input."""


def module_of(values: Any) -> ModuleType:
    """Return the array module of `values`: NumPy, or the module of the GPU.

    An array with `__array_namespace__` (Python array API standard) names its module itself. CuPy
    arrays do not have it, so the package of their type is used.

    Parameters
    ----------
    values
        array, NumPy or CuPy

    Returns
    -------
    `numpy`, `cupy` or another module of the array standard
    """
    if type(values) is numpy.ndarray:
        return numpy
    name = getattr(values, "__array_namespace__", None)
    module: ModuleType = name() if name else sys.modules[type(values).__module__.split(".")[0]]
    return module


def is_in_files(values: Any) -> bool:
    """Return True for an `OutOfCoreArray`, which is neither a NumPy array nor on a GPU.

    Parameters
    ----------
    values
        array of any library
    """
    # By name, because data types depend on this module.
    return type(values).__module__ == "engine.data.storage.out_of_core"


def only_read(values: Array) -> Array:
    """Return a read-only view of a NumPy array.

    Numba compiles a kernel once for writable arrays and once for read-only ones. Kernels get every
    array that they only read in this form. An array in a read-only file then needs no second
    compilation in the middle of a run.

    Parameters
    ----------
    values
        NumPy array, in memory or in a mapped file

    Returns
    -------
    view on the same memory; writing to it raises an error
    """
    view = values.view()
    view.flags.writeable = False
    return view


def to_host(values: Any) -> Any:
    """Return the values as a NumPy array, copied only if they are on a GPU.

    Parameters
    ----------
    values
        NumPy or CuPy array

    Returns
    -------
    `values` itself if it is a NumPy array
    """
    return values if module_of(values) is numpy else values.get()


def as_supported(values: Any) -> Any:
    """Return an array of any library as a NumPy or GPU array, without a copy.

    Parameters
    ----------
    values
        NumPy or CuPy array, an array with `__dlpack__` (PyTorch, JAX), or a nested sequence

    Returns
    -------
    NumPy array, or CuPy array if the values are on a GPU

    Raises
    ------
    DataError
        if the values are complex, because their imaginary part would be lost; if they are masked,
        have labels (xarray) or are not computed yet (Dask, JAX in `jit`); or if their device is
        neither the host nor a CUDA GPU
    """
    given, values = values, _converted(values)
    if getattr(values.dtype, "kind", "f") not in "biufc":
        raise DataError(
            f"got {shown(given)}, which contains no numbers, expected an array of real numbers; "
            "convert it with numpy.asarray(values, float)."
        )
    if values.dtype.kind == "c":
        raise DataError(
            f"The array has the complex type {values.dtype}, expected real numbers; pass the "
            "real and imaginary parts separately."
        )
    return values


_REFUSED = {
    "dask": "The Dask array is lazy, and its values would be computed here; pass array.compute().",
    "xarray": "The xarray object has labels, which the result would lose; pass array.values.",
    "sparse": "The array is sparse; pass array.todense().",
}
"""Library to the message that refuses its arrays."""


def _converted(values: Any) -> Any:
    if isinstance(values, numpy.ma.MaskedArray):
        raise DataError("The array has a mask, which would be lost; pass array.filled(0).")
    library = type(values).__module__.split(".")[0]
    # An import of arrays in files would map them, and lose their storage.
    if isinstance(values, numpy.ndarray) or library == "cupy" or is_in_files(values):
        return values
    if library in _REFUSED:
        raise DataError(_REFUSED[library])
    # Lists and numbers of a user's script have no device.
    if not hasattr(values, "__dlpack__"):
        return numpy.asarray(values)
    # DLPack states the device before the exchange, so the importing library can be chosen. Values
    # on a GPU are never requested from the host.
    device = _device_of(values)
    if device in _DLPACK_HOST:
        return _imported(numpy, values)
    if device not in _DLPACK_CUDA:
        raise DataError(
            f"The array is on a device of DLPack type {device}, expected the host (1) or a CUDA "
            "GPU (2); copy it to the host first."
        )
    return _imported(_module_of_gpu(), values)


def _imported(module: Any, values: Any) -> Any:
    try:
        return module.from_dlpack(values)
    except (BufferError, RuntimeError, TypeError) as e:
        # such as a tensor that requires a gradient, or half precision
        raise DataError(
            f"The array of {type(values).__module__.split('.')[0]} cannot be used here ({e}); "
            "detach it from its gradient, or convert it to float32."
        ) from e


def _device_of(values: Any) -> int:
    """Return the type of a device, as in dlpack.h."""
    try:
        return int(values.__dlpack_device__()[0])
    except (AttributeError, BufferError, RuntimeError, TypeError, ValueError) as e:
        # JAX passes arrays without values to functions in jit; meta tensors have none either
        raise DataError(
            f"The array of {type(values).__module__.split('.')[0]} has no values that can be read "
            f"({e}); call the operator outside of jit, with an array in memory."
        ) from e


def _module_of_gpu() -> ModuleType:
    try:
        return import_module("cupy")
    except ImportError as e:
        raise ResourceError(
            "The array is on a GPU, but CuPy is not installed; install isocenter[cuda13] (or "
            "cuda12), or copy the array to the host."
        ) from e


def accepted(values: Any) -> tuple[Array, Back]:
    """Return an array of any library as NumPy or CuPy, and the way back for results.

    Parameters
    ----------
    values
        array, see `as_supported`

    Returns
    -------
    the array, and a function that converts a result. Results for NumPy and CuPy arrays have the
    same type; nested sequences and unknown libraries get NumPy arrays, or CuPy arrays on a GPU

    Raises
    ------
    DataError
        if the values cannot be used, see `as_supported`
    """
    found = as_supported(values)
    xp = module_of(found)
    # CuPy's asarray does not copy its own arrays
    there: Back = to_host if xp is numpy else xp.asarray
    is_own = found is values or not hasattr(values, "__dlpack__")
    return found, there if is_own else _library_of(values, there)


def is_tensor(values: Any) -> bool:
    """Return whether the values are a tensor of PyTorch."""
    # Importing PyTorch takes seconds. If there is a tensor, it is imported already.
    kind = getattr(sys.modules.get("torch"), "Tensor", None)
    return kind is not None and isinstance(values, kind)


def _library_of(values: Any, there: Back) -> Back:
    """Return the function that converts results to the library of an array."""
    namespace, device = _namespace(values), getattr(values, "device", None)

    def back(result: Array) -> Any:
        result = there(result)
        if namespace is None:
            return result
        # DLPack cannot export a NumPy array that must not be changed
        if isinstance(result, numpy.ndarray) and not result.flags.writeable:
            result = result.copy()
        given = namespace.from_dlpack(result)
        # array_api_strict has several devices in the memory of the host
        moves = device is not None and getattr(given, "device", device) != device
        return namespace.asarray(given, device=device) if moves else given

    return back


def _namespace(values: Any) -> Any:
    """Return the module that creates arrays of this kind; None if it is unknown."""
    if is_tensor(values):
        return sys.modules["torch"]
    name = getattr(values, "__array_namespace__", None)
    found = None if name is None else name()
    return found if hasattr(found, "from_dlpack") else None


def as_like(values: Any, other: Any) -> Any:
    """Return the values on the host if another array is there, else unchanged.

    Parameters
    ----------
    values
        NumPy or CuPy array
    other
        array that decides
    """
    return to_host(values) if module_of(other) is numpy else values


def divided(numerator: Array, denominator: Array) -> Array:
    """Return the quotient of two arrays on the same device.

    Parameters
    ----------
    numerator, denominator
        NumPy or CuPy arrays of the same shape

    Returns
    -------
    a new array, 0 where the denominator is not positive
    """
    xp, positive = module_of(denominator), denominator > 0
    if xp is numpy:
        out = numpy.zeros_like(denominator)
        return numpy.divide(numerator, denominator, out=out, where=positive)
    # CuPy cannot leave out elements, so they are divided by 1.
    quotient: Array = numerator / xp.where(positive, denominator, denominator.dtype.type(1))
    quotient *= positive
    return quotient


_AT_ONCE, _LOOKED_AT = 32, 1 << 24
"""Number of images, and of values, that one step reads."""
_DLPACK_HOST = (1, 3)
"""kDLCPU and kDLCUDAHost of dlpack.h."""
_DLPACK_CUDA = (2, 13)
"""kDLCUDA and kDLCUDAManaged of dlpack.h."""


class Tables:
    """Cache of host tables on the device: each table is copied once, on first use."""

    def __init__(self) -> None:
        self._copies: dict[tuple[int, str], tuple[Any, Any]] = {}

    def like(self, values: Any, table: numpy.ndarray[Any, Any]) -> Any:
        """Return `table` as an array of the same module as `values`.

        Parameters
        ----------
        values
            array that the table is used with
        table
            NumPy array; it must not change after the first call

        Returns
        -------
        the table itself for NumPy, else a device copy that later calls reuse
        """
        xp = module_of(values)
        if xp is numpy:
            return table
        key = (id(table), xp.__name__)
        if key not in self._copies:
            self._copies[key] = (
                table,
                xp.asarray(table),
            )  # keeps the id in use
        return self._copies[key][1]


def n_not_finite(values: Array) -> int:
    """Return the number of values that are NaN or infinite."""
    return values.size - int(module_of(values).count_nonzero(module_of(values).isfinite(values)))


def not_finite_in(values: Array) -> tuple[int, int]:
    """Count the values that are NaN or infinite, and find the first.

    Reads a limited number of values at a time: they can be in a file larger than the memory.

    Parameters
    ----------
    values
        NumPy array, contiguous

    Returns
    -------
    number of such values, and the flat index of the first one (0 if there is none)
    """
    # A flat view: the caller converts the index to voxel coordinates for its message.
    n_bad, first, flat = 0, 0, values.reshape(-1)
    for start in range(0, flat.size, _LOOKED_AT):
        bad = ~numpy.isfinite(flat[start : start + _LOOKED_AT])
        if not n_bad and bad.any():
            first = start + int(numpy.argmax(bad))
        n_bad += int(numpy.count_nonzero(bad))
        # Without this the pages of a mapped file stay in memory until the whole file is resident.
        release_pages(values)
    return n_bad, first


def finite_range(values: Array) -> tuple[float, float]:
    """Return the smallest and the largest finite value of a NumPy array.

    Reads a limited number of values at a time, like `not_finite_in`.

    Parameters
    ----------
    values
        NumPy array, contiguous

    Returns
    -------
    minimum and maximum; NaN and NaN if no value is finite
    """
    low, high, flat = numpy.inf, -numpy.inf, values.reshape(-1)
    for start in range(0, flat.size, _LOOKED_AT):
        piece = flat[start : start + _LOOKED_AT]
        finite = piece[numpy.isfinite(piece)]
        if finite.size:
            low, high = min(low, float(finite.min())), max(high, float(finite.max()))
        release_pages(values)
    return (low, high) if low <= high else (numpy.nan, numpy.nan)


def release_pages(values: Array) -> None:
    """Release the memory pages of a mapped file; they are read again on the next access.

    Parameters
    ----------
    values
        any array; only views of a mapped file have an effect
    """
    base: object = values
    # Walk up to the object that owns the memory: views and reshaped arrays only refer to it.
    while isinstance(base, numpy.ndarray | memoryview):
        # a private map ("c") stores changes only in memory: they would be lost
        if isinstance(base, numpy.memmap) and base.mode == "c":
            return
        base = base.base if isinstance(base, numpy.ndarray) else base.obj
    # Only POSIX systems have madvise; on Windows the pages stay until the system needs them.
    if isinstance(base, mmap.mmap) and hasattr(mmap, "MADV_DONTNEED"):
        base.madvise(mmap.MADV_DONTNEED)


def largest(values: Array) -> float:
    """Return the largest value of a stack of images.

    Parameters
    ----------
    values
        images (n, ...); NumPy arrays are read some images at a time and NaN is ignored

    Returns
    -------
    the maximum; -inf for an empty or all-NaN NumPy array
    """
    if module_of(values) is not numpy:
        return float(values.max())
    top = -numpy.inf
    for start in range(0, len(values), _AT_ONCE):
        # fmax ignores NaN, unlike max: one bad voxel must not hide the scale of the display.
        top = float(numpy.fmax(top, numpy.fmax.reduce(values[start : start + _AT_ONCE], axis=None)))
        release_pages(values)
    return top


def sha256_of(values: Array) -> str:
    """Return the SHA-256 of the bytes of contiguous values of the host, read in pieces."""
    total = sha256()
    for piece in pieces_of(values):
        total.update(piece)
    return total.hexdigest()


def pieces_of(values: Array) -> Iterator[memoryview]:
    """Yield the bytes of a contiguous NumPy array piece by piece; it can be in a file."""
    # Bytes, because hash functions and files do not know dtypes.
    flat = values.reshape(-1).view(numpy.uint8)
    for start in range(0, len(flat), _LOOKED_AT):
        yield flat[start : start + _LOOKED_AT].data
        release_pages(values)
