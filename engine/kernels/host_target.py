"""Prepare Numba for the processor: to load stored kernels, or also to compile new ones."""

from __future__ import annotations

from typing import Final

from numba import version_info
from numba.core.registry import cpu_target
from numba.core.runtime.nrt import rtsys

LAST_CHECKED: Final = (0, 68)
"""Newest minor version of Numba for which `make_ready` is enough to load stored kernels.

The oldest supported version, 0.60, was also checked. A missing function would end the process, so
with newer versions `make_ready` also prepares to compile.
`tests/engine/kernels/compiled/test_stored_kernels.py` loads all kernels, and must pass before this
number is raised.
"""


def can_load_quickly() -> bool:
    """Return True if `make_ready` suffices to load stored kernels of this program."""
    return tuple(version_info.short) <= LAST_CHECKED


def make_ready() -> None:
    """Let Numba provide all functions that stored kernels of this program call.

    These are its memory management and helpers; its import provides the helpers. To compile, Numba
    also registers its implementations of Python, NumPy and BLAS, and imports a part of SciPy for
    them. This takes half of the time in which the kernels of a run are loaded.
    """
    rtsys.initialize(cpu_target.target_context)
    if not can_load_quickly():
        cpu_target.target_context.refresh()
