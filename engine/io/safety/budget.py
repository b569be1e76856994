"""Compare the memory that a file needs with free memory, and limit decompression."""

from __future__ import annotations

import math
import os

import psutil

from engine.core.errors import FileFormatError, ResourceError, SettingsError

MEMORY_VARIABLE = "ISOCENTER_MEMORY"
"""Environment variable: GiB that a process of ours may take; all that is free if not set."""
MEMORY_PART = 0.9
"""Part of the free memory that one file may take."""
SMALL_BYTES = 2**20
"""Not worth a question to the system."""
MOST_PACKED = 64
"""Bytes that one packed byte may become: images with noise stay below 10, ours of objects without
noise below 50; a bomb of deflate reaches 1,030."""
ALWAYS_UNPACKED = 256 * 2**20
"""Decompressed size that is always allowed, because empty images compress extremely well."""
DEFLATE_MOST = 1100
"""Deflate cannot pack better; a file that claims more lies."""


def free_memory() -> int:
    """Return the memory that this process may still take [bytes]."""
    free = int(psutil.virtual_memory().available)
    text = os.environ.get(MEMORY_VARIABLE, "")
    if not text:
        return free
    try:
        most = float(text)
    except ValueError:
        most = math.nan
    if not 0 < most < math.inf:
        raise SettingsError(
            f"{MEMORY_VARIABLE} is {text!r}, expected a number of GiB above 0; correct it, or "
            "unset it."
        )
    taken = psutil.Process().memory_info()
    # pages of files that are mapped, which the system takes back when it is short, are no memory
    private = int(taken.rss) - int(getattr(taken, "shared", 0))
    return max(0, min(free, int(most * 2**30) - private))


def refuse_large_data(n_bytes: int, name: str, what: str = "its values") -> None:
    """Refuse, before it is taken, more memory than is free.

    Parameters
    ----------
    n_bytes
        wanted at once
    name
        of the file, for the sentence
    what
        needs them, in the plural
    """
    if n_bytes < SMALL_BYTES:
        return
    free = free_memory()
    if n_bytes > MEMORY_PART * free:
        raise ResourceError(
            f"{name}: {what} need {n_bytes / 2**30:,.1f} GiB of memory, but {free / 2**30:.1f} GiB "
            "are free; bin or crop them, or close other programs."
        )


def most_unpacked(n_packed: int) -> int:
    """Return the most bytes that packed ones may become."""
    return min(DEFLATE_MOST * n_packed, max(ALWAYS_UNPACKED, MOST_PACKED * n_packed))


def refuse_bomb(n_bytes: int, n_packed: int, name: str) -> None:
    """Refuse packed values that become far more than packed values of a scan do."""
    if n_bytes > most_unpacked(n_packed):
        raise FileFormatError(
            f"{name} claims {n_bytes:,} bytes in {n_packed:,} compressed bytes, more than any scan "
            "or image; copy it again, or save it uncompressed."
        )
