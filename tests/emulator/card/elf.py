"""Addresses of functions in a loaded library, including those that it does not export (ELF-64)."""

from __future__ import annotations

import ctypes
import re
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

_SYMBOL = np.dtype(
    [("name", "<u4"), ("info", "u1"), ("other", "u1"), ("section", "<u2"),
     ("value", "<u8"), ("size", "<u8")]
)  # fmt: skip
_SYMTAB, _DYNSYM = 2, 11
_FUNCTION = 2


def functions(library: Path, prefix: str) -> dict[str, tuple[int, int]]:
    """Return offset and size in bytes of each function with this prefix in the file's image."""
    return {
        name: (int(symbol["value"]), int(symbol["size"]))
        for name, symbol in _symbols(library, _SYMTAB, prefix)
        if symbol["info"] & 15 == _FUNCTION and symbol["section"] > 0
    }


def required(library: Path, prefix: str) -> list[str]:
    """Return the names of functions that a library imports."""
    return [name for name, each in _symbols(library, _DYNSYM, prefix) if each["section"] == 0]


def _symbols(library: Path, required: int, prefix: str) -> Iterator[tuple[str, Any]]:
    image = library.read_bytes()
    (at,) = struct.unpack_from("<Q", image, 40)
    n_bytes, n, _ = struct.unpack_from("<3H", image, 58)
    sections = [struct.unpack_from("<IIQQQQIIQQ", image, at + i * n_bytes) for i in range(n)]
    for _, kind, _, _, start, size, link, *_ in sections:
        if kind != required:
            continue
        names_at, n_names = sections[link][4:6]
        names = image[names_at : names_at + n_names]
        places = [found.start() + 1 for found in re.finditer(b"\0" + prefix.encode(), names)]
        table = np.frombuffer(image, _SYMBOL, size // _SYMBOL.itemsize, start)
        for symbol in table[np.isin(table["name"], places)]:
            first = int(symbol["name"])
            yield names[first : names.index(b"\0", first)].decode(), symbol


def loaded_at(library: Path, known: str, place: int) -> int:
    """Return the start of a library in memory; its function `known` is at offset `place`."""
    address = ctypes.cast(ctypes.CDLL(str(library))[known], ctypes.c_void_p).value
    if address is None:
        raise OSError(f"{library.name}: {known} has no address.")
    return address - place
