"""Variants of the ray kernels on a GPU; measurements decide which one is fastest."""

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
MAX_CONSTANT_BYTES = 60_000
"""Maximum constant memory of the TOF table; a GPU has 64 KiB."""


@dataclass(frozen=True)
class RayVariant:
    """One variant of rays.cu and em.cu.

    Attributes
    ----------
    mapping : threads of an event: one thread, a warp, or a block (as in the paper that rays.cu
        names)
    order : order of voxels in memory: x fastest, or tiles of 4 x 4 x 4 (as in the paper)
    sums : floating-point atomics, or 64-bit integers with reproducible bits
    timing : no time of flight, or its table in constant or global memory
    real : type of images, values and arithmetic along the ray
    block : threads of a block
    kept : slabs of a thread with taps that stay in registers between both passes of an update
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
        """Number of events of a block."""
        return 1 if self.mapping == "block" else self.block

    @property
    def dtype(self) -> str:
        """NumPy name of `real`."""
        return {"float": "float32", "double": "float64"}[self.real]

    @property
    def sum_dtype(self) -> str:
        """NumPy name of the dtype of sums."""
        # 64 bits, because 32 bits would leave only a few steps for each of a billion events.
        return "int64" if self.sums == "fixed" else self.dtype

    def rays(self, entries: tuple[float, ...] = ()) -> str:
        """Return the CUDA source of the ray kernels.

        Parameters
        ----------
        entries
            TOF table, used if it is in constant memory
        """
        return render(
            "rays",
            tof=self.timing != "none",
            group=self.group,
            batch=WARP if self.mapping == "warp" else 1,
            kept={"thread": 0, "warp": self.kept, "block": min(self.kept, 1)}[self.mapping],
            entries=entries if self.timing == "constant" else (),
            **self._common(self.block),
        )

    def replicates(self, entries: tuple[float, ...] = ()) -> str:
        """Return the CUDA source of the kernel of bootstrap replicates: a warp for each event.

        Parameters
        ----------
        entries
            TOF table, used if it is in constant memory
        """
        # Few runs have an error map.
        from engine.kernels.rays import event_weights as weights

        return render(
            "rays",
            "replicates",
            tof=self.timing != "none",
            group=WARP,
            batch=WARP,
            kept=0,
            entries=entries if self.timing == "constant" else (),
            gamma=weights.GAMMA,
            delta=weights.DELTA,
            pair_bits=weights.PAIR_BITS,
            mix_first=weights.MIX_FIRST,
            mix_second=weights.MIX_SECOND,
            thresholds=weights.THRESHOLDS,
            n_thresholds=len(weights.THRESHOLDS),
            **self._common(REPLICATES_BLOCK),
        )

    def em(self) -> str:
        """Return the CUDA source of the image kernels."""
        return render("em", **self._common(EM_BLOCK))

    @property
    def options(self) -> tuple[str, ...]:
        """Compiler options; equal bits need equal rounding."""
        return ("-std=c++17", *(("-fmad=false",) if self.sums == "fixed" else ()))

    def _common(self, block: int) -> dict[str, bool | int | str]:
        return {
            "real": self.real,
            "sum": "long long" if self.sums == "fixed" else self.real,
            "fixed": self.sums == "fixed",
            "tiles": self.order == "tiles",
            "block": block,
        }


REPLICATES_BLOCK = 128
"""Threads of a block of the kernel of replicates."""
EM_BLOCK = 256
"""Threads of a block of the image kernels."""
BLOCKS = (64, 128, 256, 512)
"""Threads of a block to measure."""
MAX_DOUBLE_LINES = 256
"""Maximum float64 lines of 136 bytes in the 48 KiB of shared memory."""
KEPT = (4, 2, 0)
"""Numbers of slabs in registers to measure, if a warp processes an event."""


def variants(blocks: tuple[int, ...] = (128,)) -> Iterator[RayVariant]:
    """Yield all variants with these block sizes.

    Parameters
    ----------
    blocks
        threads of a block
    """
    kinds = (get_args(kind) for kind in (Mapping, Order, Sums, Timing, Real))
    for mapping, order, sums, timing, real, block in product(*kinds, blocks):
        # Warps set up the lines of a block in shared memory, which limits their number.
        if not (mapping == "warp" and real == "double" and block > MAX_DOUBLE_LINES):
            yield RayVariant(mapping, order, sums, timing, real, block)
