"""`isocenter inspect`: what a file is and what is wrong with it."""

from __future__ import annotations

import argparse
from pathlib import Path

from engine.cli import candidates
from engine.cli.console import Console
from engine.cli.reading_apart import refuse_crashing
from engine.cli.verbs import Verbs, add_verb
from engine.errors import DataError
from engine.io import Report
from engine.jobs.loader import for_command
from engine.modalities.inspection import inspect


def add_verbs(verbs: Verbs) -> None:
    """Add the verb of this file."""
    p = add_verb(verbs, "inspect")
    p.add_argument("files", nargs="+", type=Path, metavar="FILE")
    p.add_argument("--scanner", metavar="S", help="scanner name, S.toml, or a crystal map")
    candidates.add_options(p)
    p.set_defaults(act=_inspect, reads_apart=True)


def _inspect(arguments: argparse.Namespace, console: Console) -> None:
    if arguments.candidates is not None:
        refuse_crashing(arguments)
        candidates.write_candidates(arguments, console)
        return
    faulty = []
    loader = for_command()
    for path in arguments.files:
        report = loader.call(_report, path, arguments.scanner, about=path)
        console.line(f"{path.name}: {report.title}")
        for label, text in report.facts:
            console.line(f"  {label + ':':22s} {text}")
        for note in report.notes:
            console.line(f"  note: {note}")
        for fault in report.faults:
            console.line(f"  FAULT: {fault}")
        if report.faults:
            faulty.append(report.faults[0])
    if faulty:
        raise DataError(faulty[0])


def _report(path: Path, scanner: str | None) -> Report:
    return inspect(path, scanner=scanner)
