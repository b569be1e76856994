"""The last fault of ours, kept until the next one: where it happened, for who mends it."""

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
    """Keep a fault; where that fails there is nothing more to say."""
    said = "".join(traceback.format_exception(fault))
    text = f"{datetime.now(UTC).isoformat(timespec='seconds')}\n{said[-MAX_CHARS:]}"
    with suppress(EngineError, OSError):
        write_atomically(text.encode(errors="replace"), _file())


def last_fault() -> str:
    """Return the last fault with its time, nothing if there was none."""
    try:
        return _file().read_text(encoding="utf-8", errors="replace")
    except (EngineError, OSError):
        return ""


def _file() -> Path:
    return cache_dir() / "last-fault.txt"
