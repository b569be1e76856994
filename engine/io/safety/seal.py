"""Seals: one digest over all values and metadata of one of our files.

Every file that the program writes has a seal. A file whose content differs from its seal is
refused.
"""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

import numpy as np

from engine.core.arrays import Array, sha256_of
from engine.core.errors import FileFormatError
from engine.core.json_types import Plain
from engine.io.text.json_text import from_json, to_json

CHUNK_BYTES = 16 * 2**20


def digest(values: Array) -> str:
    """Return the SHA-256 of an array's bytes, read piece by piece."""
    return sha256_of(np.ascontiguousarray(values))


def seal_of(**parts: object) -> str:
    """Return the SHA-256 over named parts.

    Parameters
    ----------
    **parts
        arrays, which count with type and shape, or JSON values

    Returns
    -------
    digest
        64 hexadecimal digits
    """
    # Type and shape are part of the seal: the same bytes mean another image with another shape.
    values = {
        name: [part.dtype.str, part.shape, digest(part)] if isinstance(part, np.ndarray) else part
        for name, part in parts.items()
    }
    # JSON of our writer is deterministic, so equal metadata give equal digests.
    return sha256(to_json(values).encode()).hexdigest()


def sealed_text(values: Plain) -> str:
    """Return values as JSON with a seal over them.

    Parameters
    ----------
    values
        JSON values by name, without one named "seal"
    """
    return to_json(values | {"seal": seal_of(**values)}, indent=2)


def sealed_values(text: bytes, *, requires_seal: bool = True) -> Plain:
    """Return the values in a text of `sealed_text`, without the seal.

    Parameters
    ----------
    text
        UTF-8 JSON
    requires_seal
        False to accept a text without a seal, as older versions wrote it

    Raises
    ------
    ValueError
        if the text is not valid, or its values do not match the seal
    """
    values: Plain = from_json(text.decode())
    seal = values.pop("seal", None)
    if (requires_seal or seal is not None) and seal != seal_of(**values):
        raise ValueError("the content does not match the checksum")
    return values


def broken(path: Path, remedy: str = "Copy the file again.") -> FileFormatError:
    """Return the error for a file that has changed since it was written.

    Parameters
    ----------
    path
        file, for the message
    remedy
        remedy, as a whole sentence
    """
    return FileFormatError(
        f"{path.name}: has changed since it was written (its checksum does not match). {remedy}"
    )


def unsealed(path: Path) -> str:
    """Return the note on a file without a seal."""
    return (
        f"{path.name}: the file has no checksum (older version or other program), so later changes "
        "cannot be detected."
    )
