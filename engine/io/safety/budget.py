"""Compare the memory that a file needs with free memory, and limit decompression.

A limit of a control group (Docker, Kubernetes, Slurm, systemd) does not change the free memory that
the machine reports. A process that exceeds the limit is killed.
"""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path, PurePosixPath

import psutil

from engine.core.errors import FileFormatError, ResourceError, SettingsError

MEMORY_VARIABLE = "ISOCENTER_MEMORY"
"""Environment variable: memory limit of this process in GiB; without it all free memory."""
MEMORY_PART = 0.9
"""Part of the free memory that one file may use."""
SMALL_BYTES = 2**20
"""Smaller requests are not checked, because the check is a system call."""
MAX_COMPRESSION = 64
"""Largest compression ratio of a scan: noisy images stay below 10, our images of objects without
noise below 50. A decompression bomb reaches 1,030.
"""
ALWAYS_UNPACKED = 256 * 2**20
"""Decompressed size that is always allowed, because empty images compress extremely well."""
DEFLATE_MOST = 1100
"""Upper limit of the ratio of deflate; a file that claims more is damaged or forged."""
PROCESS = Path("/proc/self")
FILE_PAGES = ("active_file", "inactive_file")
"""Pages of files that the system can drop; it counts them as used by the group."""


@dataclass(frozen=True)
class _Group:
    """Files of a control group.

    Attributes
    ----------
    limits, usage, details : files with the limits, the used memory and its parts
    prefix : begins the names in `details` that include the groups within this one
    """

    limits: tuple[Path, ...]
    usage: Path
    details: Path
    prefix: str

    def free(self, total: int) -> int:
        """Return the free memory; `total` without a limit, or if a file cannot be read."""
        limits = [n for each in self.limits if (n := _number(each)) is not None]
        most = min(limits, default=total)
        if most >= total:
            return total
        used = _number(self.usage)
        return total if used is None else max(0, most - max(0, used - self._droppable()))

    def _droppable(self) -> int:
        lines = (line.split() for line in _text(self.details).splitlines())
        parts = {each[0]: each[1] for each in lines if len(each) == 2}
        sizes = (parts.get(self.prefix + name, "") for name in FILE_PAGES)
        return sum(int(each) for each in sizes if each.isdecimal())


def available_memory() -> int:
    """Return the memory that this process can allocate before the system runs out of it [bytes].

    Returns
    -------
    n_bytes
        available memory of the machine, or the rest of the smallest limit of a control group
    """
    machine = psutil.virtual_memory()
    total = int(machine.total)
    return min([int(machine.available), *(each.free(total) for each in _groups())])


def free_memory() -> int:
    """Return the memory that this process may still allocate.

    Returns
    -------
    n_bytes
        free memory, or the rest of the limit in `ISOCENTER_MEMORY` if that is smaller

    Raises
    ------
    SettingsError
        if the environment variable is not a positive number
    """
    free = available_memory()
    text = os.environ.get(MEMORY_VARIABLE, "")
    if not text:
        return free
    try:
        most = float(text)
    except ValueError:
        most = math.nan
    if not 0 < most < math.inf:
        raise SettingsError(
            f"{MEMORY_VARIABLE} is {text!r}, expected a number of GiB above 0; correct or unset it."
        )
    used = psutil.Process().memory_info()
    # Mapped files count in rss, but the system drops their pages when memory is short.
    private = int(used.rss) - int(getattr(used, "shared", 0))
    return max(0, min(free, int(most * 2**30) - private))


def usable_memory() -> int:
    """Return the free memory that runs can use, for lists of devices [bytes].

    Returns
    -------
    n_bytes
        as `free_memory`. An invalid `ISOCENTER_MEMORY` is ignored here; a run refuses it.
    """
    try:
        return free_memory()
    except SettingsError:
        return available_memory()


def refuse_large_data(n_bytes: int, name: str) -> None:
    """Refuse to allocate more memory than is free.

    Parameters
    ----------
    n_bytes
        size of one allocation
    name
        file name for the message

    Raises
    ------
    ResourceError
        if more than `MEMORY_PART` of the free memory is needed
    """
    if n_bytes < SMALL_BYTES:
        return
    free = free_memory()
    # Linux overcommits: without this check the allocation succeeds, and the process is killed
    # later.
    if n_bytes > MEMORY_PART * free:
        raise ResourceError(
            f"{name}: reading needs {n_bytes / 2**30:,.1f} GiB of memory, but {free / 2**30:.1f} "
            "GiB are free; bin or crop the data, or close other programs."
        )


def max_unpacked_bytes(n_packed: int) -> int:
    """Return the largest decompressed size that is allowed for compressed bytes."""
    return min(DEFLATE_MOST * n_packed, max(ALWAYS_UNPACKED, MAX_COMPRESSION * n_packed))


def refuse_bomb(n_bytes: int, n_packed: int, name: str) -> None:
    """Refuse compressed values that grow far more than those of a scan.

    Parameters
    ----------
    n_bytes
        stated size after decompression
    n_packed
        size of the compressed data
    name
        file name for the message

    Raises
    ------
    FileFormatError
        if the ratio exceeds that of real data
    """
    if n_bytes > max_unpacked_bytes(n_packed):
        raise FileFormatError(
            f"{name}: would decompress from {n_packed:,} to {n_bytes:,} bytes, expected at most "
            f"{max_unpacked_bytes(n_packed):,}; copy it again, or save it uncompressed."
        )


@cache
def _groups() -> tuple[_Group, ...]:
    """Return the control groups of this process that can limit its memory."""
    return tuple(_found_groups()) if sys.platform == "linux" else ()


def _found_groups() -> Iterator[_Group]:
    mounts = [line.split() for line in _text(PROCESS / "mountinfo").splitlines()]
    for line in _text(PROCESS / "cgroup").splitlines():
        number, _, rest = line.partition(":")
        controllers, _, place = rest.partition(":")
        is_second = number == "0" and not controllers  # version 2 has one tree for everything
        if not is_second and "memory" not in controllers.split(","):
            continue
        for mount in mounts:
            kind = mount[mount.index("-") + 1 :] if "-" in mount else []
            options = kind[-1].split(",") if kind else []
            if kind[:1] == ["cgroup2" if is_second else "cgroup"] and (
                is_second or "memory" in options
            ):
                yield from _groups_at(Path(mount[4]), mount[3], place, is_second=is_second)


def _groups_at(top: Path, root: str, place: str, *, is_second: bool) -> Iterator[_Group]:
    """Yield a group and those around it.

    Parameters
    ----------
    top
        folder of the groups
    root
        group that this folder stands for; in a container its own
    place
        group of the process
    is_second
        True for version 2 of control groups
    """
    inner, base = PurePosixPath(place), PurePosixPath(root)
    # Without a name space of its own, a container sees groups of the host that it has no folder for
    inside = inner.relative_to(base) if inner.is_relative_to(base) else PurePosixPath()
    folder = top / inside
    for each in (folder, *(above for above in folder.parents if above.is_relative_to(top))):
        if is_second:
            limits = each / "memory.max", each / "memory.high"
            yield _Group(limits, each / "memory.current", each / "memory.stat", "")
        else:
            limit, usage = each / "memory.limit_in_bytes", each / "memory.usage_in_bytes"
            yield _Group((limit,), usage, each / "memory.stat", "total_")


def _number(path: Path) -> int | None:
    """Return the number in a file; None for "max" and files that cannot be read."""
    text = _text(path).strip()
    return int(text) if text.isdecimal() else None


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
