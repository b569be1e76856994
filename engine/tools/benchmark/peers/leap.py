"""The same cone beams with LEAP's CPU code, from a library that the user compiled.

LEAP uses all processors of the process. Its angles are ours plus 90°, and its volume is zero
outside of the cylinder that all views see; see `docs/benchmarks/peers.md`.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.ctypeslib import ndpointer

from engine.core.arrays import Array
from engine.core.backend.processor import usable_cores
from engine.core.errors import ResourceError
from engine.tools.benchmark.cone.suite import (
    FDK,
    FORWARD,
    SOURCE_AXIS_MM,
    SOURCE_DETECTOR_MM,
    ConeWork,
)

NAME = "LEAP"
VARIABLE = "ISOCENTER_LEAP"
"""Environment variable with the path of the library."""
_VOLUME_ZYX = 1
_REALS = ndpointer(np.float32, flags="C_CONTIGUOUS")
_WHOLE, _REAL = ctypes.c_int, ctypes.c_float


def build() -> str | None:
    """Return the name of the library; None if the variable is not set."""
    path = os.environ.get(VARIABLE)
    return f"LEAP, CPU, {Path(path).name}" if path else None


def cases(
    work: ConeWork, volume: Array, scan: Array, threads: int
) -> dict[str, Callable[[], Array]]:
    """Return the cases under our names, with results in our order of axes.

    Parameters
    ----------
    work
        scan and volume
    volume
        (n_z, n_y, n_x), projected forward
    scan
        (n_views, n_rows, n_columns), reconstructed
    threads
        CPU threads of our runs

    Raises
    ------
    OSError
        if the library cannot be loaded
    ResourceError
        if our runs have other threads, or if LEAP refuses the scan
    """
    if threads != usable_cores():
        raise ResourceError(
            f"LEAP uses all {usable_cores()} processors, but --threads is {threads}; start "
            "Isocenter on as many processors as it has threads, for example by taskset."
        )
    call = partial(_called, _library())
    call("set_model", call("create_new_model"))
    call("set_volumeDimensionOrder", _VOLUME_ZYX)
    (n_rows, n_columns), (width, height) = work.geometry.shape, work.geometry.pixel_size_mm
    angles_deg = (np.degrees(work.geometry.angles_rad) + 90).astype(np.float32)
    middle = (n_rows - 1) / 2, (n_columns - 1) / 2
    # The last three: shift and tilt of the axis, and the pitch of a helix
    distances = SOURCE_AXIS_MM, SOURCE_DETECTOR_MM, 0.0, 0.0, 0.0
    detector = work.n_views, n_rows, n_columns, height, width, *middle
    call("set_conebeam", *detector, angles_deg, *distances)
    n_z, n_y, n_x = work.grid.shape
    voxel_mm, _, slice_mm = work.grid.voxel_mm
    call("set_volume", n_x, n_y, n_z, voxel_mm, slice_mm, 0.0, 0.0, 0.0)
    solid, views = (np.ascontiguousarray(a, np.float32) for a in (volume, scan))

    def forward() -> Array:
        sums = np.zeros(views.shape, np.float32)
        call("project_cpu", sums, solid)
        return sums

    def fdk() -> Array:
        image = np.zeros(solid.shape, np.float32)
        # A copy, since LEAP may filter in place
        call("FBP_cpu", views.copy(), image)
        return image

    return {FORWARD: forward, FDK: fdk}


def _library() -> ctypes.CDLL:
    library = ctypes.CDLL(os.environ[VARIABLE])
    given = {
        "create_new_model": [],
        "set_model": [_WHOLE],
        "set_volumeDimensionOrder": [_WHOLE],
        "set_conebeam": [*[_WHOLE] * 3, *[_REAL] * 4, _REALS, *[_REAL] * 5],
        "set_volume": [*[_WHOLE] * 3, *[_REAL] * 5],
        "project_cpu": [_REALS, _REALS],
        "FBP_cpu": [_REALS, _REALS],
    }
    for name, types in given.items():
        function = getattr(library, name)
        function.argtypes, function.restype = types, ctypes.c_bool
    library.create_new_model.restype = _WHOLE
    return library


def _called(library: ctypes.CDLL, name: str, *given: Any) -> Any:
    """Call a function of LEAP, which returns False if it fails."""
    result = getattr(library, name)(*given)
    if result is False:
        raise ResourceError(f"LEAP's function {name} failed; try another version of its library.")
    return result
