"""Check of an audit log: every line as it was written, none missing, signed with known keys."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path

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


@dataclass(frozen=True)
class CheckedLog:
    """A log without faults.

    Attributes
    ----------
    digests : digest of the bytes of each line
    entries : values of each line
    n_without_key : number of lines of older versions
    """

    digests: tuple[str, ...]
    entries: tuple[Plain, ...]
    n_without_key: int

    @property
    def n_lines(self) -> int:
        """Number of lines."""
        return len(self.digests)

    @cached_property
    def of_results(self) -> dict[str, tuple[Plain, ...]]:
        """Lines about each result, by its name."""
        found: dict[str, tuple[Plain, ...]] = {}
        for entry in self.entries:
            facts = entry.get("facts")
            name = facts.get("result") if isinstance(facts, dict) else None
            if isinstance(name, str):
                found[name] = (*found.get(name, ()), entry)
        return found

    @property
    def latest(self) -> tuple[int, str]:
        """Number and digest of the newest line; 0 and zeros for an empty log."""
        return self.n_lines, (self.digests or (FIRST,))[-1]

    def holds(self, number: int, digest: str) -> bool:
        """Return True if a line has this digest, so the log was not rolled back behind it.

        Parameters
        ----------
        number
            number of the line, from 1; 0 always holds
        digest
            digest of its bytes
        """
        return number == 0 or (number <= self.n_lines and self.digests[number - 1] == digest)


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
    lines = tuple(_checked(path, known, every_key=every_key))
    n_old = sum(not line.key for line in lines)
    _refuse_truncated(path, lines, read_newest(path, known), n_old)
    # Lines without key could be written by anybody. In the own log they are older than the key.
    if path == log_file() and has_user_key() and len(lines) == n_old:
        raise DataError(
            f"{path.name}: has no line with a key, although this user has a signing key; restore "
            "the log from a backup."
        )
    digests, entries = (line.digest for line in lines), (line.entry for line in lines)
    return CheckedLog(tuple(digests), tuple(entries), n_old)


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


@lru_cache(maxsize=4)
def _remembered(path: Path, states: tuple[object, ...], known: tuple[object, ...]) -> CheckedLog:
    return check_log(path, every_key=False)


def _state(path: Path) -> tuple[int, int, int]:
    try:
        state = path.stat()
    except OSError:
        return 0, 0, 0
    return state.st_mtime_ns, state.st_size, state.st_ino


def _checked(path: Path, known: dict[str, str], *, every_key: bool) -> Iterator[AuditLine]:
    line, pieces = START, _lines(path)
    for number, data in enumerate(pieces, 1):
        try:
            checks_key = every_key or number == len(pieces)
            line = read_line(data, number, line, known, checks_key=checks_key)
        except ValueError as e:
            raise DataError(f"{path.name}: line {number} {e}; compare it with a backup.") from e
        yield line


def _lines(path: Path) -> list[bytes]:
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return []
    # Not `splitlines`, which would accept the line ends of Windows.
    pieces = data.split(b"\n")
    if pieces[-1]:
        raise DataError(
            f"{path.name}: line {len(pieces)} has been changed since it was written: its line end "
            "is missing; compare it with a backup."
        )
    return pieces[:-1]


def _refuse_truncated(
    path: Path, lines: tuple[AuditLine, ...], newest: Newest | None, n_old: int
) -> None:
    if newest is None:
        if lines or newest_file(path).exists():
            raise DataError(
                f"{path.name}: {newest_file(path).name} next to this log is missing or was "
                "changed, so lines may be missing at the end; restore both files from a backup."
            )
        return
    # A crash between a line and its digest leaves a log that is longer. So the digest may be that
    # of an earlier line, but lines with a key need a digest with a key.
    met = newest.has_key or len(lines) == n_old
    if newest.number == 0:
        met = met and newest.digest == FIRST and len(lines) <= 1
    else:
        met = met and newest.number <= len(lines)
        met = met and newest.is_of(newest.number, lines[newest.number - 1])
    if not met:
        raise DataError(
            f"{path.name}: ends at line {len(lines)}, expected line {newest.number} with its "
            "original text; restore the log from a backup."
        )
