"""Check of an audit log: every line as it was written, none missing, signed with known keys."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from itertools import chain
from pathlib import Path
from sys import intern

from engine.core.errors import DataError
from engine.core.json_types import Plain
from engine.io.safety.audit_lines import (
    FIRST,
    START,
    AuditLine,
    Newest,
    log_file,
    newest_file,
    read_line,
    read_newest,
)
from engine.io.safety.signing_key import has_user_key, known_keys

DIGEST_BYTES = sha256().digest_size


@dataclass(frozen=True)
class CheckedLog:
    """A log without faults; a window holds it in memory, so it contains only values in use.

    Attributes
    ----------
    digests : digests of the bytes of all lines, one after the other
    of_results : action and facts of the lines about each result, by its name
    n_without_key : number of lines of older versions
    """

    digests: bytes
    of_results: dict[str, tuple[Plain, ...]]
    n_without_key: int

    @property
    def n_lines(self) -> int:
        """Number of lines."""
        return len(self.digests) // DIGEST_BYTES

    @property
    def about_results(self) -> Iterator[Plain]:
        """Action and facts of all lines about results."""
        return chain.from_iterable(self.of_results.values())

    @property
    def latest(self) -> tuple[int, str]:
        """Number and digest of the newest line; 0 and zeros for an empty log."""
        return self.n_lines, self.digests[-DIGEST_BYTES:].hex() or FIRST

    def holds(self, number: int, digest: str) -> bool:
        """Return True if a line has this digest, so the log was not rolled back behind it.

        Parameters
        ----------
        number
            number of the line, from 1; 0 always holds
        digest
            digest of its bytes
        """
        found = self.digests[(number - 1) * DIGEST_BYTES : number * DIGEST_BYTES]
        return number == 0 or (number > 0 and found != b"" and found.hex() == digest)


def check_log(path: Path, *, every_key: bool = True) -> CheckedLog:
    """Check a log.

    Parameters
    ----------
    path
        log file; a missing one is empty
    every_key
        True: the signature of each line, which names the line that was changed. False: the chain,
        and the signature of the last line, which covers all others; this is faster

    Raises
    ------
    DataError
        for the first line that was changed, or if the log is truncated
    """
    known = known_keys()
    # Before the log: another process may add a line between the two.
    newest = read_newest(path, known)
    reached, digests, n_old = START, bytearray(), 0
    of_results: dict[str, tuple[Plain, ...]] = {}
    for number, line in enumerate(_checked(path, known, every_key=every_key), 1):
        digests += bytes.fromhex(line.digest)
        n_old += not line.key
        if newest is not None and number == newest.number:
            reached = line
        if about := _about_result(line.entry):
            name = about["facts"]["result"]
            of_results[name] = (*of_results.get(name, ()), about)
    found = CheckedLog(bytes(digests), of_results, n_old)
    _refuse_truncated(path, found, newest or read_newest(path, known), reached)
    # Lines without key could be written by anybody. In the own log they are older than the key.
    if path == log_file() and has_user_key() and found.n_lines == n_old:
        raise DataError(
            f"{path.name}: contains no signed lines, although this user has a signing key; restore "
            "the log from a backup."
        )
    return found


def check_quickly(path: Path) -> CheckedLog:
    """Check a log as `check_log` without every key; an unchanged file is not read again.

    Parameters
    ----------
    path
        log file; a missing one is empty

    Raises
    ------
    DataError
        for the first line that was changed, or if the log is truncated
    """
    states = tuple(_state(each) for each in (path, newest_file(path)))
    return _remembered(path, states, tuple(known_keys().items()))


@lru_cache(maxsize=1)  # each run adds lines; older versions of a log are of no use
def _remembered(path: Path, states: tuple[object, ...], known: tuple[object, ...]) -> CheckedLog:
    return check_log(path, every_key=False)


def _state(path: Path) -> tuple[int, int, int]:
    try:
        state = path.stat()
    except OSError:
        return 0, 0, 0
    return state.st_mtime_ns, state.st_size, state.st_ino


def _about_result(entry: Plain) -> Plain | None:
    """Return action and facts of a line about a result; None for other lines."""
    facts = entry.get("facts")
    if not isinstance(facts, dict) or not isinstance(facts.get("result"), str):
        return None
    # Names and keys are equal in thousands of lines, which share them in memory.
    shared = {intern(name): _shared(value) for name, value in facts.items()}
    return {"what": _shared(entry.get("what")), "facts": shared}


def _shared(value: object) -> object:
    return intern(value) if isinstance(value, str) else value


def _checked(path: Path, known: dict[str, str], *, every_key: bool) -> Iterator[AuditLine]:
    line = START
    for number, (data, is_last) in enumerate(_lines(path), 1):
        try:
            line = read_line(data, number, line, known, checks_key=every_key or is_last)
        except ValueError as e:
            raise DataError(f"{path.name}: {e}; compare this line with a backup.") from e
        yield line


def _lines(path: Path) -> Iterator[tuple[bytes, bool]]:
    """Yield each line without its end, and whether it is the last."""
    if not path.exists():
        return
    with path.open("rb") as file:
        # Lines that another process adds meanwhile are not part of this check.
        left, number = os.fstat(file.fileno()).st_size, 0
        while data := file.readline(left):
            left, number = left - len(data), number + 1
            if not data.endswith(b"\n"):
                raise DataError(
                    f"{path.name}: line {number} has been changed since it was written (the line "
                    "break at its end is missing); compare this line with a backup."
                )
            yield data[:-1], not left


def _refuse_truncated(
    path: Path, found: CheckedLog, newest: Newest | None, reached: AuditLine
) -> None:
    """Refuse a log that ends before the newest line; `reached` is its line of that number."""
    if newest is None:
        if found.digests or newest_file(path).exists():
            raise DataError(
                f"{path.name}: {newest_file(path).name} next to this log is missing or was "
                "changed, so lines may be missing at the end; restore both files from a backup."
            )
        return
    # A crash between a line and its digest leaves a log that is longer. So the digest may be that
    # of an earlier line, but lines with a key need a digest with a key.
    met = newest.has_key or found.n_lines == found.n_without_key
    if newest.number == 0:
        met = met and newest.digest == FIRST and found.n_lines <= 1
    else:
        met = met and newest.number <= found.n_lines and newest.is_of(newest.number, reached)
    if not met:
        raise DataError(
            f"{path.name}: the log ends at line {found.n_lines}, but its last recorded line is "
            f"{newest.number}, or that line was changed; restore the log from a backup."
        )
