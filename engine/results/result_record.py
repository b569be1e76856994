"""What a result says of itself beside its volume: what it is of, what made it, how it ended."""

from __future__ import annotations

from datetime import datetime
from hashlib import sha256
from typing import Literal, Self

from engine.plain import Plain
from engine.settings import Settings, setting

Outcome = Literal["finished", "ended early", "aborted", "failed"]
WORDS: dict[Outcome, str] = {
    "finished": "finished",
    "ended early": "ended early",
    "aborted": "aborted",
    "failed": "stopped by a fault",
}


class ResultRecord(Settings):
    """One line of the list of results, as `result.json` holds it.

    Attributes
    ----------
    title : of the study, the scan by its pseudonym
    protocol : name of the protocol
    outcome : how the run ended
    iteration, iterations : those behind the image, and those of the protocol
    seconds : time the run took
    job : the run that made it; a resumed run is the same one
    inputs : name, size and digest of each file, by its role
    voxels : the grid in words
    digests : of the files beside, by name
    sha256 : of all else
    """

    format: Literal["isocenter-result-1"] = "isocenter-result-1"
    id: str = setting(max_length=100)
    title: str = setting(max_length=1000)
    protocol: str = setting(max_length=1000)
    modality: str = setting(max_length=100)
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
    def is_partial(self) -> bool:
        """Whether iterations were left when it ended."""
        return self.outcome != "finished"

    @property
    def ending(self) -> str:
        """How the run ended, in words: "aborted at iteration 12 of 40"."""
        word = WORDS[self.outcome]
        if not self.is_partial:
            return word
        at = f"{self.iteration:.1f}".removesuffix(".0")
        return f"{word} at iteration {at} of {self.iterations}"

    def _digest(self) -> str:
        text = self.model_copy(update={"sha256": ""}).model_dump_json()
        return sha256(text.encode()).hexdigest()
