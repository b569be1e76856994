"""Limit of BLAS to one thread while the engine computes.

The engine divides its work among its own threads. Threads of BLAS in addition wait actively for
their next matrix product, and so take processor time from the engine's kernels.
"""

from __future__ import annotations

import sys
from contextlib import AbstractContextManager
from typing import Any


class _Libraries:
    """BLAS libraries of the process; searched again only if modules were imported since."""

    def __init__(self) -> None:
        self._n_modules = 0
        self._found: Any = None

    def limited(self) -> AbstractContextManager[Any]:
        from threadpoolctl import ThreadpoolController

        if self._n_modules != len(sys.modules):
            self._found = ThreadpoolController()
            self._n_modules = len(sys.modules)
        limited: AbstractContextManager[Any] = self._found.limit(limits=1, user_api="blas")
        return limited


_LIBRARIES = _Libraries()
"""Loaded libraries belong to the process; a search takes a millisecond."""


def one_blas_thread() -> AbstractContextManager[Any]:
    """Limit BLAS to one thread within a block, and restore the caller's number after it.

    The number belongs to the process. If blocks of several threads overlap, the first one sets and
    restores it. A library that is loaded inside a block is limited from the next block on.

    Returns
    -------
    context manager
    """
    return _LIBRARIES.limited()
