"""Results of reading a file: another study, an additional input, a volume or a protocol."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from app.state.models.inputs import Input, Inputs
from engine.data import FrameVolume, Volume
from engine.modalities import Protocol


@dataclass(frozen=True)
class NewStudy:
    """Another scan with its inputs.

    Attributes
    ----------
    inputs : all files of the study
    path : file that was opened, for the list of recent files
    protocol : protocol of a study file; None if it has none
    refused : sentences about inputs, saved or next to the scan, that were left out
    changed : names of files that are not those that the study was saved with
    """

    inputs: Inputs
    path: Path
    protocol: Protocol | None = None
    refused: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()


@dataclass(frozen=True)
class Revision:
    """The same scan, read again for another scanner."""

    inputs: Inputs


@dataclass(frozen=True)
class Addition:
    """One additional input of the study."""

    role: str
    found: Input


@dataclass(frozen=True)
class LoadedVolume:
    """A volume that is only displayed, with the name of its format."""

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
    data : the scan
    scanner : the chosen scanner; None for the one that the scan names
    given : auxiliary files by role
    protocol : protocol of a study file; None if it has none
    is_whole : True if no saved inputs may be added
    complete_events : True to use the complete part of truncated list mode
    fingerprints : fingerprints of the files that the settings are for, by role
    may_differ : True if other files are reported in `NewStudy.changed`; False: they are refused
    """

    data: Path
    scanner: str | None = None
    # Paths as text: the worker process reads them, and scanners are names.
    given: Mapping[str, str] = field(default_factory=dict)
    protocol: Protocol | None = None
    is_whole: bool = False
    complete_events: bool = False
    fingerprints: Mapping[str, str] = field(default_factory=dict)
    may_differ: bool = False
