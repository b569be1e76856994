"""Single scatter on a GPU: the kernels of scatter.cu, and their calls.

Scatter points are processed in batches. If memory is exhausted, the batches are halved, which does
not change the sums: the points are added in the same order.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from engine.core.arrays import Array as HostArray
from engine.core.backend.gpu import Array, Gpu
from engine.core.errors import DeviceMemoryError
from engine.kernels.source import render

if TYPE_CHECKING:  # memory estimates must not load Numba
    from engine.kernels.scatter import paths
    from engine.kernels.scatter import single_scatter as twin

THREADS = 128
OPTIONS = ("-std=c++17",)
NUMBERS_PER_PATH = 6
"""Direction, length, detection efficiency, attenuation."""
GIB = 2**30

OnProgress = Callable[[int, int], None]


def source() -> str:
    """Return the CUDA source of all kernels."""
    return render("scatter", threads=THREADS)


@dataclass(frozen=True, eq=False)
class ScatterScene:
    """Scattering medium and detector samples, as the CPU twin takes them.

    Attributes
    ----------
    samples : detector samples
    partners : (n, n) pairs to compute, the lower number first
    activity, mu : images of activity and attenuation
    steps : steps of a path
    n_steps : number of steps of each path; 0 without time of flight
    angles : tables over the scattering angle
    bins_mm : first edge of the TOF bins [mm]
    stride : steps per bin
    n_bins : number of TOF bins
    """

    samples: paths.Samples
    partners: NDArray[np.bool_]
    activity: paths.Field
    mu: paths.Field
    steps: paths.Steps
    n_steps: int
    angles: twin.AngleTables
    bins_mm: float
    stride: int
    n_bins: int


def batch_bytes(n_samples: int, n_steps: int) -> int:
    """Return the device memory for the paths of one scatter point.

    Parameters
    ----------
    n_samples
        number of detector samples
    n_steps
        steps of a path; 0 without time of flight
    """
    in_time = 8 * n_steps + 4 * (n_steps + 1)
    return n_samples * (8 * NUMBERS_PER_PATH + in_time)


def table_bytes(n_samples: int, n_bins: int) -> int:
    """Return the device memory for sums and pairs.

    Parameters
    ----------
    n_samples
        number of detector samples
    n_bins
        number of TOF bins
    """
    return n_samples**2 * (8 * n_bins + 1)


class DeviceScatter:
    """The compiled kernels on one device."""

    def __init__(self, gpu: Gpu) -> None:
        self._gpu = gpu
        module = gpu.load(source(), OPTIONS)
        self._trace, self._blur, self._pairs = map(module.function, ("trace", "blur", "pairs"))

    def sums(
        self,
        scene: ScatterScene,
        points_mm: HostArray,
        weights: HostArray,
        at_once: int,
        on_progress: OnProgress | None = None,
    ) -> NDArray[np.float64]:
        """Return the single scatter of scatter points, each pair once.

        Parameters
        ----------
        scene
            scattering medium and detector samples
        points_mm
            (n_points, 3)
        weights
            (n_points,) volume times attenuation that each represents [mm²]
        at_once
            scatter points of a batch; fewer if memory is exhausted
        on_progress
            called with (points done, all points); can raise to stop

        Returns
        -------
        (n, n, n_bins)

        Raises
        ------
        DeviceMemoryError
            if the sums and the paths of one point do not fit
        """
        while True:
            try:
                return self._summed(scene, points_mm, weights, at_once, on_progress)
            except DeviceMemoryError as e:
                self._gpu.release()
                if at_once <= 1:
                    raise self._too_large(scene) from e
                at_once //= 2

    def _summed(
        self,
        scene: ScatterScene,
        points_mm: HostArray,
        weights: HostArray,
        at_once: int,
        on_progress: OnProgress | None,
    ) -> NDArray[np.float64]:
        device = _OnDevice(self._gpu, scene, min(at_once, max(len(weights), 1)))
        for start in range(0, len(weights), at_once):
            rows = slice(start, start + at_once)
            self._add(device, points_mm[rows], weights[rows])
            if on_progress is not None:
                # Otherwise only the queued batches would be reported as done.
                self._gpu.wait()
                on_progress(min(start + at_once, len(weights)), len(weights))
        found = self._gpu.download(device.sums)
        return np.ascontiguousarray(found.transpose(1, 2, 0))

    def _add(self, device: _OnDevice, points_mm: HostArray, weights: HostArray) -> None:
        """Queue the contributions of a batch of points."""
        scene, gpu = device.scene, self._gpu
        n, n_samples, n_steps = np.int32(len(weights)), device.n_samples, np.int32(scene.n_steps)
        n_paths = len(weights) * int(n_samples)
        points = gpu.upload(np.ascontiguousarray(points_mm, np.float64))
        first, step = np.float64(scene.steps.first_mm), np.float64(scene.steps.step_mm)
        self._trace(
            -(-n_paths // THREADS), THREADS, points, n, device.places, device.normals, n_samples,
            np.float64(scene.samples.depth_mm), np.float64(scene.samples.removal_per_mm),
            device.boxes, device.activity, *_counts(scene.activity), device.mu, *_counts(scene.mu),
            first, step, n_steps, device.paths, device.active, device.cells,
        )  # fmt: skip
        if scene.n_steps:
            n_blocks = -(-n_paths * (scene.n_steps + 1) // THREADS)
            self._blur(
                n_blocks, THREADS, device.cells, device.edges, np.int32(n_paths), n_steps,
                device.active,
            )  # fmt: skip
        blocks, angles = (-(-int(n_samples) // THREADS), int(n_samples)), scene.angles
        scale = (len(angles.chance) - 1) / (1 - angles.least)
        self._pairs(
            blocks, THREADS, device.partners, n_samples,
            gpu.upload(np.ascontiguousarray(weights, np.float64)), n, device.paths, device.active,
            n_steps, device.tables, np.int32(len(angles.chance)), np.float64(angles.least),
            np.float64(scale), np.float64(scene.bins_mm), first, 1 / step, np.int32(scene.stride),
            np.int32(scene.n_bins), device.sums,
        )  # fmt: skip

    def _too_large(self, scene: ScatterScene) -> DeviceMemoryError:
        n = len(scene.samples.places_mm)
        needed = table_bytes(n, scene.n_bins) + batch_bytes(n, scene.n_steps)
        return DeviceMemoryError(
            f"the scatter between {n:,} detector samples in {scene.n_bins:,} groups of TOF bins "
            f"needs {needed / GIB:.2f} GiB, but only {self._gpu.free_bytes() / GIB:.2f} GiB of "
            "GPU memory are free; close other programs that use the GPU, or continue on the CPU."
        )


class _OnDevice:
    """A scene with memory for its sums and the paths of a batch, on the device."""

    def __init__(self, gpu: Gpu, scene: ScatterScene, at_once: int) -> None:
        self.scene = scene
        n, n_steps = len(scene.samples.places_mm), scene.n_steps
        self.n_samples = np.int32(n)
        self.places = gpu.upload(np.ascontiguousarray(scene.samples.places_mm, np.float64))
        self.normals = gpu.upload(np.ascontiguousarray(scene.samples.normals, np.float64))
        self.partners = gpu.upload(np.ascontiguousarray(scene.partners).view(np.uint8))
        self.activity, self.mu = (
            gpu.upload(np.ascontiguousarray(field.values, np.float32))
            for field in (scene.activity, scene.mu)
        )
        boxes = [(f.lower_mm, f.voxel_mm) for f in (scene.activity, scene.mu)]
        self.boxes = gpu.upload(np.array(boxes, np.float64))
        self.tables = gpu.upload(np.stack([scene.angles.chance, scene.angles.growth]))
        # A kernel needs a valid array even if it does not read it.
        self.edges = gpu.upload(np.append(scene.steps.edges, 0.0))
        # Allocated once for all batches.
        self.paths = gpu.empty((NUMBERS_PER_PATH, at_once, n), np.float64)
        self.active = gpu.empty((at_once, n, n_steps + 1), np.float32)
        self.cells = gpu.empty((at_once, n, max(n_steps, 1)), np.float64)
        self.sums: Array = gpu.empty((scene.n_bins, n, n), np.float64)
        gpu.zero(self.sums)


def _counts(field: paths.Field) -> tuple[np.int32, np.int32, np.int32]:
    n_z, n_y, n_x = field.values.shape
    return np.int32(n_z), np.int32(n_y), np.int32(n_x)
