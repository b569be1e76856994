"""A replacement for the module `astra`: its three cone-beam algorithms with our projections.

It gets the scan in ASTRA's form: lengths in voxels, angles from its own zero, projections as
(n_rows, n_views, n_columns), and back projection in its own unit.
"""

from __future__ import annotations

from types import ModuleType, SimpleNamespace

import numpy as np

from engine.core.backend import Backend
from engine.geometry.grid import ImageGrid
from engine.geometry.orbits import circular_cone
from engine.geometry.xray import XrayGeometry
from engine.operators.xray.transform import XrayTransform
from engine.recon.filtering.fdk import fdk


class AstraError(Exception):
    """ASTRA's error: it has no class other than `Exception`."""


class StandIn(ModuleType):
    """The module.

    Parameters
    ----------
    on : device of its algorithms
    has_card : its answer about CUDA
    fails_in : algorithm that raises
    """

    def __init__(self, on: Backend, *, has_card: bool = True, fails_in: str = "") -> None:
        super().__init__("astra")
        self._on, self._has_card, self._fails_in = on, has_card, fails_in
        self.log = SimpleNamespace(AstraError=AstraError)
        self.held: dict[int, object] = {}
        self.data3d = SimpleNamespace(link=self._link, delete=self._delete)
        self.algorithm = SimpleNamespace(create=self._keep, run=self._run, delete=self._forget)

    def use_cuda(self) -> bool:
        return self._has_card

    def create_proj_geom(self, kind, width, height, rows, columns, angles, source, behind):
        assert (kind, width) == ("cone", height)
        return circular_cone(
            np.asarray(angles) - np.pi / 2,
            source_axis_mm=source,
            source_detector_mm=source + behind,
            shape=(rows, columns),
            pixel_mm=width,
        )

    def create_vol_geom(self, n_y, n_x, n_z):
        return ImageGrid((n_z, n_y, n_x), (1.0, 1.0, 1.0))

    def astra_dict(self, name):
        return {"type": name}

    def _keep(self, what):
        self.held[len(self.held) + 1] = what
        return len(self.held)

    def _link(self, kind, geometry, array):
        assert isinstance(geometry, XrayGeometry if kind == "-sino" else ImageGrid)
        return self._keep((geometry, array))

    def _forget(self, number):
        self.held[number] = None

    def _delete(self, numbers):
        for number in numbers:
            self._forget(number)

    def _run(self, number):
        settings = self.held[number]
        if settings["type"] == self._fails_in:
            raise AstraError("no memory\n left.")
        scan, views = self.held[settings["ProjectionDataId"]]
        volume = settings.get("VolumeDataId") or settings["ReconstructionDataId"]
        grid, image = self.held[volume]
        A = XrayTransform(scan, grid, on=self._on)
        if settings["type"] == "FP3D_CUDA":
            views[...] = A.forward(image).transpose(1, 0, 2)
            return
        given = self._on.xp.ascontiguousarray(views.transpose(1, 0, 2))
        if settings["type"] == "FDK_CUDA":
            image[...] = fdk(given, scan, grid, on=self._on)
        else:
            unit = np.linalg.norm(scan.source_mm[0]) / np.linalg.norm(
                scan.source_mm[0] - scan.detector_mm[0]
            )
            image[...] = A.back_project(given, weighting="fdk") * np.float32(unit**2)
