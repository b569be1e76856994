"""Memory and time that a run needs, and the refusal of runs that are too large."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from engine.core.backend.devices import DeviceInfo
from engine.core.errors import DeviceMemoryError, ResourceError
from engine.core.paths import OTHER_HOME, cache_dir
from engine.geometry.grid import ImageGrid

GPU_SAFETY = 1.2
"""What fits by this much is taken to fit: fragments and the driver's own share."""
GIB, MIB = 2**30, 2**20
BASE_BYTES = 215 * MIB
"""Memory of the interpreter, the libraries and the compiled kernels: the resident set of a run of
list mode once its kernels are loaded, 217 MiB."""
START_S, KERNELS_S = 1.8, 0.4
"""Seconds to start a run and to save its image, 1.5 to 2.2 s when measured, and to load the
compiled kernels (docs/benchmarks/forecasts.md)."""


def card_rate(on: DeviceInfo, for_each: float, otherwise: float) -> float:
    """Return how much a GPU is expected to do in a second.

    for_each : for each of its multiprocessors; otherwise : where it does not say how many it has
    """
    n = 0 if on.card is None else on.card.n_multiprocessors
    return n * for_each or otherwise


@dataclass(frozen=True)
class GpuRequirements:
    """GPU memory that a run needs [bytes], with a safety margin.

    Attributes
    ----------
    images_bytes : must be there in any case, with room for two chunks of events
    whole_bytes : with all events; where they do not fit they are streamed through in chunks
    free_bytes : free memory
    least, rest : data that must fit, and data that is streamed
    """

    images_bytes: int
    whole_bytes: int
    free_bytes: int
    least: str = "the images"
    rest: str = "the events"

    @property
    def fits(self) -> bool:
        """True if the run can be done on it."""
        return self.images_bytes <= self.free_bytes

    @property
    def streams(self) -> bool:
        """True if the events have to be streamed."""
        return self.whole_bytes > self.free_bytes

    def describe(self) -> str:
        """Plain words with numbers."""
        free = f"{_size(self.free_bytes)} free"
        if self.fits and self.streams:
            need = f"{_size(self.images_bytes)} of GPU memory for {self.least}"
            return f"{need} ({free}), and streams {self.rest} through the rest"
        return f"{_size(self.whole_bytes)} of GPU memory ({free})"


@dataclass(frozen=True)
class Requirements:
    """Estimated memory and time of a run.

    Attributes
    ----------
    memory_bytes, free_bytes : memory of the machine
    stages : time of each stage [s], by the key its `Measured` event has
    once : the stage whose outcome is kept, so that only the first run takes its time
    disk_bytes, disk_free_bytes : of files in which lies what does not fit the memory; 0: all fits
    on_disk : data in these files
    gpu : memory of the GPU, None on the CPU
    least : lower bound of the estimate; None if it is exact
    """

    memory_bytes: int
    free_bytes: int
    stages: dict[str, float]
    gpu: GpuRequirements | None = None
    least: Requirements | None = None
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
        """The part of it that the next run of the kind is spared [s]."""
        return self.stages.get(self.once, 0.0)

    def times(self, factor: float) -> Requirements:
        """Return the needs of a run that takes `factor` times as long."""
        return self.scaled(dict.fromkeys(self.stages, factor))

    def scaled(self, factors: Mapping[str, float]) -> Requirements:
        """Return the needs of a run whose stages take these times as long; the rest as they do."""
        least = self.least and self.least.scaled(factors)
        stages = {name: factors.get(name, 1.0) * s for name, s in self.stages.items()}
        return replace(self, stages=stages, least=least)

    def without_once(self) -> Requirements:
        """Return the needs of a run that finds what is computed once."""
        least = self.least and self.least.without_once()
        stages = {name: s for name, s in self.stages.items() if name != self.once}
        return replace(self, stages=stages, least=least)

    @property
    def fits_memory(self) -> bool:
        """True if the memory of the machine is there."""
        return self.memory_bytes <= self.free_bytes

    @property
    def fits_disk(self) -> bool:
        """True if the disk has room for what does not fit the memory."""
        return self.disk_bytes <= self.disk_free_bytes

    @property
    def fits(self) -> bool:
        """True if memory and disk are there in any case."""
        return self.fits_memory and self.fits_disk and (self.gpu is None or self.gpu.fits)

    @property
    def time(self) -> str:
        """The estimated time in words."""
        return f"{self._up_to}about {_clock(self.seconds)}"

    def describe(self) -> str:
        """One line for the status bar."""
        need, free = f"{self._up_to}{_size(self.memory_bytes)}", f"{_size(self.free_bytes)} free"
        if self.disk_bytes:
            free += f", up to {_size(self.disk_bytes)} of disk space for {self.on_disk}"
        once = ""
        if round(self.once_s):
            once = f" (of which {_clock(self.once_s)} once, for the {self.once})"
        if self.gpu is None:
            return f"needs {need}, {self.time}{once}, {free}"
        return f"needs {need} ({free}) and {self._up_to}{self.gpu.describe()}, {self.time}{once}"

    @property
    def _up_to(self) -> str:
        return "up to " if self.least else ""


def refuse_if_too_large(
    requirements: Requirements,
    grid: ImageGrid,
    smaller: str = "choose larger voxels or a smaller field of view",
) -> None:
    """Raise `ResourceError`, or `DeviceMemoryError`, with numbers if the memory is not there.

    Where only the most is known to be too much, the run looks again when it knows more.
    """
    requirements = requirements.least or requirements
    if not requirements.fits_memory:
        raise ResourceError(
            f"grid {grid.describe()}: the run needs {_size(requirements.memory_bytes)} of memory, "
            f"{_size(requirements.free_bytes)} are free; {smaller}."
        )
    if not requirements.fits_disk:
        raise ResourceError(
            f"{cache_dir()}: {requirements.on_disk} do not fit in memory and need up "
            f"to {_size(requirements.disk_bytes)} on this disk, "
            f"{_size(requirements.disk_free_bytes)} are free; free disk space, or "
            f"{OTHER_HOME} on a larger disk."
        )
    gpu = requirements.gpu
    if gpu is not None and not gpu.fits:
        raise DeviceMemoryError(
            f"grid {grid.describe()}: {gpu.least} need {_size(gpu.images_bytes)} of "
            f"GPU memory, {_size(gpu.free_bytes)} are free; close other programs that "
            f"use the GPU, {smaller}, or use the CPU."
        )


def _clock(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes}:{rest:02d}"


def _size(n_bytes: int) -> str:
    return f"{n_bytes / GIB:.1f} GiB" if n_bytes >= GIB else f"{n_bytes / MIB:.0f} MiB"
