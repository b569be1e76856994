"""Counts of a PTX kernel over all its launches: issue slots, lines, sectors, fetches."""

from __future__ import annotations

import ctypes
from collections import Counter
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tests.emulator.ptx.flow import Flow
from tests.emulator.ptx.parsing import Entry, Instruction

TOUCHED = ("issued", "lanes", "lines", "sectors", "wavefronts")


@dataclass(frozen=True)
class Access:
    """Accesses of one instruction: times issued, lanes, and the other counts of counting.h."""

    at: Instruction
    issued: int
    lanes: int
    lines: int
    sectors: int
    wavefronts: int

    @property
    def kind(self) -> str:
        """Return its family: load, store, atomic, texture, shared or constant."""
        return kind_of(self.at)


def kind_of(at: Instruction) -> str:
    """Return the family of an access, or "" for other instructions."""
    name, *rest = at.opcode.split(".")
    if name in ("red", "atom"):
        return "atomic"
    if name == "tex":
        return "texture"
    if name not in ("ld", "st") or "param" in rest:
        return ""
    for space, kind in (("shared", "shared"), ("const", "constant")):
        if space in rest:
            return kind
    return "load" if name == "ld" else "store"


class Counters:
    """Counts of one kernel, stored in its library."""

    def __init__(self, entry: Entry, library: ctypes.CDLL) -> None:
        self.flow, self._library, self._name = Flow(entry), library, entry.name
        self._n_lines = 1 + max((at.line for at in entry.code), default=0)

    @property
    def issued(self) -> NDArray[np.uint64]:
        """Return how often each stretch was issued, in code order."""
        n = len(self.flow.stretches)
        return self._sums("stretches", (n, 2))[self.flow.order, 0]

    @property
    def slots(self) -> Counter[str]:
        """Return the issue slots of all warps by name of the instruction."""
        found: Counter[str] = Counter()
        for stretch, n in zip(self.flow.stretches, self.issued, strict=True):
            for at in stretch.slots:
                found[at.opcode.split(".")[0]] += int(n)
        return found

    @property
    def accesses(self) -> list[Access]:
        """Return the accesses of each instruction that was issued."""
        sums = self._sums("touched", (self._n_lines, len(TOUCHED)))
        return [
            Access(at, *map(int, sums[at.line]))
            for stretch in self.flow.stretches
            for at in stretch.code
            if kind_of(at) and sums[at.line, 0]
        ]

    def sum_of(self, what: str, *kinds: str) -> int:
        """Return the sum of one of `TOUCHED` over accesses of some kinds."""
        return sum(getattr(access, what) for access in self.accesses if access.kind in kinds)

    def _sums(self, name: str, shape: tuple[int, int]) -> NDArray[np.uint64]:
        find = self._library[f"{name}_{self._name}"]
        find.restype = ctypes.c_void_p
        n = shape[0] * shape[1]
        return np.array((ctypes.c_uint64 * n).from_address(find())).reshape(shape)
