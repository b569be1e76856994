"""`isocenter report`: a result as a report, and signing it off."""

from __future__ import annotations

import argparse
from pathlib import Path

from engine.analysis.quality.quality_report import FORMAT
from engine.cli.console import Console
from engine.cli.outputs import Output, add_force
from engine.cli.verbs import Verbs, add_verb
from engine.core.errors import FileFormatError, SettingsError
from engine.core.json_types import Plain
from engine.io.dicom.patient_identity import whose_image
from engine.io.dicom.subject import Subject
from engine.io.safety.open_input import read_text
from engine.io.text.json_text import from_json
from engine.results import Results
from engine.results.reports.building import report_of
from engine.results.reports.signature import JUDGEMENTS, sign
from engine.results.reports.site import Site
from engine.results.reports.subject import ReportSubject
from engine.results.reports.writing import KINDS, ending_of_report, write_report

MOST_BYTES = 1 << 24


def add_verbs(verbs: Verbs) -> None:
    """Add the verb of this file."""
    p = add_verb(verbs, "report")
    p.add_argument("result", metavar="RESULT", help="one that `isocenter results` lists")
    p.add_argument(
        "-o", "--output", type=Path, required=True, action=Output, metavar="OUT",
        help=f"its ending says the format: {', '.join(KINDS)}",
    )  # fmt: skip
    p.add_argument("--full", action="store_true", help="all that is known, not one page")
    p.add_argument(
        "--quality",
        type=Path,
        metavar="FILE",
        help="JSON that `isocenter quality` wrote",
    )
    p.add_argument(
        "--regions", type=Path, metavar="R.toml",
        help="regions of the scan, measured in the image; those beside the image if left out",
    )  # fmt: skip
    p.add_argument("--sign", metavar="WHO", help="sign the result off under this name first")
    p.add_argument(
        "--judgement", choices=JUDGEMENTS, default=JUDGEMENTS[0], help="with --sign; acceptable"
    )
    p.add_argument("--remark", default="", help="with --sign: a sentence")
    p.add_argument(
        "--like", type=Path, metavar="FILE",
        help="DICOM: an image of the same patient, to whose study the report belongs, or an order "
        "of the worklist; that of the result, else by pseudonyms if left out",
    )  # fmt: skip
    add_force(p)
    p.set_defaults(act=_report)


def _report(arguments: argparse.Namespace, console: Console) -> None:
    ending_of_report(arguments.output)
    site, quality = Site.read(), _quality(arguments.quality)
    results = Results()
    result = results.open(arguments.result)
    # no fault comes after the signing
    subject = ReportSubject.read(result, site, quality, arguments.regions)
    whose = _whose(arguments.like, subject, console)
    if arguments.sign is not None:
        made = sign(result, arguments.sign, arguments.judgement, arguments.remark)
        console.line(f"Signed off: {made.describe()}")
    elif arguments.remark:
        raise SettingsError("--remark goes with --sign WHO.")
    subject = ReportSubject.read(result, site, quality, arguments.regions)
    report = report_of(subject, full=arguments.full)
    write_report(report, subject, arguments.output, whose)
    console.line(f"Report: {arguments.output}")


def _quality(path: Path | None) -> Plain:
    if path is None:
        return {}
    try:
        found = from_json(read_text(path, MOST_BYTES))
    except ValueError as e:
        raise FileFormatError(f"{path.name}: not the JSON of `isocenter quality` ({e}).") from e
    if found.get("format") != FORMAT:
        raise FileFormatError(
            f"{path.name}: not written by `isocenter quality`; make it with that."
        )
    return found


def _whose(path: Path | None, of: ReportSubject, console: Console) -> Subject | None:
    """Return the patient that --like names, said to the user."""
    if path is None:
        return None
    subject = whose_image(path, of.volume, of.provenance)
    console.line("Patient: {PatientName}, {PatientID}".format(**subject.attributes))
    return subject
