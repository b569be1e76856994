"""List and remove cached data that the program can compute again."""

from __future__ import annotations

import logging
import shutil
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from engine.core.errors import EngineError, ResourceError
from engine.core.paths import cache_dir
from engine.io.safety.locks import is_in_use, sweep_parts

MAX_DAYS = 90.0
"""Items that were not used for this number of days are removed automatically."""
KERNELS, DEMOS = "kernels", "demo"
PERMANENT = (DEMOS,)
"""Caches that are never emptied automatically: users may store results among the demo scans."""
BEGUN = ".parts"
DAY_S = 86_400.0

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class StoredItem:
    """One file or folder on disk that can be removed.

    Attributes
    ----------
    kind : name of its cache, or the state of a job
    name : title for the user
    path : file or folder
    n_bytes : size on disk
    used_s : time of the last write or use [s since 1970]
    """

    kind: str
    name: str
    path: Path
    n_bytes: int
    used_s: float

    @classmethod
    def of(cls, kind: str, name: str, path: Path) -> StoredItem:
        """Measure the size and the age of a file or folder.

        Parameters
        ----------
        kind
            name of the cache, or the state of a job
        name
            title for the user
        path
            file or folder; a folder counts with everything in it

        Returns
        -------
        item
            the item; files that disappear meanwhile count as 0 bytes
        """
        n_bytes, used_s = 0, 0.0
        for file in (path, *path.rglob("*")) if path.is_dir() else (path,):
            with suppress(OSError):  # a process may remove it meanwhile
                stat = file.stat()
                used_s = max(used_s, stat.st_mtime)
                # Folders have sizes of their own, which depend on the file system
                n_bytes += stat.st_size if file.is_file() else 0
        return cls(kind, name, path, n_bytes, used_s)

    @property
    def age_days(self) -> float:
        """Days since it was last used."""
        return max(time.time() - self.used_s, 0.0) / DAY_S


def cached() -> Iterator[StoredItem]:
    """Yield all items in the caches, after partial writes of dead processes are removed."""
    for cache in sorted(cache_dir().iterdir()):
        if not cache.is_dir():
            continue
        # The compilers name files by hashes, so such a folder is listed as one item
        if cache.name.startswith(KERNELS):
            yield StoredItem.of(KERNELS, f"Compiled {cache.name}", cache)
            continue
        sweep_parts(cache)
        for path in sorted(cache.iterdir()):
            begun = ", begun" if path.name.endswith(BEGUN) else ""
            yield StoredItem.of(cache.name, f"{path.name.removesuffix(BEGUN)}{begun}", path)


def remove_cached(item: StoredItem) -> None:
    """Remove an item from its cache.

    Parameters
    ----------
    item
        item from `cached`

    Raises
    ------
    ResourceError
        if a process is writing the item now, or the disk refuses
    """
    # The lock has the name of the finished item: its parts are in use while it is written
    if is_in_use(item.path.with_name(item.path.name.removesuffix(BEGUN))):
        raise ResourceError(
            f"{item.name}: another process is still writing these data. Try again when it has "
            "finished."
        )
    try:
        if item.path.is_dir():
            shutil.rmtree(item.path)
        else:
            item.path.unlink(missing_ok=True)
    except OSError as e:
        raise ResourceError(
            f"{item.name}: these data cannot be removed ({e.strerror or e}). Close all programs "
            "that use them, and try again."
        ) from e


def drop_unused() -> None:
    """Remove items that have not been used for `MAX_DAYS`; a failure is only logged."""
    for item in cached():
        if item.age_days > MAX_DAYS and item.kind not in PERMANENT:
            try:
                remove_cached(item)
                log.info("cache: %s was not used for %.0f days", item.name, item.age_days)
            except EngineError as e:
                log.warning("cache: %s", e)
