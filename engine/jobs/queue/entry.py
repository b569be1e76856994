"""One study in the queue, and its file."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Literal, Self

from engine.core.settings import Settings, setting
from engine.io.dicom.order import ImagingOrder
from engine.io.safety.seal import sealed_text, sealed_values
from engine.io.text.json_text import from_json, to_json
from engine.jobs.checkpoint.job_record import QUEUED_RUN
from engine.jobs.checkpoint.owner import Owner
from engine.jobs.queue.question import Question
from engine.modalities.studies import Study, study_of_json

State = Literal["waiting", "asking", "paused", "running", "finished", "failed"]
"""State of a study; "asking" until the user answers its question."""
QueueRequest = Literal["", "pause", "wait", "remove"]
"""Request about a running study: pause it, let it wait again, or remove it."""


class QueueEntry(Settings):
    """A study with its place in the queue and its state.

    Attributes
    ----------
    place : studies start in the order of this number
    study : study as JSON, with absolute paths and without arrays
    output : file for the image, in addition to the results; empty for none
    replaces : True if that file may exist
    memory_bytes : peak memory of its run; 0 before it is estimated
    on_gpu : True if that run is on a GPU
    owner : process that works on it, or did when it died
    beat : number of times that its owner has confirmed its work (`engine.jobs.queue.leases`)
    left_by : machine that did not confirm for so long that another one took over
    wish : request to its owner
    result : name of the result, empty without one
    text : reason of a failure, one sentence
    doing, done : current step, and the finished share of it
    order : worklist order of the scan as JSON; empty without one
    question : question that the user must answer first, as JSON; empty without one
    asks : True if a run that must assume a value stops and asks instead
    agreed : sentences about assumed values that the user has accepted
    scanner_kind : kind of its scanner, see `engine.modalities.scanner_kind`; empty if unknown
    deaths, updates : deaths of its engine since the checkpoint after `updates` updates
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
    wish: QueueRequest = setting("")
    result: str = setting("", max_length=100)
    text: str = setting("")
    doing: str = setting("", max_length=1000)
    done: float = setting(0.0, ge=0, le=1)
    order: str = setting("", max_length=20_000)
    question: str = setting("", max_length=20_000)
    asks: bool = setting(False)
    agreed: tuple[str, ...] = setting(())
    scanner_kind: str = setting("", max_length=1000)
    deaths: int = setting(0, ge=0)
    updates: int = setting(0, ge=0)

    def to_text(self) -> str:
        """Return the entry as JSON with a seal over its values."""
        return sealed_text(self.model_dump(mode="json"))

    @classmethod
    def from_text(cls, text: bytes) -> Self:
        """Read an entry and compare its seal.

        Parameters
        ----------
        text
            UTF-8 JSON

        Raises
        ------
        ValueError
            if the text is not an entry, or its values do not match the seal
        """
        return cls.model_validate_json(to_json(sealed_values(text)))

    @classmethod
    def damaged(cls, file: Path, why: str) -> Self:
        """Return a placeholder for an unreadable file: it is listed, but never run or deleted.

        Parameters
        ----------
        file
            the damaged file
        why
            reason for the message
        """
        text = (
            f"{file.name}: this study cannot be read. Reason: {why}. Remove it, and add the study "
            "again."
        )
        # The time of the oldest entry: the real one is not known
        when = datetime.fromtimestamp(0, UTC)
        return cls(id=file.stem, state="failed", title=file.name, added_utc=when, text=text)

    @property
    def imaging_order(self) -> ImagingOrder | None:
        """The worklist order of the scan; None without one."""
        return ImagingOrder.model_validate_json(self.order) if self.order else None

    @property
    def open_question(self) -> Question | None:
        """The question that the user must answer first; None without one."""
        return Question.model_validate_json(self.question) if self.question else None

    @property
    def has_protocol(self) -> bool:
        """True if the protocol of the study belongs to it, False for a placeholder."""
        asked = self.open_question
        return asked is None or asked.has_protocol

    @property
    def run(self) -> str:
        """Name of its run among the jobs, the same for every attempt."""
        return f"{QUEUED_RUN}{self.id}"

    @property
    def files(self) -> tuple[Path, ...]:
        """All files that the study names; none is read."""
        if not self.study:
            return ()
        content = from_json(self.study)
        named = [Path(name) for name in (content["data"], *content["inputs"].values())]
        # A scanner is a name of ours, or a file with an extension
        scanner = Path(content["scanner"] or "")
        return (*named, scanner) if scanner.suffix else tuple(named)

    @property
    def is_abandoned(self) -> bool:
        """True if the process that worked on it has died."""
        return self.state == "running" and not (self.owner is not None and self.owner.alive)

    @property
    def is_ready(self) -> bool:
        """True if a process can claim it."""
        return self.state == "waiting" or self.is_abandoned

    def to_study(self) -> Study:
        """Return the study."""
        return study_of_json(self.study)
