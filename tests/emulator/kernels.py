"""Kernels compiled for the CPU, with launches that only accept the declared types."""

from __future__ import annotations

import ctypes
import functools
import math
import weakref
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from engine.core.backend.gpu import Extent, Function, Module, Resources
from tests.emulator.arrays import DeviceArray, bare, owner
from tests.emulator.compiling import constants, max_threads, own_copy, runtime, shared_library

if TYPE_CHECKING:
    from tests.emulator.gpu import EmulatedGpu

_MAX_BLOCKS = (2**31 - 1, 2**16 - 1, 2**16 - 1)
_MAX_THREADS = (1024, 1024, 64)


class KernelError(Exception):
    """A fault of a kernel or launch that a GPU does not report, or reports with a vague error."""


class KernelModule(Module):
    """The kernels of one source."""

    def __init__(self, source: str, gpu: EmulatedGpu) -> None:
        library = shared_library(source, sanitize=gpu.sanitize)
        self._open(library, constants(source), max_threads(source), gpu)

    def _open(
        self,
        library: Path,
        constants: tuple[str, ...],
        max_threads: dict[str, int],
        gpu: EmulatedGpu,
    ) -> None:
        self._gpu, self._max_threads = gpu, max_threads
        self._constants: dict[str, DeviceArray | None] = dict.fromkeys(constants)
        ctypes.CDLL(str(runtime(sanitize=gpu.sanitize)))  # kernels find it by name
        with own_copy(library, needed=bool(constants) or gpu.counted) as own:
            self._library = ctypes.CDLL(str(own))

    def function(self, name: str) -> Kernel:
        if name not in self._max_threads:
            raise KernelError(f"kernel {name}: the source has {', '.join(self._max_threads)}.")
        return Kernel(name, self._library, self._max_threads[name], self._gpu)

    def constant(self, name: str) -> DeviceArray:
        self._gpu.check()
        if name not in self._constants:
            raise KernelError(f"constant {name}: the source has {', '.join(self._constants)}.")
        values = self._constants[name]
        if values is None:
            find, n_bytes = self._library[f"constant_{name}"], ctypes.c_uint64()
            find.restype = ctypes.c_void_p
            address = find(ctypes.byref(n_bytes))
            values = _array_at(address, (n_bytes.value,), np.dtype(np.uint8)).view(DeviceArray)
            values.gpu = self._gpu
            self._constants[name] = values
        return values


class Kernel(Function):
    """One kernel; `signature` has NumPy's codes of its arguments, with a star before pointers."""

    def __init__(self, name: str, library: ctypes.CDLL, max_threads: int, gpu: EmulatedGpu) -> None:
        self._open(name, library, max_threads, gpu)
        signature = library[f"signature_{name}"]
        signature.restype = ctypes.c_char_p
        self.signature: tuple[str, ...] = tuple(signature().decode().split())

    def _open(self, name: str, library: ctypes.CDLL, max_threads: int, gpu: EmulatedGpu) -> None:
        self.name, self._max_threads, self._gpu = name, max_threads, gpu
        self._launch = library[f"launch_{name}"]
        self._launch.restype = ctypes.c_char_p
        self._launch.argtypes = [ctypes.c_void_p] * 3 + [ctypes.c_int]

    def __call__(self, n_blocks: Extent, n_threads: Extent, *args: Any) -> None:
        self._gpu.check()
        if len(args) != len(self.signature):
            raise TypeError(
                f"kernel {self.name} takes {len(self.signature)} arguments, not {len(args)}."
            )
        for i, (code, value) in enumerate(zip(self.signature, args, strict=True)):
            if fault := self._misfit(code, value):
                raise TypeError(f"kernel {self.name}, argument {i + 1}: {fault}.")
        blocks, threads = _along(n_blocks), _along(n_threads)
        if not (
            1 <= math.prod(threads) <= self._max_threads
            and _within(threads, _MAX_THREADS)
            and _within(blocks, _MAX_BLOCKS)
        ):
            raise KernelError(
                f"kernel {self.name}: {n_blocks} blocks of {n_threads} threads, "
                f"it takes 1 to {self._max_threads}."
            )
        if math.prod(blocks) > 0:
            slots = [Slot(value) for value in args]
            self._gpu.queue(functools.partial(self._run, blocks + threads, slots), args)

    def resources(self, n_threads: int) -> Resources:
        self._gpu.check()
        return Resources(registers=40, shared_bytes=0, local_bytes=0, occupancy=0.75)

    def _run(self, size: tuple[int, ...], slots: list[Slot]) -> None:
        self._gpu.count_launch(self.name)
        if any(slot.is_gone() for slot in slots):
            raise KernelError(f"kernel {self.name}: an array of the graph is no more.")
        more = self._more(slots)
        at = (*(slot.address for slot in slots), more.ctypes.data)
        addresses = (ctypes.c_void_p * len(at))(*at)
        sizes, textures = (ctypes.c_uint * 6)(*size), self._gpu.textures.address
        fault = self._launch(sizes, addresses, textures, int(self._gpu.reverse))
        if fault:
            raise KernelError(self._fault(fault.decode()))

    def _more(self, slots: list[Slot]) -> np.ndarray:
        """Return the arguments that the kernel gets in addition to its own."""
        return np.empty(0)

    def _misfit(self, code: str, value: Any) -> str:
        return _misfit(code, value)

    def _fault(self, text: str) -> str:
        return f"kernel {self.name}, {text}."


class Slot:
    """Address of one launch argument; it does not keep an array alive, as on a GPU."""

    def __init__(self, value: Any) -> None:
        if isinstance(value, DeviceArray):
            self._memory = weakref.ref(owner(value))
            self._value = np.array(value.ctypes.data, np.uintp)
            self.n_bytes = value.nbytes
        else:
            self.n_bytes = 0
            self._memory = None
            self._value = np.array(value)
        self.address = self._value.ctypes.data

    @property
    def address_of_array(self) -> int:
        """Return the address of the array of `n_bytes`."""
        return int(self._value)

    def is_gone(self) -> bool:
        """Return True if this was an array and its memory has been released."""
        return self._memory is not None and self._memory() is None


class Borrowed:
    """An array that recorded work uses but does not keep alive."""

    def __init__(self, array: DeviceArray) -> None:
        plain = bare(array)
        self._memory = weakref.ref(owner(plain))
        self._form = (plain.ctypes.data, plain.shape, plain.dtype, plain.strides)

    def array(self) -> np.ndarray:
        """Return the array; raise KernelError if its memory has been released."""
        if self._memory() is None:
            raise KernelError("a copy: an array of the graph is no more.")
        return _array_at(*self._form)


def _array_at(
    address: int,
    shape: tuple[int, ...],
    dtype: np.dtype[Any],
    strides: tuple[int, ...] | None = None,
) -> np.ndarray:
    """Return an array over memory that another object owns."""
    n_bytes = math.prod(shape) * dtype.itemsize
    if strides is not None and n_bytes:
        n_bytes = sum((n - 1) * step for n, step in zip(shape, strides, strict=True))
        n_bytes += dtype.itemsize
    memory = (ctypes.c_uint8 * n_bytes).from_address(address)
    return np.ndarray(shape, dtype, memory, strides=strides)


def _along(extent: Extent) -> tuple[int, ...]:
    """Return three numbers for x, y and z."""
    given = extent if isinstance(extent, tuple) else (extent,)
    if not 1 <= len(given) <= 3:
        raise KernelError(f"{extent} is not along x, y and z.")
    return given + (1,) * (3 - len(given))


def _within(numbers: tuple[int, ...], most: tuple[int, ...]) -> bool:
    return all(0 <= n <= limit for n, limit in zip(numbers, most, strict=True))


def _misfit(code: str, value: Any) -> str:
    """Describe a wrong type of an argument; return "" if the type is right."""
    is_pointer = code.startswith("*")
    wanted = code.removeprefix("*").replace("b1", "?")
    if not is_pointer:
        if not isinstance(value, np.generic):
            return f"{type(value).__name__} {value!r}, needs a numpy scalar {np.dtype(wanted)}"
    elif not isinstance(value, DeviceArray):
        return f"{type(value).__name__}, needs an array of the device"
    elif not value.flags.c_contiguous:
        return f"a strided view {value.shape}, needs a contiguous array"
    if value.dtype != np.dtype(wanted):
        return f"{value.dtype}, needs {np.dtype(wanted)}"
    return ""
