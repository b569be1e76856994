"""Numba made ready for the processor, before the first kernel is compiled or loaded."""

from __future__ import annotations

from numba.core.registry import cpu_target


def make_ready() -> None:
    """Have Numba learn its own functions: half a second that the first kernel else takes."""
    cpu_target.typing_context.refresh()
    cpu_target.target_context.refresh()
