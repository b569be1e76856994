"""A line of the list of studies: whose scan, how it is reconstructed, and how it stands."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Literal

from engine.io.dicom.order import ImagingOrder
from engine.results.result import Result

State = Literal[
    "signed off", "exported", "finished", "part", "interrupted", "running", "waiting", "paused",
    "failed",
]  # fmt: skip


@dataclass(frozen=True)
class KnownStudy:
    """A result, a run that was cut off, or a study of the queue.

    Attributes
    ----------
    id : name of the result, the job or the entry of the queue
    scan, protocol : by their names, for the screen of their owner
    state : how it stands; of a result the last thing that was done with it
    standing : the same in a sentence, with the reason of a failure
    when : when its image was made, or it was begun or added, in the time of this place
    n_bytes : on the disk; 0 for a study that only waits
    order : whose it is, as the worklist said; None where nobody said so
    result : its image, None without one
    remark : what could not be read of it, one sentence
    """

    id: str
    scan: str
    protocol: str
    state: State
    standing: str
    when: datetime
    n_bytes: int = 0
    order: ImagingOrder | None = None
    result: Result | None = None
    remark: str = ""

    @property
    def patient(self) -> str:
        """Name of the patient for people; empty where nobody said it."""
        return self.order.name if self.order is not None else ""

    @property
    def patient_id(self) -> str:
        """Number of the patient; empty where nobody said it."""
        return self.order.patient_id if self.order is not None else ""

    @property
    def examination(self) -> str:
        """What was ordered; empty where nobody said it."""
        return self.order.what if self.order is not None else ""

    @cached_property
    def _text(self) -> str:
        accession = self.order.accession if self.order is not None else ""
        said = (
            *(self.patient, self.patient_id, accession, self.examination),
            *(self.scan, self.protocol, self.standing, f"{self.when:%Y-%m-%d %d %b %Y}"),
        )
        return " ".join(said).casefold()

    def matches(self, words: str) -> bool:
        """Whether every one of some words stands somewhere in the line."""
        return all(word in self._text for word in words.casefold().split())


FILTERS: dict[str, Callable[[KnownStudy], bool]] = {
    "all": lambda each: True,
    "not signed off": lambda each: each.result is not None and each.state != "signed off",
    "not exported": lambda each: each.state in ("finished", "part"),
    "signed off": lambda each: each.state == "signed off",
    "at work": lambda each: each.state in ("running", "waiting", "paused"),
    "to look after": lambda each: each.state in ("failed", "interrupted", "part"),
}
"""What of the list to show."""
