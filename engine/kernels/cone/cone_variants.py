"""Variants of the voxel-driven back projection on a GPU; see cone_back.cu."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import permutations
from math import gcd, prod
from typing import Literal, get_args

from engine.core.backend.gpu import TextureKind
from engine.kernels.source import render

Path = Literal["general", "upright", "columns"]
Reads = TextureKind | Literal["memory"]
Axis = Literal["x", "y", "z"]
Shape = tuple[int, int, int]
AXES: tuple[Axis, Axis, Axis] = ("x", "y", "z")

VIEW_BYTES = 48
"""Bytes of a view in constant memory: 12 float32 numbers."""
MAX_VIEWS = 64 * 1024 // VIEW_BYTES
"""Maximum number of views in constant memory."""
WARP = 32
SECTOR = 8
"""float32 numbers in a memory transaction."""
MAX_THREADS = 1024
MAX_SHARED_BYTES = 48 << 10
GATHER_BLOCK = 256
"""Threads of a block that adds partial sums."""
UNSHARED_BLOCK = (16, 32)
"""Threads of a block if the path "columns" is slower."""
ROWS_PER_VOXEL = 2
"""Maximum height of a voxel in detector rows for "columns", by shared memory."""
ROWS_AT_ONCE = 4 * WARP
"""Rows that a warp reads in one step."""
READS = (*get_args(TextureKind), "memory")
ORDERS = tuple("".join(order) for order in permutations("xyz"))
PROJECTION_ORDERS = tuple("".join(order) for order in permutations("vrc"))


@dataclass(frozen=True)
class BackVariant:
    """One variant of cone_back.cu.

    Attributes
    ----------
    texture : storage of the projections, see `engine.core.backend.gpu`, with 8-bit fractions of
        pixels; or "memory", read with float32 fractions
    path : "general"; or "upright" and "columns" if detector columns are parallel to the run; see
        the head of cone_back.cu. "columns" reads memory, best in the order "vcr"
    block : threads (x, y); x is along the fastest axis of the volume that is not the run. In
        "columns" x is a warp along the run
    voxels_per_thread : voxels of a run
    views_per_launch : maximum views of a launch
    run : axis of space of the runs
    volume : axes of the volume's array, slowest first
    projections : axes view, row and column of the projections' array, slowest first; only an
        "array" or "memory" can begin with another axis than the view
    split : number of blocks that share the views of the same voxels, for volumes with few voxels
    """

    texture: Reads = "layered"
    path: Path = "general"
    block: tuple[int, int] = (16, 32)
    voxels_per_thread: int = 6
    views_per_launch: int = 32
    run: Axis = "z"
    volume: str = "zyx"
    projections: str = "vrc"
    split: int = 1

    def __post_init__(self) -> None:
        if fault := self._fault():
            raise ValueError(f"{self}: {fault}")

    def _fault(self) -> str:
        if self.texture not in READS or self.path not in get_args(Path):
            return f"texture must be one of {READS}, and path one of {get_args(Path)}."
        if self.volume not in ORDERS or self.projections not in PROJECTION_ORDERS:
            return "volume must contain each of x, y and z, and projections each of v, r and c."
        if not 1 <= self.views_per_launch <= MAX_VIEWS:
            return f"views_per_launch must be 1 to {MAX_VIEWS}."
        if min(*self.block, self.voxels_per_thread, self.split) < 1 or self.run not in "xyz":
            return "all sizes must be at least 1, and run must be x, y or z."
        if self.n_threads > MAX_THREADS:
            return f"a block can have at most {MAX_THREADS} threads."
        if self.path == "columns" and (self.texture != "memory" or self.block[0] != WARP):
            return f"the path 'columns' needs the texture 'memory' and blocks ({WARP}, n)."
        if self.path == "columns" and 4 * self._rows * self.block[1] > MAX_SHARED_BYTES:
            return f"a block can store at most {MAX_SHARED_BYTES} bytes of columns."
        if self.texture not in ("array", "memory") and self.projections[0] != "v":
            return f"with the texture {self.texture!r}, v must come first in projections."
        return ""

    @property
    def n_threads(self) -> int:
        """Threads of a block."""
        return self.block[0] * self.block[1]

    @property
    def axes(self) -> tuple[Axis, Axis, Axis]:
        """Axes of space: across and down for threads, then along the runs."""
        slow, fast = (axis for axis in AXES if axis != self.run)
        if self.volume.index(slow) > self.volume.index(fast):
            slow, fast = fast, slow
        return fast, slow, self.run

    @property
    def voxels_per_block(self) -> Shape:
        """Voxels of a block along `axes`."""
        across, down = self.block
        if self.path == "columns":
            return self._lines_across, down // self._lines_across, WARP * self.voxels_per_thread
        return across, down, self.voxels_per_thread

    @property
    def _lines_across(self) -> int:
        """Adjacent lines of voxels in a block of "columns"."""
        return gcd(self.block[1], SECTOR)

    @property
    def _rows(self) -> int:
        """Detector rows that a warp of "columns" stores in shared memory."""
        return (
            -(-(WARP * ROWS_PER_VOXEL * self.voxels_per_thread + 8) // ROWS_AT_ONCE) * ROWS_AT_ONCE
        )

    def source(self) -> str:
        """CUDA source of both kernels."""
        across, down, along = ("xyz".index(axis) for axis in self.axes)
        slow, middle, fast = ("xyz".index(axis) for axis in self.volume)
        of_views, of_rows, of_columns = (self.projections.index(axis) for axis in "vrc")
        return render(
            "cone_back",
            texture=self.texture,
            path=self.path,
            views=self.views_per_launch,
            run=self.voxels_per_thread,
            split=self.split,
            block_x=self.block[0],
            block_y=self.block[1],
            block=self.n_threads,
            gather_block=GATHER_BLOCK,
            rows=self._rows,
            lines_across=self._lines_across,
            across=across,
            down=down,
            along=along,
            slow=slow,
            middle=middle,
            fast=fast,
            of_views=of_views,
            of_rows=of_rows,
            of_columns=of_columns,
        )

    @property
    def options(self) -> tuple[str, ...]:
        """Compiler options."""
        return ("-std=c++17",)


def back_variants() -> Iterator[BackVariant]:
    """Yield each path with each way to read, and with blocks that share views."""
    for path in get_args(Path):
        block = (WARP, 4) if path == "columns" else (16, 32)
        for texture in ("memory",) if path == "columns" else READS:
            yield BackVariant(texture, path, block)
        yield BackVariant("memory", path, block, 1, split=3)


SLICE_RUN = 2
"""Voxels of a thread in a slice.

On an H100, 2 are as fast as 4, and 11 % faster for large slices. 1 takes up to 50 % longer.
"""
SLICE_WIDTHS = (128, 96, 64, 32)
"""Threads of a block in a slice."""
MAX_RESIDENT = 2048
"""Maximum threads of a multiprocessor."""
UPDATES_WORTH_A_LAUNCH = 2**28
"""Voxels times views above which the microseconds of a launch do not matter."""
VIEWS_PER_SHARE = 16
"""Minimum views of a block if several blocks share them."""


def fitted(variant: BackVariant, shape: Shape, n_views: int, n_multiprocessors: int) -> BackVariant:
    """Return the variant for a box: slices and small patches need other runs.

    A slice is one voxel deep, so its runs are in the slice, along the slower axis. If there are too
    few blocks for the GPU, several blocks share the views. Small boxes process all views in one
    launch. The bits equal those of the whole volume only for the same variant.

    Parameters
    ----------
    variant
        variant for the whole volume
    shape
        (n_z, n_y, n_x) of the box
    n_views
        number of views
    n_multiprocessors
        multiprocessors of the GPU
    """
    n: dict[Axis, int] = {"z": shape[0], "y": shape[1], "x": shape[2]}
    thin = min(n, key=lambda axis: n[axis])
    if variant.path == "columns" and n[variant.run] < WARP:
        variant = replace(variant, path="upright", block=UNSHARED_BLOCK)
    if n[thin] == 1 and prod(shape) > 1:
        variant = _of_slice(variant, n, thin)
    lanes = WARP if variant.path == "columns" else 1
    longest = min(variant.voxels_per_thread, -(-n[variant.run] // lanes))
    variant = replace(variant, voxels_per_thread=longest)
    sizes = zip(variant.axes, variant.voxels_per_block, strict=True)
    n_blocks = prod(-(-n[axis] // size) for axis, size in sizes)
    split = min(
        n_multiprocessors * (MAX_RESIDENT // variant.n_threads) // n_blocks,
        n_views // VIEWS_PER_SHARE,
    )
    if prod(shape) * variant.views_per_launch < UPDATES_WORTH_A_LAUNCH:
        variant = replace(variant, views_per_launch=MAX_VIEWS)
    return replace(variant, split=max(split, 1))


def _of_slice(variant: BackVariant, n: dict[Axis, int], thin: Axis) -> BackVariant:
    """Return the variant for one layer of voxels: a row of threads along its faster axis."""
    slower, faster = sorted((axis for axis in AXES if axis != thin), key=variant.volume.index)
    # The widest block that covers the rows of the slice with few idle threads.
    covered = {width: -(-n[faster] // width) * width for width in SLICE_WIDTHS}
    width = next(w for w in SLICE_WIDTHS if 8 * covered[w] <= 9 * min(covered.values()))
    run = min(SLICE_RUN, n[slower])
    variant = replace(variant, path="general", run=slower, voxels_per_thread=run)
    block = (width, 1) if variant.axes[0] == faster else (1, width)
    return replace(variant, block=block)
