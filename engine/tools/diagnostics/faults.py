"""The last internal error with its traceback, stored until the next one."""

from __future__ import annotations

import traceback
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

from engine.core.errors import EngineError
from engine.core.paths import cache_dir
from engine.io.safety.atomic_write import write_atomically

MAX_CHARS = 100_000


def keep_fault(fault: BaseException) -> None:
    """Store an internal error; a failure of storing is ignored.

    Parameters
    ----------
    fault
        exception with its traceback
    """
    # The end of the text has the exception itself
    report = "".join(traceback.format_exception(fault))
    text = f"{datetime.now(UTC).isoformat(timespec='seconds')}\n{report[-MAX_CHARS:]}"
    # The error itself is shown elsewhere: storing it must not hide it
    with suppress(EngineError, OSError):
        write_atomically(text.encode(errors="replace"), _file())


def last_fault() -> str:
    """Return the last internal error with its time; empty if there was none."""
    try:
        return _file().read_text(encoding="utf-8", errors="replace")
    except (EngineError, OSError):
        return ""


def _file() -> Path:
    return cache_dir() / "last-fault.txt"
