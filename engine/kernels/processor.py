"""Features of the processor that Numba compiles for."""

from __future__ import annotations

from numba.core.registry import cpu_target

_ASKED = cpu_target.target_context.codegen().magic_tuple()[2].split(",")

FEATURES = frozenset(name.removeprefix("+") for name in _ASKED if name.startswith("+"))
"""Names of LLVM, such as "avx512f"."""

HAS_AVX512 = {"avx512f", "avx512vl"} <= FEATURES
"""Whether one instruction moves selected lanes to the front of a 64-byte vector."""
HAS_LANES = HAS_AVX512 or "avx2" in FEATURES
"""Whether lanes of 32 bits can be permuted in a register."""
LANES = 16 if HAS_AVX512 else 8
"""Numbers of 32 bits in the widest register."""
