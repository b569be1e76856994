"""Variants of Joseph's projector on a GPU; see joseph.cu.

Its adjoint by gathering is in joseph_gather.cu.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import Literal, get_args

from engine.kernels.source import render

Reads = Literal["array", "memory"]
Sums = Literal["float", "fixed"]

VIEW_BYTES = 88
"""Bytes of a view in constant memory: 22 float32 numbers."""
MAX_VIEWS = 64 * 1024 // VIEW_BYTES
"""Maximum number of views in constant memory."""
WARP = 32
MAX_TAPS, MAX_VOXELS = 6, 4
"""Maximum rows and voxels that a thread gathers."""


@dataclass(frozen=True)
class JosephVariant:
    """One variant of joseph.cu.

    Attributes
    ----------
    texture : source of `forward`: a 3D "array", which texture units interpolate with fractions of
        1/256; or "memory" in float32, with `back` as exact transpose
    columns, rows : size of a block of threads
    rows_per_thread : rays of a thread, one after another
    layers_per_launch : layers of voxels that a launch crosses; 0: all
    views_per_launch : maximum views of a launch
    sums : `back` adds by floating-point atomics, or in 64-bit integers with reproducible bits
    """

    texture: Reads = "array"
    columns: int = 32
    rows: int = 4
    rows_per_thread: int = 1
    layers_per_launch: int = 0
    views_per_launch: int = 64
    sums: Sums = "float"

    def __post_init__(self) -> None:
        # An invalid variant is an internal error, so ValueError instead of an EngineError.
        if not 1 <= self.views_per_launch <= MAX_VIEWS:
            raise ValueError(
                f"views_per_launch is {self.views_per_launch}, expected 1 to {MAX_VIEWS} because "
                "of the size of constant memory."
            )

    @property
    def n_threads(self) -> int:
        """Threads of a block."""
        return self.columns * self.rows

    @property
    def sum_dtype(self) -> str:
        """NumPy name of the dtype of the sums of `back`."""
        return "int64" if self.sums == "fixed" else "float32"

    def source(self) -> str:
        """CUDA source of all kernels."""
        return _view(self.columns, self.rows, self.views_per_launch) + render(
            "joseph",
            texture=self.texture == "array",
            fixed=self.sums == "fixed",
            sum="long long" if self.sums == "fixed" else "float",
            threads=self.n_threads,
            run=self.rows_per_thread,
        )

    @property
    def options(self) -> tuple[str, ...]:
        """Compiler options, without fused operations for reproducible sums."""
        return ("-std=c++17", *(("-fmad=false",) if self.sums == "fixed" else ()))


@dataclass(frozen=True)
class GatherVariant:
    """One variant of joseph_gather.cu.

    Attributes
    ----------
    taps : maximum rows of one column that pass a voxel
    voxels_per_thread : voxels of a thread along z, with a distance of one warp
    side : columns of voxels of a block, one for each warp
    views_per_launch : maximum views of a launch
    """

    taps: int = 3
    voxels_per_thread: int = 4
    side: int = 8
    views_per_launch: int = 64

    @property
    def n_threads(self) -> int:
        """Threads of a block."""
        return WARP * self.side

    def source(self) -> str:
        """CUDA source of all kernels."""
        return _view(WARP, self.side, self.views_per_launch) + render(
            "joseph_gather",
            taps=self.taps,
            voxels=self.voxels_per_thread,
            threads=self.n_threads,
        )

    @property
    def options(self) -> tuple[str, ...]:
        """Compiler options."""
        return ("-std=c++17",)


def _view(columns: int, rows: int, views: int) -> str:
    return render("joseph_view", columns=columns, rows=rows, views=views)


def gather_variants() -> Iterator[GatherVariant]:
    """Yield each variant that runs."""
    for taps, voxels in product(range(2, MAX_TAPS + 1), range(1, MAX_VOXELS + 1)):
        yield GatherVariant(taps, voxels)


BLOCKS = ((32, 8), (16, 16), (32, 4), (8, 32), (64, 4))
"""Blocks (columns, rows) to measure."""


def joseph_variants(
    blocks: tuple[tuple[int, int], ...] = ((32, 4),), rows_per_thread: tuple[int, ...] = (1, 4)
) -> Iterator[JosephVariant]:
    """Yield each variant with these blocks and runs of rows.

    Parameters
    ----------
    blocks
        sizes (columns, rows) of blocks
    rows_per_thread
        numbers of rays of a thread
    """
    kinds = (get_args(Reads), get_args(Sums))
    for texture, sums, (columns, rows), run in product(*kinds, blocks, rows_per_thread):
        yield JosephVariant(texture, columns, rows, run, sums=sums)
