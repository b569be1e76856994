"""SciPy functions for arrays on any device: SciPy itself, or the same functions of CuPy."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType
from typing import Any


def ndimage_of(image: Any) -> ModuleType:
    """Return scipy.ndimage, or cupyx.scipy.ndimage for a CuPy image."""
    is_cupy = type(image).__module__.partition(".")[0] == "cupy"
    return import_module("cupyx.scipy.ndimage" if is_cupy else "scipy.ndimage")


def solvers_of_cupy() -> ModuleType:
    """Return cupyx.scipy.sparse.linalg, with the solvers and names of SciPy."""
    return import_module("cupyx.scipy.sparse.linalg")
