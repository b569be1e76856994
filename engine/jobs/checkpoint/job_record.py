"""The state of a job: its record on disk, and its line in a list."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Literal, Self

from engine.core.errors import EngineError
from engine.core.json_types import Plain
from engine.core.settings import Settings, setting
from engine.io.safety.seal import sealed_text, sealed_values
from engine.io.text.json_text import to_json
from engine.jobs.checkpoint.owner import Owner
from engine.modalities.studies import read_study

Status = Literal["running", "paused", "finished", "aborted", "failed"]

STUDY = "study.toml"
QUEUED_RUN = "queue-"
"""Prefix of the runs of the queue, which deletes them itself."""


class JobRecord(Settings):
    """The state of a job in `job.json`."""

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
    threads: int | None = setting(None, "CPU threads, which decide the last bits of sums", ge=1)
    output: str = setting("", "Where the volume is to be written, if the job began with a place")

    @property
    def is_at_work(self) -> bool:
        """True if a living process works on the job now."""
        return self.status in ("running", "paused") and self.owner.alive

    def to_text(self) -> str:
        """Return the record as JSON with a seal over its values."""
        return sealed_text(self.model_dump(mode="json"))

    @classmethod
    def from_text(cls, text: bytes) -> Self:
        """Read a record and compare its seal.

        Parameters
        ----------
        text
            UTF-8 JSON; records without a seal are accepted

        Raises
        ------
        ValueError
            if the text is not a record, or its values do not match the seal
        """
        return cls.model_validate_json(to_json(sealed_values(text, requires_seal=False)))


@dataclass(frozen=True)
class JobInfo:
    """One line in the list of jobs."""

    id: str
    folder: Path
    title: str
    status: Status
    created: datetime
    device: str
    done: int | None
    """Updates before the newest checkpoint, or finished slices of slabs; None without one."""
    updates: int
    """Updates, or slices, of the whole run."""
    interrupted: bool
    """True if the job was running or paused when its process died."""
    text: str = ""
    """Reason of a failure."""

    @property
    def resumable(self) -> bool:
        """True if an image exists to continue from, and no process works on the job.

        A finished job has such an image only if its result could not be saved.
        """
        return bool(self.done) and (self.interrupted or self.status not in ("running", "paused"))

    @property
    def local_title(self) -> str:
        """Names of scan and protocol, for the owner's screen only."""
        try:
            return read_study(self.folder / STUDY, is_own=True).title
        except EngineError:
            return self.title
