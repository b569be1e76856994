"""How a job stands: as its folder says, and as a list shows it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Literal, Self

from engine.core.errors import EngineError
from engine.core.json_types import Plain
from engine.core.settings import Settings, setting
from engine.io.safety.seal import seal_of
from engine.io.text.json_text import from_json, to_json
from engine.jobs.checkpoint.owner import Owner
from engine.modalities.studies import read_study

Status = Literal["running", "paused", "finished", "aborted", "failed"]

STUDY = "study.toml"
QUEUED_RUN = "queue-"
"""Begins the names of runs of the queue, which removes them itself."""


class JobRecord(Settings):
    """The state of a job, as `job.json` holds it."""

    format: Literal["isocenter-job-1"] = "isocenter-job-1"
    status: Status = setting()
    owner: Owner = setting()
    title: str = setting(max_length=1000)
    created_utc: datetime = setting()
    device: str = setting(max_length=100)
    updates: int = setting(description="Updates of the whole run", ge=1)
    subsets: int = setting(0, "Updates of an iteration, once they are known", ge=0)
    inputs: dict[str, Plain] = setting({}, "Files by role, once they are hashed")
    text: str = setting("", "Why it failed")
    result: str = setting("", "Name of the result that holds its last image", max_length=100)
    output: str = setting("", "Where the volume is to be written, if the job began with a place")

    @property
    def is_at_work(self) -> bool:
        """Whether a process works on it now."""
        return self.status in ("running", "paused") and self.owner.alive

    def to_text(self) -> str:
        """Return the record as a sealed text."""
        said = self.model_dump(mode="json")
        return to_json(said | {"seal": seal_of(**said)}, indent=2)

    @classmethod
    def from_text(cls, text: bytes) -> Self:
        """Read a record; raises `ValueError` where it is none, or has changed since."""
        said = from_json(text.decode())
        seal = said.pop("seal", None)
        if seal is not None and seal != seal_of(**said):
            raise ValueError("it has changed since it was written")
        return cls.model_validate_json(to_json(said))


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
    """Updates behind the newest checkpoint, or slices of a volume in slabs; None without one."""
    updates: int
    """Updates, or slices, of the whole run."""
    interrupted: bool
    """Whether it was running or paused when its process died."""
    text: str = ""
    """Why it failed."""

    @property
    def resumable(self) -> bool:
        """Whether there is an image to go on from, and nobody at work on it.

        A finished job has one only where its result could not be kept.
        """
        return bool(self.done) and (self.interrupted or self.status not in ("running", "paused"))

    @property
    def local_title(self) -> str:
        """Scan and protocol by their names, for the screen of who may read the job."""
        try:
            return read_study(self.folder / STUDY).title
        except EngineError:
            return self.title
