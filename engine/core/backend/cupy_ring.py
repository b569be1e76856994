"""Page-locked memory for copies between host and GPU, used piece by piece.

A GPU reads and writes page-locked memory itself, several times as fast as pageable memory and in
parallel with its kernels (NVIDIA, CUDA C++ Best Practices Guide, "Pinned Memory"). Host threads
fill or empty one half of the pieces while the GPU copies the other half.
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
MIN_BYTES = 2 * PIECE_BYTES
"""Minimum size of a copy that uses the ring."""
_THREADS = 4
"""Host threads that copy: a single one is slower than the bus."""


class PinnedRing:
    """Pieces of page-locked memory that are used in rotation and allocated on first use."""

    def __init__(self) -> None:
        self._pieces: deque[_Piece] = deque()
        self._lock = RLock()
        self._threads: ThreadPoolExecutor | None = None

    def send(self, values: HostArray, out: Array) -> None:
        """Copy to a device array; on return the host array may change.

        The copy is queued on the current stream. Both arrays are contiguous.

        Parameters
        ----------
        values
            host array
        out
            device array with the same number of bytes
        """
        source, target = values.reshape(-1).view(np.uint8), out.reshape(-1).view(np.uint8)
        with self._lock:
            # Host threads fill pieces while earlier ones are on the bus, in the order of the array.
            filling: deque[tuple[_Piece, slice, Future[None]]] = deque()
            for part in _parts(source.size):
                piece = self._next()
                space = piece.memory[: part.stop - part.start]
                filling.append((piece, part, self._pool.submit(np.copyto, space, source[part])))
                # Half of the pieces are being filled, the other half is on the bus. With all of
                # them in one state, threads and bus would wait for each other.
                if len(filling) > N_PIECES // 2:
                    _sent(*filling.popleft(), target)
            for each in filling:
                _sent(*each, target)

    def fetch(self, values: Array, out: HostArray) -> None:
        """Copy a device array to the host after the work queued on the current stream, and wait.

        Parameters
        ----------
        values
            device array, contiguous
        out
            host array with the same number of bytes
        """
        source, target = values.reshape(-1).view(np.uint8), out.reshape(-1).view(np.uint8)
        with self._lock:
            coming: deque[tuple[_Piece, slice]] = deque()
            for part in _parts(target.size):
                piece = self._next()
                space = piece.memory[: part.stop - part.start]
                # Not blocking: the event that `mark` records tells when this piece has arrived.
                source[part].get(out=space, blocking=False)
                piece.mark()
                coming.append((piece, part))
                if len(coming) > N_PIECES // 2:
                    self._landed(*coming.popleft(), target)
            for each in coming:
                self._landed(*each, target)
            for piece in self._pieces:
                piece.wait()

    def forget(self) -> None:
        """Release the pinned memory."""
        with self._lock:
            for piece in self._pieces:
                piece.wait()
            self._pieces.clear()

    def _landed(self, piece: _Piece, part: slice, target: NDArray[np.uint8]) -> None:
        piece.wait()
        space = piece.memory[: part.stop - part.start]
        piece.emptying = self._pool.submit(np.copyto, target[part], space)

    def _next(self) -> _Piece:
        """Return the piece that was used longest ago, as soon as its copies are complete."""
        # Pieces are allocated one by one, so small copies lock little memory.
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
    """A piece of pinned memory with the pending copy of the GPU and that of the host."""

    def __init__(self) -> None:
        from cupyx import empty_pinned

        self.memory: NDArray[np.uint8] = empty_pinned(PIECE_BYTES, np.uint8)
        self._left: Callable[[], object] | None = None
        self.emptying: Future[None] | None = None

    def mark(self) -> None:
        """Record the last work of the current stream as a user of this piece."""
        import cupy

        self._left = cupy.cuda.get_current_stream().record().synchronize

    def wait(self) -> None:
        """Wait until no copy uses this piece."""
        if self._left is not None:
            self._left()
            self._left = None
        if self.emptying is not None:
            self.emptying.result()
            self.emptying = None


def _sent(piece: _Piece, part: slice, filled: Future[None], target: Array) -> None:
    # The card may read the piece only after the host thread has filled it.
    filled.result()
    target[part].set(piece.memory[: part.stop - part.start])
    piece.mark()


def _parts(n_bytes: int) -> Iterator[slice]:
    for start in range(0, n_bytes, PIECE_BYTES):
        yield slice(start, min(start + PIECE_BYTES, n_bytes))
