"""Small boxes of a volume, computed repeatedly: at any position, from one scan or from new data.

As in Graas et al., "ASTRA KernelKit", section 4.1: to train networks on patches, textures, matrices
and launches are cached between calls, and a call on a GPU is one launch of a recorded graph. On the
CPU the projections are stored with their border.
"""

from __future__ import annotations

import numpy as np

from engine.core.arrays import Array, as_supported
from engine.core.backend.gpu import Gpu
from engine.core.errors import GeometryError
from engine.core.profiling import Profiler
from engine.kernels.cone.cone_variants import BackVariant
from engine.operators.xray.host import HostXray
from engine.operators.xray.patch import PatchGroup
from engine.operators.xray.resident_projections import ResidentProjections
from engine.operators.xray.scene import Scene, Three, VolumeBox
from engine.operators.xray.transform import XrayTransform


class Patches:
    """Boxes of one shape, by voxel-driven back projection with 1/τ².

    Parameters
    ----------
    transform : views, volume and device
    box_shape : (n_z, n_y, n_x) of the boxes
    variant : variant of the GPU kernel; None: the fastest one as measured

    Examples
    --------
    >>> import numpy as np, engine
    >>> scan = engine.parallel(np.linspace(0, 3, 9), shape=(4, 16), pixel_mm=1.0)
    >>> grid = engine.ImageGrid(shape=(4, 12, 12), voxel_mm=(1.0, 1.0, 1.0))
    >>> A = engine.XrayTransform(scan, grid, on=engine.cpu())
    >>> patches = engine.Patches(A, (1, 6, 6))
    >>> patches.update(np.ones(A.out_shape, np.float32))
    >>> float(patches.at((2, 3, 3))[0, 3, 3].round(3))
    9.0
    """

    def __init__(
        self, transform: XrayTransform, box_shape: Three, *, variant: BackVariant | None = None
    ) -> None:
        self._transform, self.shape = transform, box_shape
        self._box((0, 0, 0))
        gpu = transform.on.gpu
        self._here = (
            _OnHost(transform) if gpu is None else _OnGpu(transform, box_shape, gpu, variant)
        )

    def update(self, y: Array, first: int = 0) -> None:
        """Replace projections.

        Parameters
        ----------
        y
            (n, n_rows, n_columns)
        first
            number of the first view to replace
        """
        self._here.update(as_supported(y), first)

    def at(self, corner: Three) -> Array:
        """Return a box, on the device of the transform.

        On a GPU it is valid until the next call, which writes to the same array.

        Parameters
        ----------
        corner
            first voxel (z, y, x)

        Raises
        ------
        GeometryError
            if the box is not inside the volume
        """
        return self._here.at(self._box(corner))

    def _box(self, corner: Three) -> VolumeBox:
        whole = self._transform.grid.shape
        ends = zip(corner, self.shape, whole, strict=True)
        # Kernels do not check the bounds of a box.
        if any(at < 0 or n < 1 or at + n > most for at, n, most in ends):
            raise GeometryError(
                f"a box of {self.shape} voxels at {corner} does not fit into the volume of "
                f"{whole} voxels (z, y, x); choose a smaller box, or another position."
            )
        return VolumeBox(corner, self.shape)


class _OnHost:
    def __init__(self, transform: XrayTransform) -> None:
        on, scene = transform.on, Scene(transform.geometry, transform.grid)
        profiler = transform.profiler or Profiler(on)
        self._xray = HostXray(scene, on=on, on_progress=None, profiler=profiler)
        self._images = self._xray.bordered()

    def update(self, y: Array, first: int) -> None:
        self._xray.keep(y, self._images, first)

    def at(self, box: VolumeBox) -> Array:
        return self._xray.back_bordered(self._images, box)


class _OnGpu:
    def __init__(
        self, transform: XrayTransform, shape: Three, gpu: Gpu, variant: BackVariant | None
    ) -> None:
        geometry, grid = transform.geometry, transform.grid
        self._matrices = geometry.in_voxels(grid)
        self._projections = ResidentProjections(
            geometry, grid, on=transform.on, variant=variant, profiler=transform.profiler
        )
        self._patch = PatchGroup(
            gpu, self._projections, [self._matrices], [shape], detector=geometry.shape
        )
        self._corner: Three = (0, 0, 0)

    def update(self, y: Array, first: int) -> None:
        self._projections.update(y, first)

    def at(self, box: VolumeBox) -> Array:
        # the graph reads the matrices from the device each time: other positions need no new graph
        if box.corner != self._corner:
            self._patch.place([_shifted_origin(self._matrices, box.corner)])
            self._corner = box.corner
        self._patch.project()
        return self._patch.values[0]


def _shifted_origin(matrices: Array, corner: Three) -> Array:
    """Return matrices (n_views, 3, 4) for points counted from a voxel (z, y, x)."""
    # M (x + c, 1) = M (x, 1) + M c: only the last column of a matrix depends on the origin of the
    # points
    moved = matrices.copy()
    moved[:, :, 3] += moved[:, :, :3] @ np.array(corner[::-1], float)
    return moved
