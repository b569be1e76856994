"""Protocols that others can change: read from private copies, so that a change is reported.

A site's folder often belongs to a physicist and not to the administrator. Its protocols are copied
to a private folder of this user. A report names the owner, and each new or changed protocol.
"""

from __future__ import annotations

import os
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

from engine.core.errors import EngineError
from engine.core.paths import private_state_dir
from engine.core.private_files import is_own, privacy_fault, report_refused
from engine.io.safety.atomic_write import write_atomically
from engine.io.safety.open_input import read_text

MAX_BYTES = 1 << 20


def private_in(folder: Path) -> list[tuple[Path, Path]]:
    """Return the protocols in a folder, and the files to read them from.

    Parameters
    ----------
    folder
        folder of protocols; may be missing

    Returns
    -------
    files
        by name: a file, and itself, or its private copy if others can change the file
    """
    reason = privacy_fault(folder)
    files = sorted(folder.glob("*.toml"))
    changeable = {path: reason or privacy_fault(path) for path in files}
    if not any(changeable.values()):
        return [(path, path) for path in files]
    copies = private_state_dir() / "protocols" / sha256(os.fsencode(folder)).hexdigest()[:12]
    changed = [path.name for path in files if changeable[path] and _is_copied(path, copies)]
    news = f" New or changed: {', '.join(changed)}." if changed else ""
    why = next(filter(None, changeable.values()))
    report_refused(folder, why, f"Private copies in {copies} are used.{news}", is_shared=True)
    return [(path, copies / path.name if changeable[path] else path) for path in files]


def _is_copied(path: Path, copies: Path) -> bool:
    """Bring the copy of a protocol up to date; return True if it was new or different."""
    copy = copies / path.name
    try:
        data = read_text(path, MAX_BYTES).encode()
        copies.mkdir(mode=0o700, parents=True, exist_ok=True)
        if copy.exists() and is_own(copy) and read_text(copy, MAX_BYTES).encode() == data:
            return False
        write_atomically(data, copy, private=True)
    except (EngineError, OSError):
        # An older copy must not stand for a file that cannot be read
        with suppress(OSError):
            copy.unlink()
        return False
    return True
