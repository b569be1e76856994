"""What our code needs of a GPU: arrays, compiled kernels, clocks, graphs, and its memory.

`engine.core.backend.cupy_gpu` gives it through CuPy. All work is queued in order on one stream; a
copy to or from the host waits only where it says so. Faults of the device raise `DeviceError`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from types import ModuleType
from typing import Any, Literal

from numpy.typing import DTypeLike, NDArray

Array = Any
"""An array on the device, of the kind of `Gpu.xp`."""
Extent = int | tuple[int, ...]
"""A number along x, or along x, y and z."""
TextureKind = Literal["array", "layered", "list", "pitched"]
"""How a texture keeps its pictures: one 3D array; one array of layers; an array each; or plain
memory, each row padded to what the texture units ask for."""


@dataclass(frozen=True)
class GpuFacts:
    """What the card is.

    Attributes
    ----------
    name : as its maker calls it
    compute_capability : 75, 80, 90, 120, ...
    n_multiprocessors : units that run blocks side by side
    memory_bytes : in all
    peak_bytes_per_s : of its memory, by its clock and width
    driver : CUDA version of the driver, "13.0"
    bus_id : place on the machine's bus, "0000:3B:00.0"; empty where there is none
    number : place among the cards of this machine
    uuid : of the card or the share of one; empty where there is none
    """

    name: str
    compute_capability: int
    n_multiprocessors: int
    memory_bytes: int
    peak_bytes_per_s: float
    driver: str
    bus_id: str = ""
    number: int = 0
    uuid: str = ""


@dataclass(frozen=True)
class Resources:
    """What one kernel takes as compiled: of each thread, of each block, and how many fit.

    Attributes
    ----------
    registers : of a thread
    shared_bytes : of a block
    local_bytes : of a thread, spilled registers and arrays; should be 0
    occupancy : active threads of the most a multiprocessor can hold, 0 to 1
    """

    registers: int
    shared_bytes: int
    local_bytes: int
    occupancy: float


class Function(ABC):
    """One compiled kernel."""

    @abstractmethod
    def __call__(self, n_blocks: Extent, n_threads: Extent, *args: Any) -> None:
        """Queue it. Arguments are device arrays and numpy scalars of the very types it takes."""

    @abstractmethod
    def resources(self, n_threads: int) -> Resources:
        """Return what it takes in blocks of `n_threads`."""


class Module(ABC):
    """Compiled CUDA source."""

    @abstractmethod
    def function(self, name: str) -> Function:
        """Return the kernel of this name."""

    @abstractmethod
    def constant(self, name: str) -> Array:
        """Return the bytes (n,) of a `__constant__` variable: `Gpu.copy` to it, or a part of it."""


class Texture(ABC):
    """A stack of float32 pictures that kernels read through the texture units.

    A value is interpolated linearly (fractions have 8 bits) and zero outside; coordinates count
    texels, whose centres lie at + 1/2. Kernels read "array" by tex3D(x, y, picture), which also
    interpolates between pictures, "layered" by tex2DLayered(x, y, picture), and the two others by
    tex2D(x, y) of one handle for each picture.

    Attributes
    ----------
    kind : how the pictures are kept
    shape : (n_pictures, n_rows, n_columns)
    argument : what a kernel takes: a `cudaTextureObject_t` (numpy.uint64), or a device array of one
        (uint64) for each picture
    memory : of "pitched" the device array (n_pictures, n_rows, n_columns), rows apart by the pitch,
        which the texture reads; what is written there needs no `update`. None for others
    """

    kind: TextureKind
    shape: tuple[int, int, int]
    argument: Any
    memory: Array | None = None

    @abstractmethod
    def update(self, values: Array, first: int = 0) -> None:
        """Queue replacing the pictures from `first` on by (n, n_rows, n_columns) of the device."""


class Stamp(ABC):
    """A moment in the queue."""

    @abstractmethod
    def seconds_since(self, earlier: Any) -> float:
        """Seconds from an earlier stamp; waits until the work before this one is done."""

    def wait(self) -> None:
        """Let the host wait until the work before it is done."""
        self.seconds_since(self)


class Graph(ABC):
    """Queued work, recorded once, to be queued again at the cost of one launch."""

    @abstractmethod
    def launch(self) -> None:
        """Queue the recorded work; it uses the same arrays and scalars again."""


class Gpu(ABC):
    """One device."""

    xp: ModuleType
    """Its array module: cupy."""
    facts: GpuFacts

    def faults(self, doing: str) -> AbstractContextManager[None]:
        """Turn what array arithmetic inside raises of the device into a `DeviceError`."""
        return nullcontext()

    @abstractmethod
    def load(self, source: str, options: tuple[str, ...]) -> Module:
        """Compile CUDA C++, once; what was compiled before comes from the cache on disk."""

    @abstractmethod
    def empty(self, shape: tuple[int, ...], dtype: DTypeLike) -> Array:
        """Return an array whose values are not set; `DeviceMemoryError` if it does not fit."""

    @abstractmethod
    def upload(self, values: NDArray[Any], out: Array | None = None) -> Array:
        """Copy to the device, into `out` (same shape and dtype) or a new array."""

    @abstractmethod
    def download(self, values: Array, out: NDArray[Any] | None = None) -> NDArray[Any]:
        """Copy to the host, into `out` (same shape and dtype) or a new array, and wait for it."""

    @abstractmethod
    def texture(self, kind: TextureKind, shape: tuple[int, int, int]) -> Texture:
        """Return a texture of (n_pictures, n_rows, n_columns), all zero."""

    @abstractmethod
    def copy(self, values: Array, out: Array) -> None:
        """Queue copying one array to another of the same shape and dtype, both contiguous."""

    @abstractmethod
    def zero(self, values: Array) -> None:
        """Queue setting all values to zero."""

    @abstractmethod
    def pinned(self, values: NDArray[Any]) -> NDArray[Any]:
        """Return a copy in host memory from which `upload` runs beside the kernels."""

    @abstractmethod
    def copying(self, *, to_host: bool = False) -> AbstractContextManager[None]:
        """What is queued inside runs on a second stream, beside the first; `to_host`, on a third.

        A `download` inside waits for its own stream alone.
        """

    @abstractmethod
    def stamp(self) -> Stamp:
        """Mark this moment in the current stream."""

    @abstractmethod
    def wait_for(self, stamp: Stamp) -> None:
        """Let the current stream wait for a stamp of the other; the host goes on."""

    @abstractmethod
    def wait(self) -> None:
        """Let the host wait until all queued work is done."""

    @abstractmethod
    def record(self, work: Callable[[], None]) -> Graph:
        """Record what `work` queues instead of running it; it may not allocate or copy to host."""

    @abstractmethod
    def free_bytes(self) -> int:
        """Memory that an array could still take, cached blocks of ours included."""

    @abstractmethod
    def release(self) -> None:
        """Give back the memory of arrays that are no more."""
