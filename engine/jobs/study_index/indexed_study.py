"""One line in the list of studies: scan, protocol and state."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Literal

from engine.io.dicom.order import ImagingOrder
from engine.results.result import Result

State = Literal[
    "signed off", "exported", "finished", "part", "interrupted", "running", "waiting", "asking",
    "paused", "failed",
]  # fmt: skip


@dataclass(frozen=True)
class KnownStudy:
    """A result, an interrupted or running job, or a study of the queue.

    Attributes
    ----------
    id : name of the result, the job or the queue entry
    scan, protocol : names for the owner's screen
    state : state; for a result the last action on it
    standing : the state in a sentence, with the reason of a failure
    when : local time at which the image was made, or the study was started or added
    n_bytes : size on disk; 0 for a waiting study
    order : worklist order; None without one
    result : result with the image; None without one
    note : message about unreadable parts; empty without one
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
    note: str = ""

    @property
    def patient(self) -> str:
        """Name of the patient from the order; empty without one."""
        return self.order.name if self.order is not None else ""

    @property
    def patient_id(self) -> str:
        """ID of the patient from the order; empty without one."""
        return self.order.patient_id if self.order is not None else ""

    @property
    def examination(self) -> str:
        """Ordered examination; empty without one."""
        return self.order.what if self.order is not None else ""

    @cached_property
    def _text(self) -> str:
        accession = self.order.accession if self.order is not None else ""
        text = (
            *(self.patient, self.patient_id, accession, self.examination),
            *(self.scan, self.protocol, self.standing, f"{self.when:%Y-%m-%d %d %b %Y}"),
        )
        return " ".join(text).casefold()

    def matches(self, words: str) -> bool:
        """Return True if the line contains every word, in any order and case."""
        return all(word in self._text for word in words.casefold().split())


FILTERS: dict[str, Callable[[KnownStudy], bool]] = {
    "all": lambda each: True,
    "not signed off": lambda each: each.result is not None and each.state != "signed off",
    "not exported": lambda each: each.state in ("finished", "part"),
    "signed off": lambda each: each.state == "signed off",
    "at work": lambda each: each.state in ("running", "waiting", "paused"),
    "to look after": lambda each: each.state in ("failed", "interrupted", "part", "asking"),
}
"""Filters of the list."""
