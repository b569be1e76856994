"""X-ray line integrals and back projections by a GPU, in one go or in slabs and chunks.

Volumes and projections may lie on the device or on the host. What is not on the device comes there
in slabs of slices and in chunks of views, as its free memory allows; line integrals of slabs add up
to those of the whole, and slabs of a back projection are its parts. Textures, geometry and compiled
kernels are kept from call to call, and subsets of a scan share them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.core.backend import Backend
from engine.core.backend.gpu import Array, Texture
from engine.core.errors import DeviceMemoryError
from engine.kernels.blocks import OnProgress
from engine.kernels.cone.cone_variants import WARP, BackVariant
from engine.kernels.cone.device_cone import BackViews
from engine.kernels.cone.device_joseph import InMemory, Lines
from engine.kernels.cone.device_joseph_gather import fitting
from engine.kernels.cone.joseph_variants import GatherVariant
from engine.kernels.tuning import tuned_back
from engine.operators.xray.parts import Pace, Parts, leaving, parts_for, within
from engine.operators.xray.scene import Scene, Three, VolumeBox, Way
from engine.operators.xray.tools import Tools, Transposing
from engine.operators.xray.transfers import MadeViews, Transfers

UPDATES_PER_CHUNK = 2**33
"""Voxels times views, or rays times layers, after which progress is told."""
MOST_VIEWS = 2048
"""Views of a chunk at most: layers that a texture holds."""
CHUNKS_ARRIVING, FEWEST_ARRIVING, LEAST_ARRIVING = 16, 16, 32 << 20
"""Chunks in which views come from the host, unless they were fewer views or bytes than that: a
chunk costs some milliseconds, however small it is, and even halves of so many bytes are large
enough for page-locked memory."""
USABLE = 0.8
"""Part of the free memory that slabs and chunks may take."""
REAL_BYTES = 4


class DeviceXray:
    """The projectors of a scene on a GPU; see `engine.operators.xray.transform`.

    Parameters
    ----------
    scene : views and volume
    tools : compiled kernels and textures
    on : the device
    exact : whether line integrals read plain memory, of which `transposed` is the transpose, or
        textures, which blend in fractions of 1/256
    streams : whether results lie on the host, so that they may be larger than the device's memory
    on_progress : told of progress
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
        self._share, self._is_least = USABLE, False

    def forward(self, x: Array) -> Array:
        """Line integrals of the volume (n_z, n_y, n_x): (n_views, n_rows, n_columns)."""
        return self._fitting(self._scene.seen, partial(self._forward, x))

    def transposed(self, y: Array) -> Array:
        """The transpose of `forward` from memory: (n_z, n_y, n_x)."""
        return self._fitting(self._scene.grid.shape, partial(self._transposed, y))

    def back(self, y: Array | MadeViews, box: VolumeBox, *, as_adjoint: bool) -> Array:
        """Voxel-driven back projection with 1/τ² of a box; `as_adjoint` : weighted to be one."""
        return self._fitting(box.shape, partial(self._back, y, box, as_adjoint))

    def compile(self, direction: Way) -> None:
        """Have the kernels of `forward`, `transposed` or `back` compiled."""
        if direction == "back":
            self._tools.back(self._variant(VolumeBox.of(None, self._scene.grid.shape)))
        elif direction == "transposed":
            self._transposing()
        else:
            self._tools.joseph(exact=self._exact)

    def _forward(self, x: Array, out: Array, moves: Transfers) -> None:
        _, n_rows, n_columns = self._scene.seen
        kernels, lines = self._tools.joseph(exact=self._exact), self._lines_there()
        # of each slab: two if it comes from the host, one more for the texture, or turned
        copies = 2 * int(not moves.is_there(x)) + 1
        parts = self._parts(
            self._scene.grid.shape, copies, 2 * int(self._streams), max(self._scene.grid.shape),
            self._tools.volume_bytes,
        )  # fmt: skip
        pace = self._pace(parts)
        held: InMemory | Texture | None = None
        for views in parts.views:
            rays = moves.part_on_device(out, views)
            for slab in parts.slabs:
                if held is None or len(parts.slabs) > 1:
                    held = None  # gives its memory back first
                    values = moves.there(x[slab.start : slab.stop], parts.slabs)
                    held = self._readable(values)
                # counted with the first slab only: a ray that crosses several is still one ray
                n_rays = len(views) * n_rows * n_columns if slab.start == 0 else 0
                with self._profiler.span("forward", events=n_rays, unit="rays"):
                    some, corner = lines.part(views.start, views.stop), (slab.start, 0, 0)
                    kernels.forward(held, some, rays, corner=corner, accumulate=slab.start > 0)
                pace.step(len(views))
            moves.keep(rays, out, views)

    def _readable(self, values: Array) -> InMemory | Texture:
        """A slab as line integrals read it."""
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
        pace = self._pace(parts)
        for slab in parts.slabs:
            # slabs outside, views inside: the sums of a slab are complete before it leaves the
            # device
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
        self, y: Array | MadeViews, box: VolumeBox, as_adjoint: bool, out: Array, moves: Transfers
    ) -> None:
        variant = self._variant(box)
        kernels = self._tools.back(variant)
        if self._views is None:
            scene = self._scene
            self._views = kernels.views(scene.matrices, scene.grid.shape, scene.geometry.shape)
        comes = not moves.is_there(y)
        # one is the texture
        copies = 1 + int(as_adjoint) + int(isinstance(y, MadeViews)) + 2 * int(comes)
        layers = box.n_voxels / np.prod(self._scene.geometry.shape)
        recycled = self._tools.projections_bytes
        parts = self._parts(box.shape, int(self._streams), copies, layers, recycled, comes=comes)
        pace, n = self._pace(parts), max(map(len, parts.views))
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
        """Slices that are worked on together: few with the last views, so that they leave early."""
        return leaving(slab) if self._streams and views is parts.views[-1] else [slab]

    def _variant(self, box: VolumeBox) -> BackVariant:
        """The same arithmetic for every box of a volume, so that its bits do not depend on it."""
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
        """The kernels of the exact adjoint, the same for every slab."""
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

    # how much at a time

    def _parts(
        self, shape: Three, slabs: int, chunks: int, layers: float, recycled_bytes: int = 0,
        *, comes: bool = False,
    ) -> Parts:  # fmt: skip
        """Cut what has to come to the device, so many copies of each slab and of each chunk.

        layers : updates for each pixel; recycled_bytes : less than 0 where more is taken besides;
        comes : whether views come from the host
        """
        n_views, n_rows, n_columns = self._scene.seen
        per_slice = REAL_BYTES * slabs * shape[1] * shape[2]
        view_bytes = REAL_BYTES * n_rows * n_columns
        per_view, updates = chunks * view_bytes, layers * n_rows * n_columns
        most = views_of_chunk(n_views, updates, arriving_bytes=view_bytes if comes else 0)
        # textures of the last call count as free: they are used again, or given back
        budget = int(self._share * max(0, self._gpu.free_bytes() + recycled_bytes))
        parts = parts_for(shape[0], per_slice, n_views, per_view, budget, most)
        self._is_least = parts.is_least(per_slice > 0, per_view > 0)
        return parts

    def _pace(self, parts: Parts) -> Pace:
        return Pace(self._gpu, self._tick, self._scene.seen[0] * len(parts.slabs))

    def _fitting(self, shape: Three, work: Callable[[Array, Transfers], None]) -> Array:
        """Do it in smaller and smaller parts until the memory holds them."""
        try:
            out: NDArray[Any] | Array = np.empty(shape, np.float32)
            if not self._streams:
                out = self._gpu.empty(shape, np.float32)
        except DeviceMemoryError as e:
            raise self._too_large("the result", shape) from e
        while True:
            try:
                with (
                    self._on.faults("projecting X-rays"),
                    Transfers(self._on, self._gpu, self._profiler, streams=self._streams) as moves,
                ):
                    work(out, moves)
                return out
            except DeviceMemoryError as e:
                if self._is_least:
                    _, n_rows, n_columns = self._scene.seen
                    raise self._too_large("one slice and one view", (n_rows, n_columns)) from e
            # fragments of memory may be what is missing: give everything back, and try with half
            self._tools.forget()
            self._share /= 2

    def _too_large(self, what: str, shape: tuple[int, ...]) -> DeviceMemoryError:
        size, mib = " × ".join(map(str, shape)), 2**20
        return DeviceMemoryError(
            f"{self._scene.grid.describe()}, {self._scene.seen[0]} views: {what} ({size}) does not "
            f"fit the GPU's memory, {self._gpu.free_bytes() / mib:.0f} MiB are free; close what "
            "else uses the GPU, choose larger voxels or bin the projections, or take the CPU."
        )


def views_of_chunk(n_views: int, updates: float, *, arriving_bytes: int) -> int:
    """Return how many views a chunk has at most, if the memory allows it.

    updates : of voxels or layers for a view
    arriving_bytes : of a view that comes from the host, beside the work on the chunk before; else 0
    """
    # so that progress is reported, and a stop obeyed, between short parts
    most = max(1, min(MOST_VIEWS, int(UPDATES_PER_CHUNK / updates)))
    if not arriving_bytes:
        return most
    fewest = max(FEWEST_ARRIVING, -(-LEAST_ARRIVING // arriving_bytes))
    return min(most, max(fewest, -(-n_views // CHUNKS_ARRIVING)))
