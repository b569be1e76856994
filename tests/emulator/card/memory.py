"""Memory of the card: blocks of host memory with known bounds.

New memory contains only one-bits, which read as NaN or -1.
"""

from __future__ import annotations

import ctypes
import math
from bisect import bisect_right, insort
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tests.emulator.card.errors import CudaError, Status

_ALIGNED = 512
_NEW = 0xFF


@dataclass(frozen=True, eq=False)
class Block:
    """A block of memory, from allocation to release."""

    at: int
    n_bytes: int
    kind: str
    """"device", "pinned" or "constant"."""
    storage: NDArray[np.uint8] | None = None

    def holds(self, at: int, n_bytes: int) -> bool:
        """Return True if all these bytes are in the block."""
        return self.at <= at and at + n_bytes <= self.at + self.n_bytes


class Memory:
    """Blocks by address, and the number of allocated bytes."""

    def __init__(self, total: int) -> None:
        self.total = total
        self.used = 0
        self._starts: list[int] = []
        self._blocks: dict[int, Block] = {}

    def take(self, n_bytes: int, kind: str = "device") -> Block:
        """Allocate memory; raise CudaError if the card is full."""
        if kind == "device":
            self.charge(n_bytes)
        storage = np.full(n_bytes + _ALIGNED, _NEW, np.uint8)
        at = -(-storage.ctypes.data // _ALIGNED) * _ALIGNED
        return self.add(Block(at, n_bytes, kind, storage))

    def add(self, block: Block) -> Block:
        """Add an existing block to the card's memory."""
        self._blocks[block.at] = block
        insort(self._starts, block.at)
        return block

    def give(self, at: int, *kinds: str) -> None:
        """Release the block that starts at this address."""
        block = self._blocks.get(at)
        if block is None or block.kind not in kinds:
            raise CudaError(Status.INVALID_VALUE, f"{at:#x} is no address of allocated memory.")
        self._starts.remove(at)
        del self._blocks[at]
        if block.kind == "device":
            self.charge(-block.n_bytes)

    def charge(self, n_bytes: int) -> None:
        """Add to the allocated bytes; negative numbers release."""
        if self.used + n_bytes > self.total:
            raise CudaError(Status.MEMORY_ALLOCATION, f"{n_bytes} bytes, {self.used} are taken.")
        self.used += n_bytes

    def at(self, address: int) -> Block | None:
        """Return the block that contains an address."""
        i = bisect_right(self._starts, address) - 1
        block = self._blocks[self._starts[i]] if i >= 0 else None
        return block if block is not None and block.holds(address, 1) else None

    def of_card(self) -> list[Block]:
        """Return the blocks that kernels may access."""
        return [block for block in list(self._blocks.values()) if block.kind != "constant"]


def array_at(at: int, shape: tuple[int, ...], dtype: Any) -> NDArray[Any]:
    """Return an array over memory that a block owns."""
    n_bytes = math.prod(shape) * np.dtype(dtype).itemsize
    return np.ndarray(shape, dtype, (ctypes.c_uint8 * n_bytes).from_address(at))
