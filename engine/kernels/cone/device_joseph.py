"""Joseph's projector on a GPU: line integrals and their adjoint, for one compiled variant.

The formula is at the top of `engine.kernels.cone.joseph`. All work is queued. Volumes are (n_z,
n_y, n_x) without a border, projections (n_views, n_rows, n_columns); both are float32, contiguous
and on the device.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.core.backend.gpu import Array, Function, Gpu, Texture
from engine.core.profiling import Profiler
from engine.kernels.compiled import Arguments
from engine.kernels.cone.joseph_variants import VIEW_BYTES, JosephVariant

Three = tuple[int, int, int]

SAMPLES_PER_LAUNCH = 2**32
"""Maximum layers crossed by the rays of a launch: below 0.2 s, or a driver resets the screen."""
_COLLECT_BLOCKS = 4096


@dataclass(frozen=True)
class Lines:
    """Rays of some views of a volume, on the device.

    Attributes
    ----------
    memory : (n_views, 88) bytes, of the struct `View` of joseph_view.cu
    shape : (n_rows, n_columns) of the detector
    middle : centre of the whole volume (x, y, z) [voxels from its lower corner]
    voxel_mm : (x, y, z)
    """

    memory: Array
    shape: tuple[int, int]
    middle: tuple[float, float, float]
    voxel_mm: tuple[float, float, float]

    @classmethod
    def upload(
        cls, gpu: Gpu, rays: NDArray[np.float64], shape: tuple[int, int], whole: Three,
        voxel_mm: tuple[float, float, float],
    ) -> Lines:  # fmt: skip
        """Copy the rays of a detector to the device.

        Parameters
        ----------
        gpu
            the device
        rays
            (n_views, 6, 3) as in `engine.kernels.cone.joseph`; either all starts or all directions
            of a view are equal
        shape
            (n_rows, n_columns)
        whole
            (n_z, n_y, n_x) of the whole volume
        voxel_mm
            (x, y, z)
        """
        z, y, x = whole
        middle = (x / 2, y / 2, z / 2)
        lines = plucker(rays, shape, middle).reshape(len(rays), -1)
        views = np.concatenate([lines, passing(rays, middle)], axis=1).astype(np.float32)
        memory = gpu.upload(views.view(np.uint8))
        return cls(memory, shape, middle, voxel_mm)

    @property
    def n_views(self) -> int:
        """Number of views."""
        return len(self.memory)

    def part(self, start: int, stop: int) -> Lines:
        """Return views start ... stop - 1."""
        return replace(self, memory=self.memory[start:stop])


def plucker(
    rays: NDArray[np.float64], shape: tuple[int, int], middle: tuple[float, float, float]
) -> NDArray[np.float64]:
    """Return direction and moment of the middle ray of each view, with their steps.

    Parameters
    ----------
    rays
        (n_views, 6, 3) start, its step per column, per row, along, its steps [voxels]
    shape
        (n_rows, n_columns)
    middle
        reference point of the moments [voxels]

    Returns
    -------
    (n_views, 6, 3) along, its steps, moment, its steps
    """
    n_rows, n_columns = shape
    first, start_column, start_row, first_along, along_column, along_row = rays.transpose(1, 0, 2)
    columns, rows = (n_columns - 1) / 2, (n_rows - 1) / 2
    # Relative to the centres of volume and detector: moments stay small, where float32 is most
    # exact.
    start = first + columns * start_column + rows * start_row - np.array(middle)
    along = first_along + columns * along_column + rows * along_row
    # Either starts or directions change, so there is no product of two steps.
    moment = np.cross(start, along)
    moment_column = np.cross(start_column, along) + np.cross(start, along_column)
    moment_row = np.cross(start_row, along) + np.cross(start, along_row)
    lines = np.stack([along, along_column, along_row, moment, moment_column, moment_row], axis=1)
    # The same lines, scaled exactly to a length near 1, so that products stay within float32.
    _, exponent = np.frexp(np.linalg.norm(along, axis=1))
    return np.ldexp(lines, -exponent[:, None, None])


def passing(rays: NDArray[np.float64], middle: tuple[float, float, float]) -> NDArray[np.float64]:
    """Return (x, y, z, w) of each view: the ray through p has the direction w p + (x, y, z).

    Parameters
    ----------
    rays
        as for `plucker`
    middle
        as for `plucker`; p is relative to it

    Returns
    -------
    (n_views, 4)
    """
    start, start_column, start_row, along = rays.transpose(1, 0, 2)[:4]
    moves = (start_column != 0).any(axis=1) | (start_row != 0).any(axis=1)
    origin = np.where(moves[:, None], along, np.array(middle) - start)
    return np.concatenate([origin, np.where(moves, 0.0, 1.0)[:, None]], axis=1)


@dataclass(frozen=True)
class InMemory:
    """A volume or a box in device memory, as line integrals read it.

    Attributes
    ----------
    values : (n_z, n_y, n_x)
    turned : (n_z, n_x, n_y), transposed copy for rays along x
    """

    values: Array
    turned: Array

    @classmethod
    def of(cls, gpu: Gpu, values: Array) -> InMemory:
        """Return a volume, and queue its transposed copy.

        Parameters
        ----------
        gpu
            the device
        values
            (n_z, n_y, n_x) on the device
        """
        return cls(values, gpu.xp.ascontiguousarray(values.transpose(0, 2, 1)))

    @property
    def shape(self) -> Three:
        """(n_z, n_y, n_x)."""
        n_z, n_y, n_x = self.values.shape
        return n_z, n_y, n_x


class Joseph:
    """Compiled kernels of one variant, and their launches.

    A volume can be a box of the whole volume, with the first voxel `corner` (z, y, x). The line
    integrals of all boxes add up to those of the whole. The back projection of a box is the same
    part of the whole back projection. A box must have less than 2^31 voxels.
    """

    def __init__(self, gpu: Gpu, variant: JosephVariant, profiler: Profiler) -> None:
        self.gpu, self.variant = gpu, variant
        module = gpu.load(variant.source(), variant.options)
        self._views = module.constant("views")
        self._functions: dict[str, Function] = {}
        for name in ("forward", "back", "collect"):
            self._functions[name] = module.function(name)
        for name in ("forward", "back"):
            resources = self._functions[name].resources(variant.n_threads)
            profiler.kernel(f"joseph {name}", resources, variant.n_threads)

    def forward(
        self, volume: InMemory | Texture, lines: Lines, out: Array,
        *, corner: Three = (0, 0, 0), accumulate: bool = False,
    ) -> None:  # fmt: skip
        """Queue line integrals [volume times mm].

        Parameters
        ----------
        volume
            in memory, or a `Texture` of kind "array" if the variant reads one
        lines
            rays of the views
        out
            (n_views, n_rows, n_columns)
        corner
            first voxel (z, y, x) of a box
        accumulate
            add to `out` instead of overwriting it
        """
        read = (
            (volume.values, volume.turned) if isinstance(volume, InMemory) else (volume.argument,)
        )
        for views, layers, scene in self._launches(lines, volume.shape, corner):
            # The first launch of a ray overwrites `out`, so that it need not be cleared.
            adds = np.int32(accumulate or layers.start > 0)
            self._launch("forward", lines, views, *read, *scene, adds, out[_slice(views)])

    def back(
        self, values: Array, lines: Lines, sums: Array,
        *, corner: Three = (0, 0, 0), unit: float = 1.0,
    ) -> None:  # fmt: skip
        """Queue adding the transpose of `forward` from memory.

        Parameters
        ----------
        values
            (n_views, n_rows, n_columns)
        lines
            rays of the views
        sums
            (n_z, n_y, n_x) of `sum_dtype`
        corner
            first voxel (z, y, x) of a box
        unit
            fixed-point sums are in 1 / unit; see `engine.kernels.units.value_unit`
        """
        for views, _, scene in self._launches(lines, sums.shape, corner):
            part = values[_slice(views)]
            self._launch("back", lines, views, part, *scene, np.float64(unit), sums)

    def transposed(
        self, values: Array, lines: Lines, out: Array,
        *, corner: Three = (0, 0, 0), accumulate: bool = False,
    ) -> None:  # fmt: skip
        """Queue `back` with floating-point sums.

        Parameters
        ----------
        values
            (n_views, n_rows, n_columns)
        lines
            rays of the views
        out
            (n_z, n_y, n_x)
        corner
            first voxel (z, y, x) of a box
        accumulate
            add to `out` instead of overwriting it
        """
        if not accumulate:
            self.gpu.zero(out)
        self.back(values, lines, out, corner=corner)

    def work_bytes(self, lines: Lines) -> int:
        """Return the memory that `transposed` needs in addition to its arrays.

        Parameters
        ----------
        lines
            rays of the views
        """
        return 0

    def collect(self, sums: Array, unit: float, out: Array) -> None:
        """Queue the conversion of sums in 1 / unit to float32.

        Parameters
        ----------
        sums
            sums of `back`
        unit
            units per 1
        out
            float32 of the same size, which is written
        """
        n, threads = sums.size, self.variant.n_threads
        n_blocks = min(-(-n // threads), _COLLECT_BLOCKS)
        self._functions["collect"](n_blocks, threads, sums, np.float64(1 / unit), np.uint64(n), out)

    def views_per_launch(self, lines: Lines, shape: Three) -> int:
        """Return the views of a launch, limited so that it is short.

        Parameters
        ----------
        lines
            rays of the views
        shape
            (n_z, n_y, n_x) of the box
        """
        layers = min(self.variant.layers_per_launch or max(shape), max(shape))
        affordable = SAMPLES_PER_LAUNCH // (prod(lines.shape) * layers)
        return max(1, min(affordable, self.variant.views_per_launch))

    def _launches(
        self, lines: Lines, shape: Three, corner: Three
    ) -> Iterator[tuple[range, range, Arguments]]:
        """Yield views, layers and scene of each launch; the views are then in constant memory."""
        z, y, x = shape
        first = [c + 0.5 - m for c, m in zip(reversed(corner), lines.middle, strict=True)]
        box = (np.int32(x), np.int32(y), np.int32(z), *map(np.float32, (*first, *lines.voxel_mm)))
        detector = (np.int32(lines.shape[1]), np.int32(lines.shape[0]))
        longest = max(shape)
        for views in parts(lines.n_views, self.views_per_launch(lines, shape)):
            n_bytes = len(views) * VIEW_BYTES
            self.gpu.copy(lines.memory[_slice(views)].reshape(-1), self._views[:n_bytes])
            for layers in parts(longest, self.variant.layers_per_launch or longest):
                span = (np.int32(layers.start), np.int32(len(layers)))
                yield views, layers, (*box, *span, *detector)

    def _launch(self, name: str, lines: Lines, views: range, *arguments: Any) -> None:
        n_rows, n_columns = lines.shape
        v = self.variant
        n_blocks = (
            -(-n_columns // v.columns),
            -(-n_rows // (v.rows * v.rows_per_thread)),
            len(views),
        )
        self._functions[name](n_blocks, (v.columns, v.rows, 1), *arguments)


def parts(n: int, size: int) -> Iterator[range]:
    """Yield 0 ... n − 1 in ranges of `size`.

    Parameters
    ----------
    n
        number of elements
    size
        maximum length of a range
    """
    for start in range(0, n, size):
        yield range(start, min(start + size, n))


def _slice(part: range) -> slice:
    return slice(part.start, part.stop)
