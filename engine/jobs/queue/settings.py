"""How the queue is worked through: whether it runs, and how many studies at a time."""

from __future__ import annotations

from typing import Literal

from engine.jobs.checkpoint.owner import Owner
from engine.settings import Settings, setting

AS_MANY_AS_FIT = 0


class QueueSettings(Settings):
    """What holds for the queue as a whole.

    Attributes
    ----------
    runs : whether waiting studies shall begin; it stays so over a restart of the machine
    at_once : studies at a time; 0: as many as the memory of the machine is estimated to hold
    runner : the process that last began to work through it
    """

    format: Literal["isocenter-queue-settings-1"] = "isocenter-queue-settings-1"
    runs: bool = setting(False)
    at_once: int = setting(1, ge=0, le=64)
    runner: Owner | None = setting(None)

    @property
    def has_runner(self) -> bool:
        """Whether a process works through the queue now."""
        return self.runner is not None and self.runner.alive
