"""One study in the queue, as its small file holds it."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Literal, Self

from engine.core.settings import Settings, setting
from engine.io.dicom.order import ImagingOrder
from engine.io.safety.seal import seal_of
from engine.io.text.json_text import from_json, to_json
from engine.jobs.checkpoint.job_record import QUEUED_RUN
from engine.jobs.checkpoint.owner import Owner
from engine.modalities.studies import study_of_json
from engine.protocols.study.study import Study

State = Literal["waiting", "paused", "running", "finished", "failed"]
Wish = Literal["", "pause", "wait", "remove"]
"""What shall become of a running study: paused, put back to wait, or taken out."""


class QueueEntry(Settings):
    """A study with its place in the queue, and how it stands.

    Attributes
    ----------
    place : studies begin in the order of this number
    study : as JSON, with absolute paths; never an array
    output : file its image is written to besides the results; empty for none
    replaces : whether that file may be there already
    memory_bytes : memory its run will take at most; 0 while that is not estimated
    on_gpu : whether that is a run on a graphics card
    owner : the process that works on it, or did when it died
    beat : times its owner has said that it still works on it (`engine.jobs.queue.leases`)
    left_by : machine that has left it alone for so long that another one took it
    wish : what whoever asked wants of its owner
    result : name of the result, once there is one
    text : why it failed, one sentence
    doing, done : what it does now, and the share of that which is done
    order : whose scan it is, as JSON of the worklist's order; empty where nobody said so
    deaths, updates : times its engine has died with no newer checkpoint than that of `updates`
    """

    format: Literal["isocenter-queue-1"] = "isocenter-queue-1"
    id: str = setting(max_length=40)
    place: float = setting(0.0)
    state: State = setting("waiting")
    study: str = setting("")
    title: str = setting("", max_length=2000)
    output: str = setting("")
    replaces: bool = setting(False)
    device: str = setting("auto", max_length=100)
    threads: int | None = setting(None, ge=1)
    memory_bytes: int = setting(0, ge=0)
    on_gpu: bool = setting(False)
    added_utc: datetime = setting()
    begun_utc: datetime | None = setting(None)
    ended_utc: datetime | None = setting(None)
    owner: Owner | None = setting(None)
    beat: int = setting(0, ge=0)
    left_by: str = setting("", max_length=300)
    wish: Wish = setting("")
    result: str = setting("", max_length=100)
    text: str = setting("")
    doing: str = setting("", max_length=1000)
    done: float = setting(0.0, ge=0, le=1)
    order: str = setting("", max_length=20_000)
    deaths: int = setting(0, ge=0)
    updates: int = setting(0, ge=0)

    def to_text(self) -> str:
        """Return the entry as a sealed text."""
        said = self.model_dump(mode="json")
        return to_json(said | {"seal": seal_of(**said)}, indent=2)

    @classmethod
    def from_text(cls, text: bytes) -> Self:
        """Read an entry; raises `ValueError` where it is none, or has changed since."""
        said = from_json(text.decode())
        if said.pop("seal", None) != seal_of(**said):
            raise ValueError("it has changed since it was written")
        return cls.model_validate_json(to_json(said))

    @classmethod
    def damaged(cls, file: Path, why: str) -> Self:
        """Return what stands for a file that cannot be read: listed, never run, never lost."""
        text = f"{file.name}: damaged ({why}); remove it, and add its study anew."
        when = datetime.fromtimestamp(0, UTC)
        return cls(id=file.stem, state="failed", title=file.name, added_utc=when, text=text)

    @property
    def whose(self) -> ImagingOrder | None:
        """The order it was added for; None where nobody said one."""
        return ImagingOrder.model_validate_json(self.order) if self.order else None

    @property
    def run(self) -> str:
        """Name of its run among the jobs, the same however often it is begun."""
        return f"{QUEUED_RUN}{self.id}"

    @property
    def files(self) -> tuple[Path, ...]:
        """Every file that it names, without reading any."""
        if not self.study:
            return ()
        said = from_json(self.study)
        named = [Path(name) for name in (said["data"], *said["inputs"].values())]
        scanner = Path(said["scanner"] or "")
        return (*named, scanner) if scanner.suffix else tuple(named)

    @property
    def is_abandoned(self) -> bool:
        """Whether it was at work when the process that worked on it died."""
        return self.state == "running" and not (self.owner is not None and self.owner.alive)

    @property
    def is_ready(self) -> bool:
        """Whether it can be taken up."""
        return self.state == "waiting" or self.is_abandoned

    def to_study(self) -> Study:
        """Return the study."""
        return study_of_json(self.study)
