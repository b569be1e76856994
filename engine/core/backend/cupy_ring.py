"""Page-locked memory through which copies between the host and a card pass, piece by piece.

A card reads and writes such memory by itself, several times as fast as other memory of the host,
and beside its kernels (NVIDIA, CUDA C++ Best Practices Guide, "Pinned Memory"). Half of the pieces
are filled, or emptied, by threads of the host while the card copies the other half.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from threading import RLock

import numpy as np
from numpy.typing import NDArray

from engine.core.arrays import Array as HostArray
from engine.core.backend.gpu import Array

PIECE_BYTES, N_PIECES = 8 << 20, 8
FEWEST_BYTES = 2 * PIECE_BYTES
"""Copies from this size on go through the ring."""
_THREADS = 4
"""Threads of the host that copy: one of them is slower than the bus."""


class PinnedRing:
    """Pieces of page-locked memory, taken in turn; made when first asked for."""

    def __init__(self) -> None:
        self._pieces: deque[_Piece] = deque()
        self._lock = RLock()
        self._threads: ThreadPoolExecutor | None = None

    def send(self, values: HostArray, out: Array) -> None:
        """Queue copying to a device array of the same bytes; the values may change at once.

        Both are contiguous; the copy is queued on the current stream.
        """
        source, target = values.reshape(-1).view(np.uint8), out.reshape(-1).view(np.uint8)
        with self._lock:
            filling: deque[tuple[_Piece, slice, Future[None]]] = deque()
            for part in _parts(source.size):
                piece = self._next()
                room = piece.memory[: part.stop - part.start]
                filling.append((piece, part, self._pool.submit(np.copyto, room, source[part])))
                if len(filling) > N_PIECES // 2:
                    _sent(*filling.popleft(), target)
            for each in filling:
                _sent(*each, target)

    def fetch(self, values: Array, out: HostArray) -> None:
        """Copy a device array to the host, when the current stream comes to it, and wait."""
        source, target = values.reshape(-1).view(np.uint8), out.reshape(-1).view(np.uint8)
        with self._lock:
            coming: deque[tuple[_Piece, slice]] = deque()
            for part in _parts(target.size):
                piece = self._next()
                room = piece.memory[: part.stop - part.start]
                source[part].get(out=room, blocking=False)
                piece.mark()
                coming.append((piece, part))
                if len(coming) > N_PIECES // 2:
                    self._landed(*coming.popleft(), target)
            for each in coming:
                self._landed(*each, target)
            for piece in self._pieces:
                piece.wait()

    def forget(self) -> None:
        """Give the memory back."""
        with self._lock:
            for piece in self._pieces:
                piece.wait()
            self._pieces.clear()

    def _landed(self, piece: _Piece, part: slice, target: NDArray[np.uint8]) -> None:
        piece.wait()
        room = piece.memory[: part.stop - part.start]
        piece.emptying = self._pool.submit(np.copyto, target[part], room)

    def _next(self) -> _Piece:
        """Take the piece that was used longest ago, when nobody uses it any more."""
        piece = _Piece() if len(self._pieces) < N_PIECES else self._pieces.popleft()
        self._pieces.append(piece)
        piece.wait()
        return piece

    @property
    def _pool(self) -> ThreadPoolExecutor:
        if self._threads is None:
            self._threads = ThreadPoolExecutor(_THREADS, thread_name_prefix="pinned")
        return self._threads


class _Piece:
    """Memory, the copy of the card that uses it, and that of the host."""

    def __init__(self) -> None:
        from cupyx import empty_pinned

        self.memory: NDArray[np.uint8] = empty_pinned(PIECE_BYTES, np.uint8)
        self._left: Callable[[], object] | None = None
        self.emptying: Future[None] | None = None

    def mark(self) -> None:
        """Remember what was queued last on the current stream as a user."""
        import cupy

        self._left = cupy.cuda.get_current_stream().record().synchronize

    def wait(self) -> None:
        """Wait until nobody uses it."""
        if self._left is not None:
            self._left()
            self._left = None
        if self.emptying is not None:
            self.emptying.result()
            self.emptying = None


def _sent(piece: _Piece, part: slice, filled: Future[None], target: Array) -> None:
    filled.result()
    target[part].set(piece.memory[: part.stop - part.start])
    piece.mark()


def _parts(n_bytes: int) -> Iterator[slice]:
    for start in range(0, n_bytes, PIECE_BYTES):
        yield slice(start, min(start + PIECE_BYTES, n_bytes))
