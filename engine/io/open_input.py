"""The door every file comes through: there, readable, not empty; and how damage is worded."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from engine.arrays import Array
from engine.errors import DataError, EngineError, FileFormatError, ResourceError

HEAD_BYTES = 4096
"""What readers may look at to recognise a file."""


def open_head(path: Path) -> bytes:
    """Return the first bytes of a file, or say in one sentence why there are none."""
    try:
        if path.is_dir():
            raise FileFormatError(f"{path}: this is a folder; choose a file in it.")
        with path.open("rb") as file:
            head = file.read(HEAD_BYTES)
    except FileNotFoundError as e:
        raise ResourceError(f"{path}: no such file; check the path.") from e
    except OSError as e:
        raise unreadable(path, e) from e
    if not head:
        raise FileFormatError(f"{path.name}: the file is empty; copy or export it again.")
    return head


def unreadable(path: Path, e: OSError) -> EngineError:
    """Return the error for a file the system will not let us read."""
    if isinstance(e, PermissionError):
        return ResourceError(f"{path}: no permission to read it; ask its owner for access.")
    return ResourceError(f"{path}: cannot be read ({e.strerror or e}); copy it to a local disk.")


def read_text(path: Path, max_bytes: int) -> str:
    """Return a text file of at most `max_bytes`; refuse what is not text."""
    size = path.stat().st_size
    if size > max_bytes:
        raise FileFormatError(
            f"{path.name}: {size:,} bytes of text, at most {max_bytes:,} are read; "
            "choose the right file."
        )
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as e:
        raise FileFormatError(
            f"{path.name}: not a text file (byte {e.start} is {path.read_bytes()[e.start]:#04x}); "
            "choose the right file."
        ) from e
    except OSError as e:
        raise unreadable(path, e) from e
    if "\0" in text:
        raise FileFormatError(f"{path.name}: holds zero bytes, so it is not a text file.")
    return text


def refuse_not_finite(path: Path, values: Array) -> None:
    """Refuse NaN and infinity, with their number and the first place."""
    bad = ~np.isfinite(values)
    n_bad = int(np.count_nonzero(bad))
    if not n_bad:
        return
    first = np.unravel_index(int(np.argmax(bad)), bad.shape)
    where = ", ".join(str(int(i)) for i in first)
    axes = "[z, y, x] = " if bad.ndim == 3 else ""
    raise DataError(
        f"{path.name}: {n_bad:,} of {bad.size:,} values are not numbers (NaN or infinite), "
        f"the first at {axes}[{where}]; repair or export the file again."
    )
