"""Arrays of numpy or of a GPU: which module made one, and tables that both may index."""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType
from typing import Any

import numpy
from numpy.typing import NDArray

from engine.errors import DataError

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
