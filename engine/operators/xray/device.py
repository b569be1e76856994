"""X-ray line integrals and back projections on a GPU, at once or in slabs and chunks.

Volumes and projections can be on the device or on the host. Host arrays are uploaded in slabs of
slices and chunks of views, as the free memory allows. Line integrals of slabs add up to those of
the volume, and slabs of a back projection are its parts. Textures, geometry and compiled kernels
are cached between calls, and subsets of a scan share them.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.core.backend import Backend
from engine.core.backend.gpu import Array, Texture
from engine.core.backend.turns import in_turn
from engine.core.errors import DeviceMemoryError
from engine.kernels.blocks import OnProgress
from engine.kernels.cone.cone_variants import WARP, BackVariant
from engine.kernels.cone.device_cone import BackViews
from engine.kernels.cone.device_joseph import InMemory, Lines
from engine.kernels.cone.device_joseph_gather import fitting
from engine.kernels.cone.joseph_variants import GatherVariant
from engine.kernels.tuning import tuned_back
from engine.operators.xray.parts import PartProgress, Parts, leaving, parts_for, within
from engine.operators.xray.scene import Direction, Scene, Three, VolumeBox
from engine.operators.xray.tools import Tools, Transposing
from engine.operators.xray.transfers import ComputedViews, Transfers

UPDATES_PER_CHUNK = 2**33
"""Voxels times views, or rays times layers, between two progress reports."""
MAX_VIEWS = 2048
"""Maximum views of a chunk: the layers of a texture."""
CHUNKS_ARRIVING, MIN_CHUNK_VIEWS, MIN_CHUNK_BYTES = 16, 16, 32 << 20
"""Number of chunks for views from the host, and minimum views and bytes of a chunk. Each
chunk costs some milliseconds, however small it is, and even half of these bytes is large
enough for page-locked memory."""
USABLE = 0.8
"""Share of the free memory that slabs and chunks can use."""
REAL_BYTES = 4


class DeviceXray:
    """Projectors of a scene on a GPU; see `engine.operators.xray.transform`.

    Parameters
    ----------
    scene : views and volume
    tools : compiled kernels and textures
    on : the device
    exact : True: line integrals read memory, and `transposed` is their exact transpose; False: they
        read textures, which interpolate in fractions of 1/256
    streams : True: results are on the host, so that they can exceed the device's memory
    on_progress : called with the progress
    """

    def __init__(
        self, scene: Scene, tools: Tools, *, on: Backend, exact: bool, streams: bool,
        on_progress: OnProgress | None,
    ) -> None:  # fmt: skip
        self._scene, self._tools, self._on = scene, tools, on
        self._gpu, self._profiler = tools.gpu, tools.profiler
        self._exact, self._streams, self._tick = exact, streams, on_progress
        self._lines: Lines | None = None
        self._views: BackViews | None = None
        self._gathering: tuple[GatherVariant | None] | None = None
        self._share, self._is_smallest = USABLE, False

    @property
    def turn(self) -> AbstractContextManager[Any]:
        return self._tools.turn

    @in_turn
    def forward(self, x: Array) -> Array:
        """Return the line integrals (n_views, n_rows, n_columns) of a volume (n_z, n_y, n_x)."""
        return self._fitting(self._scene.seen, partial(self._forward, x))

    @in_turn
    def transposed(self, y: Array) -> Array:
        """Return the exact transpose of `forward` from memory, (n_z, n_y, n_x)."""
        return self._fitting(self._scene.grid.shape, partial(self._transposed, y))

    @in_turn
    def back(self, y: Array | ComputedViews, box: VolumeBox, *, as_adjoint: bool) -> Array:
        """Return the voxel-driven back projection with 1/τ² of a box.

        Parameters
        ----------
        y
            (n_views, n_rows, n_columns), or an object that makes them chunk by chunk
        box
            voxels to compute
        as_adjoint
            weight the projections so that it approximates the adjoint
        """
        return self._fitting(box.shape, partial(self._back, y, box, as_adjoint))

    def compile(self, direction: Direction) -> None:
        """Compile the kernels of `forward`, `transposed` or `back`."""
        if direction == "back":
            self._tools.back(self._variant(VolumeBox.of(None, self._scene.grid.shape)))
        elif direction == "transposed":
            self._transposing()
        else:
            self._tools.joseph(exact=self._exact)

    def _forward(self, x: Array, out: Array, moves: Transfers) -> None:
        _, n_rows, n_columns = self._scene.seen
        kernels, lines = self._tools.joseph(exact=self._exact), self._lines_there()
        # copies of each slab: two if it comes from the host, one for the texture or transposed
        copies = 2 * int(not moves.is_there(x)) + 1
        parts = self._parts(
            self._scene.grid.shape, copies, 2 * int(self._streams), max(self._scene.grid.shape),
            self._tools.volume_bytes,
        )  # fmt: skip
        pace = self._part_progress(parts)
        readable: InMemory | Texture | None = None
        for views in parts.views:
            rays = moves.part_on_device(out, views)
            for slab in parts.slabs:
                if readable is None or len(parts.slabs) > 1:
                    readable = None  # releases its memory first
                    values = moves.there(x[slab.start : slab.stop], parts.slabs)
                    readable = self._readable(values)
                # counted with the first slab only: a ray through several slabs is one ray
                n_rays = len(views) * n_rows * n_columns if slab.start == 0 else 0
                with self._profiler.span("forward", events=n_rays, unit="rays"):
                    some, corner = lines.part(views.start, views.stop), (slab.start, 0, 0)
                    kernels.forward(readable, some, rays, corner=corner, accumulate=slab.start > 0)
                pace.step(len(views))
            # Downloaded during the work on the next chunk.
            moves.keep(rays, out, views)

    def _readable(self, values: Array) -> InMemory | Texture:
        """Return a slab as line integrals read it."""
        if self._exact:
            return InMemory.of(self._gpu, values)
        return self._tools.volume_of(values)

    def _transposed(self, y: Array, out: Array, moves: Transfers) -> None:
        _, n_rows, n_columns = self._scene.seen
        kernels, lines = self._transposing(), self._lines_there()
        shape, as_supported = self._scene.grid.shape, kernels.work_bytes(lines)
        comes = not moves.is_there(y)
        parts = self._parts(
            shape, int(self._streams), 2 * int(comes), max(shape), -as_supported, comes=comes
        )
        pace = self._part_progress(parts)
        for slab in parts.slabs:
            # slabs outside, views inside: the sums of a slab are complete before its copy to the
            # host
            moves.finish()
            sums = moves.part_on_device(out, slab)
            for views in parts.views:
                values = moves.views(y, views, parts.views)
                some, more = lines.part(views.start, views.stop), views.start > 0
                for layer in self._leaving(slab, views, parts):
                    n_rays = len(views) * n_rows * n_columns if layer.start == 0 else 0
                    piece, corner = sums[within(layer, slab)], (layer.start, 0, 0)
                    with self._profiler.span("back", events=n_rays, unit="rays"):
                        kernels.transposed(values, some, piece, corner=corner, accumulate=more)
                    if views is parts.views[-1]:
                        moves.keep(piece, out, layer)
                pace.step(len(views))

    def _back(
        self,
        y: Array | ComputedViews,
        box: VolumeBox,
        as_adjoint: bool,
        out: Array,
        moves: Transfers,
    ) -> None:
        variant = self._variant(box)
        kernels = self._tools.back(variant)
        if self._views is None:
            scene = self._scene
            self._views = kernels.views(scene.matrices, scene.grid.shape, scene.geometry.shape)
        comes = not moves.is_there(y)
        # one copy is the texture
        copies = 1 + int(as_adjoint) + int(isinstance(y, ComputedViews)) + 2 * int(comes)
        layers = box.n_voxels / np.prod(self._scene.geometry.shape)
        recycled = self._tools.projections_bytes
        parts = self._parts(box.shape, int(self._streams), copies, layers, recycled, comes=comes)
        pace, n = self._part_progress(parts), max(map(len, parts.views))
        for slab in parts.slabs:
            moves.finish()
            volume = moves.part_on_device(out, slab)
            for views in parts.views:
                # one chunk of views serves all slabs; it is not sent again
                if slab.start == 0 or len(parts.views) > 1:
                    values = moves.views(y, views, parts.views)
                    weighted = self._weighted(values, views, as_adjoint)
                    projections = self._tools.projections_of(weighted, variant, n)
                some, more = self._views[views.start : views.stop], views.start > 0
                for layer in self._leaving(slab, views, parts):
                    piece, part = volume[within(layer, slab)], box.slices(layer)
                    n_updates = part.n_voxels * len(views)
                    with self._profiler.span("back", events=n_updates, unit="voxel updates"):
                        kernels.back(projections, some, piece, corner=part.corner, accumulate=more)
                    if views is parts.views[-1]:
                        moves.keep(piece, out, layer)
                pace.step(len(views))

    def _leaving(self, slab: range, views: range, parts: Parts) -> list[range]:
        """Return the slices that are processed together; few with the last views, to copy early."""
        return leaving(slab) if self._streams and views is parts.views[-1] else [slab]

    def _variant(self, box: VolumeBox) -> BackVariant:
        """Return the same arithmetic for every box of a volume: bits do not depend on the box."""
        geometry, n_voxels = self._scene.geometry, self._scene.grid.n_voxels
        best = tuned_back(self._on, geometry.is_upright, n_voxels, geometry.shape[0])
        lanes = WARP if best.path == "columns" else 1
        return replace(
            best, voxels_per_thread=min(best.voxels_per_thread, -(-box.shape[0] // lanes))
        )

    def _weighted(self, values: Array, views: range, as_adjoint: bool) -> Array:
        if not as_adjoint:
            return values
        weighted: Array = values * self._scene.adjoint_weights(views, self._on.xp)
        return weighted

    def _transposing(self) -> Transposing:
        """Return the kernels of the exact adjoint, the same for every slab."""
        if self._gathering is None:
            scene = self._scene
            self._gathering = (fitting(scene.rays, scene.geometry.shape, scene.grid.shape),)
        (form,) = self._gathering
        return self._tools.joseph(exact=True) if form is None else self._tools.gather(form)

    def _lines_there(self) -> Lines:
        if self._lines is None:
            geometry, grid = self._scene.geometry, self._scene.grid
            rays, shape = self._scene.rays, geometry.shape
            self._lines = Lines.upload(self._gpu, rays, shape, grid.shape, grid.voxel_mm)
        return self._lines

    # size of the parts

    def _parts(
        self, shape: Three, slabs: int, chunks: int, layers: float, recycled_bytes: int = 0,
        *, comes: bool = False,
    ) -> Parts:  # fmt: skip
        """Divide the data that must be uploaded.

        Parameters
        ----------
        shape
            shape of the result or volume that is divided into slabs
        slabs
            copies of each slab
        chunks
            copies of each chunk of views
        layers
            updates per pixel
        recycled_bytes
            memory of textures that are reused; negative for additional memory
        comes
            True if the views come from the host
        """
        n_views, n_rows, n_columns = self._scene.seen
        per_slice = REAL_BYTES * slabs * shape[1] * shape[2]
        view_bytes = REAL_BYTES * n_rows * n_columns
        per_view, updates = chunks * view_bytes, layers * n_rows * n_columns
        most = views_of_chunk(n_views, updates, arriving_bytes=view_bytes if comes else 0)
        # textures of the last call count as free: they are reused or released
        budget = int(self._share * max(0, self._gpu.free_bytes() + recycled_bytes))
        parts = parts_for(shape[0], per_slice, n_views, per_view, budget, most)
        self._is_smallest = parts.is_smallest(per_slice > 0, per_view > 0)
        return parts

    def _part_progress(self, parts: Parts) -> PartProgress:
        return PartProgress(self._gpu, self._tick, self._scene.seen[0] * len(parts.slabs))

    def _fitting(self, shape: Three, work: Callable[[Array, Transfers], None]) -> Array:
        """Run the work in smaller and smaller parts until it fits the memory."""
        try:
            out: NDArray[Any] | Array = np.empty(shape, np.float32)
            if not self._streams:
                out = self._gpu.empty(shape, np.float32)
        except DeviceMemoryError as e:
            raise self._too_large(shape) from e
        while True:
            try:
                with (
                    self._on.faults("projecting X-rays"),
                    Transfers(self._on, self._gpu, self._profiler, streams=self._streams) as moves,
                ):
                    work(out, moves)
                return out
            except DeviceMemoryError as e:
                if self._is_smallest:
                    _, n_rows, n_columns = self._scene.seen
                    raise self._too_large((n_rows, n_columns)) from e
            # memory can be fragmented: release everything, and retry with half
            self._tools.forget()
            self._share /= 2

    def _too_large(self, shape: tuple[int, ...]) -> DeviceMemoryError:
        size, mib = " × ".join(map(str, shape)), 2**20
        return DeviceMemoryError(
            f"{self._scene.grid.describe()}, {self._scene.seen[0]} views: a part of {size} values "
            f"does not fit into the {self._gpu.free_bytes() / mib:.0f} MiB of free GPU memory. "
            "Close other programs that use the GPU, choose larger voxels, bin the projections, or "
            "use the CPU."
        )


def views_of_chunk(n_views: int, updates: float, *, arriving_bytes: int) -> int:
    """Return the maximum number of views of a chunk, regardless of memory.

    Parameters
    ----------
    n_views
        views of the scan
    updates
        voxels or layers for each view
    arriving_bytes
        bytes of a view that is uploaded during the work on the previous chunk; else 0
    """
    # short parts, so that progress is reported and a stop takes effect
    most = max(1, min(MAX_VIEWS, int(UPDATES_PER_CHUNK / updates)))
    if not arriving_bytes:
        return most
    fewest = max(MIN_CHUNK_VIEWS, -(-MIN_CHUNK_BYTES // arriving_bytes))
    return min(most, max(fewest, -(-n_views // CHUNKS_ARRIVING)))
