"""A report for archives: its PDF encapsulated in DICOM, or its first page as secondary capture.

The regions of a report are written as a structured report with a segmentation, and as a structure
set. Patient and study are those of the series of the same image, either pseudonyms or those of
another image of the patient. Report and image are therefore always in one study. PS3.3 A.45.1,
A.8.1, A.35.3 and A.19.
"""

from __future__ import annotations

from hashlib import sha256

import numpy as np

from engine.analysis.regions.dicom_image import DicomImage
from engine.analysis.regions.measurement_report import ReportFiles, report_files
from engine.analysis.regions.region_set import Region
from engine.analysis.regions.structure_set import contours_of, structure_set_of
from engine.core.errors import DataError
from engine.core.json_types import Plain
from engine.io.dicom.capture import CapturedPage, capture_of
from engine.io.dicom.general import encoded_document, general_attributes
from engine.io.dicom.patient_identity import of_order
from engine.io.dicom.private_block import SIGNED
from engine.io.dicom.series import digest_of, frames_in_series, instance_uid
from engine.io.dicom.subject import Subject, subject_of
from engine.io.dicom.values import uid_of, words
from engine.protocols.privacy.records import without_names
from engine.results.reports.blocks import ResultReport
from engine.results.reports.illustrations import image_of
from engine.results.reports.printed import to_images, to_pdf
from engine.results.reports.signing import with_signature
from engine.results.reports.subject import ReportSubject

PDF_CLASS = "1.2.840.10008.5.1.4.1.1.104.1"
"""SOP class Encapsulated PDF Storage."""
NUMBERS = {"pdf": "903", "picture": "904"}
"""Series numbers that no other export of this program uses."""
FOREIGN = ("ImageComments", "Laterality")
"""Attributes of images that a document must not have."""


def to_dicom_pdf(report: ResultReport, of: ReportSubject, subject: Subject | None = None) -> bytes:
    """Return the pages as a DICOM file with an encapsulated PDF.

    Parameters
    ----------
    report
        report to write
    of
        result of the report
    subject
        patient and study; None: those of the result's order, otherwise pseudonyms

    Returns
    -------
    bytes
        content of the DICOM file
    """
    document = with_signature(to_pdf(report), ".pdf", of.result.id)
    provenance = exported_provenance(of)
    frames = frames_in_series(of.volume, of.provenance, of.result.frames())
    subject = subject or _subject(of) or subject_of(provenance, digest_of(of.volume, frames))
    study = str(subject.attributes["StudyInstanceUID"])
    # The digest of the document is part of the UID: a new report of the same result is a new
    # object, because archives reject a changed object with a known UID.
    own = uid_of("report", study, of.result.id, sha256(document).hexdigest())
    general = general_attributes(of.volume, provenance, subject)
    attributes: Plain = {
        **{key: value for key, value in general.items() if key not in FOREIGN},
        "SOPClassUID": PDF_CLASS,
        "SOPInstanceUID": instance_uid(own, 1),
        "SeriesInstanceUID": own,
        "SeriesNumber": NUMBERS["pdf"],
        "SeriesDescription": words(f"Report, {general['SeriesDescription']}"),
        "InstanceNumber": "1",
        "Modality": "DOC",
        "ConversionType": "WSD",
        # PS3.3 C.24.2: YES if names of files, which can identify the patient, are on the pages.
        "BurnedInAnnotation": "YES" if of.is_identified else "NO",
        "AcquisitionDateTime": "",
        "DocumentTitle": words(report.title),
        # The sequence is type 2 and may be empty: no standard code describes this kind of report.
        "ConceptNameCodeSequence": [],
        "MIMETypeOfEncapsulatedDocument": "application/pdf",
        SIGNED: report.signed,
    }
    return encoded_document(attributes, document)


def to_capture(report: ResultReport, of: ReportSubject, subject: Subject | None = None) -> bytes:
    """Return the first page as a DICOM secondary capture.

    Parameters
    ----------
    report
        report to write
    of
        result of the report
    subject
        patient and study; None: those of the result's order, otherwise pseudonyms
    """
    page = image_of(to_images(report)[0]).convert("RGB")
    captured = CapturedPage(
        np.asarray(page, np.uint8), "Report", "Page of the report on the image", NUMBERS["picture"],
        is_annotated=of.is_identified, signed=report.signed,
    )  # fmt: skip
    return capture_of(
        captured,
        of.volume,
        exported_provenance(of),
        subject or _subject(of),
        frames=of.result.frames(),
    )


def to_measurement_report(
    report: ResultReport, of: ReportSubject, subject: Subject | None = None
) -> ReportFiles:
    """Return the figures of the regions as a structured report, with its segmentation.

    Parameters
    ----------
    report
        report that the figures belong to
    of
        result of the report
    subject
        patient and study; None: those of the result's order, otherwise pseudonyms

    Raises
    ------
    DataError
        if the result has no regions, or a region cannot be measured
    """
    return report_files(_regions(of), _image(of, subject), signed=report.signed)


def to_structure_set(
    report: ResultReport, of: ReportSubject, subject: Subject | None = None
) -> bytes:
    """Return the regions of a report as an RT structure set.

    Parameters
    ----------
    report
        report that the regions belong to
    of
        result of the report
    subject
        patient and study; None: those of the result's order, otherwise pseudonyms

    Raises
    ------
    DataError
        if the result has no regions, or a region has no contour
    """
    regions = _regions(of)
    drawn = contours_of(regions, of.volume)
    return structure_set_of(regions, drawn, _image(of, subject), report.signed)


def _image(of: ReportSubject, subject: Subject | None) -> DicomImage:
    return DicomImage.of(
        of.volume,
        exported_provenance(of),
        subject or _subject(of),
        frames=of.result.frames(),
    )


def _regions(of: ReportSubject) -> tuple[Region, ...]:
    if not of.has_regions or of.regions is None:
        raise DataError(
            "The result has no regions for a DICOM structured report or structure set; draw "
            "regions, or choose another format."
        )
    return of.regions.regions


def _subject(of: ReportSubject) -> Subject | None:
    """Return patient and study of the order of a result; None without an order."""
    order = of.result.order
    if order is None:
        return None
    frames = frames_in_series(of.volume, of.provenance, of.result.frames())
    return of_order(order, of.volume, of.provenance, frames)


def exported_provenance(of: ReportSubject) -> Plain:
    """Return the provenance that exported files of a result may contain.

    Parameters
    ----------
    of
        result; without file names unless its study is identified
    """
    return of.provenance if of.is_identified else without_names(of.provenance)
