"""Audit log of runs, writes, sign-offs and deletions, chained and signed with the key of the user.

`audit_lines` describes the format, and `audit_check` finds lines that were changed, removed or
inserted. Who has the key can forge the log. It contains no file names.
"""

from __future__ import annotations

import json
import logging
import os
from datetime import UTC, datetime
from pathlib import Path

from engine.core.errors import EngineError
from engine.core.json_types import Plain
from engine.io.safety.atomic_write import write_atomically
from engine.io.safety.audit_lines import (
    FIRST,
    digest_of,
    has_key,
    log_file,
    newest_file,
    newest_text,
    read_newest,
    signed_line,
)
from engine.io.safety.locks import after_others
from engine.io.safety.signing_key import SigningKey, known_keys, signing_key

__all__ = ["latest_line", "latest_statement", "log_file", "record", "verify"]

log = logging.getLogger(__name__)

TAIL_BYTES = 1 << 16
"""Longer than any line."""


def record(what: str, **facts: str | int | float | bool | None) -> None:
    """Add a line; a failure is logged as a warning and does not stop the work.

    Parameters
    ----------
    what
        name of the action
    **facts
        JSON values to store; no names of files or patients
    """
    try:
        path, key = log_file(), signing_key()
        # Two processes must not use the same line number.
        with after_others(path):
            _append(path, what, facts, key)
    # A full disk must not end a run of hours only because its log line cannot be written.
    except (EngineError, OSError) as e:
        log.warning("audit log: %s was not recorded (%s)", what, e)


def verify(path: Path) -> int:
    """Check every line of a log.

    Parameters
    ----------
    path
        log file

    Returns
    -------
    n_lines
        number of lines

    Raises
    ------
    DataError
        for the first line that was changed, or if the log is truncated
    """
    # A run only writes
    from engine.io.safety.audit_check import check_log

    return check_log(path).n_lines


def latest_line() -> tuple[int, str]:
    """Return number and digest of the newest line of the own log; 0 and zeros without one.

    A reader with both values can later notice that the log was rolled back.
    """
    newest = read_newest(log_file(), known_keys())
    return (newest.number, newest.digest) if newest is not None and newest.has_key else (0, FIRST)


def latest_statement() -> str:
    """Return number, digest, key and signature of the newest line; empty without one.

    A file that leaves can carry this text. `log_statement` checks it.
    """
    newest = read_newest(log_file(), known_keys())
    return "" if newest is None else newest.statement


def _append(path: Path, what: str, facts: Plain, key: SigningKey) -> None:
    number, before = _last(path, key)
    entry: Plain = {
        "number": number + 1,
        "utc": datetime.now(UTC).isoformat(timespec="seconds"),
        "what": what,
        "facts": facts,
        "before": before,
    }
    line = signed_line(entry, key)
    with path.open("ab") as file:
        file.write(line + b"\n")
        file.flush()
        # The line first: a stored digest without its line would look like a truncated log.
        os.fsync(file.fileno())
    write_atomically(newest_text(number + 1, digest_of(line), key), newest_file(path))


def _last(path: Path, key: SigningKey) -> tuple[int, str]:
    """Return number and digest of the line that a new one follows.

    If lines were removed, the new line follows the stored digest, so that the gap stays visible.
    """
    newest, tail = read_newest(path, known_keys()), _tail(path)
    number, digest = _number(tail), digest_of(tail)
    if not tail:
        number, digest = 0, FIRST
    lost_key = newest is not None and not newest.has_key and has_key(tail)
    if lost_key or (newest is None and tail):
        # Removed or changed: the zeros do not follow the last line.
        return max(number, 1), FIRST
    if newest is not None and number < newest.number:
        return newest.number, newest.digest
    if newest is None or not newest.has_key:
        # A line with a key always has a stored digest with a key, so that its removal is noticed.
        write_atomically(newest_text(number, digest, key), newest_file(path))
    return number, digest


def _tail(path: Path) -> bytes:
    """Return the last line; empty if there is none."""
    if not path.exists():
        return b""
    with path.open("rb+") as file:
        file.seek(max(0, path.stat().st_size - TAIL_BYTES))
        tail = file.read()
        if tail and not tail.endswith(b"\n"):
            file.write(b"\n")  # an incomplete line after a crash must not join the next one
            tail += b"\n"
    return tail[:-1].rpartition(b"\n")[2]


def _number(line: bytes) -> int:
    try:
        return int(json.loads(line)["number"])
    except (ValueError, KeyError, TypeError, RecursionError):
        return 0  # damaged: the stored digest counts
