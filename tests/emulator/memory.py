"""Memory of an emulated GPU: live arrays, and how much more fits."""

from __future__ import annotations

import gc
import weakref
from typing import Any

import numpy as np

from engine.core.errors import DeviceMemoryError


class Memory:
    """Count the bytes of live arrays; `limit` can be changed at any time."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.used_bytes = 0
        self.reserved_bytes = 0
        """Like `used_bytes`, but unused memory stays until `release`, as in CuPy's pool."""
        self._known: set[int] = set()

    @property
    def free_bytes(self) -> int:
        """Return the bytes that are left for further arrays."""
        return max(self.limit - self.used_bytes, 0)

    def expect(self, n_bytes: int) -> None:
        """Raise an error if `n_bytes` more do not fit."""
        if n_bytes > self.free_bytes:
            gc.collect()  # as CuPy does before it raises
        if n_bytes > self.free_bytes:
            raise DeviceMemoryError(
                f"allocating memory: the GPU is out of memory ({n_bytes} bytes wanted, "
                f"{self.used_bytes} of {self.limit} in use; emulated)."
            )

    def take(self, owner: np.ndarray[Any, Any]) -> None:
        """Count an array that owns its memory until it is deleted."""
        if id(owner) in self._known:
            return
        self.expect(owner.nbytes)
        self._known.add(id(owner))
        self.used_bytes += owner.nbytes
        self.reserved_bytes = max(self.reserved_bytes, self.used_bytes)
        weakref.finalize(owner, self._drop, id(owner), owner.nbytes).atexit = False

    def release(self) -> None:
        """Release memory that is reserved but not used."""
        self.reserved_bytes = self.used_bytes

    def _drop(self, key: int, n_bytes: int) -> None:
        self._known.discard(key)
        self.used_bytes -= n_bytes
