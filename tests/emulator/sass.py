"""Read loops and memory accesses from machine code: how many instructions does a loop take?

A cubin is an ELF file with a section ".text.NAME" for every kernel. From Volta on, an instruction
has 16 bytes. Its lowest nine bits are the opcode. The upper 48 bits of a branch are the distance
from its end. The numbers below are those that `nvdisasm -hex` of CUDA 13 prints next to the names,
for sm_75, 80, 90 and 120.
"""

from __future__ import annotations

import struct
from collections import Counter
from dataclasses import dataclass
from itertools import pairwise

_BYTES = 16
_BRANCH, _EXIT = 0x147, 0x14D
_LONG_BRANCHES = 90
"""From this architecture on, the distance of a branch has eight more low bits."""
KINDS = {
    0x181: "load", 0x186: "store", 0x18E: "atomic", 0x1A6: "atomic", 0x1A8: "atomic",
    0x160: "texture", 0x184: "load shared", 0x188: "store shared", 0x189: "shuffle",
}  # fmt: skip
"""Instructions that occur as often in machine code as in PTX."""


Kinds = dict[str, int]
"""Number of instructions of each of `KINDS`."""


@dataclass(frozen=True)
class Part:
    """A range of instructions: a loop, a stretch without a jump, or a whole kernel."""

    first: int
    last: int
    kinds: Kinds

    @property
    def n(self) -> int:
        """Return the number of instructions."""
        return self.last - self.first + 1


class MachineCode:
    """The instructions of a kernel in a cubin for one architecture, such as 90."""

    def __init__(self, cubin: bytes, kernel: str, arch: int) -> None:
        code = _code(cubin, kernel)
        words = [struct.unpack_from("<QQ", code, at) for at in range(0, len(code), _BYTES)]
        self._names = [low & 0x1FF for low, _ in words]
        self._jumps = {
            i: i + 1 + _distance(*word, arch)
            for i, word in enumerate(words)
            if self._names[i] == _BRANCH
        }

    @property
    def loops(self) -> list[Part]:
        """Return all loops, ordered by their ends."""
        return [self._part(to, i) for i, to in self._jumps.items() if to < i]

    @property
    def whole(self) -> Part:
        """Return all instructions up to the last exit; code after it hardly ever runs."""
        return self._part(0, max(i for i, name in enumerate(self._names) if name == _EXIT))

    @property
    def stretches(self) -> list[Part]:
        """Return the stretches between jumps and jump targets."""
        starts = {0, len(self._names), *self._jumps.values(), *(i + 1 for i in self._jumps)}
        ordered = sorted(starts)
        return [self._part(a, b - 1) for a, b in pairwise(ordered)]

    def _part(self, first: int, last: int) -> Part:
        names = self._names[first : last + 1]
        return Part(first, last, dict(Counter(KINDS[name] for name in names if name in KINDS)))


def _distance(low: int, high: int, arch: int) -> int:
    """Return how many instructions a branch skips; negative if it jumps back."""
    words = (high & 0x3FFFF) << 30 | low >> 34
    if arch >= _LONG_BRANCHES:
        words = words << 8 | low >> 16 & 0xFF
    n_bits = 56 if arch >= _LONG_BRANCHES else 48
    return 4 * (words - (1 << n_bits if words >> (n_bits - 1) else 0)) // _BYTES


def _code(cubin: bytes, kernel: str) -> bytes:
    """Return the section of a kernel (System V ABI, chapter 4: 64-bit, little-endian)."""
    (start,) = struct.unpack_from("<Q", cubin, 0x28)
    size, n, of_names = struct.unpack_from("<HHH", cubin, 0x3A)
    sections = [struct.unpack_from("<IIQQQQ", cubin, start + i * size) for i in range(n)]
    names = sections[of_names][4]
    for name, *_, at, n_bytes in sections:
        end = cubin.index(b"\0", names + name)
        if cubin[names + name : end] == f".text.{kernel}".encode():
            return cubin[at : at + n_bytes]
    raise ValueError(f"The machine code has no kernel {kernel}.")
