"""Memory and time that a run needs, and the refusal of runs that are too large."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from engine.core.backend import Backend
from engine.core.backend.devices import DeviceInfo
from engine.core.errors import DeviceMemoryError, ResourceError
from engine.core.paths import HOME_VARIABLE, cache_dir
from engine.data.runs.events import Planned
from engine.geometry.grid import ImageGrid

GPU_SAFETY = 1.2
"""Safety margin of GPU memory, for fragmentation and the driver."""
GIB, MIB = 2**30, 2**20
VOXEL_BYTES = 4
BASE_BYTES = 215 * MIB
"""Memory of interpreter, libraries and compiled kernels.

The resident set of a list-mode run after loading its kernels is 217 MiB.
"""
START_S, KERNELS_S = 1.8, 0.4
"""Time to start a run and save its image (measured.

1.5 to 2.2 s), and to load compiled kernels [s].

See docs/benchmarks/forecasts.md.
"""

ERRORS = "errors"
"""Stage that computes the error map."""


def card_rate(on: DeviceInfo, for_each: float, otherwise: float) -> float:
    """Return the expected speed of a GPU, in units of work per second.

    Parameters
    ----------
    on
        the device
    for_each
        speed of each multiprocessor
    otherwise
        speed if the number of multiprocessors is unknown
    """
    n = 0 if on.card is None else on.card.n_multiprocessors
    # Some drivers report no number of multiprocessors; then a typical card is assumed.
    return n * for_each or otherwise


@dataclass(frozen=True)
class GpuRequirements:
    """GPU memory that a run needs [bytes], with a safety margin.

    Attributes
    ----------
    images_bytes : minimum, with memory for two chunks of events
    whole_bytes : with all events; if they do not fit, they are streamed in chunks
    free_bytes : free memory
    required, rest : names of the data that must fit, and of the data that can be streamed
    """

    images_bytes: int
    whole_bytes: int
    free_bytes: int
    required: str = "the images"
    rest: str = "the events"

    @property
    def fits(self) -> bool:
        """True if the run is possible on this GPU."""
        return self.images_bytes <= self.free_bytes

    @property
    def streams(self) -> bool:
        """True if the events must be streamed."""
        return self.whole_bytes > self.free_bytes

    def describe(self, up_to: str = "") -> str:
        """Return labels with values, as sentences.

        Parameters
        ----------
        up_to
            "up to " if the values are an upper bound
        """
        free = f"available: {_size(self.free_bytes)}"
        # Streaming only matters if the minimum fits; otherwise the run is refused.
        if self.fits and self.streams:
            need = f"GPU memory needed for {self.required}: {up_to}{_size(self.images_bytes)}"
            return f"{need}, {free}. Streamed through the remaining GPU memory: {self.rest}."
        return f"GPU memory needed: {up_to}{_size(self.whole_bytes)}, {free}."


@dataclass(frozen=True)
class Requirements:
    """Estimated memory and time of a run.

    Attributes
    ----------
    memory_bytes, free_bytes : memory of the computer
    stages : time of each stage [s], by the key of its `Measured` event
    once : stage whose result is cached, so that only the first run needs its time
    disk_bytes, disk_free_bytes : size of temporary files for data beyond the memory; 0 if all fits
    on_disk : data in these files
    gpu : memory of the GPU; None on the CPU
    minimum : lower bound of the estimate; None if it is exact
    """

    memory_bytes: int
    free_bytes: int
    stages: dict[str, float]
    gpu: GpuRequirements | None = None
    minimum: Requirements | None = None
    once: str = ""
    disk_bytes: int = 0
    disk_free_bytes: int = 0
    on_disk: str = "the events"

    @property
    def seconds(self) -> float:
        """Time of the whole run [s]."""
        return sum(self.stages.values())

    @property
    def once_s(self) -> float:
        """Part of this time that later runs of the same kind save [s]."""
        return self.stages.get(self.once, 0.0)

    def times(self, factor: float) -> Requirements:
        """Return the requirements of a run that takes longer by a factor.

        Parameters
        ----------
        factor
            factor of the time of all stages
        """
        return self.scaled(dict.fromkeys(self.stages, factor))

    def scaled(self, factors: Mapping[str, float]) -> Requirements:
        """Return the requirements with changed times of stages.

        Parameters
        ----------
        factors
            factor of the time by stage; stages that are not named keep their time
        """
        # The lower bound must change too, or it could exceed the estimate.
        minimum = self.minimum and self.minimum.scaled(factors)
        stages = {name: factors.get(name, 1.0) * s for name, s in self.stages.items()}
        return replace(self, stages=stages, minimum=minimum)

    def without_once(self) -> Requirements:
        """Return the requirements of a run that finds the cached stage."""
        minimum = self.minimum and self.minimum.without_once()
        stages = {name: s for name, s in self.stages.items() if name != self.once}
        return replace(self, stages=stages, minimum=minimum)

    @property
    def fits_memory(self) -> bool:
        """True if the computer has enough memory."""
        return self.memory_bytes <= self.free_bytes

    @property
    def fits_disk(self) -> bool:
        """True if the disk has enough space for the data beyond the memory."""
        return self.disk_bytes <= self.disk_free_bytes

    @property
    def fits(self) -> bool:
        """True if memory, disk and GPU suffice in any case."""
        return self.fits_memory and self.fits_disk and (self.gpu is None or self.gpu.fits)

    @property
    def time(self) -> str:
        """Estimated time in words."""
        return f"{self._up_to}about {_clock(self.seconds)}"

    def describe(self) -> str:
        """One line for the status bar: labels with values, as sentences."""
        need = f"{self._up_to}{_size(self.memory_bytes)}"
        parts = [f"Memory needed: {need}, available: {_size(self.free_bytes)}."]
        if self.disk_bytes:
            parts.append(f"Disk space needed for {self.on_disk}: up to {_size(self.disk_bytes)}.")
        if self.gpu is not None:
            parts.append(self.gpu.describe(self._up_to))
        parts.append(f"Estimated time: {self._up_to}{_clock(self.seconds)}.")
        # Less than half a second is not worth mentioning.
        if round(self.once_s):
            parts.append(f"Included in the first run only: {_clock(self.once_s)} ({self.once}).")
        if ERRORS in self.stages:
            parts.append(f"Included for the error map: {_clock(self.stages[ERRORS])}.")
        return " ".join(parts)

    @property
    def _up_to(self) -> str:
        return "up to " if self.minimum else ""


def plan_of(on: Backend, requirements: Requirements, grid: ImageGrid, n_frames: int = 0) -> Planned:
    """Return the event that reports the requirements of a run.

    Parameters
    ----------
    on
        device of the run
    requirements
        estimate for the run
    grid
        grid of the image
    n_frames
        number of time frames or gates, 0 for a single image
    """
    text = f"Device: {on.label}. {requirements.describe()}"
    return Planned(on.name, text, VOXEL_BYTES * grid.n_voxels, n_frames)


def refuse_if_too_large(
    requirements: Requirements,
    grid: ImageGrid,
    smaller: str = "Choose larger voxels or a smaller field of view.",
) -> None:
    """Raise an error with numbers if the memory, disk or GPU memory does not suffice.

    If only the upper bound is too large, the run repeats the check once it knows more.

    Parameters
    ----------
    requirements
        estimate for the run
    grid
        grid of the image, for the message
    smaller
        sentence with the remedy

    Raises
    ------
    ResourceError
        if memory or disk space do not suffice
    DeviceMemoryError
        if GPU memory does not suffice
    """
    # Refuse only in certain cases: the upper bound is not reached by most scans.
    requirements = requirements.minimum or requirements
    if not requirements.fits_memory:
        raise ResourceError(
            f"grid {grid.describe()}: the run needs {_size(requirements.memory_bytes)} of memory, "
            f"but only {_size(requirements.free_bytes)} are free. {smaller}"
        )
    if not requirements.fits_disk:
        raise ResourceError(
            f"{cache_dir()}: the temporary files of the run need up to "
            f"{_size(requirements.disk_bytes)} on this disk, but only "
            f"{_size(requirements.disk_free_bytes)} are free. Free disk space, or set "
            f"{HOME_VARIABLE} to a folder on a larger disk."
        )
    gpu = requirements.gpu
    if gpu is not None and not gpu.fits:
        raise DeviceMemoryError(
            f"grid {grid.describe()}: the run needs at least {_size(gpu.images_bytes)} of GPU "
            f"memory, but only {_size(gpu.free_bytes)} are free. {smaller} You can also close "
            "other programs that use the GPU, or use the CPU."
        )


def _clock(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes}:{rest:02d}"


def _size(n_bytes: int) -> str:
    return f"{n_bytes / GIB:.1f} GiB" if n_bytes >= GIB else f"{n_bytes / MIB:.0f} MiB"
