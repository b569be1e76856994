"""Projections in the textures of a GPU, for back projection into any boxes of a volume.

For images that are computed repeatedly: rotated slices, patches, live scans. After the first call
nothing is compiled, copied or allocated, so a call can be recorded as a graph. `update` replaces
projections in place.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from engine.core.arrays import Array, as_supported
from engine.core.backend import Backend
from engine.core.backend.gpu import Texture
from engine.core.errors import ResourceError
from engine.core.profiling import Profiler
from engine.geometry.grid import ImageGrid
from engine.geometry.xray import XrayGeometry
from engine.kernels.cone.cone_variants import UNSHARED_BLOCK, BackVariant, fitted
from engine.kernels.cone.device_cone import BackViews, ConeBack
from engine.kernels.tuning import tuned_back
from engine.operators.xray.device import MAX_VIEWS
from engine.operators.xray.parts import pieces
from engine.operators.xray.scene import Region, Scene, Three, VolumeBox
from engine.operators.xray.tools import Tools


class ResidentProjections:
    """Projections of a scan on a GPU, ready for voxel-driven back projection with 1/τ².

    Parameters
    ----------
    geometry : source and detector of each view
    grid : the volume
    on : a GPU
    variant : variant of the kernel that reads a texture; None: the fastest one as measured
    profiler : times the work
    """

    def __init__(
        self,
        geometry: XrayGeometry,
        grid: ImageGrid,
        *,
        on: Backend,
        variant: BackVariant | None = None,
        profiler: Profiler | None = None,
    ) -> None:
        if on.gpu is None:
            raise ResourceError(
                f"{on.label} is not a GPU, so it has no textures; use XrayTransform on this device."
            )
        self._on, self._gpu, self._scene = on, on.gpu, Scene(geometry, grid)
        self._tools = Tools(on.gpu, profiler or Profiler(on))
        best = variant or tuned_back(on, geometry.is_upright, grid.n_voxels, geometry.shape[0])
        self._variant = _of_textures(best)
        self._chunks = pieces(geometry.n_views, MAX_VIEWS)
        self._textures: list[Texture] = [
            on.gpu.texture(self._variant.texture, (len(views), *geometry.shape))  # type: ignore[arg-type]
            for views in self._chunks
        ]
        self._views: BackViews | None = None

    def update(self, y: Array, first: int = 0) -> None:
        """Replace projections in place.

        Parameters
        ----------
        y
            (n, n_rows, n_columns)
        first
            number of the first view to replace
        """
        y = as_supported(y)
        for views, texture in zip(self._chunks, self._textures, strict=True):
            # The part of the new projections that is in this texture.
            start, stop = max(views.start, first), min(views.stop, first + len(y))
            if start < stop:
                some = self._on.to_device(y[start - first : stop - first])
                some = self._on.xp.ascontiguousarray(some, dtype=np.float32)
                texture.update(some, start - views.start)

    def back_project(self, region: Region | None = None, out: Array | None = None) -> Array:
        """Return a box of the volume on the device.

        Parameters
        ----------
        region
            slices (z, y, x); None: the whole volume
        out
            array (n_z, n_y, n_x) for the result; None: a new one
        """
        box = VolumeBox.of(region, self._scene.grid.shape)
        out = self._gpu.empty(box.shape, np.float32) if out is None else out
        kernels = self.kernels(box.shape)
        # matrices of the whole volume for every box; the kernel adds the corner
        if self._views is None:
            scene = self._scene
            self._views = kernels.views(scene.matrices, scene.grid.shape, scene.geometry.shape)
        self.queue(kernels, self._views, out, box.corner)
        return out

    def kernels(self, shape: Three, *, turned: bool = False) -> ConeBack:
        """Return the kernels for a box; small boxes use other thread layouts and summation orders.

        Parameters
        ----------
        shape
            (n_z, n_y, n_x) of the box
        turned
            True if the box is not parallel to the volume, so that shortcuts are not valid
        """
        variant = replace(self._variant, path="general") if turned else self._variant
        n_views, card = self._scene.seen[0], self._gpu.facts.n_multiprocessors
        return self._tools.back(fitted(variant, shape, n_views, card))

    def queue(
        self, kernels: ConeBack, views: BackViews, out: Array, corner: Three = (0, 0, 0)
    ) -> None:
        """Queue the back projection into a box.

        Parameters
        ----------
        kernels
            kernels for its shape
        views
            matrices of all views on the device
        out
            array of the box on the device
        corner
            first voxel (z, y, x) of the box
        """
        for part, texture in zip(self._chunks, self._textures, strict=True):
            # the first chunk overwrites the box, the others add to it
            some, more = views[part.start : part.stop], part.start > 0
            kernels.back(texture, some, out, corner=corner, accumulate=more)


def _of_textures(best: BackVariant) -> BackVariant:
    """Return the variant, or the nearest one that reads a texture."""
    if best.texture != "memory":
        return best
    if best.path == "columns":
        return BackVariant(path="upright", block=UNSHARED_BLOCK)
    return BackVariant(path=best.path)
