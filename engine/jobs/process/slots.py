"""Shared memory for volumes: the window makes and removes it, the engine attaches to it.

Each name contains the number of the owning process, so that blocks of a killed window are found
and removed at the next start.
"""

from __future__ import annotations

import os
import secrets
import sys
from contextlib import suppress
from multiprocessing.shared_memory import SharedMemory
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from engine.core.json_types import Plain
from engine.io.safety.locks import has_ended

PREFIX = "isocenter-"
FOLDER = Path("/dev/shm")
"""Folder in which Linux shows shared memory as files."""
UNTRACKED: Plain = {"track": False} if sys.version_info >= (3, 13) else {}
"""Up to 3.12 a child shares its parent's tracker, which counts a block only once."""


class OwnedSlots:
    """Blocks of shared memory that this process owns.

    Parameters
    ----------
    n_slots
        number of blocks
    n_bytes
        size of each block

    Raises
    ------
    OSError
        if there is too little shared memory; no block remains
    """

    def __init__(self, n_slots: int, n_bytes: int) -> None:
        self._blocks: list[SharedMemory] = []
        try:
            for _ in range(n_slots):
                name = f"{PREFIX}{os.getpid()}-{secrets.token_hex(4)}"
                # stored before the memory is reserved, so that `close` removes it if that fails
                self._blocks.append(SharedMemory(name, create=True, size=max(1, n_bytes)))
                _reserve(name, n_bytes)
        except OSError:
            self.close()
            raise

    @property
    def names(self) -> tuple[str, ...]:
        """Names to attach to."""
        return tuple(block.name for block in self._blocks)

    def read(self, slot: int, shape: tuple[int, int, int]) -> NDArray[np.float32]:
        """Return a copy of the volume in a slot.

        Parameters
        ----------
        slot
            number of the slot
        shape
            (n_z, n_y, n_x)
        """
        # a copy: the engine writes the next volume into the same memory
        return np.ndarray(shape, np.float32, self._blocks[slot].buf).copy()

    def read_bytes(self, start: int, n_bytes: int) -> bytearray:
        """Return a copy of bytes in the first slot."""
        return bytearray(np.ndarray(n_bytes, np.uint8, self._blocks[0].buf, start).data)

    def close(self) -> None:
        """Detach, and remove the blocks."""
        while self._blocks:
            block = self._blocks.pop()
            block.close()
            with suppress(FileNotFoundError):
                block.unlink()


class AttachedSlots:
    """The same blocks, seen from the engine."""

    def __init__(self, names: tuple[str, ...]) -> None:
        self._blocks = [SharedMemory(name, **UNTRACKED) for name in names]

    def fits(self, values: NDArray[np.float32]) -> bool:
        """Return True if a volume fits into a slot."""
        return bool(self._blocks) and values.nbytes <= self._blocks[0].size

    def write(self, slot: int, values: NDArray[np.float32]) -> None:
        """Copy a volume into a slot."""
        np.ndarray(values.shape, np.float32, self._blocks[slot].buf)[...] = values

    def write_bytes(self, start: int, data: memoryview) -> None:
        """Copy bytes into the first slot."""
        np.ndarray(data.nbytes, np.uint8, self._blocks[0].buf, start)[...] = data

    def close(self) -> None:
        """Detach from the blocks; their owner removes them."""
        while self._blocks:
            self._blocks.pop().close()


def sweep_orphans() -> None:
    """Remove the blocks of dead processes."""
    for path in FOLDER.glob(f"{PREFIX}*"):
        owner = path.name.removeprefix(PREFIX).partition("-")[0]
        # Names of other programs with the same prefix have no number here
        if owner.isdecimal() and has_ended(owner):
            with suppress(OSError):
                path.unlink()


def _reserve(name: str, n_bytes: int) -> None:
    """Allocate the memory now: writing into a full /dev/shm later would kill the process."""
    path = FOLDER / name
    if hasattr(os, "posix_fallocate") and path.exists():
        with path.open("rb+") as file:
            os.posix_fallocate(file.fileno(), 0, max(1, n_bytes))
