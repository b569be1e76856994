"""The forms in which the ray kernels can be compiled; which is fastest, a measurement tells."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import Literal, get_args

from engine.kernels.source import render

Mapping = Literal["thread", "warp", "block"]
Order = Literal["linear", "tiles"]
Sums = Literal["float", "fixed"]
Timing = Literal["none", "constant", "global"]
Real = Literal["float", "double"]

WARP = 32
TILE = 4
"""Edge of a tile [voxels]."""
MOST_CONSTANT_BYTES = 60_000
"""Constant memory that the table of time bins may take; a card has 64 KiB."""


@dataclass(frozen=True)
class RayVariant:
    """One form of rays.cu and em.cu.

    Attributes
    ----------
    mapping : what takes an event: a thread, a warp, or a block (the paper's)
    order : of voxels in memory: x fastest, or tiles of 4 x 4 x 4 (the paper's tile-major)
    sums : images are summed by floating atomics, or in 64-bit integers, the same bits always
    timing : no time of flight, or its table in constant or in global memory
    real : of images, values and arithmetic along the ray
    block : threads
    kept : slabs of a thread whose voxels stay in registers between the two ways of an update
    """

    mapping: Mapping = "warp"
    order: Order = "linear"
    sums: Sums = "float"
    timing: Timing = "none"
    real: Real = "float"
    block: int = 128
    kept: int = 4

    @property
    def group(self) -> int:
        """Threads that share an event."""
        return {"thread": 1, "warp": WARP, "block": self.block}[self.mapping]

    @property
    def events_per_block(self) -> int:
        """Events that a block takes."""
        return 1 if self.mapping == "block" else self.block

    @property
    def dtype(self) -> str:
        """Numpy's name of `real`."""
        return {"float": "float32", "double": "float64"}[self.real]

    @property
    def sum_dtype(self) -> str:
        """Numpy's name of the type that images are summed in."""
        # 64 bits, since 32 of them would leave a billion events only a few steps each
        return "int64" if self.sums == "fixed" else self.dtype

    def rays(self, entries: tuple[float, ...] = ()) -> str:
        """Source of the ray kernels; `entries` of the table go in where they are constant."""
        return render(
            "rays",
            tof=self.timing != "none",
            group=self.group,
            batch=WARP if self.mapping == "warp" else 1,
            kept={"thread": 0, "warp": self.kept, "block": min(self.kept, 1)}[self.mapping],
            entries=entries if self.timing == "constant" else (),
            **self._common(self.block),
        )

    def em(self) -> str:
        """Source of the image kernels."""
        return render("em", **self._common(EM_BLOCK))

    @property
    def options(self) -> tuple[str, ...]:
        """For the compiler; the same bits need the same roundings everywhere."""
        return ("-std=c++17", *(("-fmad=false",) if self.sums == "fixed" else ()))

    def _common(self, block: int) -> dict[str, bool | int | str]:
        return {
            "real": self.real,
            "sum": "long long" if self.sums == "fixed" else self.real,
            "fixed": self.sums == "fixed",
            "tiles": self.order == "tiles",
            "block": block,
        }


EM_BLOCK = 256
"""Threads of a block of the image kernels."""
BLOCKS = (64, 128, 256, 512)
"""Threads of a block worth measuring."""
MOST_DOUBLE_LINES = 256
"""Lines in double precision of 136 bytes each, in the 48 KiB that a block shares."""
KEPT = (4, 2, 0)
"""Slabs worth keeping in registers, where a warp takes an event."""


def variants(blocks: tuple[int, ...] = (128,)) -> Iterator[RayVariant]:
    """Every form there is, with these block sizes."""
    kinds = (get_args(kind) for kind in (Mapping, Order, Sums, Timing, Real))
    for mapping, order, sums, timing, real, block in product(*kinds, blocks):
        # warps lay out the lines of a block together, for which a block has only so much room
        if not (mapping == "warp" and real == "double" and block > MOST_DOUBLE_LINES):
            yield RayVariant(mapping, order, sums, timing, real, block)
