"""A report for archives: its PDF encapsulated in DICOM, or its first page as secondary capture.

Patient and study are those of the series of the same image, either pseudonyms or those of another
image of the patient. Report and image are therefore always in one study. PS3.3 A.45.1 and A.8.1.
"""

from __future__ import annotations

from hashlib import sha256

import numpy as np

from engine.core.json_types import Plain
from engine.io.dicom.capture import CapturedPage, capture_of
from engine.io.dicom.general import encoded_document, general_attributes
from engine.io.dicom.patient_identity import of_order
from engine.io.dicom.private_block import SIGNED
from engine.io.dicom.series import digest_of, instance_uid
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
    provenance = _provenance(of)
    subject = subject or _subject(of) or subject_of(provenance, digest_of(of.volume))
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
    return capture_of(captured, of.volume, _provenance(of), subject or _subject(of))


def _subject(of: ReportSubject) -> Subject | None:
    """Return patient and study of the order of a result; None without an order."""
    order = of.result.order
    return None if order is None else of_order(order, of.volume, of.provenance)


def _provenance(of: ReportSubject) -> Plain:
    return of.provenance if of.is_identified else without_names(of.provenance)
