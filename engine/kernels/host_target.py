"""Prepares Numba for the processor before the first kernel is compiled or loaded."""

from __future__ import annotations

from numba.core.registry import cpu_target


def make_ready() -> None:
    """Let Numba register its own functions: half a second that the first kernel would need."""
    cpu_target.typing_context.refresh()
    cpu_target.target_context.refresh()
