"""Time of one back projection in parts: Figure 6 of the paper.

Graas et al., "ASTRA KernelKit", appendix A: a large cube, a small cube, three views of a long
volume, and a slice seen by a line detector.

start : geometry, projector and its memory
compile : the kernel, at its first use in this process
copy in : projections to the device, or into the layout of the kernels of the CPU
kernel : the back projection
copy out : the volume to the host, or into the layout of volumes
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from statistics import median
from time import perf_counter
from typing import Any

import numpy as np

from engine.core.arrays import Array
from engine.core.backend import Backend
from engine.core.errors import DeviceMemoryError
from engine.core.json_types import Plain
from engine.core.profiling import Profiler
from engine.geometry.grid import ImageGrid
from engine.geometry.orbits import circle, circular_cone
from engine.geometry.xray import XrayGeometry
from engine.kernels.blocks import contiguous
from engine.operators.xray.host import HostXray
from engine.operators.xray.resident_projections import ResidentProjections
from engine.operators.xray.scene import Scene, VolumeBox
from engine.tools.benchmark.cone.variants import SOURCE_AXIS_MM, SOURCE_DETECTOR_MM

STEPS = ("start", "compile", "copy in", "kernel", "copy out")
SAMPLES = 5
FOV_MM, DETECTOR_MM = 256.0, 384.0


@dataclass(frozen=True)
class Problem:
    """A problem of Figure 6.

    Attributes
    ----------
    key : its letter in the figure
    name : its name
    volume : (n_z, n_y, n_x)
    n_views : number of views
    detector : (n_rows, n_columns)
    """

    key: str
    name: str
    volume: tuple[int, int, int]
    n_views: int
    detector: tuple[int, int]

    @property
    def grid(self) -> ImageGrid:
        """Grid of the volume."""
        return ImageGrid(self.volume, (FOV_MM / max(self.volume),) * 3)

    def geometry(self) -> XrayGeometry:
        """Return the geometry of a full circle."""
        return circular_cone(
            circle(self.n_views),
            source_axis_mm=SOURCE_AXIS_MM,
            source_detector_mm=SOURCE_DETECTOR_MM,
            shape=self.detector,
            pixel_mm=DETECTOR_MM / max(self.detector),
        )

    @property
    def n_updates(self) -> int:
        """Voxels times views."""
        return self.grid.n_voxels * self.n_views

    def smaller(self, by: int) -> Problem:
        """Return the problem with all edges, and more than three views, divided by a number.

        Parameters
        ----------
        by
            divisor; no edge becomes less than 1
        """
        z, y, x = (max(1, n // by) for n in self.volume)
        rows, columns = (max(1, n // by) for n in self.detector)
        views = self.n_views if self.n_views <= 3 else max(4, self.n_views // by)
        return replace(self, volume=(z, y, x), n_views=views, detector=(rows, columns))


PROBLEMS = (
    Problem("a", "large cube", (1000, 1000, 1000), 1000, (1000, 1000)),
    Problem("b", "small cube", (50, 50, 50), 50, (50, 50)),
    Problem("c", "three views", (1200, 300, 300), 3, (1200, 300)),
    Problem("d", "slice", (1, 2000, 2000), 1000, (1, 2000)),
)
"""Problems of the paper."""
DIVISORS = {"a": 4, "b": 1, "c": 2, "d": 2}
"""A CPU gets smaller problems, except for the small cube."""
TINY = tuple(problem.smaller(25) for problem in PROBLEMS)
"""Problems for a rehearsal."""


class Clock:
    """Measures steps one after another; on a GPU it waits for the end of each."""

    def __init__(self, on: Backend) -> None:
        self._on, self.seconds = on, dict.fromkeys(STEPS, 0.0)

    def step(self, name: str, work: Callable[[], Any]) -> Any:
        """Return the result of a step, and add its time.

        Parameters
        ----------
        name
            one of `STEPS`
        work
            the step
        """
        begin = perf_counter()
        result = work()
        # Launches return at once.
        if self._on.gpu is not None:
            self._on.gpu.wait()
        self.seconds[name] += perf_counter() - begin
        return result


def run(on: Backend, *, problems: Sequence[Problem] | None = None, samples: int = SAMPLES) -> Plain:
    """Measure the parts of each problem.

    Parameters
    ----------
    on
        device
    problems
        problems; None for those that suit the device
    samples
        runs of each problem; medians count, except that the first run compiles

    Returns
    -------
    part
        JSON values for the report
    """
    chosen = problems or (PROBLEMS if on.is_cuda else on_cpu())
    return {
        "workload": "Voxel-driven back projection from host memory to host memory; wall-clock "
        "time; each sample repeats all steps; float32",
        "device": on.label,
        "samples": samples,
        "steps": list(STEPS),
        "rows": [_row(on, problem, samples) for problem in chosen],
        "bars": [],
    }


def on_cpu() -> tuple[Problem, ...]:
    """Return the problems for a CPU."""
    return tuple(problem.smaller(DIVISORS[problem.key]) for problem in PROBLEMS)


def _row(on: Backend, problem: Problem, samples: int) -> Plain:
    y = np.random.default_rng(1).random((problem.n_views, *problem.detector), np.float32)
    measure = _on_host if on.gpu is None else _on_gpu
    seconds, fault = dict.fromkeys(STEPS, np.nan), ""
    try:
        runs = [measure(on, problem, y) for _ in range(max(2, samples))]
        # The first run compiles, and touches new memory
        seconds = {name: median(run[name] for run in runs[1:]) for name in STEPS}
        seconds["compile"] = runs[0]["compile"]
    except DeviceMemoryError as e:
        # the other problems can still fit the card
        fault = str(e)
    return {
        "key": problem.key,
        "name": problem.name,
        "volume": list(problem.volume),
        "n_views": problem.n_views,
        "detector": list(problem.detector),
        "device": on.name,
        "threads": on.threads if on.gpu is None else None,
        "seconds": None if fault else seconds,
        "gups": None if fault else problem.n_updates / seconds["kernel"] / 1e9,
        "fault": fault,
    }


def _on_host(on: Backend, problem: Problem, y: Array) -> dict[str, float]:
    clock = Clock(on)

    def start() -> HostXray:
        scene = Scene(problem.geometry(), problem.grid)
        _ = scene.matrices
        return HostXray(scene, on=on, on_progress=None, profiler=Profiler(on))

    def copy_in() -> Array:
        bordered = xray.bordered()
        xray.keep(y, bordered)
        return bordered

    def kernel() -> Array:
        sums = xray.no_sums(box)
        xray.add_bordered(bordered, range(len(y)), box, sums)
        return sums

    xray: HostXray = clock.step("start", start)
    clock.step("compile", lambda: xray.compile("back"))
    bordered = clock.step("copy in", copy_in)
    box = VolumeBox.of(None, problem.volume)
    sums = clock.step("kernel", kernel)
    clock.step("copy out", lambda: contiguous(xray.volume_of(sums), on.threads))
    return clock.seconds


def _on_gpu(on: Backend, problem: Problem, y: Array) -> dict[str, float]:
    clock = Clock(on)
    images: ResidentProjections = clock.step(
        "start", lambda: ResidentProjections(problem.geometry(), problem.grid, on=on)
    )
    clock.step("compile", lambda: images.kernels(problem.volume))
    clock.step("copy in", lambda: images.update(y))
    volume = clock.step("kernel", images.back_project)
    clock.step("copy out", lambda: on.to_host(volume))
    return clock.seconds
