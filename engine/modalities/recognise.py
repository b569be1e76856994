"""Recognise the purpose of a file: scan, study, protocol or auxiliary file."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from engine import io
from engine.core.errors import UnknownFormatError
from engine.io import VOLUME_READERS, file_to_open, scan_file
from engine.io.folder import is_folder
from engine.io.safety.open_input import open_input
from engine.io.text.toml_file import read_toml
from engine.modalities import MODALITIES

if TYPE_CHECKING:
    from engine.data.input_role import InputRole
    from engine.modalities.base import AnyModality
    from engine.modalities.scan_files import ScanFiles
    from engine.modalities.scan_summary import ScanSummary

Purpose = Literal["scan", "scanner", "input", "volume", "study", "protocol"]
BY_FORMAT: dict[str, Purpose] = {"Crystal efficiencies": "input", "Crystal map": "scanner"}
"""Purposes of files that only their content distinguishes, by the name of their format."""


@dataclass(frozen=True)
class Recognised:
    """Purpose of a file.

    Attributes
    ----------
    purpose : purpose of the file
    modality : modality, for a scan
    role : role in a study, for an auxiliary file
    files : scan that the file belongs to, with its adjacent files, if the folder shows it
    """

    purpose: Purpose
    modality: AnyModality | None = None
    role: InputRole | None = None
    files: ScanFiles | None = None


def purpose_of(path: Path) -> Recognised:
    """Return the purpose of a file.

    Parameters
    ----------
    path
        file or folder

    Raises
    ------
    EngineError
        if no reader recognises it
    """
    # The folder first: a normalisation next to a scan is opened together with that scan.
    modality, files = gathered(path)
    # Files next to a scan have a role by their names, without being opened.
    if files is not None:
        key = files.role_of(path)
        role = next((each for each in all_roles() if each.key == key), None)
        return Recognised("scan", modality, role, files)
    # Scans before auxiliary files: a sinogram can be either, and opening a scan is the usual aim.
    modality = modality_of_scan(path)
    if modality is not None:
        return Recognised("scan", modality)
    with open_input(file_to_open(path)) as file:
        for role in all_roles():
            if role.accepts(file):
                return Recognised("input", role=role)
        if path.suffix.lower() == ".toml":
            return Recognised(_purpose_of_toml(path))
        # Volumes last, because a μ-map is a volume too.
        if VOLUME_READERS.accepting(file) is not None:
            return Recognised("volume")
    return _by_content(path)


def gathered(path: Path) -> tuple[AnyModality | None, ScanFiles | None]:
    """Return the scan that a path belongs to with all adjacent files, and its modality.

    Parameters
    ----------
    path
        file or folder

    Returns
    -------
    gathered
        (None, None) if the folder shows no such scan
    """
    return MODALITIES.gathered(path) or (None, None)


def modality_of_scan(path: Path) -> AnyModality | None:
    """Return the modality of a file or folder; None if it is not a scan.

    A TOML file can describe an X-ray scan, so X-rays are tested before the content of the file.
    """
    path = scan_file(path)
    # Still a folder: scan_file() found no scan in it.
    if is_folder(path):
        return None
    with open_input(path) as file:
        return MODALITIES.accepting(file)


def summarise(
    path: Path, scanner: str | None = None, *, complete_events: bool = False
) -> ScanSummary:
    """Read a whole scan of any modality and return its summary.

    Parameters
    ----------
    path
        the scan
    scanner
        scanner for a scan that names none; None if it names one
    complete_events
        True to use the complete events of list mode that ends within a record

    Raises
    ------
    UnknownFormatError
        if the file is not a scan
    """
    # A run reads its scan without a summary.
    from engine.io.any_file import format_of_scan
    from engine.io.report import FORMAT, with_format

    modality = modality_of_scan(path)
    if modality is None:
        raise UnknownFormatError(why_no_scan(path))
    summary = modality.summarise(path, scanner, complete_events=complete_events)
    # a scan whose format is in no table of `engine.io` has the name of its modality
    head = ((FORMAT, format_of_scan(path) or modality.title),)
    return replace(summary, facts=with_format(head, summary.facts))


def why_no_scan(path: Path) -> str:
    """Return why a file or folder is not a scan, as a sentence.

    Parameters
    ----------
    path
        file or folder
    """
    report = io.inspect(path)
    if report.faults:
        return report.faults[0]
    return (
        f"{path.name}: this file is of type {report.format!r}, not a scan; open the "
        "file of the scan."
    )


# Lazy: asks the entries, so no modality is loaded.
def all_roles() -> tuple[InputRole, ...]:
    """Return every auxiliary input of any modality, without duplicates."""
    return MODALITIES.inputs()


def _purpose_of_toml(path: Path) -> Purpose:
    from engine.io.scanners.toml_scanner import is_scanner_toml

    # A scanner file has no scan, a study names one: the key `data` decides.
    if is_scanner_toml(path):
        return "scanner"
    return "study" if "data" in read_toml(path) else "protocol"


def _by_content(path: Path) -> Recognised:
    report = io.inspect(path)
    # Crystal maps and efficiencies are HDF5 or text; only their content tells them apart.
    if report.format not in BY_FORMAT:
        raise UnknownFormatError(why_no_scan(path))
    purpose = BY_FORMAT[report.format]
    role = next((r for r in all_roles() if r.format == report.format), None)
    return Recognised(purpose, role=role if purpose == "input" else None)
