"""Compiled kernels and textures that X-ray projectors on a GPU reuse."""

from __future__ import annotations

from threading import RLock
from typing import Protocol

from engine.core.backend.gpu import Array, Gpu, Texture, TextureKind
from engine.core.profiling import Profiler
from engine.kernels.cone.cone_variants import BackVariant
from engine.kernels.cone.device_cone import ConeBack
from engine.kernels.cone.device_joseph import Joseph, Lines
from engine.kernels.cone.device_joseph_gather import JosephGather
from engine.kernels.cone.joseph_variants import GatherVariant, JosephVariant

Three = tuple[int, int, int]


class Transposing(Protocol):
    """Kernels of the exact adjoint of line integrals, by rays or by voxels."""

    def transposed(
        self, values: Array, lines: Lines, out: Array,
        *, corner: Three = (0, 0, 0), accumulate: bool = False,
    ) -> None:  # fmt: skip
        """Queue the adjoint of some views.

        Parameters
        ----------
        values
            (n_views, n_rows, n_columns) on the device
        lines
            rays of the views
        out
            array of the slab on the device
        corner
            first voxel (z, y, x) of the slab
        accumulate
            add to `out` instead of overwriting it
        """
        ...

    def work_bytes(self, lines: Lines) -> int:
        """Return the memory of the kernels in addition to their arrays."""
        ...


class Tools:
    """Cache of kernels and textures, shared by all subsets of a scan."""

    def __init__(self, gpu: Gpu, profiler: Profiler) -> None:
        self.gpu, self.profiler = gpu, profiler
        self.turn = RLock()  # textures are filled and read by one call at a time
        self._joseph: dict[JosephVariant, Joseph] = {}
        self._gather: dict[GatherVariant, JosephGather] = {}
        self._back: dict[BackVariant, ConeBack] = {}
        self._projections: Texture | None = None
        self._volume: Texture | None = None

    def joseph(self, *, exact: bool) -> Joseph:
        """Return line integrals that read memory (exact) or a texture."""
        variant = JosephVariant(texture="memory" if exact else "array")
        if variant not in self._joseph:
            self._joseph[variant] = Joseph(self.gpu, variant, self.profiler)
        return self._joseph[variant]

    def gather(self, variant: GatherVariant) -> JosephGather:
        """Return the exact adjoint of line integrals from memory, by voxels."""
        if variant not in self._gather:
            self._gather[variant] = JosephGather(self.gpu, variant, self.profiler)
        return self._gather[variant]

    def back(self, variant: BackVariant) -> ConeBack:
        """Return the voxel-driven back projection."""
        if variant not in self._back:
            self._back[variant] = ConeBack(self.gpu, variant, self.profiler)
        return self._back[variant]

    def projections(self, kind: TextureKind, n: int, detector: tuple[int, int]) -> Texture:
        """Return a texture for projections; it can contain others from earlier calls.

        Parameters
        ----------
        kind
            storage of the images
        n
            minimum number of projections
        detector
            (n_rows, n_columns)
        """
        texture = self._projections
        # a larger texture is also used for fewer projections: its other layers are never read
        if (
            texture is None
            or (texture.kind, texture.shape[1:]) != (kind, detector)
            or texture.shape[0] < n
        ):
            texture = self._projections = None  # gives its memory back first
            texture = self._projections = self.gpu.texture(kind, (n, *detector))
        return texture

    def projections_of(self, values: Array, variant: BackVariant, n: int) -> Array | Texture:
        """Return projections as the back projection reads them.

        Parameters
        ----------
        values
            (n, n_rows, n_columns) on the device
        variant
            variant of the back projection, which selects memory or texture
        n
            projections that the texture must be able to store
        """
        if variant.texture == "memory":
            # The variant defines the axis order that its kernel reads.
            order = ["vrc".index(axis) for axis in variant.projections]
            return self.gpu.xp.ascontiguousarray(values.transpose(order))
        texture = self.projections(variant.texture, n, values.shape[1:])
        texture.update(values)
        return texture

    def volume_of(self, values: Array) -> Texture:
        """Return a slab (n_z, n_y, n_x) in the texture that line integrals read."""
        texture = self.volume(values.shape)
        texture.update(values)
        return texture

    def volume(self, shape: Three) -> Texture:
        """Return the texture for a slab (n_z, n_y, n_x)."""
        if self._volume is None or self._volume.shape != shape:
            self._volume = None
            self._volume = self.gpu.texture("array", shape)
        return self._volume

    @property
    def projections_bytes(self) -> int:
        """Memory of the texture of projections."""
        return _bytes(self._projections)

    @property
    def volume_bytes(self) -> int:
        """Memory of the texture of a slab."""
        return _bytes(self._volume)

    def forget(self) -> None:
        """Release the memory of the textures."""
        self._projections = self._volume = None
        self.gpu.release()


def _bytes(texture: Texture | None) -> int:
    if texture is None:
        return 0
    n, n_rows, n_columns = texture.shape
    return 4 * n * n_rows * n_columns
