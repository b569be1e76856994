"""Record of a run: one frozen value that the engine writes once.

Captions, lists, reports, provenance and `result.json` read only this record, so that all of them
agree. Results made before the record existed have one with unknown parts: None or empty.
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
"""How a run ended: "done" after all iterations; "converged"; "stopped" by the user, who
kept the image; "aborted" by the user; "failed" after an error."""
Quality = Literal["fast", "standard", "fine", "changed"]
"""Quality level of the protocol; "changed" if voxels or iterations are at no level."""
Outcome = Literal["finished", "ended early", "aborted", "failed"]
"""The ending in the terms of `result.json`."""
OUTCOMES: dict[Ending, Outcome] = {
    "done": "finished",
    "converged": "finished",
    "stopped": "ended early",
    "aborted": "aborted",
    "failed": "failed",
}
# Not the inverse of OUTCOMES: "finished" does not tell whether the algorithm converged.
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
    name, version : as displayed; version None: never saved by the user
    label : its name, with a mark if its content is not the saved one
    sha256 : digest of the settings in use; empty: not known
    saved_sha256 : digest of the shipped or saved protocol; None: there is none
    changed : differences from the saved protocol, in words
    origin : place of the saved protocol; None: not searched
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
        """Return the identity of a protocol as a record.

        Parameters
        ----------
        identity
            from `engine.protocols.study.stored_protocol.identity_of`; unknown keys are ignored
        """
        known = {key: identity[key] for key in cls.model_fields if key in identity}
        return cls(**{"label": identity["name"], **known})

    def describe(self) -> str:
        """Return name, version and change mark: "Brain FDG, version 3 (changed)"."""
        version = f", version {self.version}" if self.version else ""
        return f"{self.name}{version}{self.label.removeprefix(self.name)}"


class RecordedCorrection(Settings):
    """A row of the list of corrections.

    Attributes
    ----------
    kind : key of the correction
    state : "applied", "off" or "unavailable"
    level : as the engine decided with the message
    text : its result, or the reason why it was not applied
    """

    kind: str = setting()
    state: CorrectionState = setting()
    level: Level = setting()
    text: str = setting()


class RecordedWarning(Settings):
    """A warning.

    Attributes
    ----------
    text : sentence for the user
    about : key of the correction that it concerns; empty if there is none
    is_assumption : True if the run assumed a value of the scan that changes the image
    """

    text: str = setting()
    about: str = ""
    is_assumption: bool = False


class RecordedRun(Settings):
    """Record of a run, up to an image.

    Attributes
    ----------
    protocol : protocol of the run, with its changes
    quality : quality level of that protocol; None: not known
    algorithm : title of the algorithm; empty: not known
    iterates : True if it makes iterations; a direct algorithm makes none
    iterations_planned : planned passes over all data, fitted to the scan
    may_end_early : True if that number is a maximum, because the algorithm can end by itself
    iterations_done : completed passes; a fraction if it ended within one
    subsets : numbers of subsets, each once, because frames can differ; empty: not known
    fitted : reason if passes or subsets differ from the protocol, such as few counts
    frames_planned, frames_done : images of time frames or gates; 0 for one image. With frames,
        iterations are those of one frame
    ending : how the run ended
    reason : why it ended before its last iteration; empty: not known, or it did not
    resumed : number of continuations after an interruption
    axis : rotation axis of an X-ray scan and its origin; empty for other scans
    corrections : in the order of the run
    warnings : sentences, in order of appearance
    notes : sentences that only inform, in order of appearance
    device : device of the run; empty: not known
    """

    format: Literal["isocenter-run-1"] = RUN_FORMAT
    protocol: ProtocolIdentity = setting()
    quality: Quality | None = None
    algorithm: str = ""
    iterates: bool = True
    iterations_planned: int = setting(1, ge=0)
    may_end_early: bool = False
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
        """Return the record in the provenance of an image.

        Parameters
        ----------
        provenance
            provenance of the image

        Returns
        -------
        the record; None if there is none or it is invalid
        """
        try:
            return cls.model_validate(provenance["run"])
        # Images of older versions have no record; their other provenance is still useful.
        except (KeyError, ValidationError):
            return None

    @property
    def outcome(self) -> Outcome:
        """Ending as in `result.json`; "aborted" for a run in progress."""
        return OUTCOMES.get(self.ending, "aborted")

    @property
    def is_partial(self) -> bool:
        """True if iterations or frames are missing."""
        return self.outcome != "finished"

    @property
    def n_warnings(self) -> int:
        """Number of messages that the user should check: warnings and missing corrections."""
        return len(self.missing_corrections) + len(self.different_warnings)

    @property
    def missing_corrections(self) -> dict[str, str]:
        """Reasons for corrections that the data needed and that were not applied, by their keys."""
        return {each.kind: each.text for each in self.corrections if each.level is Level.WARNING}

    @property
    def different_warnings(self) -> tuple[str, ...]:
        """Sentences of the warnings, each once; several corrections can cause the same one."""
        return tuple(dict.fromkeys(each.text for each in self.warnings))

    def is_in_doubt(self, kind: str) -> bool:
        """Return True if a correction is missing or has a warning; it then has no green mark.

        Parameters
        ----------
        kind
            key of the correction
        """
        return any(each.about == kind for each in self.warnings) or any(
            each.kind == kind and each.level is Level.WARNING for each in self.corrections
        )

    def ended(self, ending: Ending, reason: str = "") -> Self:
        """Return the record of a run that has ended.

        Parameters
        ----------
        ending
            how it ended
        reason
            why it ended early, in words; empty if it did not
        """
        return self.model_copy(update={"ending": ending, "reason": reason})

    def in_frames(self, done: int, planned: int) -> Self:
        """Return the record as that of a run in frames.

        Parameters
        ----------
        done
            finished frames
        planned
            planned frames
        """
        return self.model_copy(update={"frames_done": done, "frames_planned": planned})

    def with_messages_of(self, provenance: Plain) -> Self:
        """Return the record with the messages of an older provenance without a record.

        Parameters
        ----------
        provenance
            with "corrections" and "warnings" as lists
        """
        # Old files can contain anything here; entries of another type are skipped.
        rows = [each for each in provenance.get("corrections", []) if isinstance(each, dict)]
        warnings = [str(each) for each in provenance.get("warnings", [])]
        return self.model_copy(
            update={
                "corrections": tuple(_old_row(each) for each in rows),
                "warnings": tuple(RecordedWarning(text=each) for each in warnings),
            }
        )

    def with_correction(self, row: RecordedCorrection) -> Self:
        """Return the record with one more correction."""
        return self.model_copy(update={"corrections": (*self.corrections, row)})

    def with_warnings(self, warnings: Sequence[RecordedWarning]) -> Self:
        """Return the record with more warnings; those that it already has are skipped."""
        # A resumed run repeats the warnings of its preparation.
        new = tuple(each for each in warnings if each not in self.warnings)
        return self.model_copy(update={"warnings": (*self.warnings, *new)})

    # in words

    def describe_algorithm(self) -> str:
        """Describe the algorithm: "OSEM, 6 iterations × 8 subsets", "FDK"."""
        if not self.iterates:
            return self.algorithm
        # Older results do not name their algorithm.
        n = number(self.iterations_done)
        done = "1 iteration" if n == "1" else f"{n} iterations"
        return f"{self.algorithm or 'algorithm not recorded'}, {done}{_subsets(self.subsets)}"

    def describe_ending(self) -> str:
        """Describe the ending: "finished", "aborted at iteration 12 of 40"."""
        # Frames come before iterations: a missing frame matters more than an unfinished one.
        at, word = "", WORDS[self.ending]
        if self.frames_planned and self.frames_done < self.frames_planned:
            at = f" after frame {self.frames_done} of {self.frames_planned}"
        elif self.is_cut_short:
            at = f" at iteration {number(self.iterations_done)} of {self.words_of_planned}"
        return f"{word}{at}"

    def describe_run(self) -> str:
        """Return the ending with interruptions and the reason: "finished, resumed once"."""
        resumed = "" if not self.resumed else f", resumed {times(self.resumed)}"
        reason = f": {self.reason.rstrip('.')}" if self.reason else ""
        return f"{self.describe_ending()}{resumed}{reason}"

    @property
    def words_of_planned(self) -> str:
        """Planned iterations in words: "20"; "at most 20" if the algorithm can end by itself."""
        return f"{'at most ' if self.may_end_early else ''}{self.iterations_planned}"

    @property
    def is_cut_short(self) -> bool:
        """True if the image has fewer iterations than planned."""
        return self.iterates and self.iterations_done < self.iterations_planned


AT = "at "
"""Beginning of the entry about a quality level in the changes of a protocol."""


def quality_of(identity: Plain) -> Quality | None:
    """Return the quality level of a protocol from its identity.

    Parameters
    ----------
    identity
        from `engine.protocols.study.stored_protocol.identity_of`

    Returns
    -------
    "changed" if voxels or iterations match no level; None if the protocol was never compared
    """
    quality, changed = identity.get("quality"), identity.get("changed") or ()
    if not quality and changed and changed[0].startswith(AT):  # "at Fine", in older studies
        quality = changed[0].removeprefix(AT).partition(":")[0].lower()
    if quality in ("fast", "standard", "fine"):
        return cast(Quality, quality)
    if changed:
        return "changed"
    # No change from a saved protocol: saved protocols are at the standard level.
    return "standard" if identity.get("saved_sha256") else None


def _old_row(row: Plain) -> RecordedCorrection:
    state = row.get("state")
    is_missing = state == "unavailable"
    return RecordedCorrection(
        kind=str(row.get("kind", "")),
        # Unknown states of old files count as off, so that no green mark appears by mistake.
        state=cast(CorrectionState, state if state in get_args(CorrectionState) else "off"),
        level=Level.WARNING if is_missing else Level.NOTE,
        text=str(row.get("text", "")),
    )


def number(value: float) -> str:
    """Return a number of iterations with at most one decimal: "12", "12.5"."""
    return f"{value:.1f}".removesuffix(".0")


def times(n: int) -> str:
    """Return a number of repetitions: "once", "3 times"."""
    return "once" if n == 1 else f"{n} times"


def _subsets(used: Sequence[int]) -> str:
    if not used or max(used) == 1:
        return ""
    span = f"{min(used)} to {max(used)}" if min(used) != max(used) else f"{used[0]}"
    return f" × {span} subsets"
