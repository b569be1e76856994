"""A report for archives: its PDF encapsulated in DICOM, or its first page as secondary capture.

Patient and study are those that the series of the same image has, by pseudonyms or as another image
of the patient says; so report and image always lie in one study. PS3.3 A.45.1 and A.8.1.
"""

from __future__ import annotations

from hashlib import sha256

import numpy as np

from engine.core.json_types import Plain
from engine.io.dicom.capture import CapturedPage, capture_of
from engine.io.dicom.general import encoded_document, general_attributes
from engine.io.dicom.patient_identity import of_order
from engine.io.dicom.series import digest_of, instance_uid
from engine.io.dicom.subject import Subject, subject_of
from engine.io.dicom.uids import uid_of
from engine.io.dicom.values import words
from engine.protocols.privacy.records import without_names
from engine.results.reports.blocks import ResultReport
from engine.results.reports.illustrations import image_of
from engine.results.reports.printed import to_images, to_pdf
from engine.results.reports.subject import ReportSubject

PDF_CLASS = "1.2.840.10008.5.1.4.1.1.104.1"
"""Encapsulated PDF Storage."""
NUMBERS = {"pdf": "903", "picture": "904"}
"""Numbers of the series: nobody else of ours has these."""
FOREIGN = ("ImageComments", "Laterality")
"""Attributes of images that a document has none of."""


def to_dicom_pdf(report: ResultReport, of: ReportSubject, whose: Subject | None = None) -> bytes:
    """Return the pages as a DICOM file that holds a PDF."""
    document = to_pdf(report)
    provenance = _provenance(of)
    subject = whose or _subject(of) or subject_of(provenance, digest_of(of.volume))
    study = str(subject.attributes["StudyInstanceUID"])
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
        "BurnedInAnnotation": "YES" if of.is_identified else "NO",
        "AcquisitionDateTime": "",
        "DocumentTitle": words(report.title),
        "ConceptNameCodeSequence": [],
        "MIMETypeOfEncapsulatedDocument": "application/pdf",
    }
    return encoded_document(attributes, document)


def to_capture(report: ResultReport, of: ReportSubject, whose: Subject | None = None) -> bytes:
    """Return the first page as a DICOM picture."""
    page = image_of(to_images(report)[0]).convert("RGB")
    captured = CapturedPage(
        np.asarray(page, np.uint8), "Report", "Page of a report of the image", NUMBERS["picture"],
        is_annotated=of.is_identified,
    )  # fmt: skip
    return capture_of(captured, of.volume, _provenance(of), whose or _subject(of))


def _subject(of: ReportSubject) -> Subject | None:
    """Return patient and study of the order that a result was made for; None without one."""
    order = of.result.order
    return None if order is None else of_order(order, of.volume, of.provenance)


def _provenance(of: ReportSubject) -> Plain:
    return of.provenance if of.is_identified else without_names(of.provenance)
