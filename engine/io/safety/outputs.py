"""Check output paths and free space: never an input, no existing file without permission.

Files are compared by device and inode. So another path, a link, a hard link, or another spelling on
a
file system that ignores case is still the same file.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from stat import S_ISREG

from engine.core.errors import OutputError, ResourceError
from engine.core.paths import exports_dir, made
from engine.io.formats import WRITERS
from engine.io.names import refuse_unusable_name

Identity = tuple[int, int]
WHOLE = (".nii", ".npy", ".mha", ".nrrd", ".hv")
"""Formats with 4 bytes for each voxel, neither compressed nor rounded to whole numbers."""
MIN_SHARE = 0.05
"""Least size of other files relative to these: no run is refused that could be saved."""


@dataclass(frozen=True)
class DiskNeed:
    """Space that a run needs in a folder.

    Attributes
    ----------
    what : name of the files, as a label
    folder : their folder, which may be created later
    n_bytes : least size
    remedy : whole sentence about free space and its alternative
    """

    what: str
    folder: Path
    n_bytes: int
    remedy: str = "Free disk space, or choose another folder."

    @property
    def existing_folder(self) -> Path | None:
        """The folder, or the one in which it will be created."""
        path = self.folder.absolute()
        return next((each for each in (path, *path.parents) if each.is_dir()), None)


def refuse_full_disks(needs: Iterable[DiskNeed]) -> None:
    """Refuse a run if one of its disks has too little space.

    Parameters
    ----------
    needs
        all files of the run; those on one disk share its space

    Raises
    ------
    ResourceError
        states the needed and the free space
    """
    on_disk: dict[int, list[DiskNeed]] = {}
    for each in needs:
        folder = each.existing_folder
        if folder is not None and each.n_bytes:
            on_disk.setdefault(folder.stat().st_dev, []).append(each)
    for shared in on_disk.values():
        _refuse_full_disk(shared)


def _refuse_full_disk(needs: list[DiskNeed]) -> None:
    largest = max(needs, key=lambda each: each.n_bytes)
    folder, needed = largest.existing_folder, sum(each.n_bytes for each in needs)
    if folder is None or (free := shutil.disk_usage(folder).free) >= needed:
        return
    files = ", ".join(each.what for each in needs)
    raise ResourceError(
        f"{files}: at least {needed:,} bytes are needed, but {free:,} are free in {folder}. "
        f"{largest.remedy}"
    )


def refuse_to_overwrite(
    outputs: Sequence[Path], inputs: Iterable[Path], *, force: bool = False
) -> None:
    """Refuse outputs that are inputs, occur twice, or exist, before any work is done.

    Parameters
    ----------
    outputs
        every file that will be written
    inputs
        every file that is read; inputs are never overwritten
    force
        True if existing files that are not inputs may be replaced

    Raises
    ------
    OutputError
        states the file and the reason
    ResourceError
        if Windows reserves or changes a name
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
    """Refuse outputs that are one of the inputs, under any name.

    Parameters
    ----------
    outputs
        files that will be written
    inputs
        files that are read

    Raises
    ------
    OutputError
        names the input
    """
    # One dictionary instead of pairs: a scan can have thousands of inputs.
    known = {same: each for each in inputs for same in _identities(each)}
    for output in outputs:
        for same in _identities(output):
            if same in known:
                raise OutputError(_is_an_input(output, known[same]))


def existing(path: Path) -> str:
    """Return size and date of the file that an output would replace.

    Returns
    -------
    text
        empty if there is no regular file
    """
    try:
        found = path.stat()
    except (OSError, ValueError):
        return ""
    if not S_ISREG(found.st_mode):
        return ""
    changed = datetime.fromtimestamp(found.st_mtime).astimezone()
    return f"{found.st_size:,} bytes, {changed:%Y-%m-%d %H:%M}"


def output_need(output: str, image_bytes: int, n_frames: int = 0) -> DiskNeed | None:
    """Return the space that an output of a run needs; None without an output.

    Parameters
    ----------
    output
        file for the image; "" for none
    image_bytes
        size of the image with 4 bytes for each voxel; formats that compress need less
    n_frames
        number of time frames or gates in the file; 0 for a single image
    """
    if not output:
        return None
    path = Path(output)
    share = 1.0 if path.name.lower().endswith(WHOLE) else MIN_SHARE
    return DiskNeed(path.name, path.absolute().parent, int(share * image_bytes * max(n_frames, 1)))


def files_written(path: Path) -> tuple[Path, ...]:
    """Return every file that is created when a volume or scan is written under this name."""
    # The sidecar of projections names further files with their values.
    if path.suffix.lower() == ".toml":
        from engine.io.xray.saving import sidecar_files

        return sidecar_files(path)
    writer = WRITERS.ending(path)
    return (path,) if writer is None else writer.written(path)


def _is_an_input(output: Path, found: Path) -> str:
    if output == found:
        return (
            f"{output}: this file is an input, and inputs are never overwritten; choose another "
            "name."
        )
    return (
        f"{output}: this file is the same as the input {found}, and inputs are never overwritten; "
        "choose another name."
    )


def _refuse_twice(outputs: Sequence[Path]) -> None:
    seen: dict[str | Identity, Path] = {}
    for output in outputs:
        for same in _identities(output):
            if same in seen:
                raise OutputError(
                    f"{output}: two outputs have the same name; choose different names."
                )
        seen |= dict.fromkeys(_identities(output), output)


def _identities(path: Path) -> tuple[str | Identity, ...]:
    """Return identifiers of a file: its real path, and if it exists its device and inode."""
    try:
        place = os.path.realpath(path)
    except (OSError, ValueError):
        place = os.fspath(path)
    try:
        found = path.stat()
    except (OSError, ValueError):
        return (place,)
    regular = S_ISREG(found.st_mode) and found.st_ino != 0  # some file systems have no inodes
    return (place, (found.st_dev, found.st_ino)) if regular else (place,)


def exports_folder() -> Path:
    """Return the default folder for exports, created if missing; else the home folder."""
    try:
        # The folder can be on a drive that is not connected.
        return made(exports_dir())
    except ResourceError:
        return Path.home()
