"""Ray and image kernels of one variant, compiled for one GPU, and their calls."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import prod
from typing import Any

import numpy as np

from engine.core.arrays import Array as HostArray
from engine.core.backend.gpu import Array, Function, Gpu
from engine.core.profiling import Profiler
from engine.kernels.blocks import padded
from engine.kernels.rays.slice_tracing import EventRows
from engine.kernels.variants import (
    EM_BLOCK,
    MAX_CONSTANT_BYTES,
    REPLICATES_BLOCK,
    TILE,
    RayVariant,
)

RAY_KERNELS = ("forward", "back", "update", "touched")
EM_KERNELS = ("pack", "unpack", "collect", "advance", "log_sum")
ADVANCE_BLOCKS, LOG_BLOCKS = 512, 64
"""Maximum number of blocks with partial sums."""


Arguments = tuple[Any, ...]
"""Arguments of a launch: NumPy scalars of the exact type, and device arrays."""


def fitted(variant: RayVariant, rows: EventRows) -> RayVariant:
    """Return the variant with the TOF mode that the rows need.

    Parameters
    ----------
    variant
        variant of the ray kernels
    rows
        events; without TOF bins the kernels are compiled without TOF
    """
    if not rows.bins.size:
        # No bins and no table: less memory traffic, and fewer registers.
        return replace(variant, timing="none")
    if variant.timing == "global" or rows.table.nbytes > MAX_CONSTANT_BYTES:
        return replace(variant, timing="global")
    return replace(variant, timing="constant")


@dataclass(frozen=True)
class Layout:
    """Memory layout of images on the device: with a border, linear or in tiles."""

    shape: tuple[int, ...]
    """(n_z, n_y, n_x), without the border."""
    variant: RayVariant

    @property
    def sizes(self) -> tuple[np.int32, np.int32, np.int32]:
        """n_x, n_y, n_z, including the border."""
        z, y, x = padded(self.shape)
        return np.int32(x), np.int32(y), np.int32(z)

    @property
    def n_packed(self) -> int:
        """Number of values of a packed image."""
        edge = TILE if self.variant.order == "tiles" else 1
        return prod(-(-n // edge) * edge for n in padded(self.shape))

    @property
    def n_voxels(self) -> int:
        """Number of voxels of an image without its border."""
        return prod(self.shape)

    def unpacked(self, packed: HostArray) -> HostArray:
        """Return a packed host image as [z, y, x] without its border."""
        z, y, x = (1 + n for n in self.shape)
        if self.variant.order != "tiles":
            return packed.reshape(padded(self.shape))[1:z, 1:y, 1:x]
        tiles = [-(-n // TILE) for n in padded(self.shape)]
        whole = packed.reshape(*tiles, TILE, TILE, TILE).transpose(0, 3, 1, 4, 2, 5)
        return whole.reshape([n * TILE for n in tiles])[1:z, 1:y, 1:x]


class Kernels:
    """Compiled kernels; each call queues a launch."""

    def __init__(self, gpu: Gpu, rows: EventRows, layout: Layout, profiler: Profiler) -> None:
        self.gpu, self.layout, self._profiler = gpu, layout, profiler
        variant = layout.variant
        # Constant tables are part of the source, as hexadecimal floats: the compiler reads exactly
        # the numbers of the host.
        entries = tuple(float(v) for v in rows.table) if variant.timing == "constant" else ()
        self._entries = entries
        rays = gpu.load(variant.rays(entries), variant.options)
        em = gpu.load(variant.em(), variant.options)
        self._functions: dict[str, tuple[Function, int]] = {}
        for module, names, block in (
            (rays, RAY_KERNELS, variant.block),
            (em, EM_KERNELS, EM_BLOCK),
        ):
            for name in names:
                self._functions[name] = module.function(name), block
        for name in ("forward", "back", "update"):
            function, block = self._functions[name]
            profiler.kernel(name, function.resources(block), block)
        self.per_slab = self._per_launch(rows)

    def _per_launch(self, rows: EventRows) -> Arguments:
        """Return the scalars of the scene, which are equal for all launches."""
        # Without TOF, `DeviceRays` passes a table of one part.
        n_parts = rows.table.size // 4 if rows.bins.size else 1
        x, y, z = rows.voxel_mm
        return (
            np.int32(n_parts),
            np.int32(rows.n_bins),
            np.float64(rows.bin_mm),
            np.float64(rows.part_mm),
            np.float64(x),
            np.float64(y),
            np.float64(z),
            *self.layout.sizes,
        )

    def rays(self, name: str, n_rows: int, *arguments: Any) -> None:
        """Queue a ray kernel.

        Parameters
        ----------
        name
            "forward", "back", "update" or "touched"
        n_rows
            number of rows
        arguments
            arguments of the kernel
        """
        function, block = self._functions[name]
        function(-(-n_rows // self.layout.variant.events_per_block), block, *arguments)

    def replicates(self, n_rows: int, *arguments: Any) -> None:
        """Queue the kernel of bootstrap replicates, which the first call compiles.

        Parameters
        ----------
        n_rows
            number of rows
        arguments
            arguments of the kernel
        """
        if "replicates" not in self._functions:
            variant = self.layout.variant
            module = self.gpu.load(variant.replicates(self._entries), variant.options)
            function = module.function("replicates")
            self._functions["replicates"] = function, REPLICATES_BLOCK
            resources = function.resources(REPLICATES_BLOCK)
            self._profiler.kernel("replicates", resources, REPLICATES_BLOCK)
        function, block = self._functions["replicates"]
        # As many rows as threads: each warp processes 32 rows.
        function(-(-n_rows // block), block, *arguments)

    def pack(self, image: Array, packed: Array) -> None:
        """Queue the conversion of an image to the packed layout.

        Parameters
        ----------
        image
            (n_z, n_y, n_x) on the device
        packed
            packed image, which is written
        """
        n = self.layout.n_packed
        self._images("pack", n, image, *self.layout.sizes, np.int32(n), packed)

    def unpack(self, packed: Array, image: Array) -> None:
        """Queue the conversion of a packed image to [z, y, x].

        Parameters
        ----------
        packed
            packed image
        image
            (n_z, n_y, n_x) on the device, which is written
        """
        x, y, _ = self.layout.sizes
        n = self.layout.n_voxels
        self._images("unpack", n, packed, x, y, np.int32(n), image)

    def collect(self, sums: Array, packed: Array | None, unit: float, image: Array) -> None:
        """Queue the conversion of sums to an image [z, y, x].

        Parameters
        ----------
        sums
            packed sums in 1 / unit
        packed
            image that the sums are multiplied by; None: not multiplied
        unit
            1 for floating-point sums, else units per 1
        image
            the result
        """
        x, y, _ = self.layout.sizes
        n = self.layout.n_voxels
        # Every pointer of a launch must be valid, even if it is not read.
        other = image if packed is None else packed  # never read
        as_numerator = np.int32(packed is not None)
        self._images(
            "collect", n, sums, other, as_numerator, np.float64(1 / unit), x, y, np.int32(n), image
        )

    def advance(
        self,
        sums: Array,
        sensitivity: Array,
        n_subsets: int,
        least: float,
        unit: float,
        *state: Array,
    ) -> None:
        """Queue one EM update.

        Parameters
        ----------
        sums
            packed sums of the back projection, in 1 / unit
        sensitivity
            packed sensitivity of all subsets
        n_subsets
            number of subsets
        least
            minimum factor of a voxel
        unit
            1 for floating-point sums, else units per 1
        state
            image, peak, fault and partial sums on the device
        """
        of_update = np.int32(n_subsets), np.float32(least), np.float64(1 / unit)
        scalars = *of_update, np.int32(self.layout.n_packed)
        function, block = self._functions["advance"]
        n_blocks = min(-(-self.layout.n_packed // block), ADVANCE_BLOCKS)
        function(n_blocks, block, sums, sensitivity, *scalars, *state)

    def log_sum(self, expected: Array, n_rows: int, parts: Array, skipped: Array) -> None:
        """Queue the sum of the logarithms of expected counts, by block.

        Parameters
        ----------
        expected
            (n_rows,) expected counts
        n_rows
            number of rows
        parts
            partial sums of the blocks
        skipped
            skipped rows of the blocks
        """
        function, block = self._functions["log_sum"]
        function(
            min(-(-n_rows // block), LOG_BLOCKS), block, expected, np.int32(n_rows), parts, skipped
        )

    def _images(self, name: str, n: int, *arguments: Any) -> None:
        function, block = self._functions[name]
        function(-(-n // block), block, *arguments)
