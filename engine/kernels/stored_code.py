"""Load stored kernels without their bitcode, which takes most of the time of loading.

A stored kernel is machine code, and bitcode for other kernels that call it. Only the compiler reads
bitcode. Numba parses it even if nothing is compiled.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import llvmlite.binding as llvm
from numba.core.compiler import CompileResult


class UnreadBitcode:
    """Bitcode of a kernel, parsed each time that the compiler links it into another one.

    It takes the place of LLVM's module in Numba's library of the kernel.

    Parameters
    ----------
    bitcode
        the bitcode
    """

    def __init__(self, bitcode: bytes) -> None:
        self._bitcode = bitcode

    def clone(self) -> Any:
        """Return a new module of LLVM; its caller may change and destroy it."""
        return llvm.parse_bitcode(self._bitcode)


def rebuilt(target: Any, stored: Any) -> Any:
    """Return a kernel from its stored parts, ready to be called.

    Parameters
    ----------
    target
        Numba's target of the processor
    stored
        parts of Numba's `CompileResult`; the first is (name, kind, (machine code, bitcode))
    """
    (name, kind, (code, bitcode)), described, *rest = stored
    # Numba only looks for functions that the bitcode defines.
    names = described.llvm_func_name, described.llvm_cpython_wrapper_name
    found = CompileResult._rebuild(
        target, (name, kind, (code, _empty_functions(names))), described, *rest
    )
    found.library._shared_module = UnreadBitcode(bitcode)
    return found


@cache
def _empty_functions(names: tuple[str, ...]) -> Any:
    """Return bitcode that defines functions without their content."""
    text = "".join(f'define void @"{name}"() {{ unreachable }}\n' for name in names)
    return llvm.parse_assembly(text).as_bitcode()
