"""The GPU through CuPy. Import it only in functions: it needs CuPy and a driver."""

from __future__ import annotations

import ctypes
import sys
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from engine.core.arrays import Array as HostArray
from engine.core.backend.cupy_card import facts, use, whole_cupy
from engine.core.backend.cupy_compiling import CudaModule, module_of
from engine.core.backend.cupy_faults import faults_in_words
from engine.core.backend.cupy_ring import MIN_BYTES, PinnedRing
from engine.core.backend.gpu import (
    Array,
    Extent,
    Function,
    Gpu,
    Graph,
    Module,
    Resources,
    Stamp,
    Texture,
    TextureKind,
)
from engine.core.errors import DeviceError
from engine.core.paths import cache_dir

_MAX_SENT = 64
"""Copies in progress before the host waits for the oldest."""


class CupyGpu(Gpu):
    """A CUDA device that CuPy finds.

    Parameters
    ----------
    number : number of the card; later work of the calling thread runs on it

    Raises
    ------
    ResourceError
        if CuPy is missing or incomplete, or finds no card
    DeviceError
        if the card does not respond
    """

    def __init__(self, number: int = 0) -> None:
        self.xp = cupy = whole_cupy()
        self._number = number
        with faults_in_words("starting the GPU"):
            use(number)
            self.facts = facts(number)
            # Non-blocking streams do not wait for the null stream, so copies overlap with kernels.
            self._copies = cupy.cuda.Stream(non_blocking=True)
            self._returns = cupy.cuda.Stream(non_blocking=True)
        self._ring = PinnedRing()
        self._modules: dict[tuple[str, tuple[str, ...]], Module] = {}
        self._sent: deque[tuple[_Event, Array]] = deque()
        self._sent_lock = Lock()

    def faults(self, doing: str) -> AbstractContextManager[None]:
        return faults_in_words(doing)

    # Every call selects the card again: the caller can be a thread that has used another one.
    def load(self, source: str, options: tuple[str, ...]) -> Module:
        # The source is the key: templates give one text for each variant.
        if (source, options) not in self._modules:
            with faults_in_words("compiling a kernel"):
                use(self._number)
                folder = cache_dir() / "kernels"
                module = module_of(source, options, self.facts.compute_capability, folder)
            self._modules[source, options] = _Module(module)
        return self._modules[source, options]

    def empty(self, shape: tuple[int, ...], dtype: DTypeLike) -> Array:
        with faults_in_words("allocating memory"):
            use(self._number)
            return self.xp.empty(shape, dtype)

    def upload(self, values: NDArray[Any], out: Array | None = None) -> Array:
        with faults_in_words("copying to the GPU"):
            use(self._number)
            target = self.xp.empty(values.shape, values.dtype) if out is None else out
            # reshape restores arrays without axes, because ascontiguousarray adds an axis
            host = np.ascontiguousarray(values).reshape(values.shape)
            if self._by_ring(host, target):
                self._ring.send(host, target)
            else:
                target.set(host)
                self._keep(host)
        return target

    def _by_ring(self, host: HostArray, there: Array) -> bool:
        """Return True if a copy is large, contiguous on both sides, and from pageable memory."""
        if host.nbytes < MIN_BYTES or host.dtype != there.dtype or host.shape != there.shape:
            return False
        if not (host.flags.c_contiguous and there.flags.c_contiguous):
            return False
        runtime = self.xp.cuda.runtime
        # Page-locked memory is read by the card directly; the ring would only add a copy.
        kind = runtime.pointerGetAttributes(host.ctypes.data).type
        return int(kind) != int(runtime.memoryTypeHost)

    def _keep(self, host: Array) -> None:
        """Hold a reference to the host array until its copy is complete."""
        stamp = _Event(self.xp.cuda.get_current_stream().record())
        with self._sent_lock:
            self._sent.append((stamp, host))
            while self._sent and (self._sent[0][0].event.done or len(self._sent) > _MAX_SENT):
                oldest, _ = self._sent.popleft()
                oldest.event.synchronize()

    def download(self, values: Array, out: HostArray | None = None) -> HostArray:
        host = np.empty(values.shape, values.dtype) if out is None else out
        with faults_in_words("copying from the GPU"):
            use(self._number)
            if self._by_ring(host, values):
                self._ring.fetch(values, host)
            # CuPy can download only into contiguous memory.
            elif host.flags.c_contiguous:
                values.get(out=host)
            else:
                host[...] = values.get()
        return host

    def zero(self, values: Array) -> None:
        with faults_in_words("clearing memory"):
            values.data.memset_async(0, values.nbytes)

    def texture(self, kind: TextureKind, shape: tuple[int, int, int]) -> Texture:
        from engine.core.backend.cupy_textures import CupyTexture

        return CupyTexture(kind, shape)

    def copy(self, values: Array, out: Array) -> None:
        if (values.shape, values.dtype) != (out.shape, out.dtype):
            raise ValueError(
                f"values of type {values.dtype} and shape {values.shape} cannot be copied to an "
                f"array of type {out.dtype} and shape {out.shape}."
            )
        if not (values.flags.c_contiguous and out.flags.c_contiguous):
            raise ValueError(
                f"an array of shape {values.shape} cannot be copied because it is not "
                "contiguous; make a contiguous copy first."
            )
        with faults_in_words("copying on the GPU"):
            out.data.copy_from_device_async(values.data, values.nbytes)

    def pinned(self, values: NDArray[Any]) -> NDArray[Any]:
        from cupyx import empty_pinned

        with faults_in_words("allocating page-locked memory"):
            copy: NDArray[Any] = empty_pinned(values.shape, values.dtype)
        copy[...] = values
        return copy

    @contextmanager
    def copying(self, *, to_host: bool = False) -> Iterator[None]:
        with self._returns if to_host else self._copies:
            yield

    def stamp(self) -> Stamp:
        with faults_in_words("running a kernel"):
            return _Event(self.xp.cuda.get_current_stream().record())

    def wait_for(self, stamp: Stamp) -> None:
        if not isinstance(stamp, _Event):
            raise TypeError(f"expected a timestamp from this GPU, got {stamp!r}")
        with faults_in_words("running a kernel"):
            self.xp.cuda.get_current_stream().wait_event(stamp.event)

    def wait(self) -> None:
        with faults_in_words("running a kernel"):
            self.xp.cuda.get_current_stream().synchronize()

    def record(self, work: Callable[[], None]) -> Graph:
        from engine.core.backend.cupy_textures import keeping_textures

        # CUDA cannot capture the null stream
        stream = self.xp.cuda.Stream(non_blocking=True)
        with faults_in_words("recording a graph"), keeping_textures(), stream:
            # Kernels queued inside are recorded on this stream, not run.
            stream.begin_capture()
            try:
                work()
            except BaseException:
                # report the original error, not that the capture is invalid
                with suppress(RuntimeError):
                    stream.end_capture()
                raise
            graph = stream.end_capture()
        return _Graph(graph)

    def free_bytes(self) -> int:
        pool = self.xp.get_default_memory_pool()
        with faults_in_words("reading the free memory"):
            free, _ = self.xp.cuda.runtime.memGetInfo()
        limit = pool.get_limit()
        # Blocks cached by the pool are free for our arrays, although the driver counts them as
        # used.
        ours = int(pool.free_bytes())
        # A limit of the memory pool (CUPY_GPU_MEMORY_LIMIT) counts like a smaller card.
        if limit:
            return min(int(free) + ours, int(limit - pool.used_bytes()))
        return int(free) + ours

    def release(self) -> None:
        with faults_in_words("releasing memory"):
            # The ring first: its pieces return to the pinned pool, which then frees them.
            self._ring.forget()
            self.xp.get_default_memory_pool().free_all_blocks()
            self.xp.get_default_pinned_memory_pool().free_all_blocks()


class _Module(Module):
    def __init__(self, module: CudaModule) -> None:
        self._module = module

    def function(self, name: str) -> Function:
        with faults_in_words(f"loading kernel {name}"):
            return _Function(self._module.get_function(name), name)

    def constant(self, name: str) -> Array:
        import cupy

        with faults_in_words(f"finding constant {name}"):
            at, n_bytes = _global(self._module.ptr, name)
            # The module is passed as the owner, so the constant lives as long as an array refers to
            # it.
            memory = cupy.cuda.UnownedMemory(at, n_bytes, self._module)
            return cupy.ndarray((n_bytes,), np.uint8, cupy.cuda.MemoryPointer(memory, 0))


def _global(module: int, name: str) -> tuple[int, int]:
    """Return address and size of a constant from the driver; CuPy does not return the size."""
    # Already loaded by CuPy; this only returns a handle.
    driver = ctypes.CDLL("nvcuda.dll" if sys.platform == "win32" else "libcuda.so.1")
    at, n_bytes = ctypes.c_uint64(), ctypes.c_size_t()
    status = driver.cuModuleGetGlobal_v2(
        ctypes.byref(at), ctypes.byref(n_bytes), ctypes.c_void_p(module), name.encode()
    )
    if status:
        raise DeviceError(
            f"The constant {name} was not found in the compiled kernel (CUDA error {status})."
        )
    return at.value, n_bytes.value


class _Function(Function):
    def __init__(self, kernel: Any, name: str) -> None:
        self._kernel, self._name = kernel, name

    def __call__(self, n_blocks: Extent, n_threads: Extent, *args: Any) -> None:
        blocks, threads = _along(n_blocks), _along(n_threads)
        # CUDA refuses a launch of zero blocks, which an empty subset would request.
        if min(blocks) > 0:
            with faults_in_words(f"kernel {self._name}"):
                self._kernel(blocks, threads, args)

    def resources(self, n_threads: int) -> Resources:
        from cupy.cuda import driver, runtime

        # Occupancy is active blocks times their threads over the maximum of a multiprocessor.
        threads = runtime.deviceGetAttribute(
            runtime.cudaDevAttrMaxThreadsPerMultiProcessor, runtime.getDevice()
        )
        blocks = driver.occupancyMaxActiveBlocksPerMultiprocessor(self._kernel.ptr, n_threads, 0)
        registers, shared, local = (
            driver.funcGetAttribute(attribute, self._kernel.ptr)
            for attribute in (
                driver.CU_FUNC_ATTRIBUTE_NUM_REGS,
                driver.CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES,
                driver.CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES,
            )
        )
        return Resources(registers, shared, local, occupancy=blocks * n_threads / threads)


def _along(extent: Extent) -> tuple[int, ...]:
    return extent if isinstance(extent, tuple) else (extent,)


class _Event(Stamp):
    def __init__(self, event: Any) -> None:
        self.event = event

    def seconds_since(self, earlier: Any) -> float:
        from cupy.cuda import get_elapsed_time

        with faults_in_words("running a kernel"):
            self.event.synchronize()
            # CUDA measures in ms.
            return float(get_elapsed_time(earlier.event, self.event)) / 1e3


class _Graph(Graph):
    def __init__(self, graph: Any) -> None:
        self._graph = graph

    def launch(self) -> None:
        with faults_in_words("running a recorded graph"):
            self._graph.launch()
