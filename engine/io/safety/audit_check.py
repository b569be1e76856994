"""Check of an audit log: every line as it was written, none missing, signed with known keys."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from itertools import chain
from pathlib import Path
from sys import intern
from threading import Lock

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
CHUNK_BYTES = 2**16
SHARED = ("key", "result", "record")


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
    return _check(path, newest, _Reading(path, known), every_key=every_key)


def check_quickly(path: Path) -> CheckedLog:
    """Check a log as `check_log` without every key; lines that were checked are only compared.

    Parameters
    ----------
    path
        log file; a missing one is empty

    Raises
    ------
    DataError
        for the first line that was changed, or if the log is truncated
    """
    return _QUICK.check(path)


class _Reading:
    """A log as far as it was read. Lines that were added later can be read later."""

    def __init__(self, path: Path, known: dict[str, str]) -> None:
        self.path, self.known = path, known
        self.line, self.digests, self.n_old = START, bytearray(), 0
        self.of_results: dict[str, tuple[Plain, ...]] = {}
        self._size, self._content = 0, sha256()

    @property
    def n_lines(self) -> int:
        """Number of lines that were read."""
        return len(self.digests) // DIGEST_BYTES

    def is_unchanged(self) -> bool:
        """Return True if the file begins with the bytes that were read."""
        if not self.path.exists():
            return not self._size
        found, left = sha256(), self._size
        with self.path.open("rb") as file:
            while left and (some := file.read(min(left, CHUNK_BYTES))):
                found.update(some)
                left -= len(some)
        return not left and found.digest() == self._content.digest()

    def read_on(self, wanted: int, *, every_key: bool) -> AuditLine:
        """Read all further lines, and return line `wanted`, or `START`."""
        reached = self.line if wanted == self.n_lines else START
        for number, (data, is_last) in enumerate(self._further_lines(), self.n_lines + 1):
            try:
                is_checked = every_key or is_last
                line = read_line(data, number, self.line, self.known, checks_key=is_checked)
            except ValueError as e:
                raise DataError(f"{self.path.name}: {e}. Compare this line with a backup.") from e
            self._add(line)
            reached = line if number == wanted else reached
        return reached

    def _add(self, line: AuditLine) -> None:
        self.line = line
        self.digests += bytes.fromhex(line.digest)
        self.n_old += not line.key
        if about := _about_result(line.entry):
            name = about["facts"]["result"]
            self.of_results[name] = (*self.of_results.get(name, ()), about)

    def _further_lines(self) -> Iterator[tuple[bytes, bool]]:
        """Yield each line without its end, and whether it is the last."""
        if not self.path.exists():
            return
        with self.path.open("rb") as file:
            # Lines that another process adds meanwhile are not part of this check.
            left, number = os.fstat(file.fileno()).st_size - self._size, self.n_lines
            file.seek(self._size)
            while left > 0 and (data := file.readline(left)):
                left, number = left - len(data), number + 1
                if not data.endswith(b"\n"):
                    raise DataError(
                        f"{self.path.name}: line {number} has been changed since it was written "
                        "(the line break at its end is missing); compare this line with a backup."
                    )
                self._size += len(data)
                self._content.update(data)
                yield data[:-1], not left


class _QuickCheck:
    """The last log that was checked without a fault, so that only new lines are parsed."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._states: tuple[object, ...] = ()
        self._reading: _Reading | None = None
        self._found: CheckedLog | None = None

    def check(self, path: Path) -> CheckedLog:
        """Check a log; if it is the last one and unchanged, it is not read at all."""
        with self._lock:
            states = (path, *(_state(each) for each in (path, newest_file(path))))
            known = known_keys()
            if self._found is not None and (states, known) == (self._states, self._known):
                return self._found
            newest = read_newest(path, known)
            reading, self._reading, self._found = self._reading, None, None
            if reading is None or not self._continues(reading, path, known, newest):
                reading = _Reading(path, known)
            self._found = _check(path, newest, reading, every_key=False)
            self._states, self._reading = states, reading
            return self._found

    @property
    def _known(self) -> dict[str, str]:
        return {} if self._reading is None else self._reading.known

    @staticmethod
    def _continues(
        reading: _Reading, path: Path, known: dict[str, str], newest: Newest | None
    ) -> bool:
        """Return True if only the lines after those that were read must be parsed."""
        is_same = (reading.path, reading.known) == (path, known)
        # A newest line before them is rare: another process is between line and digest
        is_after = newest is not None and newest.number >= reading.n_lines
        return is_same and is_after and reading.is_unchanged()


_QUICK = _QuickCheck()


def _check(path: Path, newest: Newest | None, reading: _Reading, *, every_key: bool) -> CheckedLog:
    reached = reading.read_on(0 if newest is None else newest.number, every_key=every_key)
    found = CheckedLog(bytes(reading.digests), dict(reading.of_results), reading.n_old)
    _refuse_truncated(path, found, newest or read_newest(path, reading.known), reached)
    # Lines without key could be written by anybody. In the own log they are older than the key.
    if path == log_file() and has_user_key() and found.n_lines == found.n_without_key:
        raise DataError(
            f"{path.name}: contains no signed lines, although this user has a signing key; restore "
            "the log from a backup."
        )
    return found


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
    # Names, actions and keys are equal in thousands of lines, which share them in memory. The list
    # of results has the names and digests of its results, too.
    shared = {intern(name): _shared(v) if name in SHARED else v for name, v in facts.items()}
    return {"what": _shared(entry.get("what")), "facts": shared}


def _shared(value: object) -> object:
    return intern(value) if isinstance(value, str) else value


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
