"""Check the window's settings file before use, and move a damaged one aside."""

from __future__ import annotations

import re
import time
from contextlib import suppress
from pathlib import Path

from app.language.translation import tr

MAX_BYTES = 1_000_000
LINE = re.compile(r"\[[^\]]+\]|[^=\[;]+=.*|;.*|")
"""Valid lines of an INI file: a section, a value, a comment, or nothing."""
OBJECT = "@Variant("
"""Start of a serialised Qt object. We never write one."""


def usable_file(path: Path) -> tuple[Path, str]:
    """Return a path for the settings, and a message if the old file is damaged.

    The damaged file stays in its folder under another name, so nothing is lost.

    Parameters
    ----------
    path
        the settings file; it need not exist

    Returns
    -------
    path to use, and a sentence for the user; the sentence is empty for a sound file
    """
    reason = _fault_of(path)
    if not reason:
        return path, ""
    aside = _free_name(path)
    try:
        path.rename(aside)
    except OSError as e:
        other = path.with_name(f"{path.name}.new")
        with suppress(OSError):
            other.unlink(missing_ok=True)
        return other, tr(
            "{path}: these window settings are damaged and could not be moved ({why}). This "
            "window uses the defaults. {reason}",
            path=path,
            reason=reason,
            why=e.strerror or e,
        )
    return path, tr(
        "The window settings were damaged and have been reset to the defaults. The damaged file "
        "is {name} in {folder}. {reason}",
        reason=reason,
        name=aside.name,
        folder=aside.parent,
    )


def _fault_of(path: Path) -> str:
    """Return the problem of a file; empty if it is sound or missing."""
    try:
        if path.exists() and not path.is_file():
            return tr("The file is not a regular file.")
        with path.open("rb") as file:
            # One byte more than allowed shows a file that is too long without reading all of it.
            content = file.read(MAX_BYTES + 1)
    except FileNotFoundError:
        return ""
    except OSError as e:
        return tr("The file cannot be read ({why}).", why=e.strerror or e)
    if len(content) > MAX_BYTES:
        return tr("The file has more than {n:,} bytes.", n=MAX_BYTES)
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError:
        return tr("The file is not a text file.")
    if "\0" in text:
        return tr("The file is not a text file.")
    # QSettings ignores lines that it cannot parse, and then overwrites the file without them.
    for number, line in enumerate(re.split(r"\r?\n", text), 1):
        if OBJECT in line or not LINE.fullmatch(line.strip()):
            return tr("Line {number} of the file is invalid.", number=number)
    return ""


def _free_name(path: Path) -> Path:
    stamp = time.strftime("%Y%m%d-%H%M%S")
    names = (f"{path.name}.broken-{stamp}", *(f"{path.name}.broken-{stamp}-{i}" for i in range(99)))
    return next((p for p in map(path.with_name, names) if not p.exists()), path.with_name(names[0]))
