"""Kernels compiled for the CPU, and launches that take the declared types only."""

from __future__ import annotations

import ctypes
import functools
import weakref
from typing import TYPE_CHECKING, Any

import numpy as np

from engine.backend.gpu import Function, Module, Resources
from tests.emulator.arrays import DeviceArray, owner
from tests.emulator.compiling import most_threads, shared_library

if TYPE_CHECKING:
    from tests.emulator.gpu import EmulatedGpu

_MOST_BLOCKS = 2**31 - 1


class KernelError(Exception):
    """A fault of a kernel or a launch that a card would not report, or report as anything."""


class KernelModule(Module):
    """The kernels of one source."""

    def __init__(self, source: str, gpu: EmulatedGpu) -> None:
        self._gpu = gpu
        self._most_threads = most_threads(source)
        self._library = ctypes.CDLL(str(shared_library(source, sanitize=gpu.sanitize)))

    def function(self, name: str) -> Kernel:
        if name not in self._most_threads:
            raise KernelError(f"kernel {name}: the source has {', '.join(self._most_threads)}.")
        return Kernel(name, self._library, self._most_threads[name], self._gpu)


class Kernel(Function):
    """One kernel; `signature` has numpy's codes of what it takes, a star before pointers."""

    def __init__(
        self, name: str, library: ctypes.CDLL, most_threads: int, gpu: EmulatedGpu
    ) -> None:
        self.name, self._most_threads, self._gpu = name, most_threads, gpu
        self._launch = library[f"launch_{name}"]
        self._launch.restype = ctypes.c_char_p
        self._launch.argtypes = [ctypes.c_uint, ctypes.c_uint, ctypes.c_void_p, ctypes.c_int]
        signature = library[f"signature_{name}"]
        signature.restype = ctypes.c_char_p
        self.signature: tuple[str, ...] = tuple(signature().decode().split())

    def __call__(self, n_blocks: int, n_threads: int, *args: Any) -> None:
        self._gpu.check()
        if len(args) != len(self.signature):
            raise TypeError(
                f"kernel {self.name} takes {len(self.signature)} arguments, not {len(args)}."
            )
        for i, (code, value) in enumerate(zip(self.signature, args, strict=True)):
            if fault := _misfit(code, value):
                raise TypeError(f"kernel {self.name}, argument {i + 1}: {fault}.")
        if not 1 <= n_threads <= self._most_threads or n_blocks > _MOST_BLOCKS:
            raise KernelError(
                f"kernel {self.name}: {n_blocks} blocks of {n_threads} threads, "
                f"it takes 1 to {self._most_threads}."
            )
        if n_blocks > 0:
            slots = [_Slot(value) for value in args]
            self._gpu.queue(functools.partial(self._run, n_blocks, n_threads, slots))

    def resources(self, n_threads: int) -> Resources:
        self._gpu.check()
        return Resources(registers=40, shared_bytes=0, local_bytes=0, occupancy=0.75)

    def _run(self, n_blocks: int, n_threads: int, slots: list[_Slot]) -> None:
        self._gpu.count_launch(self.name)
        if any(slot.is_gone() for slot in slots):
            raise KernelError(f"kernel {self.name}: an array of the graph is no more.")
        addresses = (ctypes.c_void_p * len(slots))(*(slot.address for slot in slots))
        fault = self._launch(n_blocks, n_threads, addresses, int(self._gpu.reverse))
        if fault:
            raise KernelError(f"kernel {self.name}, {fault.decode()}.")


class _Slot:
    """Where a launch finds one argument; it does not keep an array alive, as on a card."""

    def __init__(self, value: Any) -> None:
        if isinstance(value, DeviceArray):
            self._memory = weakref.ref(owner(value))
            self._value = np.array(value.ctypes.data, np.uintp)
        else:
            self._memory = None
            self._value = np.array(value)
        self.address = self._value.ctypes.data

    def is_gone(self) -> bool:
        """Whether it was an array whose memory has been given back."""
        return self._memory is not None and self._memory() is None


def _misfit(code: str, value: Any) -> str:
    """What is wrong with an argument, or nothing."""
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
