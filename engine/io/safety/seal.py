"""Seals: one digest over all values and metadata of one of our files.

What a program writes, it seals; a file that says anything else when it is read is refused.
"""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

import numpy as np

from engine.core.arrays import Array, sha256_of
from engine.core.errors import FileFormatError
from engine.io.text.json_text import to_json

CHUNK_BYTES = 16 * 2**20


def digest(values: Array) -> str:
    """Return the SHA-256 of an array's bytes, read in pieces."""
    return sha256_of(np.ascontiguousarray(values))


def seal_of(**parts: object) -> str:
    """Return the SHA-256 over named parts: arrays with their type and shape, or plain values."""
    plain = {
        name: [part.dtype.str, part.shape, digest(part)] if isinstance(part, np.ndarray) else part
        for name, part in parts.items()
    }
    return sha256(to_json(plain).encode()).hexdigest()


def broken(path: Path, way_out: str = "copy the file again") -> FileFormatError:
    """Return the error for a file that is not as it was written."""
    return FileFormatError(
        f"{path.name}: has changed since it was written (its seal is broken); {way_out}."
    )


def unsealed(path: Path) -> str:
    """Return the remark on a file that nobody sealed."""
    return (
        f"{path.name}: the file has no seal (older version or other program), so later changes "
        "cannot be detected."
    )
