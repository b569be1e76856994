"""Arrays of numpy or of a GPU: which module made one, and tables that both may index."""

from __future__ import annotations

import mmap
import sys
from collections.abc import Iterator
from hashlib import sha256
from importlib import import_module
from types import ModuleType
from typing import Any

import numpy
from numpy.typing import NDArray

from engine.core.errors import DataError

Array = NDArray[Any]
"""An array of numpy, or one of a GPU that behaves alike; its dtype is told where it matters."""


def module_of(values: Any) -> ModuleType:
    """Return the array module of `values`: numpy, or the one of the GPU.

    An array that names its module by `__array_namespace__`, as the array standard asks, is
    believed; CuPy's do not, and belong to the package of their type.
    """
    if type(values) is numpy.ndarray:
        return numpy
    name = getattr(values, "__array_namespace__", None)
    module: ModuleType = name() if name else sys.modules[type(values).__module__.split(".")[0]]
    return module


def only_read(values: Array) -> Array:
    """Return an array of numpy that cannot be written to, with the same memory.

    Kernels are compiled for arrays that can be written to and for others apart: what they only read
    is passed so, wherever it lies, and none is compiled for a file in the middle of a run.
    """
    view = values.view()
    view.flags.writeable = False
    return view


def to_host(values: Any) -> Any:
    """Return the values as an array of numpy; those of numpy are not copied."""
    return values if module_of(values) is numpy else values.get()


def taken(values: Any) -> Any:
    """Return arrays of numpy and of a GPU as they are, others through DLPack, without a copy.

    Complex ones are refused: their imaginary part would be lost.
    """
    values = _taken(values)
    if values.dtype.kind == "c":
        raise DataError(
            f"Got an array of {values.dtype}, needs real numbers; give real and imaginary parts "
            "one after the other."
        )
    return values


def _taken(values: Any) -> Any:
    if isinstance(values, numpy.ndarray) or type(values).__module__.split(".")[0] == "cupy":
        return values
    if not hasattr(values, "__dlpack__"):
        return numpy.asarray(values)
    is_of_host = values.__dlpack_device__()[0] == _DLPACK_CPU
    return (numpy if is_of_host else import_module("cupy")).from_dlpack(values)


_AT_ONCE, _LOOKED_AT = 32, 1 << 24
"""Images, and values, that are looked at together."""
_DLPACK_CPU = 1
"""kDLCPU of dlpack.h."""


class Tables:
    """Tables of the host where their reader is: copied to a device once, when first asked for."""

    def __init__(self) -> None:
        self._copies: dict[tuple[int, str], tuple[Any, Any]] = {}

    def beside(self, values: Any, table: numpy.ndarray[Any, Any]) -> Any:
        """Return `table` as an array of the kind of `values`; a copy of it is kept."""
        xp = module_of(values)
        if xp is numpy:
            return table
        key = (id(table), xp.__name__)
        if key not in self._copies:
            self._copies[key] = (table, xp.asarray(table))  # with it, so that its id stays taken
        return self._copies[key][1]


def n_not_finite(values: Array) -> int:
    """Return how many values are NaN or infinite."""
    return int((~module_of(values).isfinite(values)).sum())


def not_finite_in(values: Array) -> tuple[int, int]:
    """Return how many values of the host are NaN or infinite, and the place of the first if flat.

    They are looked at some at a time: they may lie in a file that memory cannot hold.
    """
    n_bad, first, flat = 0, 0, values.reshape(-1)
    for start in range(0, flat.size, _LOOKED_AT):
        bad = ~numpy.isfinite(flat[start : start + _LOOKED_AT])
        if not n_bad and bad.any():
            first = start + int(numpy.argmax(bad))
        n_bad += int(numpy.count_nonzero(bad))
        rest(values)
    return n_bad, first


def finite_range(values: Array) -> tuple[float, float]:
    """Return the least and the greatest finite value of the host, NaN where there is none.

    They are looked at some at a time, as by `not_finite_in`.
    """
    low, high, flat = numpy.inf, -numpy.inf, values.reshape(-1)
    for start in range(0, flat.size, _LOOKED_AT):
        piece = flat[start : start + _LOOKED_AT]
        finite = piece[numpy.isfinite(piece)]
        if finite.size:
            low, high = min(low, float(finite.min())), max(high, float(finite.max()))
        rest(values)
    return (low, high) if low <= high else (numpy.nan, numpy.nan)


def rest(values: Array) -> None:
    """Give back the memory that values of a mapped file take while nobody looks at them."""
    base: object = values
    while isinstance(base, numpy.ndarray | memoryview):
        # a private map keeps changes in memory alone: they would be lost
        if isinstance(base, numpy.memmap) and base.mode == "c":
            return
        base = base.base if isinstance(base, numpy.ndarray) else base.obj
    if isinstance(base, mmap.mmap) and hasattr(mmap, "MADV_DONTNEED"):
        base.madvise(mmap.MADV_DONTNEED)


def largest(values: Array) -> float:
    """Return the largest of images (n, ...); on the host NaN is left out, some at a time."""
    if module_of(values) is not numpy:
        return float(values.max())
    top = -numpy.inf
    for start in range(0, len(values), _AT_ONCE):
        top = float(numpy.fmax(top, numpy.fmax.reduce(values[start : start + _AT_ONCE], axis=None)))
        rest(values)
    return top


def sha256_of(values: Array) -> str:
    """Return the SHA-256 of the bytes of contiguous values of the host, read in pieces."""
    total = sha256()
    for piece in pieces_of(values):
        total.update(piece)
    return total.hexdigest()


def pieces_of(values: Array) -> Iterator[memoryview]:
    """Yield the bytes of contiguous values of the host; they may lie in a file."""
    flat = values.reshape(-1).view(numpy.uint8)
    for start in range(0, len(flat), _LOOKED_AT):
        yield flat[start : start + _LOOKED_AT].data
        rest(values)
