"""Objects other than regular files, under the name of a file."""

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
"""File names that readers look for in a folder."""
NAMED = ("volume.provenance.json", "_ctdata.txt")
"""File names that belong to a certain file; a trap there may be refused."""


def fifo(path: Path) -> None:
    """Create a pipe without a writer."""
    if not path.exists():
        os.mkfifo(path)


def zeros(path: Path) -> None:
    """Create a link to an endless device."""
    if not path.exists():
        path.symlink_to("/dev/zero")


def loop(path: Path) -> None:
    """Create a link to itself."""
    path.symlink_to(path.name)


def local_socket(path: Path) -> None:
    """Create a socket; the system only allows short names."""
    here = Path.cwd()
    os.chdir(path.parent)
    try:
        with socket.socket(socket.AF_UNIX) as opened:
            opened.bind(path.name)
    finally:
        os.chdir(here)


def directory(path: Path) -> None:
    """Create an empty folder."""
    path.mkdir()


def empty(path: Path) -> None:
    """Create an empty file."""
    path.write_bytes(b"")


TRAPS: tuple[Trap, ...] = (fifo, zeros, loop, local_socket, directory, empty)
