"""Check the free space of all disks that a run writes to, before its work begins."""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from engine.core.errors import ResourceError


@dataclass(frozen=True)
class DiskNeed:
    """Space that a run needs in a folder.

    Attributes
    ----------
    what : name of the files, in a sentence
    folder : their folder, which may be created later
    n_bytes : least size
    remedy : remedy besides free space, as the end of a sentence
    """

    what: str
    folder: Path
    n_bytes: int
    remedy: str = "choose another folder"

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
    what = " and ".join(each.what for each in needs)
    verb = "needs" if len(needs) == 1 else "need"
    raise ResourceError(
        f"{what} {verb} at least {needed:,} bytes, but {free:,} are free in {folder}. Free disk "
        f"space, or {largest.remedy}."
    )
