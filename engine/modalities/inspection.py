"""Inspect a file of any known kind, including studies and protocols."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from engine.core.errors import EngineError, SeveralItemsError
from engine.corrections.roles import ATTENUATION_MAP
from engine.io import Report
from engine.io import inspect as inspect_format
from engine.io.folder import is_file
from engine.io.report import FORMAT, UNKNOWN, Facts, with_format
from engine.io.safety.open_input import open_input
from engine.io.text.fact_labels import text_of
from engine.io.text.toml_file import read_toml
from engine.modalities import MODALITIES
from engine.modalities.recognise import all_roles, gathered, modality_of_scan, summarise

if TYPE_CHECKING:
    from engine.modalities.base import AnyModality
    from engine.protocols.study.protocol import Protocol


def inspect(path: Path | str, *, scanner: str | None = None) -> Report:
    """Inspect any file; problems are part of the report and not raised.

    Parameters
    ----------
    path
        file or folder
    scanner
        scanner for a scan that names none; None if it names one

    Returns
    -------
    inspect
        facts in the order in which they are shown
    """
    path = Path(path)
    # Of TOML files only the content tells scans, scanners, studies and protocols apart.
    if path.suffix.lower() != ".toml":
        return _with_companions(path) or _of_file(path, scanner)
    from engine.io.scanners.toml_scanner import is_scanner_toml

    try:
        if modality_of_scan(path) is not None or is_scanner_toml(path):
            return inspect_format(path, scanner=scanner)
        is_study = "data" in read_toml(path)
    except EngineError as e:
        return Report(UNKNOWN, "unknown format", faults=(str(e),))
    name = "Study" if is_study else "Protocol"
    try:
        found = _of_study(path) if is_study else _of_protocol(path)
    except EngineError as e:
        return Report(name, f"{name}, not usable", _head(name, path), (str(e),))
    return Report(name, found.title, _head(name, path) + found.facts, found.faults)


def _of_file(path: Path, scanner: str | None) -> Report:
    """Return the report of the file's reader; a scan without a reader has that of its summary."""
    report = inspect_format(path, scanner=scanner)
    if report.format != UNKNOWN:
        return report
    try:
        with open_input(path) as file:
            modality = MODALITIES.with_own_format(file)
    except EngineError:
        return report
    return report if modality is None else _of_own_format(path, modality)


def _of_own_format(path: Path, modality: AnyModality) -> Report:
    """Return the report on a scan whose format only its modality knows."""
    title = modality.title
    try:
        scan = summarise(path)
    except EngineError as e:
        return Report(title, f"{title}, unusable", ((FORMAT, title),), (str(e),))
    with open_input(path) as file:
        head = ((FORMAT, title), ("Size", f"{file.size:,} bytes"))
    facts = with_format(head, scan.facts)
    return Report(title, scan.text, facts, (scan.fault,) if scan.fault else (), scan.notes)


def _with_companions(path: Path) -> Report | None:
    """Return the report of the scan that a path belongs to, and the role of each file."""
    try:
        _, files = gathered(path)
    except SeveralItemsError:
        # Several scans in a folder are not an error here; the general report lists them.
        return None
    except EngineError as e:
        return Report(UNKNOWN, "several scans", faults=(str(e),))
    if files is None:
        return None
    # A μ-map is also a volume of its own, so its own facts are shown.
    if files.role_of(path) == ATTENUATION_MAP.key:
        note = f"This file belongs to {files.data.name}."
        report = inspect_format(path)
        return replace(report, notes=(*report.notes, note))
    report = _of_file(files.data, None)  # its format can be known to its modality only
    titles = {role.key: role.title for role in all_roles()}
    # Titles, because keys such as "mu-map" are not shown to users.
    file_facts = tuple((titles[key], file.name) for key, file in files.inputs.items())
    facts = (("Counts from", files.data.name), *report.facts, *file_facts)
    return replace(report, facts=facts, notes=(*report.notes, *files.notes))


def _head(name: str, path: Path) -> tuple[tuple[str, str], ...]:
    """Return the first facts: format and size."""
    with open_input(path) as file:
        return (FORMAT, f"Isocenter {name.lower()} (TOML)"), ("Size", f"{file.size:,} bytes")


def _of_protocol(path: Path) -> Report:
    # Scans and images need no settings.
    from engine.modalities.protocol_identity import identified
    from engine.modalities.studies import read_protocol
    from engine.protocols.study.stored_protocol import version_text

    protocol = read_protocol(path)
    facts = (
        ("Name", version_text(identified(protocol))),
        ("Algorithm", text_of(protocol.algorithm.model_dump())),
        *_error_facts(protocol),
    )
    return Report("Protocol", f"protocol {protocol.name!r}", facts)


def _error_facts(protocol: Protocol) -> Facts:
    """Return the requested replicates; X-ray protocols have no such setting."""
    from engine.data.error_map import METHODS  # few protocols request errors

    asked = protocol.model_dump(include={"error_replicates", "error_method", "error_seed"})
    if (n := asked.get("error_replicates")) is None:
        return ()
    text = f"{n} {METHODS[asked['error_method']]}"
    seed = asked["error_seed"]
    return (("Error map", text if seed is None else f"{text} (seed {seed})"),)


def _of_study(path: Path) -> Report:
    from engine.modalities.protocol_identity import identified
    from engine.modalities.studies import read_study
    from engine.protocols.study.stored_protocol import version_text

    study = read_study(path)
    titles = {role.key: role.title for role in all_roles()} | {"data": "Scan"}
    # A scanner that is given by name is not a file, so it has a line of its own below.
    used = {titles[key]: file for key, file in study.files.items() if key in titles}
    facts = [(title, str(file)) for title, file in used.items()]
    facts += [
        ("Scanner", study.scanner or "as recorded in the scan"),
        ("Protocol", version_text(identified(study.protocol))),
        *_error_facts(study.protocol),
    ]
    # Missing files are reported, but the rest of the study is still shown.
    faults = tuple(
        f"{path.name}: {title.lower()} file {file} is missing; correct the path in the study."
        for title, file in used.items()
        if not is_file(file)
    )
    return Report("Study", f"study of {study.data.name}", tuple(facts), faults)
