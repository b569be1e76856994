"""Cone beams on a GPU: textures, code paths, thread blocks, voxels per thread, views per launch.

The parameters are those of Figures 4 and 5 of Graas et al., "ASTRA KernelKit", and further ones.
The reference is the CPU at three heights of the volume. A texture differs by at most 1/512 of the
difference between neighbouring pixels, along rows and along columns. Let D be the largest such
difference at a pixel and its neighbours, with 0 beyond the edge. Then

    |out − reference| ≤ Σ_views D_view(a, b) / (512 τ²)

and larger differences are errors.
"""

from __future__ import annotations

from dataclasses import asdict

import numpy as np

from engine.core.arrays import Array
from engine.core.backend import Backend, cpu
from engine.core.json_types import Plain
from engine.core.profiling import Profiler
from engine.geometry.xray import XrayGeometry
from engine.kernels.cone.cone_variants import MAX_SHARED_BYTES, MAX_THREADS, WARP, BackVariant
from engine.kernels.stored_variants import back_slot
from engine.kernels.tuning import shipped_back
from engine.operators.xray.host import HostXray
from engine.operators.xray.scene import Scene, VolumeBox
from engine.tools.benchmark.cone.variants import Forms, FormsWork, ScanWork
from engine.tools.tuning.problem import TuningProblem, Values, worst

STANDARD = FormsWork(n_views=128)
TEXTURES = ("layered", "pitched", "array", "list", "memory")
PATHS = ("upright", "columns", "general")
WIDTHS, HEIGHTS = (8, 16, 24, 32, 48, 64, 96, 128, 152, 256), (1, 2, 4, 8, 16, 32)
RUNS, VIEWS = (1, 2, 4, 6, 8, 12, 16, 24), (16, 32, 64, 128)
RESTRICTIONS = (
    f"{WARP} <= block_size_x * block_size_y <= {MAX_THREADS}",
    "projections == 'vrc' or texture == 'memory'",
    f"path != 'columns' or (texture == 'memory' and block_size_x == {WARP})",
    # 128 rows are read at once; see `BackVariant`
    f"path != 'columns' or (64 * voxels_per_thread + 135) // 128 * 512 * block_size_y <= "
    f"{MAX_SHARED_BYTES}",
)
EDGE = 2
"""Pixels beyond the edge of a detector in which a texture may read values other than zero."""
MAX_PIXELS = 1 << 27
"""Most pixels in all views of a study: the host needs memory for several copies."""
TWIN_ROUNDING = 1e-5
"""Relative rounding error of float32 sums, in addition to that of textures."""


class DeviceBack(TuningProblem):
    """The voxel-driven back projection of a full circle with an upright detector."""

    title = "cone-beam back projection"

    def __init__(self, on: Backend, work: FormsWork | ScanWork = STANDARD) -> None:
        self.on, self._cone = on, work
        rows, columns = work.detector
        shape = work.grid.shape
        upright = work.geometry.is_upright
        self.slot = back_slot(upright, work.grid.n_voxels, rows)
        self.work = (
            f"{shape[2]} × {shape[1]} × {shape[0]} voxels, {rows} × {columns} pixels, "
            f"{work.n_views} views"
        )
        self.parameters = {
            "texture": TEXTURES,
            "path": PATHS if upright else PATHS[-1:],
            "block_size_x": WIDTHS,
            "block_size_y": HEIGHTS,
            "voxels_per_thread": RUNS,
            "views_per_launch": VIEWS,
            "projections": ("vrc", "vcr"),
        }
        shipped = asdict(shipped_back(on, upright))
        shipped["block_size_x"], shipped["block_size_y"] = shipped["block"]
        self.shipped = {name: shipped[name] for name in self.parameters}
        self.restrictions = RESTRICTIONS

    def prepare(self) -> None:
        # Single runs: the session repeats and compares them itself
        self._forms = Forms(self.on, self._cone, repeats=1)
        n_z = self._cone.grid.shape[0]
        # Bottom, centre and top: errors of a variant often depend on z
        self._slices = sorted({0, n_z // 2, n_z - 1})
        y = self._forms.projections
        self._twin = self._by_twin(y, self._cone.geometry)
        # on a wider detector: half a pixel beyond the edge a texture still blends with zero
        bound = self._by_twin(_differences(y), self._cone.widened(EDGE)) / 512
        self._allowed = bound + TWIN_ROUNDING * np.abs(self._twin)

    def form(self, values: Values) -> Plain:
        return asdict(self._variant(values))

    def result(self, values: Values) -> Array:
        return self._forms.back_slices(self._variant(values), self._slices)

    def seconds(self, values: Values) -> float:
        return self._forms.back_seconds(self._variant(values))

    def fault_of(self, result: Array) -> str:
        return worst(result, self._twin, self._allowed)

    def _variant(self, values: Values) -> BackVariant:
        others = dict(values)
        block = int(others.pop("block_size_x")), int(others.pop("block_size_y"))
        return BackVariant(**others, block=block)  # type: ignore[arg-type]

    def _by_twin(self, y: Array, geometry: XrayGeometry) -> Array:
        """Return slices of the back projection by the CPU kernels."""
        host_on, (_, n_y, n_x) = cpu(), self._cone.grid.shape
        scene = Scene(geometry, self._cone.grid)
        host = HostXray(scene, on=host_on, on_progress=None, profiler=Profiler(host_on))
        bordered = host.bordered()
        host.keep(y, bordered)
        boxes = (VolumeBox((z, 0, 0), (1, n_y, n_x)) for z in self._slices)
        return np.concatenate([host.back_bordered(bordered, box) for box in boxes])


def thinned(work: ScanWork) -> ScanWork:
    """Return a scan with evenly chosen views, at most as many as in the standard problem.

    Parameters
    ----------
    work
        scan and volume
    """
    rows, columns = work.detector
    # Fewer views save time and memory of the host
    most = max(1, min(STANDARD.n_views, MAX_PIXELS // (rows * columns)))
    views = slice(None, None, -(-work.n_views // most))
    return ScanWork(work.geometry.select(views), work.grid)


def _differences(y: Array) -> Array:
    """Return D of the formula above, with `EDGE` more pixels on every edge."""
    from scipy.ndimage import maximum_filter

    wide = np.pad(y, ((0, 0), (EDGE, EDGE), (EDGE, EDGE)))
    steps = np.zeros_like(wide)
    for axis in (1, 2):
        step = np.abs(np.diff(wide, axis=axis))
        before, after = [(0, 0)] * 3, [(0, 0)] * 3
        before[axis], after[axis] = (1, 0), (0, 1)
        steps += np.maximum(np.pad(step, before), np.pad(step, after))
    # one of the four interpolated pixels is next to each of these differences
    return maximum_filter(steps, size=(1, 3, 3))
