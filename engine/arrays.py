"""Arrays of numpy or of a GPU: which module made one, and tables that both may index."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any

import numpy


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
