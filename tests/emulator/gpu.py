"""A `Gpu` for tests that runs kernels on the CPU, in order, immediately or deferred."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import numpy as np
import pytest
from numpy.typing import DTypeLike

from engine.core.backend.gpu import Gpu, GpuFacts, Graph, Stamp, TextureKind
from engine.core.errors import DeviceError
from tests.emulator import compiling
from tests.emulator.arrays import DeviceArray, DeviceModule, bare, on_device
from tests.emulator.copies import LateCopies
from tests.emulator.kernels import Borrowed, KernelModule
from tests.emulator.memory import Memory
from tests.emulator.moments import Moment, Recording
from tests.emulator.nvrtc import ptx_for
from tests.emulator.ptx.counted import Counters
from tests.emulator.ptx.kernels import PtxKernels
from tests.emulator.textures import EmulatedTexture, TextureTable

_GIB = 1 << 30


def engine() -> int | None:
    """Return the default PTX architecture of tests; None runs the CUDA source itself."""
    return int(os.environ.get("ISOCENTER_PTX", "0")) or None


class EmulatedGpu(Gpu):
    """An emulated GPU. Where g++ is missing, a test that creates one is skipped.

    It is stricter than CuPy: a launch refuses Python numbers, scalars and arrays of a different
    type than the kernel declares, host arrays and strided arrays.

    Parameters
    ----------
    reverse : run blocks, warps and lanes in descending order; a result that depends on the order
        shows a missing barrier
    memory_limit : maximum total bytes of arrays, including results of arithmetic; also an
        attribute that can be changed later
    fail_at_launch : number of the launch, from 1, that fails as with a broken driver; all later
        calls fail too, even downloads
    sanitize : compile with AddressSanitizer; its library must be loaded first (LD_PRELOAD)
    exact_textures : interpolate with exact fractions in place of the 8-bit fractions of a GPU
    late : run queued work as late as its stream allows (when the host waits or downloads) and
        copies of the second stream as early; a missing wait then changes results
    late_copies : with `late`, also defer the values of these copies; until then, the target
        contains no valid numbers
    ptx : architecture, such as 90: run the PTX that NVRTC compiles for it in place of the source
        that g++ compiles. Default: ISOCENTER_PTX of the environment; not with `sanitize`
    counted : count instructions and memory accesses of PTX, see `counters`
    """

    def __init__(
        self,
        *,
        reverse: bool = False,
        memory_limit: int = 8 * _GIB,
        fail_at_launch: int | None = None,
        sanitize: bool = False,
        exact_textures: bool = False,
        late: bool = False,
        late_copies: bool = False,
        ptx: int | None = None,
        counted: bool = False,
    ) -> None:
        try:
            compiling.check()
        except compiling.NoCompilerError as e:
            pytest.skip(f"CUDA kernels cannot be run on this CPU: {e}")
        self.reverse, self.sanitize = reverse, sanitize
        # AddressSanitizer is for the source; PTX accesses are checked without it
        self.ptx = engine() if ptx is None and not sanitize else ptx
        self.counted = counted
        self.fail_at_launch = fail_at_launch
        self.n_launches = 0
        self.memory = Memory(memory_limit)
        self.textures = TextureTable(exact=exact_textures)
        self._modules: dict[tuple[str, tuple[str, ...]], KernelModule] = {}
        self.xp = DeviceModule(np, self)
        self.facts = GpuFacts("Emulated GPU", 90, 2, memory_limit, 1e10, "13.0")
        self._broken = ""
        self._recorded: list[Callable[[], object]] | None = None
        self._waiting: deque[tuple[Callable[[], object], object]] | None = deque() if late else None
        self._copies = LateCopies() if late_copies else None
        self._n_queued = 0
        self._is_copying = False

    @property
    def memory_limit(self) -> int:
        return self.memory.limit

    @memory_limit.setter
    def memory_limit(self, limit: int) -> None:
        self.memory.limit = limit

    @property
    def is_recording(self) -> bool:
        return self._recorded is not None

    def check(self) -> None:
        """Raise DeviceError if an earlier launch broke the driver."""
        if self._broken:
            raise DeviceError(self._broken)

    def refuse_while_recording(self, what: str) -> None:
        """Raise DeviceError inside `record`, as a GPU does."""
        if self.is_recording:
            raise DeviceError(f"recording a graph: {what} cannot be recorded (emulated).")

    def queue(self, work: Callable[[], object], needs: object = None) -> None:
        """Do the work now, record it, or defer it and hold `needs` until then."""
        self.check()
        if self._recorded is not None:
            self._recorded.append(work)
        elif self._waiting is None or self._is_copying:
            work()
        else:
            self._waiting.append((work, needs))
            self._n_queued += 1

    def settle(self, up_to: int | None = None) -> None:
        """Do queued work, up to a place in the queue if one is given."""
        last = self._n_queued if up_to is None else up_to
        while self._waiting and self._n_queued - len(self._waiting) < last:
            work, _ = self._waiting.popleft()
            work()

    def land(self, up_to: int | None = None) -> None:
        """Do the first `up_to` pending copies to the GPU, or all of them."""
        if self._copies is not None:
            self._copies.land(up_to)

    def count_launch(self, kernel: str) -> None:
        """Count a launch that runs; raise DeviceError at launch `fail_at_launch`."""
        self.check()
        self.n_launches += 1
        if self.n_launches == self.fail_at_launch:
            self._broken = (
                f"kernel {kernel}: the GPU reports cudaErrorLaunchFailure: unspecified launch "
                "failure (emulated)."
            )
            self.check()

    def load(self, source: str, options: tuple[str, ...]) -> KernelModule:
        self.check()
        if (source, options) not in self._modules:
            self._modules[source, options] = self._compiled(source, options)
        return self._modules[source, options]

    def counters(self) -> dict[tuple[str, tuple[str, ...], str], Counters]:
        """Return the counts of each kernel so far, by source, options and name."""
        return {
            (source, options, name): counters
            for (source, options), module in self._modules.items()
            if isinstance(module, PtxKernels)
            for name, counters in module.counters.items()
        }

    def _compiled(self, source: str, options: tuple[str, ...]) -> KernelModule:
        if self.ptx is None:
            return KernelModule(source, self)
        return PtxKernels(ptx_for(source, self.ptx, options), self)

    def empty(self, shape: tuple[int, ...], dtype: DTypeLike) -> DeviceArray:
        self.check()
        self.refuse_while_recording("allocating memory")
        self.memory.expect(int(np.prod(shape, dtype=np.int64)) * np.dtype(dtype).itemsize)
        return on_device(np.empty(shape, dtype), self)

    def upload(self, values: np.ndarray, out: DeviceArray | None = None) -> DeviceArray:
        if type(values) is not np.ndarray:
            raise TypeError(f"upload takes an array of the host, not {type(values).__name__}.")
        self.refuse_while_recording("copying from the host")
        if not self._is_copying:
            self.settle()
        target = self.empty(values.shape, values.dtype) if out is None else out
        if (target.shape, target.dtype) != (values.shape, values.dtype):
            raise ValueError(
                f"values of type {values.dtype} and shape {values.shape} cannot be copied to an "
                f"array of type {target.dtype} and shape {target.shape}."
            )
        plain = self._contiguous(target)
        if self._copies is not None and self._is_copying:
            self._copies.put(values, plain)
        else:
            plain[...] = values
        return target

    def download(self, values: DeviceArray, out: np.ndarray | None = None) -> np.ndarray:
        self.check()
        if not isinstance(values, DeviceArray):
            raise TypeError(f"download takes an array of the device, not {type(values).__name__}.")
        self.refuse_while_recording("copying to the host")
        if not self._is_copying:
            self.settle()
        if out is None:
            return bare(values).copy()
        if (out.shape, out.dtype) != (values.shape, values.dtype):
            raise ValueError(
                f"values of type {values.dtype} and shape {values.shape} cannot be copied to an "
                f"array of type {out.dtype} and shape {out.shape}."
            )
        out[...] = bare(values)
        return out

    def zero(self, values: DeviceArray) -> None:
        plain = self._contiguous(values)
        self.queue(lambda: plain.fill(0))

    def texture(self, kind: TextureKind, shape: tuple[int, int, int]) -> EmulatedTexture:
        self.check()
        return EmulatedTexture(kind, shape, self)

    def copy(self, values: DeviceArray, out: DeviceArray) -> None:
        self._contiguous(out)
        self.copy_into(out, values)

    def copy_into(self, target: DeviceArray, values: DeviceArray) -> None:
        """Queue a copy that does not keep either array alive, as on a GPU."""
        self._contiguous(values)
        if (target.shape, target.dtype) != (values.shape, values.dtype):
            raise ValueError(
                f"values of type {values.dtype} and shape {values.shape} cannot be copied to an "
                f"array of type {target.dtype} and shape {target.shape}."
            )
        here, there = Borrowed(target), Borrowed(values)
        self.queue(lambda: np.copyto(here.array(), there.array()), (target, values))

    def pinned(self, values: np.ndarray) -> np.ndarray:
        self.check()
        return np.array(values)

    @contextmanager
    def copying(self, *, to_host: bool = False) -> Iterator[None]:
        self.check()
        self._is_copying = True
        try:
            yield
        finally:
            self._is_copying = False

    def stamp(self) -> Stamp:
        self.check()
        self.refuse_while_recording("a stamp")
        if self._is_copying:
            return Moment(self, 0, 0 if self._copies is None else self._copies.n_queued)
        return Moment(self, self._n_queued)

    def wait_for(self, stamp: Stamp) -> None:
        self.check()
        if not isinstance(stamp, Moment):
            raise TypeError(f"expected a timestamp from this GPU, got {stamp!r}")
        if self._is_copying:
            stamp.wait()
        else:
            self.queue(stamp.land)

    def wait(self) -> None:
        self.check()
        self.refuse_while_recording("waiting")
        self.settle()
        self.land()

    def record(self, work: Callable[[], None]) -> Graph:
        self.check()
        self.refuse_while_recording("a graph")
        self.settle()
        self._recorded = []
        try:
            work()
            return Recording(self, self._recorded)
        finally:
            self._recorded = None

    def free_bytes(self) -> int:
        self.check()
        return self.memory.free_bytes

    def release(self) -> None:
        self.check()
        self.memory.release()

    def _contiguous(self, values: DeviceArray) -> np.ndarray:
        """Return the simple array; refuse a strided one: kernels would write into its gaps."""
        self.check()
        if not isinstance(values, DeviceArray):
            raise TypeError(f"{type(values).__name__} is not an array of the device.")
        if not values.flags.c_contiguous:
            raise ValueError(f"the array {values.shape} is a strided view; copy it first.")
        return bare(values)
