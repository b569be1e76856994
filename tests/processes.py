"""Processes that work for a process: not those that only keep its books or make its copies."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

import psutil

SERVER = "multiprocessing.forkserver"
TRIALS = str(Path("tests", "extensions", "child.py"))
"""The server of the tests of extensions, which a worker keeps until its end."""


def working_for(pid: int | None = None) -> list[psutil.Process]:
    """Return the living descendants of a process, of this one where none is named."""
    found = []
    for each in psutil.Process(os.getpid() if pid is None else pid).children(recursive=True):
        with suppress(psutil.Error):  # it has gone meanwhile
            line = " ".join(each.cmdline())
            if line and not _is_helper(each, line):
                found.append(each)
    return found


def _is_helper(process: psutil.Process, line: str) -> bool:
    """Whether it is Python's own: a copy of the server has the server's line, and is none."""
    if "resource_tracker" in line or TRIALS in line:
        return True
    parent = process.parent()
    return SERVER in line and (parent is None or SERVER not in " ".join(parent.cmdline()))
