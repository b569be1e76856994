"""A report on its way to an archive: its PDF in DICOM, and its first page as a picture."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

from engine.core.errors import SettingsError
from engine.io.dicom.network import Node, send
from engine.results.reports.blocks import ResultReport
from engine.results.reports.subject import ReportSubject
from engine.results.reports.writing import write_report

NAMES = ("report.dcm", "report.capture.dcm")


def send_report(report: ResultReport, of: ReportSubject) -> str:
    """Send a report to the node of the site; return the node's name.

    Raises
    ------
    SettingsError
        where the settings name no node
    """
    if not of.site.node:
        raise SettingsError("The settings name no DICOM node to send to; add one there.")
    node = Node.at(of.site.node, called=of.site.called)
    with TemporaryDirectory(prefix="isocenter-report-") as folder:
        paths = [Path(folder) / name for name in NAMES]
        for path in paths:
            write_report(report, of, path)
        send(paths, node, lambda done, total: None)
    return node.name
