"""Format of the audit log: one JSON object per line, chained and signed over its bytes.

A line with a key ends with the signature of all bytes before it. `before` is the digest of the
bytes of the previous line. Lines of older versions have a digest of their values in place of the
signature. They are accepted only before the first line with a key, and only as they were written.

The file `.newest` next to the log holds number and digest of the newest line, with a signature, so
that a truncated log is noticed.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from engine.core.json_types import Plain
from engine.core.paths import state_dir
from engine.io.safety.signing_key import SigningKey, is_signed, short

FIRST = "0" * 64
"""Digest before the first line."""
LINE, NEWEST = "log line", "log newest"
"""Purposes of signatures."""
SIGNED_END = re.compile(rb', "signature": "([0-9a-f]{128})"\}')
END_BYTES = len(b', "signature": ""}') + 128
NEWEST_LINE = re.compile(r"(\d{1,15}) ([0-9a-f]{64})(?: ([0-9a-f]{64}) ([0-9a-f]{128}))?\n")


@dataclass(frozen=True)
class AuditLine:
    """A line that follows the one before it.

    Attributes
    ----------
    entry : values
    digest : digest of the bytes
    old_digest : digest of the values, to which lines of older versions refer
    key : public key; empty for a line without key
    """

    entry: Plain
    digest: str
    old_digest: str
    key: str


START = AuditLine({}, FIRST, FIRST, "")
"""Stands for the line before the first."""


@dataclass(frozen=True)
class Newest:
    """Newest line as stored next to the log.

    Attributes
    ----------
    number, digest : the line
    has_key : True if both are signed with a known key
    statement : number, digest, key and signature as text; empty without a key
    """

    number: int
    digest: str
    has_key: bool
    statement: str = ""

    def is_of(self, number: int, line: AuditLine) -> bool:
        """Return True if it states this line."""
        digest = line.digest if self.has_key else line.old_digest
        return (self.number, self.digest) == (number, digest)


def log_file() -> Path:
    """Return the log of the current user."""
    return state_dir() / "audit.jsonl"


def digest_of(line: bytes) -> str:
    """Return the digest of the bytes of a line, without its line end."""
    return sha256(line).hexdigest()


def signed_line(entry: Plain, key: SigningKey) -> bytes:
    """Return the bytes of a line, without its line end.

    Parameters
    ----------
    entry
        values without key and signature
    key
        key that signs
    """
    body = json.dumps({**entry, "key": key.public}, sort_keys=True).encode()
    return b'%s, "signature": "%s"}' % (body[:-1], key.sign(LINE, body).encode())


def read_line(
    data: bytes, number: int, before: AuditLine, known: dict[str, str], *, checks_key: bool = True
) -> AuditLine:
    """Read a line that must follow another one.

    Parameters
    ----------
    data
        bytes without the line end
    number
        number of the line, from 1
    before
        previous line, or `START`
    known
        owner of each known public key
    checks_key
        False to check only the chain; a later line with a checked key then covers this one

    Raises
    ------
    ValueError
        states the line and its fault
    """
    changed = ValueError(f"line {number} has been changed since it was written")
    found = SIGNED_END.fullmatch(data[-END_BYTES:])
    body = data[:-END_BYTES] + b"}" if found else data
    try:
        entry = json.loads(body)
        # Written again, the values must give the same bytes: no doubled key, escape or blank.
        sound = json.dumps(entry, sort_keys=True).encode() == body and entry["number"] == number
        expected = before.digest if found else before.old_digest
        sound = sound and entry["before"] == expected
        key, old_digest = (entry["key"], FIRST) if found else ("", entry["digest"])
    except (ValueError, KeyError, TypeError, RecursionError) as e:
        raise changed from e
    if found is None and before.key:
        raise ValueError(f"line {number} is not signed, although earlier lines are")
    signed = old_digest == _old_digest(entry) if found is None else True
    if found is not None and checks_key:
        signed = is_signed(LINE, body, str(key), found[1].decode())
    if not (sound and signed):
        raise changed
    if key and key not in known:
        raise ValueError(f"line {number} is signed with an unknown key ({short(str(key))})")
    return AuditLine(entry, digest_of(data), str(old_digest), str(key))


def has_key(line: bytes) -> bool:
    """Return True if a line ends like one with a signature, valid or not."""
    return SIGNED_END.fullmatch(line[-END_BYTES:]) is not None


def newest_text(number: int, digest: str, key: SigningKey) -> bytes:
    """Return the content of `.newest` for a line."""
    text = f"{number} {digest}"
    return f"{text} {key.public} {key.sign(NEWEST, text.encode())}\n".encode()


def read_newest(path: Path, known: dict[str, str]) -> Newest | None:
    """Return the newest line as stored next to a log; None if it is missing or was changed.

    Parameters
    ----------
    path
        the log
    known
        owner of each known public key
    """
    try:
        found = NEWEST_LINE.fullmatch(newest_file(path).read_bytes().decode("ascii"))
    except (OSError, ValueError):
        return None
    if found is None:
        return None
    number, digest, key, signature = found.groups()
    if key is None:
        return Newest(int(number), digest, has_key=False)
    sound = key in known and is_signed(NEWEST, f"{number} {digest}".encode(), key, signature)
    return Newest(int(number), digest, True, found[0].rstrip("\n")) if sound else None


def newest_file(path: Path) -> Path:
    """Return the file next to a log that states its newest line."""
    return path.with_suffix(".newest")


def _old_digest(entry: Plain) -> str:
    rest = {key: value for key, value in entry.items() if key != "digest"}
    return sha256(json.dumps(rest, sort_keys=True).encode()).hexdigest()
