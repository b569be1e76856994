"""What is no file but has the name of one."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable
from pathlib import Path

Trap = Callable[[Path], object]
BESIDE = (
    *("a.hdr", "a.l.hdr", "a.toml", "scan settings.txt", "a.txt", "a.log", "a.geom", "a.xml"),
    *("a.xtekct", "other.provenance.json", "a.h5"),
)
"""Names that readers look at when they look around,"""
NAMED = ("volume.provenance.json", "_ctdata.txt")
"""and those that belong to a file: a trap there may be refused."""


def fifo(path: Path) -> None:
    """A pipe to which nobody writes."""
    if not path.exists():
        os.mkfifo(path)


def zeros(path: Path) -> None:
    """A link to a device without end."""
    if not path.exists():
        path.symlink_to("/dev/zero")


def loop(path: Path) -> None:
    """A link to itself."""
    path.symlink_to(path.name)


def local_socket(path: Path) -> None:
    """A socket, under a short name since the system allows no long one."""
    here = Path.cwd()
    os.chdir(path.parent)
    try:
        with socket.socket(socket.AF_UNIX) as opened:
            opened.bind(path.name)
    finally:
        os.chdir(here)


def directory(path: Path) -> None:
    """A folder with nothing in it."""
    path.mkdir()


def empty(path: Path) -> None:
    """No byte."""
    path.write_bytes(b"")


TRAPS: tuple[Trap, ...] = (fifo, zeros, loop, local_socket, directory, empty)
