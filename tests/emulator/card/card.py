"""The software card: its memory, queued work, loaded modules and faults."""

from __future__ import annotations

import ctypes
import sys
import traceback
from collections.abc import Callable
from typing import Any

from tests.emulator.card.errors import CudaError, Status
from tests.emulator.card.machine import Machine
from tests.emulator.card.memory import Memory
from tests.emulator.card.work import Work
from tests.emulator.textures import TextureTable

ADDRESS, SIZE, INT, UINT = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_uint
TEXT = ctypes.c_char_p


class Card:
    """A card that fails after its first fault, like a broken CUDA context."""

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self.memory = Memory(machine.memory_bytes - machine.used_bytes)
        self.work = Work(machine.order, machine.seed)
        self.textures = TextureTable(exact=False)
        self.arrays: dict[int, Any] = {}
        self.texture_objects: dict[int, Any] = {}
        self.modules: dict[int, Any] = {}
        self.functions: dict[int, Any] = {}
        self.faults: list[str] = []
        """Descriptions of faults that a GPU does not report, or reports with a vague error."""
        self.asked: dict[str, int] = {}
        """Number of calls of each function."""
        self.broken: Status | None = None

    def fault(self, status: Status, words: str) -> CudaError:
        """Set the card to broken and return an error with this text."""
        self.broken = status
        self.note(words)
        return CudaError(status, words)

    def note(self, words: str) -> None:
        """Record a fault and print it to stderr."""
        self.faults.append(words)
        sys.stderr.write(f"software card: {words}\n")

    def check(self, address: int | None, n_bytes: int, what: str) -> None:
        """Raise CudaError if any of these bytes is outside the card's memory."""
        block = self.memory.at(address or 0)
        if n_bytes and (block is None or not block.holds(address or 0, n_bytes)):
            words = f"{what}: {n_bytes} bytes at {address or 0:#x} are not of the card's memory."
            self.note(words)
            raise CudaError(Status.INVALID_VALUE, words)


Call = Callable[..., Any]
CALLS: dict[str, tuple[Call, tuple[Any, ...]]] = {}
"""Implemented calls by name, with the types of their arguments."""


def call(*types: Any) -> Callable[[Call], Call]:
    """Register a function as the call of its name; its first argument is the card."""

    def register(function: Call) -> Call:
        CALLS[function.__name__] = function, types
        return function

    return register


_ALWAYS = ("cudaGetLastError", "cuGetErrorName", "cuGetErrorString")
"""Calls that a broken card still answers."""


_TEXT_CALLS = ("GetErrorName", "GetErrorString")
_NO_LIBRARY = b"the software card has no such library"


def callback(card: Card, name: str) -> Any:
    """Return a function that machine code can call, for the call `name`."""
    function, types = CALLS.get(name, (_unknown(name), ()))

    def answer(*arguments: Any) -> int:
        card.asked[name] = card.asked.get(name, 0) + 1
        try:
            if card.broken is not None and name not in _ALWAYS:
                return _number(name, card.broken)
            function(card, *arguments)
        except CudaError as e:
            return _number(name, e.status)
        except Exception:  # noqa: BLE001 - machine code cannot handle exceptions
            card.note(traceback.format_exc())
            return _number(name, Status.UNKNOWN)
        return 0

    if name.endswith(_TEXT_CALLS) and name not in CALLS:
        return ctypes.CFUNCTYPE(TEXT, INT)(lambda status: _NO_LIBRARY)
    return ctypes.CFUNCTYPE(ctypes.c_int, *types)(answer)


def _number(name: str, status: Status) -> int:
    """Return the library's own status code: out of memory, or internal error."""
    is_full = status is Status.MEMORY_ALLOCATION
    if name.startswith("cublas"):
        return 3 if is_full else 14
    if name.startswith("cufft"):
        return 2 if is_full else 5
    return int(status)


def _unknown(name: str) -> Call:
    def refuse(card: Card, *arguments: Any) -> None:
        card.note(f"{name} is not answered by the software card.")
        raise CudaError(Status.NOT_SUPPORTED)

    return refuse


def put(at: int, kind: Any, value: Any) -> None:
    """Write a value to the address that the caller gave."""
    kind.from_address(at).value = value
