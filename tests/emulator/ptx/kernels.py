"""Kernels that NVRTC compiles for an architecture, run on the CPU."""

from __future__ import annotations

import ctypes
import itertools
import re
from typing import TYPE_CHECKING, Any

import numpy as np

from tests.emulator.arrays import DeviceArray
from tests.emulator.compiling import library_of
from tests.emulator.kernels import Kernel, KernelError, KernelModule, Slot
from tests.emulator.ptx.counted import Counters
from tests.emulator.ptx.parsing import Entry, bits, parse
from tests.emulator.ptx.translating import translated

if TYPE_CHECKING:
    from tests.emulator.gpu import EmulatedGpu

_HEADERS = ("ptx/ptx.h", "ptx/memory.h", "ptx/counting.h")
_KINDS = {"f": "f", "u": "iub", "s": "iu", "b": "iub"}
_launches = itertools.count(1)


class PtxKernels(KernelModule):
    """The kernels of a PTX text."""

    def __init__(self, text: str, gpu: EmulatedGpu) -> None:
        self._text, module = text, parse(text)
        self._entries = {entry.name: entry for entry in module.entries}
        names = tuple(v.name for v in module.variables if v.space == "const")
        most = {entry.name: entry.max_threads for entry in module.entries}
        written = translated(module, counted=gpu.counted)
        library = library_of(written, _HEADERS, sanitize=gpu.sanitize)
        self._open(library, names, most, gpu)
        self.counters = self._counters() if gpu.counted else {}

    def function(self, name: str) -> Kernel:
        if name not in self._entries:
            raise KernelError(f"kernel {name}: the source has {', '.join(self._entries)}.")
        return PtxKernel(self._entries[name], self._text, self._library, self._gpu)

    def _counters(self) -> dict[str, Counters]:
        return {name: Counters(entry, self._library) for name, entry in self._entries.items()}


class PtxKernel(Kernel):
    """One kernel; `signature` has the PTX types of its arguments, with pointers as u64."""

    def __init__(self, entry: Entry, text: str, library: ctypes.CDLL, gpu: EmulatedGpu) -> None:
        self._open(entry.name, library, entry.max_threads, gpu)
        self.signature = tuple(type_ for _, type_ in entry.parameters)
        self._lines = text.splitlines()

    def _misfit(self, code: str, value: Any) -> str:
        if isinstance(value, DeviceArray):
            if not value.flags.c_contiguous:
                return f"a strided view {value.shape}, needs a contiguous array"
            return "" if bits(code) == 64 and code[0] != "f" else f"an array, needs a {code}"
        if not isinstance(value, np.generic):
            return f"{type(value).__name__} {value!r}, needs a numpy scalar of {code}"
        fits = value.dtype.kind in _KINDS[code[0]] and 8 * value.dtype.itemsize == bits(code)
        return "" if fits else f"{value.dtype}, needs {code}"

    def _more(self, slots: list[Slot]) -> Any:
        """Return additional arguments: the arrays that the kernel may access, as in memory.h.

        Each launch has its own number, which tells a block that its shared memory is new.
        """
        given = [(slot.address_of_array, slot.n_bytes) for slot in slots if slot.n_bytes]
        return np.array([next(_launches), len(given), *itertools.chain(*given)], np.uint64)

    def _fault(self, text: str) -> str:
        """Add the instruction to its line number in a fault."""
        found = re.search(r"line (\d+)", text)
        told = f" [{self._lines[int(found[1]) - 1].strip()}]" if found else ""
        return f"kernel {self.name} in PTX, {text}{told}."
