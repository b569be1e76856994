"""Send a report to an archive: its PDF in DICOM, and its first page as an image."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from engine.core.errors import SettingsError
from engine.io.dicom.network import Node, send_files
from engine.results.reports.blocks import ResultReport
from engine.results.reports.subject import ReportSubject
from engine.results.reports.writing import write_report

NAMES = ("report.dcm", "report.capture.dcm")


def send_report(
    report: ResultReport,
    of: ReportSubject,
    sender: Callable[[Sequence[Path], Node], object] = send_files,
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

    Raises
    ------
    SettingsError
        if the site has no node
    """
    if not of.site.node:
        raise SettingsError("No DICOM node is configured; add a node in the site settings.")
    node = Node.at(of.site.node, called=of.site.called, tls=of.site.tls)
    # Both forms are sent, because some viewers cannot display an encapsulated PDF.
    with TemporaryDirectory(prefix="isocenter-report-") as folder:
        paths = [Path(folder) / name for name in NAMES]
        for path in paths:
            write_report(report, of, path)
        sender(paths, node)
    return node.name
