"""List the exceptions that libraries raise for damaged NumPy files (.npy, .npz)."""

from __future__ import annotations

import struct
import zlib
from zipfile import BadZipFile

DAMAGE = (
    *(OSError, ValueError, EOFError, LookupError, TypeError, AttributeError, NotImplementedError),
    *(ArithmeticError, SyntaxError, RuntimeError, BadZipFile, zlib.error, struct.error),
)
"""One flipped bit asks for an unknown packing, a later version of zip, a password or no number."""
