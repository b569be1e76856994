"""Record of a run, one frozen value that the engine writes once.

Captions, lists, reports, provenance and `result.json` read it, and nothing else, so that all of
them agree. Results from before there was a record have one with unknown parts: None, or empty.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import Literal, Self, cast, get_args

from pydantic import ValidationError

from engine.core.json_types import Plain
from engine.core.settings import Settings, setting

CorrectionState = Literal["applied", "off", "unavailable"]
RUN_FORMAT: Literal["isocenter-run-1"] = "isocenter-run-1"
Ending = Literal["running", "done", "converged", "stopped", "aborted", "failed"]
"""How a run ended: all iterations done; the algorithm found no better image; the user stopped it
and kept the image; the user aborted it; a fault ended it."""
Quality = Literal["fast", "standard", "fine", "changed"]
"""Quality level of the protocol; "changed" if voxels or iterations are at no level."""
Outcome = Literal["finished", "ended early", "aborted", "failed"]
"""The same as an ending, in the words of `result.json`."""
OUTCOMES: dict[Ending, Outcome] = {
    "done": "finished",
    "converged": "finished",
    "stopped": "ended early",
    "aborted": "aborted",
    "failed": "failed",
}
ENDINGS: dict[Outcome, Ending] = {
    "finished": "done",
    "ended early": "stopped",
    "aborted": "aborted",
    "failed": "failed",
}
WORDS: dict[Ending, str] = {
    "running": "running",
    "done": "finished",
    "converged": "converged",
    "stopped": "stopped by the user",
    "aborted": "aborted",
    "failed": "stopped by an error",
}


class Level(StrEnum):
    """Importance of a message: a note informs, a warning asks the user to check something.

    A warning never has a green mark.
    """

    NOTE = "note"
    WARNING = "warning"


class ProtocolIdentity(Settings):
    """Protocol of a run.

    Attributes
    ----------
    name, version : as the user knows it; version None: never saved by the user
    label : its name, with a mark if its content is not the saved one
    sha256 : digest of its settings as used; empty: not known
    saved_sha256 : digest of the shipped or saved protocol; None: there is none
    changed : what differs from that one, in words
    origin : where the saved protocol is; None: nobody looked for it
    """

    name: str = setting()
    label: str = ""
    version: int | None = None
    sha256: str = ""
    saved_sha256: str | None = None
    changed: tuple[str, ...] = ()
    origin: str | None = None

    @classmethod
    def of(cls, identity: Plain) -> Self:
        """Return what `engine.protocols.study.stored_protocol.identity_of` says of a protocol."""
        known = {key: identity[key] for key in cls.model_fields if key in identity}
        return cls(**{"label": identity["name"], **known})

    def describe(self) -> str:
        """Name, version and the mark of changes: "Brain FDG, version 3 (changed)"."""
        version = f", version {self.version}" if self.version else ""
        return f"{self.name}{version}{self.label.removeprefix(self.name)}"


class RecordedCorrection(Settings):
    """A row of the list of corrections.

    Attributes
    ----------
    kind : key of the correction
    state : "applied", "off" or "unavailable"
    level : as the engine decided when it made the message
    text : what it did, or why it did nothing
    """

    kind: str = setting()
    state: CorrectionState = setting()
    level: Level = setting()
    text: str = setting()


class RecordedWarning(Settings):
    """A warning. `about` is the key of the correction that it concerns, if any."""

    text: str = setting()
    about: str = ""


class RecordedRun(Settings):
    """Record of a run, up to an image.

    Attributes
    ----------
    protocol : that it used, and what was changed in it
    quality : quality of that protocol; None: not known
    algorithm : its title; empty: not known
    iterates : True if it makes iterations; a direct algorithm makes none
    iterations_planned : passes over all the data, as fitted to the scan
    iterations_done : passes behind the image
    subsets : that were used, each number once; frames may differ; empty: not known
    fitted : why passes or subsets differ from those of the protocol, such as few counts
    frames_planned, frames_done : images of time or gates; 0 for a run that makes one image. Then
        iterations are those of one frame
    ending : how the run ended
    reason : why it ended before its last iteration, in words; empty: not known, or it did not
    resumed : how often the run went on after an interruption
    axis : where an X-ray scan turns, and how that is known; empty for others
    corrections : in the order in which they ran
    warnings : sentences, in the order in which they came
    notes : sentences of readers that only inform, likewise
    device : that it ran on; empty: not known
    """

    format: Literal["isocenter-run-1"] = RUN_FORMAT
    protocol: ProtocolIdentity = setting()
    quality: Quality | None = None
    algorithm: str = ""
    iterates: bool = True
    iterations_planned: int = setting(1, ge=0)
    iterations_done: float = setting(0.0, ge=0)
    subsets: tuple[int, ...] = ()
    fitted: str = ""
    frames_planned: int = setting(0, ge=0)
    frames_done: int = setting(0, ge=0)
    ending: Ending = "running"
    reason: str = ""
    resumed: int = setting(0, ge=0)
    axis: str = ""
    corrections: tuple[RecordedCorrection, ...] = ()
    warnings: tuple[RecordedWarning, ...] = ()
    notes: tuple[str, ...] = ()
    device: str = ""

    @classmethod
    def of(cls, provenance: Plain) -> Self | None:
        """Return the record in the provenance of an image; None where there is none."""
        try:
            return cls.model_validate(provenance["run"])
        except (KeyError, ValidationError):
            return None

    @property
    def outcome(self) -> Outcome:
        """Ending as in `result.json`; "aborted" for a run in progress."""
        return OUTCOMES.get(self.ending, "aborted")

    @property
    def is_partial(self) -> bool:
        """True if iterations or frames were left when it ended."""
        return self.outcome != "finished"

    @property
    def n_warnings(self) -> int:
        """Messages that the user should check: warnings, and corrections that are missing."""
        return len(self.warnings) + sum(each.level is Level.WARNING for each in self.corrections)

    def is_in_doubt(self, kind: str) -> bool:
        """Return True if a correction is missing or has a warning, so that it has no green mark."""
        return any(each.about == kind for each in self.warnings) or any(
            each.kind == kind and each.level is Level.WARNING for each in self.corrections
        )

    def ended(self, ending: Ending, reason: str = "") -> Self:
        """Return the record of the same run, which has ended."""
        return self.model_copy(update={"ending": ending, "reason": reason})

    def in_frames(self, done: int, planned: int) -> Self:
        """Return the record as that of a run in frames, of which so many are done."""
        return self.model_copy(update={"frames_done": done, "frames_planned": planned})

    def with_messages_of(self, provenance: Plain) -> Self:
        """Return the record with the messages in a provenance from before there were records."""
        rows = [each for each in provenance.get("corrections", []) if isinstance(each, dict)]
        warnings = [str(each) for each in provenance.get("warnings", [])]
        return self.model_copy(
            update={
                "corrections": tuple(_old_row(each) for each in rows),
                "warnings": tuple(RecordedWarning(text=each) for each in warnings),
            }
        )

    def with_correction(self, row: RecordedCorrection) -> Self:
        """Return the record with a further row of the ledger."""
        return self.model_copy(update={"corrections": (*self.corrections, row)})

    def with_warnings(self, warnings: Sequence[RecordedWarning]) -> Self:
        """Return the record with warnings that it does not hold yet, at the end."""
        new = tuple(each for each in warnings if each not in self.warnings)
        return self.model_copy(update={"warnings": (*self.warnings, *new)})

    # in words

    def describe_algorithm(self) -> str:
        """Describe the algorithm: "OSEM, 6 iterations × 8 subsets", "FDK"."""
        if not self.iterates:
            return self.algorithm
        done = plural(self.iterations_done, "iteration")
        return f"{self.algorithm or 'algorithm not recorded'}, {done}{_subsets(self.subsets)}"

    def describe_ending(self) -> str:
        """Describe the ending: "finished", "aborted at iteration 12 of 40"."""
        at, word = "", WORDS[self.ending]
        if self.frames_planned and self.frames_done < self.frames_planned:
            at = f" after frame {self.frames_done} of {self.frames_planned}"
        elif self.is_cut_short:
            at = f" at iteration {number(self.iterations_done)} of {self.iterations_planned}"
        return f"{word}{at}"

    def describe_run(self) -> str:
        """The same with interruptions and the reason: "finished, resumed once"."""
        resumed = "" if not self.resumed else f", resumed {times(self.resumed)}"
        reason = f": {self.reason.rstrip('.')}" if self.reason else ""
        return f"{self.describe_ending()}{resumed}{reason}"

    @property
    def is_cut_short(self) -> bool:
        """True if fewer iterations than planned are behind the image."""
        return self.iterates and self.iterations_done < self.iterations_planned


AT = "at "
"""Begins the words about a quality level among the changes of a protocol."""


def quality_of(identity: Plain) -> Quality | None:
    """Return the quality level of a protocol by its identity; None where nobody compared it."""
    quality, changed = identity.get("quality"), identity.get("changed") or ()
    if not quality and changed and changed[0].startswith(AT):  # "at Fine", in older studies
        quality = changed[0].removeprefix(AT).partition(":")[0].lower()
    if quality in ("fast", "standard", "fine"):
        return cast(Quality, quality)
    if changed:
        return "changed"
    return "standard" if identity.get("saved_sha256") else None


def _old_row(row: Plain) -> RecordedCorrection:
    state = row.get("state")
    is_missing = state == "unavailable"
    return RecordedCorrection(
        kind=str(row.get("kind", "")),
        state=cast(CorrectionState, state if state in get_args(CorrectionState) else "off"),
        level=Level.WARNING if is_missing else Level.NOTE,
        text=str(row.get("text", "")),
    )


def number(value: float) -> str:
    """Return a number of iterations with one digit at most: "12", "12.5"."""
    return f"{value:.1f}".removesuffix(".0")


def plural(value: float, word: str) -> str:
    """Return a number and its noun: "1 iteration", "2.5 iterations"."""
    return f"{number(value)} {word}{'' if number(value) == '1' else 's'}"


def times(n: int) -> str:
    """Return how often: "once", "3 times"."""
    return "once" if n == 1 else f"{n} times"


def _subsets(used: Sequence[int]) -> str:
    if not used or max(used) == 1:
        return ""
    span = f"{min(used)} to {max(used)}" if min(used) != max(used) else f"{used[0]}"
    return f" × {span} subsets"
