"""The card as one thing: its memory, its work, what was loaded, and what went wrong."""

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
    """A card whose first fault stays, as a broken context does."""

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
        """In words, what a card would not report or report as anything."""
        self.asked: dict[str, int] = {}
        """How often each call came."""
        self.broken: Status | None = None

    def fault(self, status: Status, words: str) -> CudaError:
        """Break, and say why."""
        self.broken = status
        self.note(words)
        return CudaError(status, words)

    def note(self, words: str) -> None:
        """Keep a fault, and show it to whoever looks at the process."""
        self.faults.append(words)
        sys.stderr.write(f"software card: {words}\n")

    def check(self, address: int | None, n_bytes: int, what: str) -> None:
        """Refuse an address that is not of the card's memory, or not with all its bytes."""
        block = self.memory.at(address or 0)
        if n_bytes and (block is None or not block.holds(address or 0, n_bytes)):
            words = f"{what}: {n_bytes} bytes at {address or 0:#x} are not of the card's memory."
            self.note(words)
            raise CudaError(Status.INVALID_VALUE, words)


Call = Callable[..., Any]
CALLS: dict[str, tuple[Call, tuple[Any, ...]]] = {}
"""The calls that are answered, with the types of their arguments, by name."""


def call(*types: Any) -> Callable[[Call], Call]:
    """Let a function answer the call of its name; it gets the card first."""

    def keep(function: Call) -> Call:
        CALLS[function.__name__] = function, types
        return function

    return keep


_ALWAYS = ("cudaGetLastError", "cuGetErrorName", "cuGetErrorString")
"""Calls that a broken card answers too."""


_WORDS = ("GetErrorName", "GetErrorString")
_NO_WORDS = b"the software card has no such library"


def door(card: Card, name: str) -> Any:
    """Return a function for machine code that answers a call."""
    function, types = CALLS.get(name, (_unknown(name), ()))

    def answer(*arguments: Any) -> int:
        card.asked[name] = card.asked.get(name, 0) + 1
        try:
            if card.broken is not None and name not in _ALWAYS:
                return _number(name, card.broken)
            function(card, *arguments)
        except CudaError as e:
            return _number(name, e.status)
        except Exception:  # noqa: BLE001 - machine code has no use for it
            card.note(traceback.format_exc())
            return _number(name, Status.UNKNOWN)
        return 0

    if name.endswith(_WORDS) and name not in CALLS:
        return ctypes.CFUNCTYPE(TEXT, INT)(lambda status: _NO_WORDS)
    return ctypes.CFUNCTYPE(ctypes.c_int, *types)(answer)


def _number(name: str, status: Status) -> int:
    """Return a status as a library says it: it ran out of memory, or something failed inside."""
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
    """Write a value where a caller wants it."""
    kind.from_address(at).value = value
