"""The same cone beams with the CUDA code of ASTRA, if installed (`astra-toolbox`).

Its unit of length is the voxel; its projections are (n_rows, n_views, n_columns). Its back
projection is ours times the square of (distance from source to axis / distance from source to
detector).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from types import ModuleType

import numpy as np

from engine.core.arrays import Array
from engine.core.backend.gpu import Gpu
from engine.core.errors import ResourceError
from engine.core.json_types import Plain
from engine.tools.benchmark.cone.suite import SOURCE_AXIS_MM, SOURCE_DETECTOR_MM, ConeWork
from engine.tools.benchmark.peers import astra as peer_astra
from engine.tools.benchmark.peers.peer_run import PeerRun

ASTRA = "ASTRA, CUDA"
_REMEDY = "Install astra-toolbox with CUDA, from its wheel or from conda-forge."


def opened() -> tuple[ModuleType, str]:
    """Return ASTRA and its version.

    Returns
    -------
    astra
        the module
    build
        its version

    Raises
    ------
    ResourceError
        if it is not installed, or finds no GPU
    """
    build = peer_astra.build()
    if build is None:
        raise ResourceError(f"ASTRA is not installed. {_REMEDY}")
    try:
        astra = import_module("astra")
    except (ImportError, OSError) as e:
        raise ResourceError(f"{build}: ASTRA cannot be loaded ({e}). {_REMEDY}") from e
    if not astra.use_cuda():
        raise ResourceError(f"{build}: ASTRA finds no GPU. {_REMEDY}")
    return astra, build


def beams(astra: ModuleType, work: ConeWork) -> Plain:
    """Return the scan in ASTRA's form.

    Parameters
    ----------
    astra
        the module
    work
        scan and volume
    """
    geometry, voxel = work.geometry, work.grid.voxel_mm[0]
    width, height = (size / voxel for size in geometry.pixel_size_mm)
    # its source is at (sin t, −cos t)
    angles = geometry.angles_rad + np.pi / 2
    # ASTRA has the distance from axis to detector, not from source to detector
    behind_mm = SOURCE_DETECTOR_MM - SOURCE_AXIS_MM
    distances = SOURCE_AXIS_MM / voxel, behind_mm / voxel
    scan: Plain = astra.create_proj_geom("cone", width, height, *geometry.shape, angles, *distances)
    return scan


class AstraCone:
    """One scan, whose cases are prepared on request.

    Parameters
    ----------
    gpu : GPU
    work : scan and volume
    head : (n_z, n_y, n_x), projected forward, on the GPU
    views : (n_views, n_rows, n_columns), projected back, on the GPU
    """

    def __init__(self, gpu: Gpu, work: ConeWork, head: Array, views: Array) -> None:
        self._gpu, self._work, self._head, self._views = gpu, work, head, views
        self._voxel = np.float32(work.grid.voxel_mm[0])

    def forward(self) -> PeerRun:
        """Return the case of line integrals of the volume."""
        n_views, (n_rows, n_columns) = self._work.n_views, self._work.geometry.shape
        made = self._gpu.xp.zeros((n_rows, n_views, n_columns), np.float32)
        linked = {"VolumeDataId": self._head, "ProjectionDataId": made}
        return self._peer_run("FP3D_CUDA", linked, lambda: made.transpose(1, 0, 2) * self._voxel)

    def back(self) -> PeerRun:
        """Return the case of the back projection of the views."""
        return self._to_volume("BP3D_CUDA", np.float32(1))

    def fdk(self) -> PeerRun:
        """Return the case of FDK of the views."""
        return self._to_volume("FDK_CUDA", 1 / self._voxel)

    def _to_volume(self, algorithm: str, unit: np.float32) -> PeerRun:
        made = self._gpu.xp.zeros(self._head.shape, np.float32)
        # a copy, since ASTRA filters in place
        given = self._gpu.xp.ascontiguousarray(self._views.transpose(1, 0, 2))
        linked = {"ReconstructionDataId": made, "ProjectionDataId": given}
        return self._peer_run(algorithm, linked, lambda: made * unit)

    def _peer_run(
        self, algorithm: str, arrays: dict[str, Array], result: Callable[[], Array]
    ) -> PeerRun:
        """Link arrays on the GPU to an algorithm; `result` returns the array that it writes."""
        astra, build = opened()
        # ASTRA selects the GPU for the whole process
        if self._gpu.facts.number:
            astra.set_gpu_index(self._gpu.facts.number)
        volume = astra.create_vol_geom(*self._work.grid.shape[1:], self._work.grid.shape[0])
        settings: Plain = astra.astra_dict(algorithm)
        with _in_words(astra):
            for name, array in arrays.items():
                of = ("-sino", beams(astra, self._work)) if "Proj" in name else ("-vol", volume)
                # Linked, not copied: the data are on the GPU already
                settings[name] = astra.data3d.link(*of, array)
            number = astra.algorithm.create(settings)

        def run() -> None:
            with _in_words(astra):
                astra.algorithm.run(number)

        def close() -> None:
            astra.algorithm.delete(number)
            astra.data3d.delete([settings[name] for name in arrays])

        return PeerRun(build, run, result, close)


@contextmanager
def _in_words(astra: ModuleType) -> Iterator[None]:
    try:
        yield
    except astra.log.AstraError as e:
        raise ResourceError(f"ASTRA failed: {' '.join(str(e).split()).rstrip('.')}.") from e
