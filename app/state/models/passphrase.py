"""A passphrase stored as a hash. It prevents accidents, not access by a user of the file.

Hash = scrypt(passphrase, salt) with N = 2^14, r = 8, p = 1: 16 MiB and about 50 ms per attempt (RFC
7914).
"""

from __future__ import annotations

import hashlib
import hmac
import secrets

SALT_BYTES, HASH_BYTES = 16, 32
N, R, P = 1 << 14, 8, 1
MAX_BYTES = 64 << 20
"""Memory limit of one hash in bytes."""


def hashed(passphrase: str) -> str:
    """Return salt and hash of a passphrase.

    Parameters
    ----------
    passphrase
        any text, including unpaired surrogates

    Returns
    -------
    "salt:hash" in hexadecimal digits
    """
    salt = secrets.token_bytes(SALT_BYTES)
    return f"{salt.hex()}:{_hash(passphrase, salt).hex()}"


def is_right(passphrase: str, stored: str) -> bool:
    """Return True if a passphrase matches a stored hash.

    Parameters
    ----------
    passphrase
        the text that the user typed
    stored
        stored value from `hashed`; a damaged one matches nothing
    """
    salt, _, wanted = stored.partition(":")
    try:
        # The comparison takes the same time for all wrong hashes, so timing reveals nothing.
        return hmac.compare_digest(_hash(passphrase, bytes.fromhex(salt)), bytes.fromhex(wanted))
    except ValueError:
        return False


def _hash(passphrase: str, salt: bytes) -> bytes:
    # Some keyboards and clipboards give unpaired surrogates, which strict UTF-8 refuses.
    words = passphrase.encode("utf-8", "surrogatepass")
    return hashlib.scrypt(words, salt=salt, n=N, r=R, p=P, maxmem=MAX_BYTES, dklen=HASH_BYTES)
