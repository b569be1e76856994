"""Identify the process that works on a job, so that other processes notice its death."""

from __future__ import annotations

import os
import platform
from typing import Self

from engine.core.settings import Settings, setting

CLOCK_SLACK_S = 5.0
"""Tolerance [s]: correcting the system clock shifts the start time that a process reports."""


class Owner(Settings):
    """One process on one machine. Its start time excludes a later one with the same number."""

    host: str = setting(max_length=300)
    pid: int = setting(ge=0)
    started_s: float = setting(unit="s")

    @classmethod
    def current(cls) -> Self:
        """Return this process."""
        return cls.of(os.getpid())

    @classmethod
    def of(cls, pid: int) -> Self:
        """Describe a process on this machine.

        Parameters
        ----------
        pid
            number of a living process
        """
        import psutil

        return cls(host=platform.node(), pid=pid, started_s=psutil.Process(pid).create_time())

    @property
    def is_here(self) -> bool:
        """True if the process is on this machine."""
        return self.host == platform.node()

    @property
    def alive(self) -> bool:
        """True if the process still works; one on another machine counts as alive."""
        import psutil

        if not self.is_here:
            return True
        try:
            process = psutil.Process(self.pid)
            same = abs(process.create_time() - self.started_s) < CLOCK_SLACK_S
            # A zombie keeps its number until its parent collects it, and does no more work
            return same and process.status() != psutil.STATUS_ZOMBIE
        except psutil.NoSuchProcess:
            return False
        except psutil.AccessDenied:
            # A process of another user exists, even if its start time cannot be read
            return True
