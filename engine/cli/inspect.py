"""`isocenter inspect`: describe files and their problems."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from pathlib import Path

from engine.analysis.regions.inspection import inspect_regions
from engine.cli import candidates
from engine.cli.console import Console
from engine.cli.outputs import (
    add_json,
    write_json,
)
from engine.cli.verbs import Verbs, add_verb
from engine.core.errors import DataError
from engine.core.json_types import Plain
from engine.io import Report, to_json
from engine.io.report import FORMAT
from engine.jobs.loader import for_command
from engine.modalities.inspection import inspect


def add_verbs(verbs: Verbs) -> None:
    """Add `isocenter inspect`.

    The verb reads its files in a separate process itself (`reads_apart`), so that a file that
    crashes a library still gets a report.
    """
    p = add_verb(verbs, "inspect")
    p.add_argument("files", nargs="+", type=Path, metavar="FILE", help="files or folders")
    p.add_argument(
        "--scanner",
        metavar="S",
        help="scanner name, S.toml, or a crystal map (default: that of the scan)",
    )
    add_json(p, "also write the reports as JSON")
    candidates.add_options(p)
    p.set_defaults(act=_inspect, reads_apart=True)


def _inspect(arguments: argparse.Namespace, console: Console) -> None:
    if arguments.candidates is not None:
        from engine.cli.worker_process import refuse_crashing  # only this verb with --candidates

        refuse_crashing(arguments)
        candidates.write_candidates(arguments, console)
        return
    # One process for all files: it starts again only after a crash
    loader, reports = for_command(), []
    for path in arguments.files:
        report = loader.call(_report, path, arguments.scanner, about=path)
        reports.append((path, report))
        _show(path, report, console)
    if arguments.json is not None:
        write_reports(reports, arguments.json)
    # The report states each fault; the exit code tells scripts that there is one
    faults = [fault for _, report in reports for fault in report.faults]
    if faults:
        names = ", ".join(path.name for path, report in reports if report.faults)
        raise DataError(f"{names}: not usable; the report above states why.")


def write_reports(reports: Iterable[tuple[Path, Report]], out: Path) -> None:
    """Write the reports as JSON, atomically.

    Parameters
    ----------
    reports
        files with their reports
    out
        JSON file with a list of objects: file, format, title, facts, notes, faults
    """
    write_json(to_json([_to_json(*each) for each in reports]), out)


def _report(path: Path, scanner: str | None) -> Report:
    # A region file is a TOML file too, so it is tried before protocols and studies
    return inspect_regions(path) or inspect(path, scanner=scanner)


def _show(path: Path, report: Report, console: Console) -> None:
    console.line(f"{path.name}: {report.title}")
    for label, text in report.facts:
        console.line(f"  {label + ':':22s} {text}")
    for note in report.notes:
        console.line(f"  note: {note}")
    for fault in report.faults:
        console.line(f"  FAULT: {fault}")


def _to_json(path: Path, report: Report) -> Plain:
    """Return one report as JSON values."""
    facts = dict(report.facts)
    return {
        "file": path.name,
        "format": facts.pop(FORMAT, None),
        "title": report.title,
        "facts": facts,
        "notes": report.notes,
        "faults": report.faults,
    }
