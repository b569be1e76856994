"""PTX modules on the software card: loading, launches, and faults by kernel, thread and line."""

from __future__ import annotations

import ctypes
import itertools
import math
import re
from collections.abc import Callable
from typing import Any

import numpy as np

from tests.emulator.card.card import Card
from tests.emulator.card.errors import CudaError, Status
from tests.emulator.card.memory import Block
from tests.emulator.compiling import library_of, own_copy, runtime
from tests.emulator.ptx.parsing import Entry, PtxError, parse
from tests.emulator.ptx.translating import translated

_HEADERS = ("ptx/ptx.h", "ptx/memory.h")
_launches = itertools.count(1 << 32)
_MAX_BLOCKS = (2**31 - 1, 65535, 65535)
_MAX_THREADS = (1024, 1024, 64)


class LoadedModule:
    """The kernels and constants of a PTX text."""

    def __init__(self, text: str, card: Card) -> None:
        self._card, self.lines = card, text.splitlines()
        try:
            module = parse(text)
            source = translated(module)
        except PtxError as e:
            card.note(f"{e} [{self.lines[_line_of(str(e)) - 1].strip()}]")
            raise CudaError(Status.INVALID_PTX, str(e)) from e
        self._entries = {entry.name: entry for entry in module.entries}
        constants = [v.name for v in module.variables if v.space == "const"]
        ctypes.CDLL(str(runtime()))  # kernels find it by name
        with own_copy(library_of(source, _HEADERS), needed=bool(constants)) as own:
            self.library = ctypes.CDLL(str(own))
        self._constants = {name: self._placed(name) for name in constants}

    def _placed(self, name: str) -> Block:
        find, n_bytes = self.library[f"constant_{name}"], ctypes.c_uint64()
        find.restype = ctypes.c_void_p
        at = find(ctypes.byref(n_bytes))
        return self._card.memory.add(Block(at, n_bytes.value, "constant"))

    def constant(self, name: str) -> tuple[int, int]:
        """Return address and size of a constant in bytes."""
        if name not in self._constants:
            raise CudaError(Status.NOT_FOUND, name)
        return self._constants[name].at, self._constants[name].n_bytes

    def function(self, name: str) -> LoadedFunction:
        """Return a kernel."""
        if name not in self._entries:
            raise CudaError(Status.NOT_FOUND, name)
        return LoadedFunction(self._entries[name], self, self._card)

    def forget(self) -> None:
        """Remove the constants from the card's memory."""
        for block in self._constants.values():
            self._card.memory.give(block.at, "constant")


def _line_of(text: str) -> int:
    found = re.search(r"line (\d+)", text)
    return int(found[1]) if found else 1


class LoadedFunction:
    """One kernel."""

    def __init__(self, entry: Entry, module: LoadedModule, card: Card) -> None:
        self.entry, self._module, self._card = entry, module, card
        self.shared_bytes = sum(v.n_bytes for v in entry.variables if v.space == "shared")
        self._launch = module.library[f"launch_{entry.name}"]
        self._launch.restype = ctypes.c_char_p
        self._launch.argtypes = [ctypes.c_void_p] * 3 + [ctypes.c_int]

    def launch(self, sizes: tuple[int, ...], shared: int, parameters: int) -> Callable[[], None]:
        """Return a function that runs the launch; the arguments are copied now."""
        blocks, threads = sizes[:3], sizes[3:]
        fits = 1 <= math.prod(threads) <= self.entry.max_threads and all(
            1 <= n <= most for n, most in zip(sizes, (*_MAX_BLOCKS, *_MAX_THREADS), strict=True)
        )
        if not fits or shared:
            words = f"kernel {self.entry.name}: {blocks} blocks of {threads} threads, {shared} B"
            self._card.note(words)
            raise CudaError(Status.INVALID_VALUE, words)
        places = (ctypes.c_void_p * len(self.entry.parameters)).from_address(parameters)
        copies = [
            ctypes.create_string_buffer(ctypes.string_at(place, n_bytes), n_bytes)
            for place, n_bytes in zip(places, self.entry.sizes, strict=True)
        ]
        return lambda: self._run(sizes, copies)

    def _run(self, sizes: tuple[int, ...], copies: list[Any]) -> None:
        card = self._card
        given = [(block.at, block.n_bytes) for block in card.memory.of_card()]
        more = np.array([next(_launches), len(given), *itertools.chain(*given)], np.uint64)
        at = (*map(ctypes.addressof, copies), more.ctypes.data)
        addresses = (ctypes.c_void_p * len(at))(*at)
        size = (ctypes.c_uint * 6)(*sizes)
        fault = self._launch(size, addresses, card.textures.address, int(card.machine.reverse))
        if fault:
            raise card.fault(Status.ILLEGAL_ADDRESS, self._described(fault.decode()))

    def _described(self, text: str) -> str:
        line = self._module.lines[_line_of(text) - 1].strip()
        return f"kernel {self.entry.name} in PTX, {text} [{line}]."
