"""Build the report of a result: one page or the full report, for any output format."""

from __future__ import annotations

from engine.protocols.run_context.environment import program_version
from engine.protocols.run_context.provenance import CLAIM
from engine.results.reports.blocks import ResultReport
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
    record = subject.result.record
    return ResultReport(
        title=f"Report of {record.title}",
        subtitle=f"{record.voxels}, {subject.result.created:%d %b %Y %H:%M}",
        site=subject.site.name,
        address=subject.site.address,
        # The logo is read now: a missing file is an error of the settings, not of the writer.
        logo=subject.site.logo_bytes(),
        # Sections without content are None.
        sections=tuple(section for section in made if section is not None),
        footer=f"{CLAIM} Isocenter {program_version()}.",
        is_identified=subject.is_identified,
        is_brief=not full,
    )
