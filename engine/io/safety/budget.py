"""Compare the memory that a file needs with free memory, and limit decompression."""

from __future__ import annotations

import math
import os

import psutil

from engine.core.errors import FileFormatError, ResourceError, SettingsError

MEMORY_VARIABLE = "ISOCENTER_MEMORY"
"""Environment variable: memory limit of this process in GiB; without it all free memory."""
MEMORY_PART = 0.9
"""Part of the free memory that one file may use."""
SMALL_BYTES = 2**20
"""Smaller requests are not checked, because the check is a system call."""
MOST_PACKED = 64
"""Largest compression ratio of a scan: noisy images stay below 10, our images of objects without
noise below 50. A decompression bomb reaches 1,030.
"""
ALWAYS_UNPACKED = 256 * 2**20
"""Decompressed size that is always allowed, because empty images compress extremely well."""
DEFLATE_MOST = 1100
"""Upper limit of the ratio of deflate; a file that claims more is damaged or forged."""


def free_memory() -> int:
    """Return the memory that this process may still allocate.

    Returns
    -------
    n_bytes
        free memory, or the rest of the limit in `ISOCENTER_MEMORY` if that is smaller

    Raises
    ------
    SettingsError
        if the environment variable is not a positive number
    """
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
            f"{MEMORY_VARIABLE} is {text!r}, expected a number of GiB above 0; correct or unset it."
        )
    taken = psutil.Process().memory_info()
    # Mapped files count in rss, but the system drops their pages when memory is short.
    private = int(taken.rss) - int(getattr(taken, "shared", 0))
    return max(0, min(free, int(most * 2**30) - private))


def refuse_large_data(n_bytes: int, name: str) -> None:
    """Refuse to allocate more memory than is free.

    Parameters
    ----------
    n_bytes
        size of one allocation
    name
        file name for the message

    Raises
    ------
    ResourceError
        if more than `MEMORY_PART` of the free memory is needed
    """
    if n_bytes < SMALL_BYTES:
        return
    free = free_memory()
    # Linux overcommits: without this check the allocation succeeds, and the process is killed
    # later.
    if n_bytes > MEMORY_PART * free:
        raise ResourceError(
            f"{name}: reading needs {n_bytes / 2**30:,.1f} GiB of memory, but {free / 2**30:.1f} "
            "GiB are free; bin or crop the data, or close other programs."
        )


def max_unpacked_bytes(n_packed: int) -> int:
    """Return the largest decompressed size that is allowed for compressed bytes."""
    return min(DEFLATE_MOST * n_packed, max(ALWAYS_UNPACKED, MOST_PACKED * n_packed))


def refuse_bomb(n_bytes: int, n_packed: int, name: str) -> None:
    """Refuse compressed values that grow far more than those of a scan.

    Parameters
    ----------
    n_bytes
        stated size after decompression
    n_packed
        size of the compressed data
    name
        file name for the message

    Raises
    ------
    FileFormatError
        if the ratio exceeds that of real data
    """
    if n_bytes > max_unpacked_bytes(n_packed):
        raise FileFormatError(
            f"{name}: would decompress from {n_packed:,} to {n_bytes:,} bytes, expected at most "
            f"{max_unpacked_bytes(n_packed):,}; copy it again, or save it uncompressed."
        )
