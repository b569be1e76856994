"""The forms in which Joseph's projector can be compiled for a GPU; see joseph.cu."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import Literal, get_args

from engine.kernels.source import render

Reads = Literal["array", "memory"]
Sums = Literal["float", "fixed"]

VIEW_BYTES = 72
"""Size of a view in constant memory: 18 numbers of float32."""
MOST_VIEWS = 64 * 1024 // VIEW_BYTES
"""Views that fit into constant memory."""


@dataclass(frozen=True)
class JosephVariant:
    """One form of joseph.cu.

    Attributes
    ----------
    texture : what `forward` reads: a 3D "array" through the texture units, which blend in fractions
        of 1/256, or plain "memory" in float32, of which `back` is the transpose
    columns, rows : of a block of threads
    rows_per_thread : rays that a thread takes, one after another
    layers_per_launch : layers of voxels that a launch crosses; 0: all
    views_per_launch : views that a launch takes at most
    sums : `back` adds by floating atomics, or in 64-bit integers, the same bits always
    """

    texture: Reads = "array"
    columns: int = 16
    rows: int = 16
    rows_per_thread: int = 1
    layers_per_launch: int = 0
    views_per_launch: int = 64
    sums: Sums = "float"

    def __post_init__(self) -> None:
        # a faulty form is a fault of ours, not of the user: ValueError, not an EngineError
        if not 1 <= self.views_per_launch <= MOST_VIEWS:
            raise ValueError(
                f"views_per_launch {self.views_per_launch}: 1 to {MOST_VIEWS} fit into constant "
                "memory."
            )

    @property
    def n_threads(self) -> int:
        """Threads of a block."""
        return self.columns * self.rows

    @property
    def sum_dtype(self) -> str:
        """Numpy's name of the type that `back` sums in."""
        return "int64" if self.sums == "fixed" else "float32"

    def source(self) -> str:
        """CUDA source of all kernels."""
        return render(
            "joseph",
            texture=self.texture == "array",
            fixed=self.sums == "fixed",
            sum="long long" if self.sums == "fixed" else "float",
            columns=self.columns,
            rows=self.rows,
            threads=self.n_threads,
            run=self.rows_per_thread,
            views=self.views_per_launch,
        )

    @property
    def options(self) -> tuple[str, ...]:
        """For the compiler; the same bits need the same roundings everywhere."""
        return ("-std=c++17", *(("-fmad=false",) if self.sums == "fixed" else ()))


BLOCKS = ((32, 8), (16, 16), (32, 4), (8, 32), (64, 4))
"""Blocks (columns, rows) worth measuring."""


def joseph_variants(
    blocks: tuple[tuple[int, int], ...] = ((16, 16),), rows_per_thread: tuple[int, ...] = (1, 4)
) -> Iterator[JosephVariant]:
    """Every form there is, with these blocks and runs of rows."""
    kinds = (get_args(Reads), get_args(Sums))
    for texture, sums, (columns, rows), run in product(*kinds, blocks, rows_per_thread):
        yield JosephVariant(texture, columns, rows, run, sums=sums)
