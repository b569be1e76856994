"""Write a report as a file; the suffix selects the format."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from engine.analysis.regions.measurement_report import segmentation_path
from engine.core.errors import OutputError
from engine.io.dicom.subject import Subject
from engine.io.safety.atomic_write import write_all
from engine.results.reports.blocks import ResultReport
from engine.results.reports.dicom_report import (
    to_capture,
    to_dicom_pdf,
    to_measurement_report,
    to_structure_set,
)
from engine.results.reports.exported import ExportedReport
from engine.results.reports.printed import to_pdf
from engine.results.reports.signing import files_of_report, with_signature
from engine.results.reports.subject import ReportSubject
from engine.results.reports.web_page import to_html

Write = Callable[[ResultReport, ReportSubject, Subject | None], bytes]


def signed_pdf(report: ResultReport, of: ReportSubject) -> bytes:
    """Return the pages as a PDF with its signature."""
    return with_signature(to_pdf(report), ".pdf", of.result.id)


def signed_page(report: ResultReport, of: ReportSubject) -> bytes:
    """Return the web page with its signature."""
    return with_signature(to_html(report), ".html", of.result.id)


FIGURES, STRUCTURES = ".sr.dcm", ".rtstruct.dcm"
REGION_KINDS = (FIGURES, STRUCTURES)
"""Suffixes of the formats that need regions."""
KINDS: dict[str, tuple[str, Write]] = {
    ".pdf": ("PDF", lambda report, of, subject: signed_pdf(report, of)),
    ".html": ("Web page", lambda report, of, subject: signed_page(report, of)),
    ".capture.dcm": ("DICOM picture", to_capture),
    FIGURES: (
        "DICOM structured report",
        lambda report, of, subject: to_measurement_report(report, of, subject).report,
    ),
    STRUCTURES: ("DICOM structure set", to_structure_set),
    ".dcm": ("DICOM PDF", to_dicom_pdf),
}
"""Displayed name and writer by suffix; ".dcm" comes last, because it matches the others, too."""


def ending_of_report(path: Path) -> str:
    """Return the suffix of the name of a report.

    Parameters
    ----------
    path
        target

    Raises
    ------
    OutputError
        if the suffix is not one of `KINDS`
    """
    found = next((each for each in KINDS if path.name.lower().endswith(each)), None)
    if found is None:
        raise OutputError(
            f"{path.name}: the name of a report must end with one of {', '.join(KINDS)}; choose "
            "another name."
        )
    return found


def write_report(
    report: ResultReport, of: ReportSubject, path: Path, subject: Subject | None = None
) -> None:
    """Write a report and its signature, completely or not at all.

    The segmentation of a structured report is written next to it.

    Parameters
    ----------
    report, of
        report, and the result that it describes
    path
        target; its suffix selects the format
    subject
        patient and study of a DICOM file; None: those of the result's order, otherwise pseudonyms

    Raises
    ------
    OutputError
        if the suffix is not known, or the name of the signature is that of a foreign file
    DataError
        if a format needs regions and the result has none
    """
    ending, others = ending_of_report(path), dict[Path, bytes]()
    if ending == FIGURES:
        found = to_measurement_report(report, of, subject)
        data, others = found.report, {segmentation_path(path): found.segmentation}
    else:
        data = KINDS[ending][1](report, of, subject)
    write_all({**others, **files_of_report(data, path, of.result.id)})
    # The log records signed reports, so a removed signature is noticed.
    ExportedReport.read(path).note(of.result.id)
