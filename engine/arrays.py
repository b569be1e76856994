"""Arrays of numpy or of a GPU: which module made one."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any

import numpy


def module_of(values: Any) -> ModuleType:
    """Return the array module of `values`: numpy, or the one of the GPU."""
    if isinstance(values, numpy.ndarray):
        return numpy
    return sys.modules[type(values).__module__.partition(".")[0]]
