"""The window's settings file, looked at before it is trusted; a broken one is moved aside."""

from __future__ import annotations

import re
import time
from contextlib import suppress
from pathlib import Path

from app.language.translation import tr

MAX_BYTES = 1_000_000
LINE = re.compile(r"\[[^\]]+\]|[^=\[;]+=.*|;.*|")
"""A section, a value, a comment, or nothing: what an INI file may hold."""
OBJECT = "@Variant("
"""Begins a value that Qt would make an object of; none of ours does."""


def usable_file(path: Path) -> tuple[Path, str]:
    """Return a file to keep settings in, and a sentence where the one that was there is broken.

    The broken one stays beside it under another name, so that nothing of it is lost.
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
            "The window settings in {path} are damaged ({reason}) and could not be moved ({why}); "
            "this window uses the defaults.",
            path=path,
            reason=reason,
            why=e.strerror or e,
        )
    return path, tr(
        "The window settings were damaged ({reason}) and have been reset to the defaults; the "
        "damaged file is {name} in {folder}.",
        reason=reason,
        name=aside.name,
        folder=aside.parent,
    )


def _fault_of(path: Path) -> str:
    """Return what is wrong with a file, empty if nothing is, or there is none."""
    try:
        if path.exists() and not path.is_file():
            return tr("not a regular file")
        with path.open("rb") as file:
            content = file.read(MAX_BYTES + 1)
    except FileNotFoundError:
        return ""
    except OSError as e:
        return tr("not readable: {why}", why=e.strerror or e)
    if len(content) > MAX_BYTES:
        return tr("more than {n:,} bytes", n=MAX_BYTES)
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError:
        return tr("not a text file")
    if "\0" in text:
        return tr("not a text file")
    for number, line in enumerate(re.split(r"\r?\n", text), 1):
        if OBJECT in line or not LINE.fullmatch(line.strip()):
            return tr("line {number}", number=number)
    return ""


def _free_name(path: Path) -> Path:
    stamp = time.strftime("%Y%m%d-%H%M%S")
    names = (f"{path.name}.broken-{stamp}", *(f"{path.name}.broken-{stamp}-{i}" for i in range(99)))
    return next((p for p in map(path.with_name, names) if not p.exists()), path.with_name(names[0]))
