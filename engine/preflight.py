"""What a run needs before it starts: memory and time, in numbers the user can act on."""

from __future__ import annotations

from dataclasses import dataclass

from engine.devices import DeviceInfo
from engine.errors import DeviceMemoryError, ResourceError
from engine.geometry.grid import ImageGrid
from engine.protocol import Protocol

MOST_SAMPLED = 20_000_000
"""Lines a sensitivity usually takes: all of them, or a sample."""
BYTES_PER_EVENT = 60
"""Ids, bin, time, factors, background, expected counts, sorting, and subset copies."""
IMAGES = 10
"""Float32 images alive at once: iterate, shares, sensitivity, previews, filters."""
GPU_BYTES_PER_EVENT = 8 + 2 + 4 + 4
"""Two crystal ids, time bin, background and expected counts."""
GPU_IMAGES = 6
"""Float32 images on the GPU: iterate, its packed copy, shares, sensitivity, two for filters."""
SAMPLED_BYTES_PER_VOXEL = 56
"""Of a sampled sensitivity on the GPU: two sums, a batch and the error's steps in float64."""
BATCH = 2_000_000
"""Lines of a batch of the sensitivity on the GPU, at least, and at most those traced at once."""
BYTES_PER_LINE, BYTES_PER_TRACED_LINE = 25, 105
"""What a line of a batch takes, and what one takes on its way from number to ray."""
GPU_CHUNK = 2**16
"""Fewest events worth a launch; two chunks are there at once, one at work and one on its way."""
GPU_SAFETY = 1.2
"""What fits by this much is taken to fit: fragments and the driver's own share."""
SLABS_PER_SECOND_PER_THREAD = 1.5e8
"""Slabs of one voxel a ray passes in a second, below `isocenter bench listmode` for small scans."""
GPU_SLABS_PER_SECOND = 1.0e9
"""The same on a GPU: assumed, for a small card; the window corrects it by what it measures."""
LINES_PER_SECOND = 3.0e6
"""Lines of response listed and weighted in a second for the sensitivity, on the CPU."""
START_S = 2.0
GIB, MIB = 2**30, 2**20


@dataclass(frozen=True)
class GpuNeeds:
    """Memory of the GPU a run will take [bytes], safety included.

    Attributes
    ----------
    images_bytes : must be there in any case, with room for two chunks of events
    whole_bytes : with all events; where they do not fit they are streamed through in chunks
    free_bytes : what is there
    least, rest : what the first is for, and what is streamed
    """

    images_bytes: int
    whole_bytes: int
    free_bytes: int
    least: str = "the images"
    rest: str = "the events"

    @property
    def fits(self) -> bool:
        """Whether the run can be done on it."""
        return self.images_bytes <= self.free_bytes

    @property
    def streams(self) -> bool:
        """Whether the events have to be streamed."""
        return self.whole_bytes > self.free_bytes

    def describe(self) -> str:
        """Plain words with numbers."""
        free = f"{_size(self.free_bytes)} free"
        if self.fits and self.streams:
            need = f"{_size(self.images_bytes)} of GPU memory for {self.least}"
            return f"{need} ({free}), streams {self.rest} through the rest"
        return f"{_size(self.whole_bytes)} of GPU memory ({free})"


@dataclass(frozen=True)
class Needs:
    """What a run will take, as estimated before it starts.

    Attributes
    ----------
    memory_bytes, free_bytes : memory of the machine
    seconds : time
    gpu : memory of the GPU, None on the CPU
    """

    memory_bytes: int
    free_bytes: int
    seconds: float
    gpu: GpuNeeds | None = None

    @property
    def fits(self) -> bool:
        """Whether the memory is there."""
        return self.memory_bytes <= self.free_bytes and (self.gpu is None or self.gpu.fits)

    @property
    def time(self) -> str:
        """The estimated time in words."""
        minutes, seconds = divmod(round(self.seconds), 60)
        return f"about {minutes}:{seconds:02d}"

    def describe(self) -> str:
        """One line for the status bar."""
        need, free = _size(self.memory_bytes), f"{_size(self.free_bytes)} free"
        if self.gpu is None:
            return f"needs {need}, {self.time}, {free}"
        return f"needs {need} ({free}) and {self.gpu.describe()}, {self.time}"


def estimate(
    protocol: Protocol,
    grid: ImageGrid,
    n_events: int,
    *,
    on: DeviceInfo,
    n_lors: int = 0,
    left: float = 1.0,
) -> Needs:
    """Return what `n_events` on `grid` need.

    `n_lors` lines make the sensitivity; `left` is the share of the updates still to do.
    """
    import psutil

    n_sums = 0 if on.is_gpu else on.threads
    per_voxel = 4 * IMAGES + _sum_bytes(protocol) * n_sums + 8 * 3  # sensitivity sums in float64
    memory = grid.n_voxels * per_voxel + n_events * BYTES_PER_EVENT
    lines = n_lors
    if protocol.sensitivity.method != "exact":
        lines = min(n_lors, max(MOST_SAMPLED, 4 * n_events))
    rays = n_events * protocol.algorithm.n_iterations * left + lines
    slabs = rays * max(grid.shape) * 0.7
    rate = GPU_SLABS_PER_SECOND if on.is_gpu else SLABS_PER_SECOND_PER_THREAD * on.threads
    listing = 0.0 if on.is_gpu else lines / LINES_PER_SECOND
    seconds = slabs / rate + listing + START_S
    free = int(psutil.virtual_memory().available)
    gpu = _on_gpu(protocol, grid, n_events, lines, n_lors, on.free_bytes) if on.is_gpu else None
    return Needs(int(memory), free, seconds, gpu)


def _sum_bytes(protocol: Protocol) -> int:
    return 8 if protocol.reproducible else 4


def _on_gpu(
    protocol: Protocol, grid: ImageGrid, n_events: int, lines: int, n_lors: int, free_bytes: int
) -> GpuNeeds:
    iterates = grid.n_voxels * (4 * GPU_IMAGES + _sum_bytes(protocol))
    sampled = lines < n_lors or protocol.sensitivity.method == "sampled"
    per_voxel = SAMPLED_BYTES_PER_VOXEL if sampled else 4 * GPU_IMAGES + _sum_bytes(protocol)
    batch = min(n_lors, max(BATCH, grid.n_voxels // 4))
    lines = batch * BYTES_PER_LINE + min(batch, BATCH) * BYTES_PER_TRACED_LINE
    sensitivity = grid.n_voxels * per_voxel + lines
    chunks = 2 * GPU_CHUNK * GPU_BYTES_PER_EVENT
    images = max(iterates + chunks, sensitivity)
    whole = max(images, iterates + n_events * GPU_BYTES_PER_EVENT)
    return GpuNeeds(int(GPU_SAFETY * images), int(GPU_SAFETY * whole), free_bytes)


def refuse_if_too_large(
    needs: Needs, grid: ImageGrid, smaller: str = "choose larger voxels or a smaller field of view"
) -> None:
    """Raise `ResourceError`, or `DeviceMemoryError`, with numbers if the memory is not there."""
    if needs.memory_bytes > needs.free_bytes:
        raise ResourceError(
            f"grid {grid.describe()}: the run needs {_size(needs.memory_bytes)} of memory, "
            f"{_size(needs.free_bytes)} are free; {smaller}."
        )
    if needs.gpu is not None and not needs.gpu.fits:
        raise DeviceMemoryError(
            f"grid {grid.describe()}: {needs.gpu.least} need {_size(needs.gpu.images_bytes)} of "
            f"GPU memory, {_size(needs.gpu.free_bytes)} are free; close what else uses the "
            f"GPU, {smaller}, or take the CPU."
        )


def _size(n_bytes: int) -> str:
    return f"{n_bytes / GIB:.1f} GiB" if n_bytes >= GIB else f"{n_bytes / MIB:.0f} MiB"
