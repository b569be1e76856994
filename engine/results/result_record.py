"""What a result says of itself beside its volume: what it is of, what made it, how it ended."""

from __future__ import annotations

from datetime import datetime
from hashlib import sha256
from typing import Literal, Self

from engine.core.json_types import Plain
from engine.core.settings import Settings, setting
from engine.data.runs.record import ENDINGS, Outcome, ProtocolIdentity, RecordedRun

RESULT_FORMAT: Literal["isocenter-result-1"] = "isocenter-result-1"


class ResultRecord(Settings):
    """One line of the list of results, as `result.json` holds it.

    Attributes
    ----------
    title : of the study, the scan by its pseudonym
    protocol : name of the protocol
    run : the record of the run; None of results from before there was one. What else is said of
        the run is taken from it, for earlier versions of the program
    outcome : how the run ended
    iteration, iterations : those behind the image, and those that were planned
    seconds : time the run took
    job : the run that made it; a resumed run is the same one
    inputs : name, size and digest of each file, by its role
    voxels : the grid in words
    digests : of the files beside, by name
    sha256 : of all else
    """

    format: Literal["isocenter-result-1"] = RESULT_FORMAT
    id: str = setting(max_length=100)
    title: str = setting(max_length=1000)
    protocol: str = setting(max_length=1000)
    modality: str = setting(max_length=100)
    run: RecordedRun | None = None
    outcome: Outcome = setting()
    iteration: float = setting(ge=0)
    iterations: int = setting(ge=1)
    created_utc: datetime = setting()
    seconds: float = setting(ge=0, unit="s")
    device: str = setting(max_length=300)
    job: str = setting(max_length=5000)
    inputs: dict[str, Plain] = setting()
    voxels: str = setting(max_length=300)
    unit: str = setting(max_length=100)
    digests: dict[str, str] = setting()
    sha256: str = setting("", max_length=64)

    def sealed(self) -> Self:
        """Return the record with its own digest."""
        return self.model_copy(update={"sha256": self._digest()})

    @property
    def is_whole(self) -> bool:
        """Whether nothing has changed since it was sealed."""
        return self.sha256 == self._digest()

    @property
    def run_record(self) -> RecordedRun:
        """The record of the run; of an old result what is known of it."""
        if self.run is not None:
            return self.run
        return RecordedRun(
            protocol=ProtocolIdentity(name=self.protocol, label=self.protocol),
            iterations_planned=self.iterations,
            iterations_done=self.iteration,
            ending=ENDINGS[self.outcome],
            device=self.device,
        )

    def to_text(self) -> str:
        """Return the text of the file: what is set, so that its digest outlives new fields."""
        return self.model_dump_json(indent=2, exclude_unset=True)

    def _digest(self) -> str:
        text = self.model_copy(update={"sha256": ""}).model_dump_json(exclude_unset=True)
        return sha256(text.encode()).hexdigest()
