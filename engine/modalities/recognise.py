"""Recognise the purpose of a file: scan, study, protocol or auxiliary file."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from engine import io
from engine.core.errors import UnknownFormatError
from engine.data.input_role import InputRole
from engine.io import VOLUME_READERS, file_to_open, scan_file
from engine.io.any_file import format_of_scan
from engine.io.folder import is_folder
from engine.io.report import FORMAT, with_format
from engine.io.safety.open_input import open_input
from engine.io.scanners.toml_scanner import is_scanner_toml
from engine.io.text.toml_file import read_toml
from engine.modalities import MODALITIES
from engine.modalities.base import AnyModality
from engine.modalities.scan_files import ScanFiles
from engine.modalities.scan_summary import ScanSummary

Purpose = Literal["scan", "scanner", "input", "volume", "study", "protocol"]
BY_FORMAT: dict[str, Purpose] = {"Crystal efficiencies": "input", "Crystal map": "scanner"}
"""Purposes of files that only their content tells apart, by the name of their format."""


@dataclass(frozen=True)
class Recognised:
    """Purpose of a file.

    Attributes
    ----------
    purpose : purpose of the file
    modality : kind of scan, of a scan
    role : part it plays in a study, of an auxiliary file
    files : the scan that it belongs to, with all that lies beside, where its folder tells
    """

    purpose: Purpose
    modality: AnyModality | None = None
    role: InputRole | None = None
    files: ScanFiles | None = None


def purpose_of(path: Path) -> Recognised:
    """Return what a file is for; raises `EngineError` where nobody knows."""
    modality, files = gathered(path)
    if files is not None:
        key = files.role_of(path)
        role = next((each for each in all_roles() if each.key == key), None)
        return Recognised("scan", modality, role, files)
    modality = modality_of_scan(path)
    if modality is not None:
        return Recognised("scan", modality)
    with open_input(file_to_open(path)) as file:
        for role in all_roles():
            if role.accepts(file):
                return Recognised("input", role=role)
        if path.suffix.lower() == ".toml":
            return Recognised(_purpose_of_toml(path))
        if VOLUME_READERS.accepting(file) is not None:
            return Recognised("volume")
    return _by_content(path)


def gathered(path: Path) -> tuple[AnyModality | None, ScanFiles | None]:
    """Return the scan that a path stands for with all that lies beside it, and its kind.

    None and None where the folder tells nothing of that.
    """
    return MODALITIES.gathered(path) or (None, None)


def modality_of_scan(path: Path) -> AnyModality | None:
    """Return the kind of scan a file or folder is, None if it is no scan.

    A TOML file may describe an X-ray scan, so that X-rays are asked about before its content is.
    """
    path = scan_file(path)
    if is_folder(path):
        return None
    with open_input(path) as file:
        return MODALITIES.accepting(file)


def summarise(
    path: Path, scanner: str | None = None, *, complete_events: bool = False
) -> ScanSummary:
    """Read a scan of any kind whole and return what is kept of it.

    `scanner` is for scans that do not name their own, `complete_events` for those that end within a
    record. Raises `EngineError` where it is no scan.
    """
    modality = modality_of_scan(path)
    if modality is None:
        raise UnknownFormatError(why_no_scan(path))
    summary = modality.summarise(path, scanner, complete_events=complete_events)
    head = ((FORMAT, format_of_scan(path)),)
    return replace(summary, facts=with_format(head, summary.facts))


def why_no_scan(path: Path) -> str:
    """Say what a file, or a folder, is that is no scan."""
    report = io.inspect(path)
    if report.faults:
        return report.faults[0]
    return (
        f"{path.name}: this file is of type {report.format!r}, not a scan; give the "
        "file of the scan."
    )


def all_roles() -> tuple[InputRole, ...]:
    """Return every auxiliary input of any modality, each once."""
    return MODALITIES.inputs()


def _purpose_of_toml(path: Path) -> Purpose:
    if is_scanner_toml(path):
        return "scanner"
    return "study" if "data" in read_toml(path) else "protocol"


def _by_content(path: Path) -> Recognised:
    report = io.inspect(path)
    if report.format not in BY_FORMAT:
        raise UnknownFormatError(why_no_scan(path))
    purpose = BY_FORMAT[report.format]
    role = next((r for r in all_roles() if r.format == report.format), None)
    return Recognised(purpose, role=role if purpose == "input" else None)
