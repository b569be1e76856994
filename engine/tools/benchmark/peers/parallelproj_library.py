"""The library of parallelproj 2: its location, its device and its functions.

Types follow its header, `parallelproj.h`; pointers may be of the host or of the GPU. Errors in its
C++ code end the process, so another process tries it first.
"""

from __future__ import annotations

import os
import sys
from ctypes import CDLL, c_char_p, c_float, c_int, c_short, c_size_t, c_ubyte, c_void_p
from ctypes.util import find_library
from functools import cache
from pathlib import Path
from typing import Literal

import numpy as np

from engine.core.arrays import Array
from engine.core.backend import Backend
from engine.core.errors import ResourceError
from engine.jobs.process.starting import new_process

VARIABLE = "ISOCENTER_PARALLELPROJ"
"""Path of the library, if it is not in this environment.

It may list several builds. A CPU measures all of them, a GPU the first.
"""
THREADS = 64
"""Threads per block of a GPU: its default."""
TRIAL_S = 60.0
"""Time limit for the response of a device."""

_RAYS = (c_void_p,) * 6 + (c_size_t, c_void_p)
_TIMES = (c_float, c_void_p, c_void_p, c_float, c_void_p, c_short, c_ubyte, c_ubyte)
_CARD = (c_int, c_int)


class ParallelprojLibrary:
    """Functions of the library on one device.

    Parameters
    ----------
    on : GPU, or CPU with its threads
    path : path of the library; None for the first one found

    Raises
    ------
    ResourceError
        if no library is found, or it does not work on the device
    """

    def __init__(self, on: Backend, path: str | None = None) -> None:
        path = path or next(iter(paths()), None)
        if path is None:
            raise ResourceError(f"libparallelproj is not installed. {_remedy(on)}")
        self._path, self._number = path, on.gpu.facts.number if on.gpu else None
        self._library = _loaded(path, on)
        if not _works(path, self._number):
            raise ResourceError(
                f"{path}, {on.label}: the library does not compute the correct length of a test "
                f"ray. {_remedy(on)}"
            )
        self._threads = on.threads

    @property
    def build(self) -> str:
        """Version, and the name of its file if it is not the installed one."""
        version = "2"
        if hasattr(self._library, "parallelproj_version"):
            self._library.parallelproj_version.restype = c_char_p
            version = self._library.parallelproj_version().decode()
        which = "as installed" if self._path in _installed() else Path(self._path).name
        return f"libparallelproj {version}, {which}"

    def call(self, direction: Literal["fwd", "back"], *values: float, timed: bool = False) -> None:
        """Project n rays forward or back; returns when the device has finished.

        Parameters
        ----------
        direction
            "fwd" or "back"
        values
            addresses of starts and ends, image, origin and voxel size, and sums; n; address of the
            image's shape; with `timed` the arguments of the header for time of flight
        timed
            True for time of flight
        """
        function = self._library[f"joseph3d{'_tof_lm' if timed else ''}_{direction}"]
        # The arguments depend on time of flight, so their types are set for every call
        function.argtypes, function.restype = (*_RAYS, *(_TIMES if timed else ()), *_CARD), None
        # OpenMP keeps the number of threads for the process, and other cases may have changed it
        if self._number is None and hasattr(self._library, "omp_set_num_threads"):
            self._library.omp_set_num_threads(self._threads)
        function(*values, self._number or 0, THREADS)


def address(values: Array) -> int:
    """Return the address of an array on the host or on the GPU.

    Parameters
    ----------
    values
        NumPy or CuPy array
    """
    facts = getattr(values, "__cuda_array_interface__", None) or values.__array_interface__
    return int(facts["data"][0])


def paths() -> list[str]:
    """Return paths of builds: those in the variable, or the installed one."""
    named = os.environ.get(VARIABLE, "").split(os.pathsep)
    return [path for path in named if path] or _installed()


def _installed() -> list[str]:
    here = Path(sys.prefix)
    places = (here / "lib" / "libparallelproj.so", here / "Library" / "bin" / "parallelproj.dll")
    found = next((str(place) for place in places if place.exists()), None)
    found = found or find_library("parallelproj")
    return [found] if found else []


def _loaded(path: str, on: Backend) -> CDLL:
    try:
        library = CDLL(path)
    except OSError as e:
        raise ResourceError(f"{path}: the library cannot be loaded ({e}). {_remedy(on)}") from e
    # Another library may have this name
    if not hasattr(library, "parallelproj_cuda_enabled"):
        raise ResourceError(f"{path}: this library is not libparallelproj 2. {_remedy(on)}")
    has_cuda = bool(library.parallelproj_cuda_enabled())
    if on.is_cuda and not has_cuda:
        # it would use pointers of the GPU as host pointers
        raise ResourceError(
            f"{path}: this library was built without CUDA and cannot use a GPU. {_remedy(on)}"
        )
    if has_cuda and not on.is_cuda:
        raise ResourceError(
            f"{path}: this library was built with CUDA and cannot run on the CPU. {_remedy(on)}"
        )
    return library


def _remedy(on: Backend) -> str:
    if on.is_cuda:
        return (
            f"Install libparallelproj with CUDA from conda-forge, or give its path in {VARIABLE}."
        )
    return f"Install libparallelproj without CUDA from conda-forge, or give its path in {VARIABLE}."


@cache
def _works(path: str, number: int | None) -> bool:
    # A build for other hardware can crash at its first call
    trial = new_process(_tried, path, number, name="libparallelproj")
    trial.start()
    # A driver that does not answer would block forever
    trial.join(TRIAL_S)
    if trial.is_alive():
        trial.kill()
        trial.join()
    return trial.exitcode == 0


def _tried(path: str, number: int | None) -> None:
    """Exit with 0 if a ray through one voxel of 2 mm is 2 mm long."""
    start, end = (np.array([x, 0, 0], np.float32) for x in (-4, 4))
    image, voxel, length = (
        np.ones(1, np.float32),
        np.full(3, 2, np.float32),
        np.zeros(1, np.float32),
    )
    origin, shape = np.zeros(3, np.float32), np.ones(3, np.int32)
    function = CDLL(path).joseph3d_fwd
    function.argtypes, function.restype = (*_RAYS, *_CARD), None
    arrays = (start, end, image, origin, voxel, length)
    function(*map(address, arrays), 1, address(shape), number or 0, THREADS)
    sys.exit(0 if abs(length[0] - 2) < 0.01 else 1)
