"""Cone beams on the CPU: division of the back projection into blocks.

All variants have the same bits, since each voxel adds the views in their order. Any difference from
the default is an error.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from time import perf_counter

import numpy as np

from engine.core.arrays import Array
from engine.core.backend import Backend
from engine.core.json_types import Plain
from engine.core.profiling import Profiler
from engine.geometry.grid import ImageGrid
from engine.geometry.orbits import circle, circular_cone
from engine.geometry.xray import XrayGeometry
from engine.kernels.host_variants import BackForm
from engine.operators.xray.host import HostXray
from engine.operators.xray.scene import Scene, VolumeBox
from engine.tools.tuning.problem import TuningProblem, Values, worst
from engine.tools.tuning.threads import thread_numbers, values_to_store

UPDATES = 1 << 25
"""Voxels times views of one run per thread."""
LINES, VIEWS = (16, 32, 64, 128, 256, 512, 1024), (4, 8, 16, 32)
SEED = 5


@dataclass(frozen=True)
class TunedScan:
    """A scan for which kernels are tuned.

    Attributes
    ----------
    geometry : geometry of the scan
    grid : grid of the volume
    """

    geometry: XrayGeometry
    grid: ImageGrid

    @classmethod
    def standard(cls, size: int = 256, n_views: int = 360) -> TunedScan:
        """Return a full circle around a cube, as in `isocenter bench cone`.

        Parameters
        ----------
        size
            edge of the cube [voxels] and of the detector [pixels]
        n_views
            number of views
        """
        geometry = circular_cone(
            circle(n_views), source_axis_mm=1000, source_detector_mm=1500,
            shape=(size, size), pixel_mm=384 / size,
        )  # fmt: skip
        return cls(geometry, ImageGrid((size, size, size), (256 / size,) * 3))

    def thinned(self, n_views: int) -> Scene:
        """Return the scan with fewer views, evenly chosen.

        Parameters
        ----------
        n_views
            approximate number of views
        """
        n = self.geometry.n_views
        # Even steps: the rays then have all directions
        step = max(1, n // max(n_views, 1))
        return Scene(self.geometry.select(slice(0, n, step)), self.grid)

    @property
    def words(self) -> str:
        """The scan as text."""
        z, y, x = self.grid.shape
        rows, columns = self.geometry.shape
        return f"{x} × {y} × {z} voxels, {rows} × {columns} pixels"


class HostBack(TuningProblem):
    """The voxel-driven back projection."""

    title = "cone-beam back projection"

    def __init__(self, on: Backend, work: TunedScan | None = None) -> None:
        self.on, self._cone = on, work or TunedScan.standard()
        self._scene = self._cone.thinned(VIEWS[-1])
        self.slot, self._box = self._host(BackForm()).slot, self._part()
        n_z, n_y, n_x = self._box.shape
        self.work = f"{self._cone.words}; {n_x} × {n_y} × {n_z} in {self._scene.seen[0]} views"
        self.parameters = {"threads": thread_numbers(on)}
        self.shipped = {"threads": on.threads}
        # Other code paths have no blocks to choose
        if self.slot.shape.startswith("upright"):
            self.parameters |= {"lines": LINES, "views": VIEWS}
            self.shipped |= {"lines": BackForm().lines, "views": BackForm().views}
        self._reference: Array | None = None

    def prepare(self) -> None:
        host = self._host(BackForm())
        self._bordered = host.bordered()
        host.keep(np.random.default_rng(SEED).random(self._scene.seen, np.float32), self._bordered)

    def form(self, values: Values) -> Plain:
        return asdict(BackForm(**values_to_store(values, self.on)))

    def result(self, values: Values) -> Array:
        return self._host(BackForm(**values_to_store(values, self.on))).back_bordered(
            self._bordered, self._box
        )

    def seconds(self, values: Values) -> float:
        begin = perf_counter()
        self.result(values)
        return perf_counter() - begin

    def fault_of(self, result: Array) -> str:
        # The first result is that of the default, which the session runs first
        if self._reference is None:
            self._reference = result.copy()
        return worst(result, self._reference, 0.0)

    def _host(self, form: BackForm) -> HostXray:
        on = self.on
        return HostXray(self._scene, on=on, on_progress=None, profiler=Profiler(on), form=form)

    def _part(self) -> VolumeBox:
        """Return the rows around the centre of the volume that fit into one run."""
        n_z, n_y, n_x = self._cone.grid.shape
        # A run of about the same time on any machine
        n = max(1, min(n_y, UPDATES * self.on.threads // (n_z * n_x * self._scene.seen[0])))
        return VolumeBox((0, (n_y - n) // 2, 0), (n_z, n, n_x))
