"""The process that works on a job, so that its death can be noticed from outside."""

from __future__ import annotations

import os
import platform
from typing import Self

from engine.core.settings import Settings, setting

CLOCK_SLACK_S = 5.0
"""Start times of one process may differ by this much when the system clock is corrected."""


class Owner(Settings):
    """One process of one machine; its start time tells it from a later one with its number."""

    host: str = setting(max_length=300)
    pid: int = setting(ge=0)
    started_s: float = setting(unit="s")

    @classmethod
    def me(cls) -> Self:
        """Return this process."""
        return cls.of(os.getpid())

    @classmethod
    def of(cls, pid: int) -> Self:
        """Return a process of this machine."""
        import psutil

        return cls(host=platform.node(), pid=pid, started_s=psutil.Process(pid).create_time())

    @property
    def is_here(self) -> bool:
        """Whether it is a process of this machine."""
        return self.host == platform.node()

    @property
    def alive(self) -> bool:
        """Whether it still works; a process of another machine is taken to do so."""
        import psutil

        if not self.is_here:
            return True
        try:
            process = psutil.Process(self.pid)
            same = abs(process.create_time() - self.started_s) < CLOCK_SLACK_S
            return same and process.status() != psutil.STATUS_ZOMBIE
        except psutil.NoSuchProcess:
            return False
        except psutil.AccessDenied:
            return True
