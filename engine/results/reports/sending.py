"""Send a report to an archive: its PDF in DICOM, its first page as an image, and its regions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from engine.core.errors import SettingsError
from engine.io.dicom.network import Node, send_files
from engine.results.reports.blocks import ResultReport
from engine.results.reports.site import Site
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
    node = node_of(of.site)
    # Both forms are sent, because some viewers cannot display an encapsulated PDF.
    with TemporaryDirectory(prefix="isocenter-report-") as folder:
        for name in (*NAMES, *(REGION_NAMES if with_regions else ())):
            write_report(report, of, Path(folder) / name)
        send_folder(Path(folder), node, sender)
    return node.name


def node_of(site: Site) -> Node:
    """Return the DICOM node of a site.

    Parameters
    ----------
    site
        settings of the site

    Raises
    ------
    SettingsError
        if it has no node
    """
    if not site.node:
        raise SettingsError("No DICOM node is configured; add a node in the site settings.")
    return Node.at(site.node, called=site.called, tls=site.tls)


def send_folder(folder: Path, node: Node, sender: Callable[[Sequence[Path], Node], object]) -> None:
    """Send all DICOM files of a folder together.

    Parameters
    ----------
    folder
        folder with the files; a structured report has a second one, its segmentation
    node
        node that receives them
    sender
        sends files to a node
    """
    # Signatures are files of another kind, and are not sent
    sender(sorted(folder.rglob("*.dcm")), node)
