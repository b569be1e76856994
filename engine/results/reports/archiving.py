"""Send an image and its report to the archive of the site, for the patient of the scan.

Image, report and regions share one patient, one study and one frame of reference. These are those
of the scan: of its worklist order, or of its own DICOM file. An image without a named patient is
refused, because an archive would store it under a pseudonym, where it would not be found.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from engine.core.errors import DataError
from engine.data.timing.time_frames import FrameVolume
from engine.io.dicom.headers import header_at
from engine.io.dicom.network import Node, send_files
from engine.io.dicom.patient_identity import of_order
from engine.io.dicom.series import frames_in_series, write_series
from engine.io.dicom.subject import Subject, subject_like
from engine.io.safety.open_input import open_input
from engine.results.reports.blocks import ResultReport
from engine.results.reports.dicom_report import exported_provenance
from engine.results.reports.sending import NAMES, REGION_NAMES, node_of, send_folder
from engine.results.reports.subject import ReportSubject
from engine.results.reports.writing import write_report

SERIES = "image"
"""Folder of the slices."""


def archive_subject(of: ReportSubject) -> Subject:
    """Return patient, study and frame of reference of the scan of a result.

    Parameters
    ----------
    of
        result with its image

    Returns
    -------
    subject
        those of the worklist order, otherwise those of the DICOM file of the scan

    Raises
    ------
    DataError
        if the scan names no patient, its file has changed since the run, or the order belongs to
        another patient
    """
    order = of.result.order
    if order is not None:
        return of_order(order, of.volume, of.provenance, _frames(of))
    path = of.result.study.data
    header = header_at(path) if path.is_file() else None
    if header is None or not header.text("PatientID"):
        raise DataError(
            "The scan names no patient, so the archive cannot assign the image. Choose the patient "
            "in the worklist, then send the image by hand."
        )
    with open_input(path) as file:
        # Another patient's scan may have taken the name of the file
        if file.sha256() != of.known("inputs", "data", "sha256"):
            raise DataError(
                "The file of the scan has changed since the run, so its patient may be another "
                "one. Choose the patient in the worklist, then send the image by hand."
            )
        return subject_like(file, same_frame=bool(header.text("FrameOfReferenceUID")))


def _frames(of: ReportSubject) -> Sequence[FrameVolume]:
    return frames_in_series(of.volume, of.provenance, of.result.frames())


def send_to_archive(
    report: ResultReport,
    of: ReportSubject,
    sender: Callable[[Sequence[Path], Node], object] = send_files,
) -> str:
    """Send image, report and regions to the DICOM node of the site; return the name of the node.

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
    DataError
        if the patient of the scan is not known, see `archive_subject`
    """
    node, subject = node_of(of.site), archive_subject(of)
    with TemporaryDirectory(prefix="isocenter-archive-") as name:
        folder = Path(name)
        provenance = exported_provenance(of)
        write_series(of.volume, folder / SERIES, provenance, subject, _frames(of))
        for each in (*NAMES, *(REGION_NAMES if of.has_regions else ())):
            write_report(report, of, folder / each, subject)
        send_folder(folder, node, sender)
    return node.name
