"""Settings of the queue: on or off, and the number of studies at a time."""

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
    """Settings of the queue as a whole.

    Attributes
    ----------
    runs : True to start waiting studies; stays on over a restart of the machine
    at_once : studies at a time; 0: as many as the memory estimates allow
    runner : process that last started to work through the queue
    """

    format: Literal["isocenter-queue-settings-1"] = "isocenter-queue-settings-1"
    runs: bool = setting(False)
    at_once: int = setting(1, ge=0, le=64)
    runner: Owner | None = setting(None)

    @property
    def has_runner(self) -> bool:
        """True if a process works through the queue now."""
        return self.runner is not None and self.runner.alive


def read_settings(folder: Path) -> QueueSettings:
    """Return the settings of a queue; the defaults if the file is missing or damaged."""
    with suppress(OSError, ValueError):
        return QueueSettings.model_validate_json((folder / FILE).read_bytes())
    return QueueSettings()


def write_settings(folder: Path, settings: QueueSettings) -> None:
    """Write the settings of a queue; only its user may read the file."""
    text = QueueSettings.model_validate(settings.model_dump()).model_dump_json(indent=2)
    write_atomically(text.encode(), folder / FILE, private=True)
