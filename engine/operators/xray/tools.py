"""What the X-ray projectors of a GPU keep from call to call: compiled kernels and textures."""

from __future__ import annotations

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
        """Queue the adjoint of some views, to `out` or added to it."""
        ...

    def work_bytes(self, lines: Lines) -> int:
        """Memory that it takes besides its arrays."""
        ...


class Tools:
    """Kernels and textures, made when first asked for; shared by all subsets of a scan."""

    def __init__(self, gpu: Gpu, profiler: Profiler) -> None:
        self.gpu, self.profiler = gpu, profiler
        self._joseph: dict[JosephVariant, Joseph] = {}
        self._gather: dict[GatherVariant, JosephGather] = {}
        self._back: dict[BackVariant, ConeBack] = {}
        self._projections: Texture | None = None
        self._volume: Texture | None = None

    def joseph(self, *, exact: bool) -> Joseph:
        """Line integrals that read plain memory, or a texture."""
        variant = JosephVariant(texture="memory" if exact else "array")
        if variant not in self._joseph:
            self._joseph[variant] = Joseph(self.gpu, variant, self.profiler)
        return self._joseph[variant]

    def gather(self, variant: GatherVariant) -> JosephGather:
        """The exact adjoint of line integrals from memory, by voxels."""
        if variant not in self._gather:
            self._gather[variant] = JosephGather(self.gpu, variant, self.profiler)
        return self._gather[variant]

    def back(self, variant: BackVariant) -> ConeBack:
        """The voxel-driven back projection."""
        if variant not in self._back:
            self._back[variant] = ConeBack(self.gpu, variant, self.profiler)
        return self._back[variant]

    def projections(self, kind: TextureKind, n: int, detector: tuple[int, int]) -> Texture:
        """Return the texture for n projections at least; it may hold others of earlier calls."""
        held = self._projections
        # a larger texture serves fewer projections too: its layers beyond are never read
        if held is None or (held.kind, held.shape[1:]) != (kind, detector) or held.shape[0] < n:
            held = self._projections = None  # gives its memory back first
            held = self._projections = self.gpu.texture(kind, (n, *detector))
        return held

    def projections_of(self, values: Array, variant: BackVariant, n: int) -> Array | Texture:
        """Projections as the back projection reads them: memory, or a texture for n of them."""
        if variant.texture == "memory":
            order = ["vrc".index(axis) for axis in variant.projections]
            return self.gpu.xp.ascontiguousarray(values.transpose(order))
        texture = self.projections(variant.texture, n, values.shape[1:])
        texture.update(values)
        return texture

    def volume_of(self, values: Array) -> Texture:
        """A slab (n_z, n_y, n_x) in the texture that line integrals read."""
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
        """Give the textures' memory back."""
        self._projections = self._volume = None
        self.gpu.release()


def _bytes(texture: Texture | None) -> int:
    if texture is None:
        return 0
    n, n_rows, n_columns = texture.shape
    return 4 * n * n_rows * n_columns
