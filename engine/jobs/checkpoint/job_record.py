"""How a job stands: as its folder says, and as a list shows it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Literal

from engine.jobs.checkpoint.owner import Owner
from engine.plain import Plain
from engine.settings import Settings, setting

Status = Literal["running", "paused", "finished", "aborted", "failed"]


class JobRecord(Settings):
    """The state of a job, as `job.json` holds it."""

    format: Literal["isocenter-job-1"] = "isocenter-job-1"
    status: Status = setting()
    owner: Owner = setting()
    title: str = setting(max_length=1000)
    created_utc: datetime = setting()
    device: str = setting(max_length=100)
    updates: int = setting(description="Updates of the whole run", ge=1)
    inputs: dict[str, Plain] = setting({}, "Files by role, once they are hashed")
    text: str = setting("", "Why it failed")
    output: str = setting("", "Where the volume is to be written, if the job began with a place")


@dataclass(frozen=True)
class JobInfo:
    """One line of the list of jobs."""

    id: str
    folder: Path
    title: str
    status: Status
    created: datetime
    device: str
    done: int | None
    """Updates behind the newest checkpoint, None without one."""
    updates: int
    """Updates of the whole run."""
    interrupted: bool
    """Whether it was running or paused when its process died."""
    text: str = ""
    """Why it failed."""
