"""Send a report to an archive: its PDF in DICOM, its first page as an image, and its regions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from engine.core.errors import SettingsError
from engine.io.dicom.network import Node, send_files
from engine.results.reports.blocks import ResultReport
from engine.results.reports.subject import ReportSubject
from engine.results.reports.writing import REGION_KINDS, write_report

NAMES = ("report.dcm", "report.capture.dcm")
REGION_NAMES = tuple(f"report{kind}" for kind in REGION_KINDS)


def send_report(
    report: ResultReport,
    of: ReportSubject,
    sender: Callable[[Sequence[Path], Node], object] = send_files,
    *,
    with_regions: bool = False,
) -> str:
    """Send a report to the DICOM node of the site; return the name of the node.

    Parameters
    ----------
    report
        report to send
    of
        result of the report
    sender
        sends files to a node; the window does this in another process
    with_regions
        True also sends the regions: structured report, segmentation and structure set

    Raises
    ------
    SettingsError
        if the site has no node
    DataError
        if the regions are wanted and the result has none
    """
    if not of.site.node:
        raise SettingsError("No DICOM node is configured; add a node in the site settings.")
    node = Node.at(of.site.node, called=of.site.called, tls=of.site.tls)
    # Both forms are sent, because some viewers cannot display an encapsulated PDF.
    with TemporaryDirectory(prefix="isocenter-report-") as folder:
        for name in (*NAMES, *(REGION_NAMES if with_regions else ())):
            write_report(report, of, Path(folder) / name)
        # A structured report has a second file, its segmentation. Signatures are not sent.
        sender(sorted(Path(folder).glob("*.dcm")), node)
    return node.name
