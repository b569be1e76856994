"""`isocenter report`: write a report of a result, and sign the result."""

from __future__ import annotations

import argparse
from pathlib import Path

from engine.analysis.quality.quality_report import FORMAT
from engine.cli.console import Console
from engine.cli.outputs import add_force, add_output
from engine.cli.parser import needs
from engine.cli.verbs import Verbs, add_verb
from engine.core.errors import DataError, FileFormatError
from engine.core.json_types import Plain
from engine.io.dicom.patient_identity import subject_of_image
from engine.io.dicom.series import frames_in_series
from engine.io.dicom.subject import Subject
from engine.io.safety.atomic_write import refuse_impossible
from engine.io.safety.open_input import read_text
from engine.io.text.json_text import from_json
from engine.results import Results
from engine.results.reports.building import report_of
from engine.results.reports.signature import JUDGEMENTS, sign
from engine.results.reports.site import Site
from engine.results.reports.subject import ReportSubject
from engine.results.reports.writing import KINDS, ending_of_report, write_report

MAX_BYTES = 1 << 24


def add_verbs(verbs: Verbs) -> None:
    """Add `isocenter report`.

    With `--sign` the result is signed first, and the report then contains the signature.
    """
    p = add_verb(verbs, "report")
    p.add_argument("result", metavar="RESULT", help="result ID, see `isocenter results`")
    text = f"output file; its suffix selects the format: {', '.join(KINDS)}"
    add_output(p, text, default="report.pdf")
    p.add_argument("--full", action="store_true", help="full report, not just one page")
    p.add_argument(
        "--quality",
        type=Path,
        metavar="FILE",
        help="image quality (JSON) from `isocenter quality` (default: none)",
    )
    p.add_argument(
        "--regions", type=Path, metavar="R.toml",
        help="regions to measure in the image (default: the file next to the image)",
    )  # fmt: skip
    p.add_argument(
        "--sign",
        metavar="NAME",
        help="first sign the result with this name (default: no signature)",
    )
    p.add_argument(
        "--judgement",
        choices=JUDGEMENTS,
        default=JUDGEMENTS[0],
        help="with --sign: judgement (default: %(default)s)",
    )
    p.add_argument("--remark", default="", metavar="TEXT", help="with --sign: remark")
    p.add_argument(
        "--like", type=Path, metavar="FILE",
        help="for DICOM: image or worklist order with the patient and study of the report "
        "(default: those of the result, otherwise pseudonyms)",
    )  # fmt: skip
    add_force(p)
    needs(p, "--judgement", "--sign")
    needs(p, "--remark", "--sign")
    needs(p, "--like", "-o *.dcm")
    p.set_defaults(act=_report)


def _report(arguments: argparse.Namespace, console: Console) -> None:
    # Tested first: a signature stays once it is made
    ending_of_report(arguments.output)
    refuse_impossible(arguments.output)
    site, quality = Site.read(), _quality(arguments.quality)
    results = Results()
    result = results.open(arguments.result)
    # read everything before signing, so that no error follows a signature
    subject = ReportSubject.read(result, site, quality, arguments.regions)
    patient = _read_patient(arguments.like, subject, console)
    if arguments.sign is not None:
        made = sign(result, arguments.sign, arguments.judgement, arguments.remark)
        console.line(f"Signed off: {made.describe()}")
    # Read again, now with the signature
    subject = ReportSubject.read(result, site, quality, arguments.regions)
    for text in subject.all_warnings:
        console.warn(text)
    report = report_of(subject, full=arguments.full)
    write_report(report, subject, arguments.output, patient)
    console.line(f"Report: {arguments.output}")


def _quality(path: Path | None) -> Plain:
    if path is None:
        return {}
    try:
        found = from_json(read_text(path, MAX_BYTES))
    except ValueError as e:
        raise FileFormatError(
            f"{path.name}: not a report from `isocenter quality` ({e}). Create one with "
            "`isocenter quality -o REPORT.json`."
        ) from e
    if found.get("format") != FORMAT:
        raise FileFormatError(
            f"{path.name}: not a report from `isocenter quality`. Create one with `isocenter "
            "quality -o REPORT.json`."
        )
    return found


def _read_patient(path: Path | None, report: ReportSubject, console: Console) -> Subject | None:
    """Read the patient from the file of `--like`, and print it."""
    if path is None:
        return None
    volume, provenance, order = report.volume, report.provenance, report.result.order
    frames = frames_in_series(volume, provenance, report.result.frames())
    subject = subject_of_image(path, volume, provenance, frames)
    if order is not None and not order.is_of(str(subject.attributes["PatientID"])):
        raise DataError(
            f"{path.name}: belongs to a different patient than the order of {report.result.id}; "
            "choose a file of the patient of this result."
        )
    console.line("Patient: {PatientName}, {PatientID}".format(**subject.attributes))
    return subject
