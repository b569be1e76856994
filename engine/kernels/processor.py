"""Processor that Numba compiles for: a class of models, and its features.

By default, Numba compiles for one model of processor. Compiled kernels could then not be part of a
wheel, and a node of a cluster could not use the kernels of another node. Kernels here are compiled
for a class of models instead: level 3 (AVX2) or level 4 (AVX-512) of the x86-64 psABI. All models
of a class run the same code, so they return the same bits. Numba's default stays in use on other
processors, and in processes that set NUMBA_CPU_NAME or have compiled a function before.

Source: x86-64 psABI supplement 1.0, section 3.1.1 (levels of the instruction set).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import llvmlite.binding as llvm
from numba.core import config as numba_config
from numba.core.registry import cpu_target

FIRST_LLVM = 17
"""Oldest version of LLVM that knows all the models below."""

_BASE = "64bit cmov cx8 fxsr mmx sse sse2"
_LEVEL_3 = (
    f"{_BASE} cx16 popcnt sahf sse3 sse4.1 sse4.2 ssse3"
    " avx avx2 bmi bmi2 f16c fma lzcnt movbe xsave"
)


class Level(NamedTuple):
    """A level of the instruction set.

    Attributes
    ----------
    model
        model that defines the costs of instructions for LLVM; its other features are excluded
    features
        LLVM names of the features that all processors of this level have
    """

    model: str
    features: frozenset[str]


LEVELS = (
    Level("znver4", frozenset(f"{_LEVEL_3} avx512bw avx512cd avx512dq avx512f avx512vl".split())),
    Level("znver3", frozenset(_LEVEL_3.split())),
)
"""The classes, highest first."""


def level_of(features: dict[str, bool]) -> Level | None:
    """Return the highest class that a processor belongs to; None if there is none.

    Parameters
    ----------
    features
        True or False for each feature that LLVM knows
    """
    own = {name for name, is_there in features.items() if is_there}
    return next((level for level in LEVELS if level.features <= own), None)


def features_of(level: Level, known: dict[str, bool]) -> str:
    """Return the LLVM text for the features of a class; it excludes all other features.

    Parameters
    ----------
    level
        the class
    known
        all features that LLVM knows
    """
    return ",".join(f"{'+' if name in level.features else '-'}{name}" for name in sorted(known))


def _choose_class() -> None:
    """Let Numba compile for the class of this processor, unless the user has set a target."""
    config: Any = numba_config
    is_chosen = config.CPU_NAME is not None or config.CPU_FEATURES is not None
    # Code of both targets cannot be mixed in one process.
    is_used = "_toplevel_target_context" in vars(cpu_target)
    if is_chosen or is_used or llvm.llvm_version_info[0] < FIRST_LLVM:
        return
    try:
        known = dict(llvm.get_host_cpu_features())
    except RuntimeError:  # LLVM cannot detect the features of some processors
        return
    if level := level_of(known):
        config.CPU_NAME, config.CPU_FEATURES = level.model, features_of(level, known)


_choose_class()

TARGET: tuple[str, str, str] = cpu_target.target_context.codegen().magic_tuple()
"""System, model and features that Numba compiles for."""

FEATURES = frozenset(name[1:] for name in TARGET[2].split(",") if name.startswith("+"))
"""Names of LLVM, such as "avx512f"."""

HAS_AVX512 = {"avx512f", "avx512vl"} <= FEATURES
"""True if one instruction moves selected lanes to the front of a 64-byte vector."""
HAS_LANES = HAS_AVX512 or "avx2" in FEATURES
"""True if 32-bit lanes can be permuted in a register."""
LANES = 16 if HAS_AVX512 else 8
"""32-bit numbers in the widest register."""
