"""Record of a result next to its volume: scan, protocol, run and digests."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from hashlib import sha256
from sys import intern
from typing import Any, Literal, Self, TypeVar

from engine.core.json_types import Plain
from engine.core.settings import Settings, setting
from engine.data.formatting import MAX_UNIT_CHARACTERS
from engine.data.runs.record import ENDINGS, Outcome, ProtocolIdentity, RecordedRun

RESULT_FORMAT: Literal["isocenter-result-1"] = "isocenter-result-1"
SHARED_OF_RECORD = ("run", "inputs")
SHARED_OF_RUN = ("protocol", "corrections", "warnings", "notes")
"""Parts that are equal in most runs of a day."""
SHARED_TEXTS = frozenset(
    ("id", "title", "protocol", "modality", "outcome", "device", "voxels", "unit", "key", "sha256")
)
"""Texts that are equal in most runs, or also in the audit log."""
MAX_SHARED = 500

AnySettings = TypeVar("AnySettings", bound=Settings)


class ResultRecord(Settings):
    """Content of `result.json`, one line of the list of results.

    Attributes
    ----------
    title : title of the study, with the pseudonym of the scan
    protocol : name of the protocol
    run : record of the run; None for results of old versions. The other fields on the run repeat
        it for old versions of the program
    outcome : how the run ended
    iteration, iterations : number of iterations done and planned
    seconds : duration of the run
    job : name of the run; a resumed run keeps its name
    inputs : name, size and digest of each file, by role
    voxels : grid as text
    digests : digests of the other files, by name
    key : public key with which the record is signed; empty for none, and in old versions
    sha256 : digest of all other fields
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
    # The limits are generous: they only stop damaged files, and titles contain names of any length.
    job: str = setting(max_length=5000)
    inputs: dict[str, Plain] = setting()
    voxels: str = setting(max_length=300)
    unit: str = setting(max_length=MAX_UNIT_CHARACTERS)
    digests: dict[str, str] = setting()
    key: str = setting("", max_length=64)
    sha256: str = setting("", max_length=64)

    def sealed(self) -> Self:
        """Return the record with its own digest."""
        return self.model_copy(update={"sha256": self._digest()})

    @property
    def is_whole(self) -> bool:
        """True if nothing has changed since it was sealed."""
        return self.sha256 == self._digest()

    @property
    def run_record(self) -> RecordedRun:
        """Record of the run; for an old result from the other fields."""
        if self.run is not None:
            return self.run
        return RecordedRun(
            protocol=ProtocolIdentity(name=self.protocol, label=self.protocol),
            iterations_planned=self.iterations,
            iterations_done=self.iteration,
            ending=ENDINGS[self.outcome],
            device=self.device,
        )

    def compact(self) -> Self:
        """Return an equal record that shares parts with others, which saves most of its memory.

        The window holds the records of all results, and runs of a scan mostly differ in few fields.
        """
        # Only fields that are set: a copy would add the others to the text
        same: dict[str, object] = {
            name: intern(getattr(self, name)) for name in SHARED_TEXTS & self.model_fields_set
        }
        whole = self.model_copy(update={**same, "created_utc": _in_utc(self.created_utc)})
        if self.run is not None:
            run = _with_shared(self.run, SHARED_OF_RUN)
            whole = whole.model_copy(update={"run": run})
        return _with_shared(whole, SHARED_OF_RECORD)

    def to_text(self) -> str:
        """Return the text of the file, with only the fields that are set."""
        # A field that a later version adds is unset in old records and does not change the digest.
        return self.model_dump_json(indent=2, exclude_unset=True)

    def _digest(self) -> str:
        text = self.model_copy(update={"sha256": ""}).model_dump_json(exclude_unset=True)
        return sha256(text.encode()).hexdigest()


def _in_utc(moment: datetime) -> datetime:
    """Return an equal time with a shared time zone; the parser creates one for each time."""
    return moment.replace(tzinfo=UTC) if moment.utcoffset() == timedelta(0) else moment


@dataclass(frozen=True)
class _Part:
    """A part of a record, known by the digest of its text.

    Equal values can differ in which fields are set, and so in their text.
    """

    digest: bytes
    value: Any = field(compare=False)


@lru_cache(MAX_SHARED)
def _first(part: _Part) -> Any:
    """Return the value of the first part with this text."""
    return part.value


def _with_shared(model: AnySettings, names: Sequence[str]) -> AnySettings:
    values = dict(vars(model))
    for name in set(names) & model.model_fields_set:
        text = model.model_dump_json(include={name}, exclude_unset=True)
        values[name] = _first(_Part(sha256(text.encode()).digest(), values[name]))
    fields = model.model_fields_set
    fields = _first(_Part(repr(sorted(fields)).encode(), fields))
    # A copy by `model_copy` would have its own set of fields, a third of its memory.
    return type(model).model_construct(fields, **values)
