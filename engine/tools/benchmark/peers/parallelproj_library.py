"""The library of parallelproj 2: where it lies, what it computes on, and its functions.

Their types are those of its header, `parallelproj.h`; pointers may be of the host or of the card.
It is C++ whose faults end the process, so that another process tries it first.
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
"""Path of the library, where it lies elsewhere than in the environment of this Python; or paths of
several builds, which a processor measures one by one, a card the first."""
THREADS = 64
"""In a block of a card: its own default."""
TRIAL_S = 60.0
"""Seconds after which a device that does not answer is given up."""

_RAYS = (c_void_p,) * 6 + (c_size_t, c_void_p)
_TIMES = (c_float, c_void_p, c_void_p, c_float, c_void_p, c_short, c_ubyte, c_ubyte)
_CARD = (c_int, c_int)


class ParallelprojLibrary:
    """Its functions, on one device.

    Parameters
    ----------
    on : a card, or the processor with its threads
    path : of the library; None: of the first that is there
    """

    def __init__(self, on: Backend, path: str | None = None) -> None:
        path = path or next(iter(paths()), None)
        if path is None:
            raise ResourceError(f"libparallelproj is not installed; {_remedy(on)}.")
        self._path, self._number = path, on.gpu.facts.number if on.gpu else None
        self._library = _loaded(path, on)
        if not _works(path, self._number):
            raise ResourceError(
                f"{path}: does not find the length of one ray on this "
                f"{'card' if on.is_cuda else 'processor'}; {_remedy(on)}."
            )
        self._threads = on.threads

    @property
    def build(self) -> str:
        """Which one it is: its version, and the name of its file where it is not the installed."""
        version = "2"
        if hasattr(self._library, "parallelproj_version"):
            self._library.parallelproj_version.restype = c_char_p
            version = self._library.parallelproj_version().decode()
        which = "as installed" if self._path in _installed() else Path(self._path).name
        return f"libparallelproj {version}, {which}"

    def call(self, direction: Literal["fwd", "back"], *values: float, timed: bool = False) -> None:
        """Project (n,) rays, or add them up back; returns when the device has.

        values : addresses of their starts and ends, the image, its origin and voxel, the sums; n;
            address of the image's shape; with `timed` what its header says of times of flight
        """
        function = self._library[f"joseph3d{'_tof_lm' if timed else ''}_{direction}"]
        function.argtypes, function.restype = (*_RAYS, *(_TIMES if timed else ()), *_CARD), None
        if self._number is None and hasattr(self._library, "omp_set_num_threads"):
            self._library.omp_set_num_threads(self._threads)
        function(*values, self._number or 0, THREADS)


def address(values: Array) -> int:
    """Return where an array of the host or of the card begins."""
    facts = getattr(values, "__cuda_array_interface__", None) or values.__array_interface__
    return int(facts["data"][0])


def paths() -> list[str]:
    """Return where builds lie: those that the variable names, or the one that is installed."""
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
        raise ResourceError(f"{path}: cannot be loaded ({e}); {_remedy(on)}.") from e
    if not hasattr(library, "parallelproj_cuda_enabled"):
        raise ResourceError(f"{path}: no libparallelproj of version 2; {_remedy(on)}.")
    has_cuda = bool(library.parallelproj_cuda_enabled())
    if on.is_cuda and not has_cuda:
        # it would take pointers of a card for such of the host
        raise ResourceError(f"{path}: built without CUDA; {_remedy(on)}.")
    if has_cuda and not on.is_cuda:
        raise ResourceError(f"{path}: built with CUDA, so that it runs on a card; {_remedy(on)}.")
    return library


def _remedy(on: Backend) -> str:
    which = "with" if on.is_cuda else "without"
    return f"install libparallelproj {which} CUDA from conda-forge, or give its path in {VARIABLE}"


@cache
def _works(path: str, number: int | None) -> bool:
    trial = new_process(_tried, path, number, name="libparallelproj")
    trial.start()
    trial.join(TRIAL_S)
    if trial.is_alive():
        trial.kill()
        trial.join()
    return trial.exitcode == 0


def _tried(path: str, number: int | None) -> None:
    """End without a fault if a ray through one voxel of 2 mm is 2 mm long."""
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
