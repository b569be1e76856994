"""Audit log of runs, writes and deletions; each line contains the digest of the previous one.

A line that is changed, removed or inserted breaks the chain. The newest digest is stored next to
the
log, so a truncated log is detected too. A user who can write both files can forge both: the log
detects mistakes and single changes, but is no proof against its owner. It contains no file names.
"""

from __future__ import annotations

import json
import logging
import os
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path

from engine.core.errors import DataError, EngineError
from engine.core.json_types import Plain
from engine.core.paths import state_dir
from engine.io.safety.atomic_write import write_atomically
from engine.io.safety.locks import after_others

log = logging.getLogger(__name__)

FIRST = "0" * 64
"""Digest before the first line."""
TAIL_BYTES = 1 << 16
"""Longer than any line."""


def log_file() -> Path:
    """Return the log of the current user."""
    return state_dir() / "audit.jsonl"


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
        path = log_file()
        # Two processes must not use the same line number.
        with after_others(path):
            _append(path, what, facts)
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
    number, digest, newest = 0, FIRST, _newest(path)
    met = newest == (0, FIRST)
    for number, line in enumerate(_lines(path), 1):
        digest = _checked(line, number, digest, path)
        # A crash between a line and its digest leaves a log that is one line longer. So the stored
        # digest must match any line, not only the last one.
        met = met or newest == (number, digest)
    if not met:
        raise DataError(
            f"{path.name}: ends at line {number}, expected line {newest[0]} with its original "
            "text; restore the log from a backup."
        )
    return number


def _append(path: Path, what: str, facts: Plain) -> None:
    number, before = _last(path)
    entry: Plain = {
        "number": number + 1,
        "utc": datetime.now(UTC).isoformat(timespec="seconds"),
        "what": what,
        "facts": facts,
        "before": before,
    }
    entry["digest"] = _digest(entry)
    with path.open("ab") as file:
        file.write(json.dumps(entry, sort_keys=True).encode() + b"\n")
        file.flush()
        # The line first: a stored digest without its line would look like a truncated log.
        os.fsync(file.fileno())
    write_atomically(f"{entry['number']} {entry['digest']}\n".encode(), _newest_file(path))


def _digest(entry: Plain) -> str:
    # Sorted keys make the digest independent of the order in which Python stores them.
    said = {key: value for key, value in entry.items() if key != "digest"}
    return sha256(json.dumps(said, sort_keys=True).encode()).hexdigest()


def _checked(line: bytes, number: int, before: str, path: Path) -> str:
    """Return the digest of a line; refuse a line that does not follow the previous one."""
    try:
        entry = json.loads(line)
        sound = entry["number"] == number and entry["before"] == before
        sound = sound and entry["digest"] == _digest(entry)
    except (ValueError, KeyError, TypeError):
        sound = False
    if not sound:
        raise DataError(
            f"{path.name}: line {number} has been changed since it was written; compare it with a "
            "backup."
        )
    return str(entry["digest"])


def _lines(path: Path) -> list[bytes]:
    try:
        return path.read_bytes().splitlines()
    except FileNotFoundError:
        return []


def _last(path: Path) -> tuple[int, str]:
    """Return number and digest of the last line; if it is damaged, those of the newest digest."""
    if not path.exists():
        return 0, FIRST
    with path.open("rb+") as file:
        file.seek(max(0, path.stat().st_size - TAIL_BYTES))
        tail = file.read()
        if not tail.endswith(b"\n"):
            file.write(b"\n")  # an incomplete line after a crash must not join the next one
    try:
        entry = json.loads(tail.splitlines()[-1])
        return int(entry["number"]), str(entry["digest"])
    except (ValueError, KeyError, TypeError, IndexError):
        return _newest(path)


def _newest_file(path: Path) -> Path:
    return path.with_suffix(".newest")


def _newest(path: Path) -> tuple[int, str]:
    """Return number and digest of the newest line, as stored next to the log."""
    try:
        number, digest = _newest_file(path).read_text("ascii").split()
        return int(number), digest
    except (OSError, ValueError):
        return 0, FIRST
