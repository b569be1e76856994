"""List the exceptions that libraries raise for damaged NumPy files (.npy, .npz)."""

from __future__ import annotations

import struct
import zlib
from zipfile import BadZipFile

DAMAGE = (
    *(OSError, ValueError, EOFError, LookupError, TypeError, AttributeError, NotImplementedError),
    *(ArithmeticError, SyntaxError, RuntimeError, BadZipFile, zlib.error, struct.error),
)
"""A flipped bit can require an unknown compression, a later ZIP version or a password."""
