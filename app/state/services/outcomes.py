"""What reading for the user comes to: another study, one more input, a volume to look at."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from app.state.models.inputs import Input, Inputs
from engine.data import FrameVolume, Volume
from engine.modalities import Protocol


@dataclass(frozen=True)
class NewStudy:
    """Another scan with all that belongs to it.

    Attributes
    ----------
    refused : sentences on inputs, kept or beside the scan, that were left out
    """

    inputs: Inputs
    path: Path
    protocol: Protocol | None = None
    refused: tuple[str, ...] = ()


@dataclass(frozen=True)
class Revision:
    """The same scan, read for another scanner."""

    inputs: Inputs


@dataclass(frozen=True)
class Addition:
    """One more input of the study."""

    role: str
    found: Input


@dataclass(frozen=True)
class LoadedVolume:
    """A volume that is only looked at, with the name of its format."""

    volume: Volume
    path: Path
    frames: tuple[FrameVolume, ...] = ()
    format: str = ""


@dataclass(frozen=True)
class Choice:
    """A protocol to use."""

    protocol: Protocol


Outcome = NewStudy | Revision | Addition | LoadedVolume | Choice


@dataclass(frozen=True)
class Wanted:
    """The files of a study to read.

    Attributes
    ----------
    scanner : the chosen one; None as the scan says
    given : auxiliary files by role
    is_whole : whether nothing that is kept may be added
    complete_events : use what is complete of list mode that ends within a record
    """

    data: Path
    scanner: str | None = None
    given: Mapping[str, str] = field(default_factory=dict)
    protocol: Protocol | None = None
    is_whole: bool = False
    complete_events: bool = False
