"""Measure the GPU time of one variant of a cone-beam kernel.

Back projection: a first call (new texture, upload, kernel), an update (upload into the same
texture, kernel) and the kernel alone, with the difference of its image from that with exact
interpolation. Line integrals: from a texture and from memory, and their transpose.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from statistics import median
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.core.backend import Backend
from engine.core.backend.gpu import Array, Texture
from engine.core.errors import DeviceMemoryError, ResourceError
from engine.core.json_types import Plain
from engine.core.profiling import Profiler
from engine.geometry.grid import ImageGrid
from engine.geometry.orbits import circle, circular_cone
from engine.geometry.xray import XrayGeometry
from engine.kernels.cone.cone_variants import BackVariant
from engine.kernels.cone.device_cone import BackViews, ConeBack
from engine.kernels.cone.device_joseph import InMemory, Joseph, Lines
from engine.kernels.cone.joseph_variants import JosephVariant
from engine.operators.xray.scene import Scene
from engine.tools.benchmark.cone.suite import BACK, FORWARD, MATCHED
from engine.tools.benchmark.crossing import FOV_MM

SIZE, VIEWS, DETECTOR = 512, 720, (768, 1024)
SOURCE_AXIS_MM, SOURCE_DETECTOR_MM, DETECTOR_MM = 1000.0, 1500.0, 384.0


@dataclass(frozen=True)
class FormsWork:
    """A cube of `size`³ voxels, or its central slice, and a detector (rows, columns)."""

    size: int = SIZE
    n_views: int = VIEWS
    detector: tuple[int, int] = DETECTOR
    is_slice: bool = False

    @property
    def grid(self) -> ImageGrid:
        """Grid of the volume."""
        n, edge = self.size, FOV_MM / self.size
        return ImageGrid((1 if self.is_slice else n, n, n), (edge, edge, edge))

    @property
    def geometry(self) -> XrayGeometry:
        """Geometry of a full circle."""
        return self.widened(0)

    def widened(self, pixels: int) -> XrayGeometry:
        """Return the geometry with more pixels on every edge of the detector."""
        n_rows, n_columns = self.detector
        return circular_cone(
            circle(self.n_views),
            source_axis_mm=SOURCE_AXIS_MM,
            source_detector_mm=SOURCE_DETECTOR_MM,
            shape=(n_rows + 2 * pixels, n_columns + 2 * pixels),
            pixel_mm=DETECTOR_MM / max(self.detector),
        )

    @property
    def n_rays(self) -> int:
        """Number of rays in all views."""
        return self.n_views * self.detector[0] * self.detector[1]

    @property
    def n_updates(self) -> int:
        """Voxels times views."""
        return self.grid.n_voxels * self.n_views


@dataclass(frozen=True)
class ScanWork:
    """Problem of one scan.

    Attributes
    ----------
    geometry : geometry of the scan
    grid : grid of the volume
    """

    geometry: XrayGeometry
    grid: ImageGrid

    @property
    def n_views(self) -> int:
        """Number of views."""
        return self.geometry.n_views

    @property
    def detector(self) -> tuple[int, int]:
        """Rows and columns of the detector."""
        return self.geometry.shape

    @property
    def n_updates(self) -> int:
        """Voxels times views."""
        return self.grid.n_voxels * self.n_views

    @property
    def n_rays(self) -> int:
        """Number of rays in all views."""
        return self.n_views * self.detector[0] * self.detector[1]

    def widened(self, pixels: int) -> XrayGeometry:
        """Return the geometry with more pixels on every edge of the detector."""
        n_rows, n_columns = self.detector
        return replace(self.geometry, shape=(n_rows + 2 * pixels, n_columns + 2 * pixels))


class Forms:
    """A scan on the GPU, with measurements of kernel variants."""

    def __init__(self, on: Backend, work: FormsWork | ScanWork, repeats: int) -> None:
        if on.gpu is None:
            raise ResourceError(
                f"{on.label} is not a GPU, so GPU kernels cannot be measured on it; choose a GPU."
            )
        self.gpu, self._xp, self.work, self._repeats = on.gpu, on.xp, work, repeats
        # One scene: its matrices are the same for all variants
        self._profiler, self._scene = Profiler(on), Scene(work.geometry, work.grid)
        n_rows, n_columns = work.detector
        # Smooth in all directions: interpolation errors are then those of real projections
        wave = np.sin(np.arange(work.n_views) / 7.0)[:, None, None]
        image = np.cos(np.arange(n_rows) / 31.0)[:, None] * np.cos(np.arange(n_columns) / 17.0)
        there = [on.to_device(each.astype(np.float32)) for each in (wave, image)]
        self._y = 1 + there[0] * there[1]
        self._volume = self.gpu.empty(work.grid.shape, np.float32)
        self._exact: Array | None = None
        self._images_in_use: tuple[tuple[str, str], Array | Texture] | None = None

    def back(self, variant: BackVariant) -> Plain:
        """Measure one variant of the voxel-driven back projection.

        Parameters
        ----------
        variant
            texture, code path and sizes

        Returns
        -------
        row
            seconds of a first call, an update and the kernel, rate and difference

        Raises
        ------
        DeviceMemoryError
            if the GPU has too little memory
        """
        kernels, views = self._compiled(variant)
        # Kept between calls, since an update writes into the same texture
        images: list[Array | Texture] = []

        def first() -> None:
            images.clear()
            images.append(self._images(variant))
            kernels.back(images[0], views, self._volume)

        def again() -> None:
            if isinstance(images[0], Texture):
                images[0].update(self._y)
            kernels.back(images[0], views, self._volume)

        first()  # compiles
        new, update = self._seconds(first), self._seconds(again)
        seconds = self._seconds(lambda: kernels.back(images[0], views, self._volume))
        return {
            "case": BACK,
            "form": f"{variant.path}, {variant.texture}",
            "first_seconds": new,
            "update_seconds": update,
            "seconds": seconds,
            "gups": self.work.n_updates / seconds / 1e9,
            "difference": self._difference(),
        }

    def back_seconds(self, variant: BackVariant, launches: int = 1) -> float:
        """Measure the back projection alone, from a graph, which excludes the host.

        Parameters
        ----------
        variant
            texture, code path and sizes
        launches
            number of launches in one measurement

        Returns
        -------
        seconds
            median time of one launch
        """
        kernels, views = self._compiled(variant)
        images = self._cached_projections(variant)

        def work() -> None:
            kernels.back(images, views, self._volume)

        work()  # compiles
        # A recorded graph has no gaps between launches, in which a busy host would be measured
        # The launch itself takes microseconds, as much as a small slice
        graph = self.gpu.record(work)

        def many() -> None:
            for _ in range(launches):
                graph.launch()

        many()
        return self._seconds(many) / launches

    @property
    def projections(self) -> NDArray[np.float32]:
        """Projections that are projected back, (n_views, n_rows, n_columns), on the host."""
        return self.gpu.download(self._y)

    def back_slices(self, variant: BackVariant, slices: Sequence[int]) -> NDArray[np.float32]:
        """Run a variant once, and return some slices of its result.

        Parameters
        ----------
        variant
            texture, code path and sizes
        slices
            numbers of slices

        Returns
        -------
        values
            (n, n_y, n_x) on the host; NaN where the variant wrote nothing
        """
        kernels, views = self._compiled(variant)
        self._volume.fill(np.nan)  # shows voxels that a variant leaves out
        kernels.back(self._cached_projections(variant), views, self._volume)
        parts = [self.gpu.download(self._volume[z : z + 1]) for z in slices]
        return np.concatenate(parts)

    def _compiled(self, variant: BackVariant) -> tuple[ConeBack, BackViews]:
        kernels = ConeBack(self.gpu, variant, self._profiler)
        shape, detector = self.work.grid.shape, self.work.detector
        return kernels, kernels.views(self._scene.matrices, shape, detector)

    def _cached_projections(self, variant: BackVariant) -> Array | Texture:
        """Return projections in the layout of a variant; the next variant may reuse them."""
        key = (variant.texture, variant.projections)
        if self._images_in_use is None or self._images_in_use[0] != key:
            self._images_in_use = None  # frees the memory before the next array is made
            self._images_in_use = (key, self._images(variant))
        return self._images_in_use[1]

    def forward(self, variant: JosephVariant) -> Plain:
        """Measure one variant of the line integrals.

        Parameters
        ----------
        variant
            texture or memory, and sizes

        Returns
        -------
        row
            seconds and rate
        """
        kernels, lines = Joseph(self.gpu, variant, self._profiler), self._lines()
        volume: InMemory | Texture = InMemory.of(self.gpu, self._volume)
        if variant.texture == "array":
            # Line integrals read the volume, so it becomes the texture
            volume = self.gpu.texture("array", self.work.grid.shape)
            volume.update(self._volume)
        out = self.gpu.empty(self._y.shape, np.float32)
        return self._rays(FORWARD, variant, lambda: kernels.forward(volume, lines, out))

    def transposed(self, variant: JosephVariant) -> Plain:
        """Measure one variant of the transpose of the line integrals.

        Parameters
        ----------
        variant
            sizes of the launch
        """
        kernels, lines = Joseph(self.gpu, variant, self._profiler), self._lines()
        return self._rays(MATCHED, variant, lambda: kernels.back(self._y, lines, self._volume))

    def _rays(self, case: str, variant: JosephVariant, launch: Callable[[], None]) -> Plain:
        launch()  # compiles
        seconds = self._seconds(launch)
        rate = self.work.n_rays / seconds / 1e6
        return {"case": case, "form": variant.texture, "seconds": seconds, "mrays_per_s": rate}

    def _lines(self) -> Lines:
        scene, grid = self._scene, self.work.grid
        return Lines.upload(self.gpu, scene.rays, self.work.detector, grid.shape, grid.voxel_mm)

    def _images(self, variant: BackVariant) -> Array | Texture:
        if variant.texture == "memory":
            # The variant names its axes: views, rows, columns
            order = ["vrc".index(axis) for axis in variant.projections]
            return self._xp.ascontiguousarray(self._y.transpose(order))
        texture = self.gpu.texture(variant.texture, self._y.shape)
        texture.update(self._y)
        return texture

    def _seconds(self, work: Callable[[], None]) -> float:
        """Return the median GPU time."""
        times = []
        for _ in range(self._repeats):
            # The clock of the GPU starts when the queue is empty
            self.gpu.wait()
            start = self.gpu.stamp()
            work()
            times.append(self.gpu.stamp().seconds_since(start))
        return median(times)

    def _difference(self) -> float:
        """Return the largest relative difference of the central slice from exact interpolation."""
        middle = self.work.grid.shape[0] // 2
        # Once: all variants are compared with the same slice
        if self._exact is None:
            exact = ConeBack(self.gpu, BackVariant("memory", "general"), self._profiler)
            rows = exact.views(self._scene.matrices, self.work.grid.shape, self.work.detector)
            slice_there = self.gpu.empty((1, *self.work.grid.shape[1:]), np.float32)
            exact.back(self._y, rows, slice_there, corner=(middle, 0, 0))
            self._exact = self.gpu.download(slice_there)
        found = self.gpu.download(self._volume[middle : middle + 1])
        return float(np.abs(found - self._exact).max() / np.abs(self._exact).max())


def tried(measure: Callable[[Any], Plain], variant: Any) -> Plain:
    """Measure a variant; report one that exceeds the memory.

    Parameters
    ----------
    measure
        method of `Forms`
    variant
        its argument

    Returns
    -------
    row
        result with the key "fault", which is empty on success
    """
    try:
        return measure(variant) | {"fault": ""}
    except DeviceMemoryError as e:
        path = getattr(variant, "path", "line integrals")
        form = f"{path}, {variant.texture}"
        return {"case": BACK, "form": form, "seconds": None, "fault": str(e)}


def of_size(size: int, n_views: int, pixels: int) -> FormsWork:
    """Return a problem with a square detector.

    Parameters
    ----------
    size
        edge of the cube [voxels]
    n_views
        number of views
    pixels
        edge of the detector
    """
    return FormsWork(size, n_views, (pixels, pixels))
