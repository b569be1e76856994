"""What the processor can do for which Numba compiles."""

from __future__ import annotations

from numba.core.registry import cpu_target

_ASKED = cpu_target.target_context.codegen().magic_tuple()[2].split(",")

FEATURES = frozenset(name.removeprefix("+") for name in _ASKED if name.startswith("+"))
"""Names of LLVM, such as "avx512f"."""
