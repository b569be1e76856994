"""Unique identifiers that are stable: the same thing always gets the same identifier.

UID = 2.25.<n>, n the UUID made of the first 16 bytes of SHA-256 over what is named; PS3.5 B.2.
"""

from __future__ import annotations

from hashlib import sha256
from uuid import UUID

ROOT = "2.25"


def uid_of(*parts: str) -> str:
    """Return the UID of what these words name, at most 44 characters.

    Examples
    --------
    >>> from engine.io.dicom.uids import uid_of
    >>> uid_of("series", "1") == uid_of("series", "1") != uid_of("series", "2")
    True
    """
    digest = sha256("\0".join(parts).encode()).digest()
    return f"{ROOT}.{UUID(bytes=digest[:16], version=5).int}"
