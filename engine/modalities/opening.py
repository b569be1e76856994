"""Open a file: find its purpose, and return its summary.

Nothing else is needed to show a study before it runs. Each function raises `EngineError` with one
sentence if a file cannot be used.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from engine.core.errors import DataError
from engine.data.timing.time_frames import FrameVolume
from engine.data.volume import Volume
from engine.geometry.scanner import Scanner
from engine.io import scan_file
from engine.io.folder import is_file
from engine.io.input_files import links_behind
from engine.io.scan_fingerprint import (
    WatchedScan,
    fingerprint_of,
    is_scan_of,
    lacks_linked_files,
)
from engine.modalities.recognise import all_roles, summarise
from engine.modalities.scan_summary import ScanSummary


@dataclass(frozen=True)
class AuxiliaryFile:
    """Summary of an auxiliary file.

    Attributes
    ----------
    text : description
    content : summary by its role
    fingerprint : fingerprint of the file that was read; empty for files of a scanner
    """

    text: str
    content: object
    fingerprint: str = ""


def scan_at(path: Path, scanner: str | None = None, complete_events: bool = False) -> ScanSummary:
    """Read a whole scan; refuse one that cannot be reconstructed.

    Parameters
    ----------
    path
        the scan, or a folder with one scan
    scanner
        scanner for a scan that names none; None if it names one
    complete_events
        True to use the complete events of truncated list mode

    Raises
    ------
    DataError
        if the scan cannot be reconstructed, as its summary states, or was changed meanwhile
    """
    file = scan_file(path)
    watched = WatchedScan(file)
    scan = summarise(file, scanner, complete_events=complete_events)
    # A fault is known only after reading, for example NaN in the projections.
    if scan.fault:
        raise DataError(scan.fault)
    return replace(scan, fingerprint=watched.fingerprint(), linked=tuple(links_behind(file)))


def fingerprint_at(path: Path) -> str:
    """Return the fingerprint that `scan_at` would find for a scan.

    Parameters
    ----------
    path
        the scan, or a folder with one scan
    """
    return fingerprint_of(scan_file(path))


def is_scan_at(path: Path, fingerprint: str) -> bool:
    """Return True if a scan has a fingerprint, also one that an earlier version wrote.

    Parameters
    ----------
    path
        the scan, or a folder with one scan
    fingerprint
        fingerprint in a tracer file
    """
    return is_scan_of(scan_file(path), fingerprint)


def lacks_linked_files_at(path: Path, fingerprint: str) -> bool:
    """Return True if a fingerprint differs because it lacks files that a scan refers to.

    Parameters
    ----------
    path
        the scan, or a folder with one scan
    fingerprint
        fingerprint that differs from that of the scan
    """
    return lacks_linked_files(scan_file(path), fingerprint)


def auxiliary_at(path: Path, key: str, scanner: Scanner) -> AuxiliaryFile:
    """Read the auxiliary file of a role.

    Parameters
    ----------
    path
        the file
    key
        key of the role
    scanner
        scanner of the study
    """
    # The key comes from this program, so a missing role would be an internal error.
    role = next(each for each in all_roles() if each.key == key)
    # Files of a scanner serve every patient, so they need none.
    watched = None if role.of_scanner else WatchedScan(scan_file(path))
    content = role.read(path, scanner)
    fingerprint = "" if watched is None else watched.fingerprint()
    # Contents can be large; the window stores only the displayed part.
    return AuxiliaryFile(role.describe(content), role.summary(content), fingerprint)


def volume_at(path: Path, keys: tuple[str, ...] = ()) -> Volume | str:
    """Read a volume, or return the role that it is meant for.

    Parameters
    ----------
    path
        image file
    keys
        keys of the roles that the open study has
    """
    from engine.io import read_volume

    volume = read_volume(path)
    roles = (role for role in all_roles() if role.key in keys)
    # A μ-map that is dropped on the window belongs to the study, not to the viewer.
    return next((role.key for role in roles if role.takes_volume(volume)), volume)


def frames_at(path: Path) -> tuple[FrameVolume, ...]:
    """Read the frames of a volume.

    Parameters
    ----------
    path
        file, or folder of DICOM slices

    Returns
    -------
    frames_at
        empty for a single image
    """
    from engine.io import read_frames

    found = scan_file(path)
    return read_frames(found) if is_file(found) else ()
