"""Build the report of a result: one page or the full report, for any output format."""

from __future__ import annotations

from dataclasses import replace

from engine.io.safety.file_signature import describe_statement, statement_of_key
from engine.protocols.run_context.environment import program_version
from engine.protocols.run_context.provenance import CLAIM
from engine.results.reports.blocks import ReportRow, ResultReport, Section
from engine.results.reports.sections import BRIEF, FULL
from engine.results.reports.subject import ReportSubject


def report_of(subject: ReportSubject, *, full: bool = False) -> ResultReport:
    """Return the report of a result.

    Parameters
    ----------
    subject
        result and issuer
    full
        True for the full report; False for one page
    """
    made = (part(subject) for part in (FULL if full else BRIEF))
    signed, reason = statement_of_key()
    record = subject.result.record
    return ResultReport(
        title=f"Report of {record.title}",
        subtitle=f"{record.voxels}, {subject.result.created:%d %b %Y %H:%M}",
        site=subject.site.name,
        address=subject.site.address,
        # The logo is read now: a missing file is an error of the settings, not of the writer.
        logo=subject.site.logo_bytes(),
        # Sections without content are None.
        sections=_with_row(
            tuple(section for section in made if section is not None),
            ReportRow("Signature", describe_statement(signed) or f"none ({reason})"),
        ),
        footer=f"{CLAIM} Isocenter {program_version()}.",
        is_identified=subject.is_identified,
        is_brief=not full,
        signed=signed,
    )


def _with_row(sections: tuple[Section, ...], row: ReportRow) -> tuple[Section, ...]:
    """Add a row to the last section, which states digests and the audit log."""
    *others, last = sections
    return (*others, replace(last, rows=(*last.rows, row)))
