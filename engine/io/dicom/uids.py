"""Stable unique identifiers: the same object always gets the same UID.

UID = 2.25.<n>, where n is the UUID from the first 16 bytes of SHA-256 over the name (PS3.5, B.2).
"""

from __future__ import annotations

from hashlib import sha256
from uuid import UUID

ROOT = "2.25"


def uid_of(*parts: str) -> str:
    """Return the UID for an object, at most 44 characters.

    Parameters
    ----------
    *parts
        words that name the object

    Examples
    --------
    >>> from engine.io.dicom.uids import uid_of
    >>> uid_of("series", "1") == uid_of("series", "1") != uid_of("series", "2")
    True
    """
    # A separator that no part contains: ("a", "bc") and ("ab", "c") must differ.
    digest = sha256("\0".join(parts).encode()).digest()
    return f"{ROOT}.{UUID(bytes=digest[:16], version=5).int}"
