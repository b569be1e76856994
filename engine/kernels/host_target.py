"""Prepares Numba for the processor: to load stored kernels, or also to compile new ones."""

from __future__ import annotations

from typing import Final

from numba import version_info
from numba.core.registry import cpu_target
from numba.core.runtime.nrt import rtsys

LAST_CHECKED: Final = (0, 68)
"""Newest minor version of Numba for which `make_ready` is enough to load stored kernels.

The oldest that we allow, 0.60, was checked, too. A missing function would end the process, so newer
versions prepare to compile as well. `tests/engine/kernels/compiled/test_stored_kernels.py` loads
all kernels, and must pass before this is raised.
"""


def can_load_quickly() -> bool:
    """Return True if `make_ready` suffices to load stored kernels of this program."""
    return tuple(version_info.short) <= LAST_CHECKED


def make_ready() -> None:
    """Let Numba provide all functions that stored kernels of this program call.

    These are its memory management, here, and helpers that its import provides. To compile, Numba
    also registers its implementations of Python, NumPy and BLAS, and for that it imports a part of
    SciPy. This takes half of the time in which the kernels of a run are loaded.
    """
    rtsys.initialize(cpu_target.target_context)
    if not can_load_quickly():
        cpu_target.target_context.refresh()
