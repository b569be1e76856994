"""Interface of a GPU: arrays, compiled kernels, timing, graphs and memory.

`engine.core.backend.cupy_gpu` implements it through CuPy. All work is queued in order on one
stream. Copies between host and device wait only if documented. Errors of the device raise
`DeviceError`.
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
"""An array on the device, made by `Gpu.xp`."""
Extent = int | tuple[int, ...]
"""Number along x, or along x, y and z."""
TextureKind = Literal["array", "layered", "list", "pitched"]
"""Storage of a texture: one 3D array; one array of layers; one array for each image; or plain
memory with rows padded for the texture units."""


@dataclass(frozen=True)
class GpuFacts:
    """Facts of a card.

    Attributes
    ----------
    name : product name
    compute_capability : 75, 80, 90, 120, ...
    n_multiprocessors : units that run blocks in parallel
    memory_bytes : total memory
    peak_bytes_per_s : peak memory bandwidth, from clock and bus width
    driver : CUDA version of the driver, "13.0"
    bus_id : PCI bus id, "0000:3B:00.0"; empty if there is none
    number : place among the cards of this machine
    uuid : of the card or MIG instance; empty if unknown
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
    """Resources of a compiled kernel.

    Attributes
    ----------
    registers : per thread
    shared_bytes : shared memory per block
    local_bytes : per thread, for spilled registers and arrays; should be 0
    occupancy : active threads / maximum of a multiprocessor, 0 to 1
    """

    registers: int
    shared_bytes: int
    local_bytes: int
    occupancy: float


class Function(ABC):
    """One compiled kernel."""

    @abstractmethod
    def __call__(self, n_blocks: Extent, n_threads: Extent, *args: Any) -> None:
        """Queue the kernel.

        Arguments are device arrays and NumPy scalars of exactly the types of the kernel: nothing
        converts them.

        Parameters
        ----------
        n_blocks
            size of the grid; a launch with 0 blocks does nothing
        n_threads
            threads of a block
        args
            arguments of the kernel, in order
        """

    @abstractmethod
    def resources(self, n_threads: int) -> Resources:
        """Return the resources of the kernel.

        Parameters
        ----------
        n_threads
            threads of a block, which decide the occupancy
        """


class Module(ABC):
    """Compiled CUDA source."""

    @abstractmethod
    def function(self, name: str) -> Function:
        """Return the kernel with this name."""

    @abstractmethod
    def constant(self, name: str) -> Array:
        """Return the bytes of a `__constant__` variable as an array that can be written to.

        Parameters
        ----------
        name
            name of the variable in the source

        Returns
        -------
        array (n,) of uint8; write to it, or to a part of it, by `Gpu.copy`
        """


class Texture(ABC):
    """A stack of float32 images that kernels read through the texture units.

    A value is interpolated linearly (fractions have 8 bits) and zero outside; coordinates count
    texels, with centres at + 1/2. Kernels read "array" by tex3D(x, y, picture), which also
    interpolates between images, "layered" by tex2DLayered(x, y, picture), and the two others by
    tex2D(x, y) of one handle for each image.

    Attributes
    ----------
    kind : storage of the images
    shape : (n_pictures, n_rows, n_columns)
    argument : argument of a kernel: a `cudaTextureObject_t` (numpy.uint64), or a device array with
        one (uint64) for each image
    memory : for "pitched", the device array (n_pictures, n_rows, n_columns) that the texture reads.
        Its row stride is the pitch, and values written to it need no `update`. None for other kinds
    """

    kind: TextureKind
    shape: tuple[int, int, int]
    argument: Any
    memory: Array | None = None

    @abstractmethod
    def update(self, values: Array, first: int = 0) -> None:
        """Queue the replacement of images.

        Parameters
        ----------
        values
            float32 (n, n_rows, n_columns) on the device, contiguous
        first
            number of the first image to replace
        """


class Stamp(ABC):
    """A point in the queue of the device."""

    @abstractmethod
    def seconds_since(self, earlier: Any) -> float:
        """Return the seconds since an earlier stamp, on the clock of the device.

        Waits until the work before this stamp is complete.

        Parameters
        ----------
        earlier
            stamp of the same device
        """

    def wait(self) -> None:
        """Let the host wait until the work before this stamp is complete."""
        self.seconds_since(self)


class Graph(ABC):
    """Recorded work that can be queued again at the cost of one launch."""

    @abstractmethod
    def launch(self) -> None:
        """Queue the recorded work; it uses the same arrays and scalars again."""


class Gpu(ABC):
    """One GPU."""

    xp: ModuleType
    """Array module of this GPU: cupy."""
    facts: GpuFacts

    def faults(self, doing: str) -> AbstractContextManager[None]:
        """Convert errors of array arithmetic on the device into `DeviceError`.

        Parameters
        ----------
        doing
            the step in progress, which begins the error message
        """
        return nullcontext()

    @abstractmethod
    def load(self, source: str, options: tuple[str, ...]) -> Module:
        """Compile CUDA C++, or load it from the cache on disk.

        Parameters
        ----------
        source
            text of the source
        options
            options of NVRTC, without the architecture

        Returns
        -------
        the module; the same source and options return the same module

        Raises
        ------
        DeviceError
            if the source does not compile
        """

    @abstractmethod
    def empty(self, shape: tuple[int, ...], dtype: DTypeLike) -> Array:
        """Return an array with undefined values.

        Parameters
        ----------
        shape
            shape of the array
        dtype
            type of its values

        Raises
        ------
        DeviceMemoryError
            if the memory is exhausted
        """

    @abstractmethod
    def upload(self, values: NDArray[Any], out: Array | None = None) -> Array:
        """Queue a copy of host values to the device.

        Parameters
        ----------
        values
            host array; for small arrays it must not change before the copy is done
        out
            device array of the same shape and dtype; None allocates a new one

        Returns
        -------
        the device array
        """

    @abstractmethod
    def download(self, values: Array, out: NDArray[Any] | None = None) -> NDArray[Any]:
        """Copy an array to the host and wait for it.

        Parameters
        ----------
        values
            device array
        out
            host array of the same shape and dtype; None allocates a new one

        Returns
        -------
        the host array
        """

    @abstractmethod
    def texture(self, kind: TextureKind, shape: tuple[int, int, int]) -> Texture:
        """Return a new texture, all zero.

        Parameters
        ----------
        kind
            storage of the images, see `TextureKind`
        shape
            (n_pictures, n_rows, n_columns)

        Raises
        ------
        DeviceError
            if no card supports this size
        """

    @abstractmethod
    def copy(self, values: Array, out: Array) -> None:
        """Queue a copy from one device array to another.

        Parameters
        ----------
        values
            source, contiguous
        out
            target of the same shape and dtype, contiguous

        Raises
        ------
        ValueError
            if shapes or dtypes differ, or one of them is not contiguous
        """

    @abstractmethod
    def zero(self, values: Array) -> None:
        """Queue setting all values to zero."""

    @abstractmethod
    def pinned(self, values: NDArray[Any]) -> NDArray[Any]:
        """Return a copy in page-locked host memory, from which `upload` overlaps with kernels."""

    @abstractmethod
    def copying(self, *, to_host: bool = False) -> AbstractContextManager[None]:
        """Queue work on a second stream, in parallel with the first one.

        A `download` inside waits only for its own stream.

        Parameters
        ----------
        to_host
            use a third stream instead, for copies to the host
        """

    @abstractmethod
    def stamp(self) -> Stamp:
        """Mark this point in the current stream."""

    @abstractmethod
    def wait_for(self, stamp: Stamp) -> None:
        """Let the current stream wait for a stamp of another stream; the host continues."""

    @abstractmethod
    def wait(self) -> None:
        """Let the host wait until all queued work is complete."""

    @abstractmethod
    def record(self, work: Callable[[], None]) -> Graph:
        """Record the work that a function queues, instead of running it.

        Parameters
        ----------
        work
            queues kernels; it must not allocate memory or copy to the host

        Returns
        -------
        graph that repeats the work
        """

    @abstractmethod
    def free_bytes(self) -> int:
        """Return the memory that an array can still use, including our cached blocks."""

    @abstractmethod
    def release(self) -> None:
        """Release the memory of deleted arrays."""
