"""Check output paths: never an input, and no existing file without permission.

Files are compared by what they are (device and inode), so that another path, a link, a hard link or
another spelling on a file system that folds case is still the same file.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from datetime import datetime
from pathlib import Path
from stat import S_ISREG

from engine.core.errors import OutputError, ResourceError
from engine.core.paths import exports_dir, made
from engine.io.formats import WRITERS
from engine.io.names import refuse_unusable_name

Identity = tuple[int, int]


def refuse_to_overwrite(
    outputs: Sequence[Path], inputs: Iterable[Path], *, force: bool = False
) -> None:
    """Refuse, before any work, outputs that are inputs, one file twice, or files that exist.

    Parameters
    ----------
    outputs
        every file that will be written
    inputs
        every file that is read; none of them is ever written to
    force
        whether files that exist, and are no input, may be replaced
    """
    for output in outputs:
        refuse_unusable_name(output.name)
    refuse_inputs(outputs, inputs)
    _refuse_twice(outputs)
    if force:
        return
    for output in outputs:
        found = existing(output)
        if found:
            raise OutputError(
                f"{output}: this file already exists ({found}); add --force to replace it, or "
                "choose another name."
            )


def refuse_inputs(outputs: Iterable[Path], inputs: Iterable[Path]) -> None:
    """Refuse outputs that are one of the inputs, whatever they are called."""
    known = {same: each for each in inputs for same in _identities(each)}
    for output in outputs:
        for same in _identities(output):
            if same in known:
                raise OutputError(_is_an_input(output, known[same]))


def existing(path: Path) -> str:
    """Return size and date of a file that writing would replace, empty if there is none."""
    try:
        found = path.stat()
    except (OSError, ValueError):
        return ""
    if not S_ISREG(found.st_mode):
        return ""
    changed = datetime.fromtimestamp(found.st_mtime).astimezone()
    return f"{found.st_size:,} bytes, {changed:%Y-%m-%d %H:%M}"


def files_written(path: Path) -> tuple[Path, ...]:
    """Return every file that writing a volume or a scan under this name makes."""
    if path.suffix.lower() == ".toml":
        from engine.io.xray.saving import sidecar_files

        return sidecar_files(path)
    writer = WRITERS.ending(path)
    return (path,) if writer is None else writer.written(path)


def _is_an_input(output: Path, found: Path) -> str:
    other = "" if output == found else f" (as {found})"
    return (
        f"{output}: this file is an input{other}, and inputs are never overwritten; choose another "
        "name."
    )


def _refuse_twice(outputs: Sequence[Path]) -> None:
    seen: dict[str | Identity, Path] = {}
    for output in outputs:
        for same in _identities(output):
            if same in seen:
                raise OutputError(f"{output}: two outputs have this name; give each its own name.")
        seen |= dict.fromkeys(_identities(output), output)


def _identities(path: Path) -> tuple[str | Identity, ...]:
    """Return what tells a file from others: its place, and where it exists its device and inode."""
    try:
        place = os.path.realpath(path)
    except (OSError, ValueError):
        place = os.fspath(path)
    try:
        found = path.stat()
    except (OSError, ValueError):
        return (place,)
    regular = S_ISREG(found.st_mode) and found.st_ino != 0  # some file systems number no files
    return (place, (found.st_dev, found.st_ino)) if regular else (place,)


def exports_folder() -> Path:
    """Return the folder to offer for exports, made if absent; the user's own where it cannot be."""
    try:
        return made(exports_dir())
    except ResourceError:
        return Path.home()
