"""How the queue is worked through: whether it runs, and how many studies at a time."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Literal

from engine.core.settings import Settings, setting
from engine.io.safety.atomic_write import write_atomically
from engine.jobs.checkpoint.owner import Owner

FILE = "queue.settings"
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


def read_settings(folder: Path) -> QueueSettings:
    """Return the settings of a queue; the usual ones where they cannot be read."""
    with suppress(OSError, ValueError):
        return QueueSettings.model_validate_json((folder / FILE).read_bytes())
    return QueueSettings()


def write_settings(folder: Path, settings: QueueSettings) -> None:
    """Write the settings of a queue, which its user alone may read."""
    text = QueueSettings.model_validate(settings.model_dump()).model_dump_json(indent=2)
    write_atomically(text.encode(), folder / FILE, private=True)
