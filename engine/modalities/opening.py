"""Open a file: find its purpose, and return its summary.

Nothing else is needed to show a study before it runs; each function raises `EngineError` with one
sentence where the file cannot be used.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from engine.core.errors import DataError
from engine.data.timing.time_frames import FrameVolume
from engine.data.volume import Volume
from engine.geometry.scanner import Scanner
from engine.io import scan_file
from engine.io.folder import is_file
from engine.modalities.recognise import all_roles, summarise
from engine.modalities.scan_summary import ScanSummary


@dataclass(frozen=True)
class AuxiliaryFile:
    """Summary of an auxiliary file.

    Attributes
    ----------
    text : description
    content : summary by its role
    """

    text: str
    content: object


def scan_at(path: Path, scanner: str | None = None, complete_events: bool = False) -> ScanSummary:
    """Read a scan whole; one that cannot be reconstructed is refused."""
    scan = summarise(path, scanner, complete_events=complete_events)
    if scan.fault:
        raise DataError(scan.fault)
    return scan


def auxiliary_at(path: Path, key: str, scanner: Scanner) -> AuxiliaryFile:
    """Read the file of a role for a scanner."""
    role = next(each for each in all_roles() if each.key == key)
    content = role.read(path, scanner)
    return AuxiliaryFile(role.describe(content), role.summary(content))


def volume_at(path: Path, keys: tuple[str, ...] = ()) -> Volume | str:
    """Read a volume, or return which of the roles it is meant for."""
    from engine.io import read_volume

    volume = read_volume(path)
    roles = (role for role in all_roles() if role.key in keys)
    return next((role.key for role in roles if role.takes_volume(volume)), volume)


def frames_at(path: Path) -> tuple[FrameVolume, ...]:
    """Read the frames of time of a volume; none of files, or folders, that hold one image."""
    from engine.io import read_frames

    found = scan_file(path)
    return read_frames(found) if is_file(found) else ()
