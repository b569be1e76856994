"""The temporary folder of multiprocessing, which a killed program leaves behind.

Python names it `pymp-…`, which does not identify the program. Ours names its
process, and the next start removes those of processes that have ended.
"""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from contextlib import suppress
from multiprocessing import process, util
from pathlib import Path

from engine.io.safety.locks import has_ended

NAME = re.compile(r"isocenter-(\d+)-(\d+)-\w+")


def name_temporary_folder() -> None:
    """Give this process its temporary folder, and remove those that killed ones have left."""
    config = process.current_process()._config  # type: ignore[attr-defined]
    if config.get("tempdir") is not None:
        return
    sweep_temporary_folders(Path(tempfile.gettempdir()))
    folder = tempfile.mkdtemp(prefix=f"isocenter-{_machine()}-{os.getpid()}-")
    # As `multiprocessing.util.get_temp_dir` does
    util.Finalize(None, _remove, args=(folder, os.getpid()), exitpriority=-100)
    config["tempdir"] = folder


def sweep_temporary_folders(place: Path) -> None:
    """Remove the temporary folders of processes of this user that have ended.

    Parameters
    ----------
    place
        folder of temporary files
    """
    for path in place.glob("isocenter-*"):
        found = NAME.fullmatch(path.name)
        if found is None or int(found[1]) != _machine() or not has_ended(found[2]):
            continue
        with suppress(OSError):
            if path.lstat().st_uid == os.getuid() and not path.is_symlink():
                shutil.rmtree(path, ignore_errors=True)


def _machine() -> int:
    """Return the name space of process numbers: containers can share the folder."""
    with suppress(OSError):
        return Path("/proc/self/ns/pid").stat().st_ino
    return 0


def _remove(folder: str, pid: int) -> None:
    # A forked child has a copy of this finalizer, and its parent still needs the folder
    if os.getpid() == pid:
        shutil.rmtree(folder, ignore_errors=True)
