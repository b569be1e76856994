"""Ray tracing on a GPU."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from copy import copy
from dataclasses import dataclass
from threading import RLock
from typing import TYPE_CHECKING

import numpy as np

from engine.core.arrays import Array as HostArray
from engine.core.arrays import module_of
from engine.core.backend import Backend
from engine.core.backend.gpu import Array, Gpu, Stamp
from engine.core.backend.turns import in_turn
from engine.core.errors import DeviceMemoryError
from engine.core.profiling import Profiler
from engine.kernels.blocks import OnProgress
from engine.kernels.compiled import Arguments, Kernels, Layout, fitted
from engine.kernels.rays.slice_tracing import EventRows
from engine.kernels.units import share_unit
from engine.kernels.variants import WARP, RayVariant

if TYPE_CHECKING:
    from engine.kernels.rays.event_weights import Draws

ROWS_OF_A_PIECE = 2**16
"""Rows that are on the device together if their memory does not suffice for all."""
SLABS_PER_LAUNCH = 2**27
"""Maximum slabs of a launch: well below 0.2 s, or a driver resets the screen."""
_SAMPLE = 8192


@dataclass(frozen=True)
class Placed:
    """Rows first, first + step, ... of a list on the device."""

    ends: Array
    bins: Array
    first: int
    step: int
    n_rows: int


class DeviceRays:
    """Rows of a projector on a GPU; see `engine.operators.rays.RayProjector`.

    Images and values can be on the host; results stay on the device.
    """

    def __init__(
        self,
        rows: EventRows,
        shape: tuple[int, ...],
        variant: RayVariant,
        *,
        on: Backend,
        to_store: Callable[[HostArray], HostArray] | None = None,
        on_progress: OnProgress | None,
        profiler: Profiler,
    ) -> None:
        self.to_store = to_store
        self.gpu, self.rows, self.shape = _gpu_of(on), rows, shape
        self.on_progress, self.profiler = on_progress, profiler
        self.variant = fitted(variant, rows)
        self.dtype = np.dtype(self.variant.dtype)
        self.layout = Layout(shape, self.variant)
        self.kernels = Kernels(self.gpu, rows, self.layout, profiler)
        self._to_device = on.to_device
        self._points = on.to_device(rows.points)
        self._table = on.to_device(rows.table if rows.table.size else np.zeros(4, self.dtype))
        self._placed: Placed | None = None
        self._in_pieces = False
        self.turn = RLock()  # also of parts, which share our arrays

    @property
    def n_rows(self) -> int:
        """Number of rays."""
        return len(self.rows.ends)

    @property
    def rows_per_launch(self) -> int:
        """Number of rays of a launch."""
        return max(SLABS_PER_LAUNCH // max(self.shape), self.variant.block)

    @in_turn
    def part(self, first: int, step: int) -> DeviceRays:
        """Return rows first, first + step, ..., which share the arrays on the device.

        Parameters
        ----------
        first
            first row
        step
            distance of the rows
        """
        self._place_if_possible()
        part = copy(self)
        part.rows = self.rows._replace(
            ends=self.rows.ends[first::step], bins=self.rows.bins[first::step]
        )
        if self._in_pieces:
            return part
        whole = self.placed()
        at = whole.first + first * whole.step
        # The rows are already on the device. A subset is another stride through the same arrays,
        # not a copy.
        part._placed = Placed(whole.ends, whole.bins, at, whole.step * step, part.n_rows)
        return part

    def selected(self, rows: HostArray) -> DeviceRays:
        """Return some rows, which can be repeated.

        Parameters
        ----------
        rows
            (n,) numbers of the rows
        """
        part, ends, bins = copy(self), self.rows.ends[rows], self.rows.bins
        part.rows = self.rows._replace(ends=ends, bins=bins[rows] if bins.size else bins)
        part._placed, part._in_pieces = None, False  # copied to the device when it is first used
        return part

    @in_turn
    def forward(self, x: Array) -> Array:
        """Return line integrals along the rays.

        Parameters
        ----------
        x
            (n_z, n_y, n_x) image

        Returns
        -------
        (n_rows,) on the device
        """
        placed, image = self.placed(), self.packed(x)
        out = self.gpu.empty((self.n_rows,), self.dtype)
        with self.profiler.span("forward", events=self.n_rows):
            for scene, rows in self.launches(placed):
                self.kernels.rays(
                    "forward", len(rows), *scene, image, self.peak(image), out[_slice(rows)]
                )
        return out

    @in_turn
    def back(self, values: Array, unit: float) -> Array:
        """Return the sum of the rays, each times its value.

        Parameters
        ----------
        values
            (n_rows,)
        unit
            units per 1 of fixed-point sums; 1 for floating-point sums

        Returns
        -------
        (n_z, n_y, n_x) on the device
        """
        placed, values = self.placed(), self.on_device(values)
        sums = self.no_sums()
        with self.profiler.span("back", events=self.n_rows):
            for scene, rows in self.launches(placed):
                self.kernels.rays(
                    "back", len(rows), *scene, values[_slice(rows)], np.float64(unit), sums
                )
        image = self.gpu.empty(self.shape, self.dtype)
        self.kernels.collect(sums, None, unit, image)
        return image

    @in_turn
    def update(self, x: Array, background: Array | None, unit: float) -> tuple[Array, Array]:
        """Return the numerator of the EM update, and the expected counts.

        Parameters
        ----------
        x
            (n_z, n_y, n_x) image
        background
            (n_rows,) expected additive counts; None: none
        unit
            units per 1 of fixed-point sums

        Returns
        -------
        numerator (n_z, n_y, n_x) and expected counts (n_rows,)
        """
        image = self.packed(x)
        sums, expected = self._updated(image, background, unit)
        numerator = self.gpu.empty(self.shape, self.dtype)
        self.kernels.collect(sums, image, unit, numerator)
        return numerator, expected

    @in_turn
    def update_sums(
        self, x: Array, background: Array | None, unit: float
    ) -> tuple[HostArray, Array]:
        """Return the sums of `update` for reproducible rays, as integers in 1 / unit on the host.

        Parameters
        ----------
        x
            (n_z, n_y, n_x) image
        background
            (n_rows,) expected additive counts; None: none
        unit
            units per 1

        Returns
        -------
        sums [z, y, x], and expected counts (n_rows,)
        """
        sums, expected = self._updated(self.packed(x), background, unit)
        # not by `collect`: no floating-point number can represent all integers of 62 bits
        return self.layout.unpacked(self.gpu.download(sums)), expected

    def _updated(self, image: Array, background: Array | None, unit: float) -> tuple[Array, Array]:
        """Return the packed sums of an update of a packed image, and expected counts."""
        placed, sums = self.placed(), self.no_sums()
        rest = None if background is None else self.on_device(background)
        expected = self.gpu.empty((self.n_rows,), self.dtype)
        with self.profiler.span("fused", events=self.n_rows):
            self.queue_update(placed, image, self.peak(image), rest, unit, expected, sums)
        return sums, expected

    def queue_update(
        self,
        placed: Placed,
        image: Array,
        peak: Array,
        background: Array | None,
        unit: float,
        expected: Array,
        sums: Array,
    ) -> None:
        """Queue the fused update of packed images.

        Parameters
        ----------
        placed
            rows on the device
        image
            packed image
        peak
            largest value of the image, one number on the device
        background
            (n_rows,) on the device; None: none
        unit
            units per 1 of fixed-point sums
        expected
            (n_rows,) expected counts, which are written
        sums
            packed sums, which are added to
        """
        # floating-point sums are not scaled: they contain A'(1/q), multiplied at the end
        scale = np.float64(unit if self.variant.sums == "fixed" else 1.0)
        rest = expected if background is None else background  # never read
        has_background = np.int32(background is not None)
        for scene, rows in self.launches(placed):
            at = _slice(rows)
            each = (rest[at], has_background, scale, expected[at], sums)
            self.kernels.rays("update", len(rows), *scene, image, peak, *each)

    @in_turn
    def replicates(
        self, images: Array, background: Array | None, counts: Array | None, draws: Draws
    ) -> Array:
        """Return the numerators of EM updates of several replicates, (n, n_z, n_y, n_x).

        Parameters
        ----------
        images
            (n, n_z, n_y, n_x) image of each replicate
        background
            (n_rows,) expected additive counts; None: none
        counts
            (n_rows,) measured counts; None: one each
        draws
            counts of the rows in each replicate

        Returns
        -------
        (n, n_z, n_y, n_x) on the device
        """
        images, found = self.on_device(images), []
        self._place_if_possible()
        with self.profiler.span("fused", events=self.n_rows):
            for first in range(0, len(images), WARP):
                some = images[first : first + WARP]
                own = draws.replicates(first, len(some))
                found.append(self._batch_numerators(some, background, counts, own))
            if len(found) == 1:
                return found[0]
            with self.gpu.faults("allocating memory"):
                return self.gpu.xp.concatenate(found)

    def _place_if_possible(self) -> None:
        """Copy all rows to the device, or find out that its memory does not suffice."""
        if self._in_pieces:
            return
        try:
            self.placed()
        except DeviceMemoryError:
            self._in_pieces = True
            self.forget()

    def _pieces(self) -> Iterator[tuple[Placed, int]]:
        """Yield rows on the device, and the number of the first: all of them, or some at a time."""
        if not self._in_pieces:
            yield self.placed(), 0
            return
        ends, bins = self.rows.ends, self.rows.bins
        for start in range(0, self.n_rows, ROWS_OF_A_PIECE):
            some = slice(start, start + ROWS_OF_A_PIECE)
            yield self.place(ends[some], bins[some]), start

    def _batch_numerators(
        self, images: Array, background: Array | None, counts: Array | None, draws: Draws
    ) -> Array:
        """Return the numerators of at most 32 replicates, one for each thread of a warp."""
        from engine.kernels.rays.event_weights import THRESHOLDS  # few runs have replicates

        n, is_fixed = len(images), self.variant.sums == "fixed"
        # The unit of the CPU, so that the bits are the same.
        unit = share_unit(self.n_rows * len(THRESHOLDS)) if is_fixed else 1.0
        values = self._interleaved(images)
        sums = self.gpu.empty(values.shape, self.variant.sum_dtype)
        self.gpu.zero(sums)
        with self.gpu.faults("finding the largest values"):
            # The images are not negative; floating-point sums do not need their maxima.
            peaks = self.gpu.xp.max(values, axis=0) if is_fixed else values[0]
        # A row takes n times as long as in an update of one image.
        size = max(self.rows_per_launch // n, self.variant.block)
        has_background, has_counts = np.int32(background is not None), np.int32(counts is not None)
        for placed, start in self._pieces():
            for scene, rows in self.launches(placed, size, reports=False):
                at = slice(start + rows.start, start + rows.stop)
                # Columns can be as large as the rows, so they do not stay on the device. A pointer
                # must be valid even if nothing is read from it.
                rest, measured = (
                    peaks if column is None else self.on_device(column[at])
                    for column in (background, counts)
                )
                first = draws.first + at.start * draws.step
                self.kernels.replicates(
                    len(rows),
                    *scene,
                    values,
                    peaks,
                    *(rest, has_background, measured, has_counts),
                    *(np.uint64(draws.key), np.uint64(first), np.uint64(draws.step)),
                    *(np.int32(draws.first_replicate), np.int32(n), np.float64(unit)),
                    sums,
                )
                if self.on_progress is not None:
                    self.on_progress(at.stop, self.n_rows)
        del values, peaks  # their memory is used again for the result
        return self._collected(sums, images, unit)

    def _interleaved(self, images: Array) -> Array:
        """Return images in the layout of the kernels, (n_packed, n)."""
        values = self.gpu.empty((self.layout.n_packed, len(images)), self.dtype)
        packed = self.gpu.empty((self.layout.n_packed,), self.dtype)
        for c, image in enumerate(images):
            self.kernels.pack(image, packed)
            with self.gpu.faults("interleaving images"):
                values[:, c] = packed
        return values

    def _collected(self, sums: Array, images: Array, unit: float) -> Array:
        """Return interleaved sums as numerators, (n, n_z, n_y, n_x)."""
        found = self.gpu.empty(images.shape, self.dtype)
        packed = self.gpu.empty((self.layout.n_packed,), self.dtype)
        for c, image in enumerate(images):
            self.kernels.pack(image, packed)
            with self.gpu.faults("separating images"):
                own = self.gpu.xp.ascontiguousarray(sums[:, c])
            self.kernels.collect(own, packed, unit, found[c])
        return found

    def voxels_per_row(self) -> float:
        """Return the mean number of voxels of a ray, from a regular sample of the rows."""
        if self.n_rows == 0:
            return 0.0
        every = slice(None, None, max(self.n_rows // _SAMPLE, 1))
        sample = self.place(self.rows.ends[every], self.rows.bins[every])
        touched = self.gpu.empty((sample.n_rows,), np.int32)
        for scene, rows in self.launches(sample):
            self.kernels.rays("touched", len(rows), *scene, touched[_slice(rows)])
        return float(self.gpu.download(touched).mean())

    def launches(
        self, placed: Placed, size: int | None = None, *, reports: bool = True
    ) -> Iterator[tuple[Arguments, range]]:
        """Yield the scene and the rows of each launch; waits for the launch before the last.

        Parameters
        ----------
        placed
            rows on the device
        size
            number of rows of a launch; None: `rows_per_launch`
        reports
            False if the caller reports progress

        Yields
        ------
        common arguments of the kernels, and the range of rows
        """
        size = size or self.rows_per_launch
        # two launches are queued at most: one runs while the next is prepared. With more the host
        # would run far ahead, and a stop by the user would take effect late
        earlier: Stamp | None = None
        for start in range(0, placed.n_rows, size):
            rows = range(start, min(start + size, placed.n_rows))
            at = placed.first + start * placed.step
            yield (
                (
                    self._points,
                    placed.ends,
                    placed.bins,
                    self._table,
                    *self.kernels.per_slab,
                    # typed scalars, because the driver copies the bytes unchanged: a Python int
                    # would be 8 bytes where the kernel reads 4
                    np.int32(at),
                    np.int32(placed.step),
                    np.int32(len(rows)),
                ),
                rows,
            )
            if placed.n_rows > size:
                stamp = self.gpu.stamp()
                if earlier is not None:
                    earlier.wait()
                earlier = stamp
                if reports and self.on_progress is not None:
                    self.on_progress(rows.stop, placed.n_rows)

    def placed(self) -> Placed:
        """Return all rows on the device, copied once."""
        if self._placed is None:
            n_bytes = self.rows.ends.nbytes + self.rows.bins.nbytes
            with self.profiler.span("upload", events=self.n_rows, bytes=n_bytes):
                self._placed = self.place(self.rows.ends, self.rows.bins)
        return self._placed

    def forget(self) -> None:
        """Release the rows on the device; they are copied again when needed."""
        self._placed = None
        self.gpu.release()

    def place(self, ends: Array, bins: Array) -> Placed:
        """Copy rows to the device.

        Parameters
        ----------
        ends
            (n, 2) points of each ray
        bins
            (n,) TOF bins, or empty
        """
        xp = module_of(ends)
        ends = self._to_device(xp.ascontiguousarray(ends))
        # a kernel without TOF never reads the bins, but needs a valid pointer
        bins = self._to_device(xp.ascontiguousarray(bins) if bins.size else np.zeros(1, np.int16))
        return Placed(ends, bins, 0, 1, len(ends))

    def packed(self, x: Array) -> Array:
        """Return an image (n_z, n_y, n_x) with its border, in the layout of the kernels."""
        packed = self.gpu.empty((self.layout.n_packed,), self.dtype)
        self.kernels.pack(self.on_device(x), packed)
        return packed

    def no_sums(self) -> Array:
        """Return a packed image of zeros for sums."""
        sums = self.gpu.empty((self.layout.n_packed,), self.variant.sum_dtype)
        self.gpu.zero(sums)
        return sums

    def peak(self, packed: Array) -> Array:
        """Return the largest magnitude of a packed image, as one number on the device."""
        # it stays on the device: to fetch it would wait for all queued work, for each update
        with self.gpu.faults("finding the largest value"):
            return self.gpu.xp.max(self.gpu.xp.abs(packed), keepdims=True)

    def on_device(self, values: Array) -> Array:
        """Return values in our dtype, on the device."""
        values = self._to_device(values)
        with self.gpu.faults("allocating memory"):
            return self.gpu.xp.ascontiguousarray(values.astype(self.dtype, copy=False))


def _gpu_of(on: Backend) -> Gpu:
    if on.gpu is None:
        raise TypeError(f"the device is {on.label}, expected a GPU.")
    return on.gpu


def _slice(rows: range) -> slice:
    return slice(rows.start, rows.stop)
