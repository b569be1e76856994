"""A passphrase kept as a hash: it keeps from accidents, not from who can read and write the file.

Hash = scrypt(passphrase, salt) with N = 2^14, r = 8, p = 1: 16 MiB and some 50 ms for each try
(RFC 7914).
"""

from __future__ import annotations

import hashlib
import hmac
import secrets

SALT_BYTES, HASH_BYTES = 16, 32
N, R, P = 1 << 14, 8, 1
MOST_BYTES = 64 << 20
"""Memory that one hash may take."""


def hashed(passphrase: str) -> str:
    """Return what to keep of a passphrase: salt and hash, in hexadecimal digits."""
    salt = secrets.token_bytes(SALT_BYTES)
    return f"{salt.hex()}:{_hash(passphrase, salt).hex()}"


def is_right(passphrase: str, kept: str) -> bool:
    """Whether it is the passphrase that was kept; where nothing sound was kept, none is."""
    salt, _, wanted = kept.partition(":")
    try:
        return hmac.compare_digest(_hash(passphrase, bytes.fromhex(salt)), bytes.fromhex(wanted))
    except ValueError:
        return False


def _hash(passphrase: str, salt: bytes) -> bytes:
    words = passphrase.encode("utf-8", "surrogatepass")
    return hashlib.scrypt(words, salt=salt, n=N, r=R, p=P, maxmem=MOST_BYTES, dklen=HASH_BYTES)
