"""The same cone beams with TIGRE, if installed (`tigre`), from host memory to host memory.

TIGRE takes and returns NumPy arrays and copies them itself, so our runs copy too. Its arrays are
[z, y, x] and [view, row, column] like ours, in mm and radians, and its source is at (1, 0, 0) for
angle 0.
"""

from __future__ import annotations

from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from types import ModuleType
from typing import Any

import numpy as np

from engine.core.arrays import Array
from engine.core.errors import ResourceError
from engine.tools.benchmark.cone.suite import SOURCE_AXIS_MM, SOURCE_DETECTOR_MM, ConeWork
from engine.tools.benchmark.peers.peer_run import PeerRun, returning

TIGRE = "TIGRE, CUDA"
PACKAGES = ("tigre", "pytigre")
"""Names of its distributions."""
_REMEDY = "Install tigre with its CUDA extensions (https://github.com/CERN/TIGRE)."


def opened() -> tuple[ModuleType, str]:
    """Return TIGRE and its version.

    Returns
    -------
    tigre
        the module
    build
        its version

    Raises
    ------
    ResourceError
        if it is not installed, or cannot be loaded
    """
    build = _build()
    if build is None:
        raise ResourceError(f"TIGRE is not installed. {_REMEDY}")
    try:
        return import_module("tigre"), build
    except (ImportError, OSError) as e:
        raise ResourceError(f"{build}: TIGRE cannot be loaded ({e}). {_REMEDY}") from e


def _build() -> str | None:
    for name in PACKAGES:
        try:
            return f"TIGRE {version(name)}, as installed"
        except PackageNotFoundError:
            continue
    return None


def scene(tigre: ModuleType, work: ConeWork) -> Any:
    """Return the scan and the volume in TIGRE's form.

    Parameters
    ----------
    tigre
        the module
    work
        scan and volume
    """
    geo = tigre.geometry()
    geo.mode = "cone"
    geo.DSO, geo.DSD = SOURCE_AXIS_MM, SOURCE_DETECTOR_MM
    width, height = work.geometry.pixel_size_mm
    geo.nDetector, geo.dDetector = np.array(work.geometry.shape), np.array((height, width))
    geo.sDetector = geo.nDetector * geo.dDetector
    geo.nVoxel, geo.dVoxel = np.array(work.grid.shape), np.array(work.grid.voxel_mm[::-1])
    geo.sVoxel = geo.nVoxel * geo.dVoxel
    geo.offOrigin, geo.offDetector = np.zeros(3), np.zeros(2)
    # Samples per voxel of its interpolated line integrals; the others are exact
    geo.accuracy = 0.5
    return geo


class TigreCone:
    """One scan; its cases are prepared on request.

    Parameters
    ----------
    work : scan and volume
    head : (n_z, n_y, n_x), projected forward, on the host
    views : (n_views, n_rows, n_columns), reconstructed, on the host
    """

    def __init__(self, work: ConeWork, head: Array, views: Array) -> None:
        self._work = work
        self._head, self._views = (np.ascontiguousarray(a, np.float32) for a in (head, views))
        self._angles_rad = np.asarray(work.geometry.angles_rad, np.float32)

    def forward(self) -> PeerRun:
        """Return the case of line integrals of the volume, by Siddon's method."""
        tigre, build = opened()
        geo = scene(tigre, self._work)
        return returning(build, lambda: tigre.Ax(self._head, geo, self._angles_rad))

    def fdk(self) -> PeerRun:
        """Return the case of FDK of the views."""
        tigre, build = opened()
        geo, algorithms = scene(tigre, self._work), import_module("tigre.algorithms")
        return returning(build, lambda: algorithms.fdk(self._views, geo, self._angles_rad))
