"""Compile the judge's kernels and cache them on disk for each version of all its files.

Numba only checks the file of a function before it uses the cache, and not the functions that it
calls. So only functions that Python calls are cached, with a stamp of all files.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

import numba

FOLDER = Path(__file__).parent
UNSTAMPED = ("studies.py", "probes.py")
"""Files without functions that kernels in other files use."""

inner = numba.njit(nogil=True, error_model="numpy", _nrt=False)
"""Decorator of kernels that only kernels call. They create no arrays and need no reference counts;
atomic counting on every call took four fifths of all time.
"""

makes = numba.njit(nogil=True, error_model="numpy")
"""Decorator of kernels that create arrays for other kernels."""


def cached(function: Callable[..., Any]) -> Any:
    """Compile a kernel that Python calls, without the GIL and with a cache on disk."""
    dispatcher = numba.njit(nogil=True, error_model="numpy", cache=True)(function)
    own = Path(function.__code__.co_filename).read_bytes()
    stamp = sha256(own + digest().encode()).hexdigest()
    dispatcher._cache._cache_file._source_stamp = stamp
    return dispatcher


@cache
def digest() -> str:
    """Return a hash of all files that affect the simulation."""
    files = [path for path in sorted(FOLDER.glob("*.py")) if path.name not in UNSTAMPED]
    files = [path for path in files if not path.name.startswith("test_")]
    return sha256(b"\0".join(path.read_bytes() for path in files)).hexdigest()
