"""What scipy does with arrays, where the array is: scipy's own, or the same of CuPy."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType
from typing import Any


def ndimage_of(image: Any) -> ModuleType:
    """Return scipy.ndimage, or for an image of CuPy the module of the same name and functions."""
    is_cupy = type(image).__module__.partition(".")[0] == "cupy"
    return import_module("cupyx.scipy.ndimage" if is_cupy else "scipy.ndimage")


def solvers_of_cupy() -> ModuleType:
    """Return cupyx.scipy.sparse.linalg, whose solvers are named and used as scipy's."""
    return import_module("cupyx.scipy.sparse.linalg")
