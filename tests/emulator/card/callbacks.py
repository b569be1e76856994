"""Call Python from machine code: load libraries under any name, and redirect library functions."""

from __future__ import annotations

import atexit
import ctypes
import mmap
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from tests.emulator.card import elf
from tests.emulator.compiling import assembled

_JUMP = b"\x49\xbb%b\x41\xff\xe3"  # movabs r11, place; jmp r11
_JUMP_BYTES = 13
_ENDING = b"\x31\xc0\xc3"  # xor eax, eax; ret
"""Machine code that returns success, as CUDA does for memory freed while Python exits."""
_READ, _WRITE, _EXECUTE = 1, 2, 4
_tables: list[ctypes.Array[ctypes.c_void_p]] = []
_redirected: list[int] = []


def library(soname: str, callbacks: dict[str, Any]) -> ctypes.CDLL:
    """Load a library with these functions under the given soname.

    The loader uses a loaded library in place of any that is requested by the same soname.
    """
    names = sorted(callbacks)
    lines = [".text"]
    for i, name in enumerate(names):
        lines += [f".globl {name}", f".type {name}, @function", f"{name}:"]
        lines.append(f"jmp *callback_entries+{8 * i}(%rip)")
    lines += [".data", ".balign 8", ".globl callback_table", "callback_table:", "callback_entries:"]
    lines += [f".zero {8 * len(names)}", '.section .note.GNU-stack,"",@progbits', ""]
    found = ctypes.CDLL(str(assembled("\n".join(lines), soname)), mode=ctypes.RTLD_GLOBAL)
    table = (ctypes.c_void_p * len(names)).in_dll(found, "callback_table")
    for i, name in enumerate(names):
        table[i] = address_of(callbacks[name])
    _tables.append(table)
    return found


def address_of(callback: Any) -> int:
    """Return the machine-code address of a ctypes function."""
    return int(ctypes.cast(callback, ctypes.c_void_p).value or 0)


def redirect(
    module: Path,
    known: str,
    prefix: str,
    callback_of: Callable[[str], Any],
    unchanged: Iterable[str] = (),
) -> list[str]:
    """Redirect all functions with a prefix in a loaded library, and return their names.

    Parameters
    ----------
    module : file of a Python module that is imported
    known : name of a function that it exports
    prefix : common start of the names
    callback_of : returns the ctypes function for a name
    unchanged : names to leave as they are

    Raises
    ------
    OSError
        if the library has no symbol names, or a function is too short for a jump
    """
    place, _ = elf.functions(module, known).get(known, (0, 0))
    if not place:
        raise OSError(f"{module.name} has no symbol table.")
    start = elf.loaded_at(module, known, place)
    found = {n: at for n, at in elf.functions(module, prefix).items() if n not in set(unchanged)}
    for name, (at, n_bytes) in found.items():
        if n_bytes < _JUMP_BYTES:
            raise OSError(f"{module.name}: {name} has {n_bytes} bytes, a jump takes {_JUMP_BYTES}.")
        _write(start + at, _JUMP % address_of(callback_of(name)).to_bytes(8, "little"))
        _redirected.append(start + at)
    return sorted(found)


@atexit.register
def end_callbacks() -> None:
    """Stop all calls into Python, because machine code still frees memory after Python exits."""
    if not _tables and not _redirected:
        return
    place = _permanent_page()
    ctypes.memmove(place, _ENDING, len(_ENDING))
    for table in _tables:
        table[:] = [place] * len(table)
    for at in _redirected:
        _write(at, _ENDING)


def _permanent_page() -> int:
    """Map a page that remains after Python exits, and return its address."""
    libc = ctypes.CDLL(None, use_errno=True)
    libc.mmap.restype = ctypes.c_void_p
    libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, *(ctypes.c_int,) * 3, ctypes.c_long]
    how = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS
    return int(libc.mmap(None, mmap.PAGESIZE, _READ | _WRITE | _EXECUTE, how, -1, 0))


def _write(at: int, code: bytes) -> None:
    first = at // mmap.PAGESIZE * mmap.PAGESIZE
    size = at + len(code) - first
    _protect(first, size, _READ | _WRITE | _EXECUTE)
    ctypes.memmove(at, code, len(code))
    _protect(first, size, _READ | _EXECUTE)


def _protect(at: int, n_bytes: int, how: int) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.mprotect(ctypes.c_void_p(at), ctypes.c_size_t(n_bytes), how):
        raise OSError(ctypes.get_errno(), "this system lets no code be changed")
