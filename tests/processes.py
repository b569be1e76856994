"""Find working child processes, without helper processes of Python itself."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

import psutil

SERVER = "multiprocessing.forkserver"
TRIALS = str(Path("tests", "extensions", "child.py"))
"""Script of the test server for extensions, which runs until its worker ends."""


def working_for(pid: int | None = None) -> list[psutil.Process]:
    """Return the living descendants of a process, by default of this process."""
    found = []
    for each in psutil.Process(os.getpid() if pid is None else pid).children(recursive=True):
        with suppress(psutil.Error):  # it has ended in the meantime
            line = " ".join(each.cmdline())
            if line and not _is_helper(each, line):
                found.append(each)
    return found


def _is_helper(process: psutil.Process, line: str) -> bool:
    """Return True for a helper of Python.

    A process that the fork server starts has its command line.
    """
    if "resource_tracker" in line or TRIALS in line:
        return True
    parent = process.parent()
    return SERVER in line and (parent is None or SERVER not in " ".join(parent.cmdline()))
