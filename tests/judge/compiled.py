"""Compilation of the judge's kernels, kept beside them for each state of all of them.

Numba looks at one file only when it decides whether what it kept still fits, and at no function
that this one calls. So only the functions called from Python are kept, stamped with all files.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

import numba

FOLDER = Path(__file__).parent
APART = ("studies.py", "probes.py")
"""Files that no kernel of another file depends on."""

inner = numba.njit(nogil=True, error_model="numpy", _nrt=False)
"""A kernel that only kernels call. It makes no arrays, and so counts no references to those it is
given: as atomic operations on every call these took four fifths of all time."""

makes = numba.njit(nogil=True, error_model="numpy")
"""A kernel that makes arrays for those that call it."""


def kept(function: Callable[..., Any]) -> Any:
    """Compile a kernel that Python calls: without Python's lock, its result kept on disk."""
    dispatcher = numba.njit(nogil=True, error_model="numpy", cache=True)(function)
    own = Path(function.__code__.co_filename).read_bytes()
    stamp = sha256(own + digest().encode()).hexdigest()
    dispatcher._cache._cache_file._source_stamp = stamp
    return dispatcher


@cache
def digest() -> str:
    """Fingerprint of every file that tells how photons go, or what they are."""
    files = [path for path in sorted(FOLDER.glob("*.py")) if path.name not in APART]
    files = [path for path in files if not path.name.startswith("test_")]
    return sha256(b"\0".join(path.read_bytes() for path in files)).hexdigest()
