"""Choose patient and study of an image: pseudonyms, or those of another series of the patient.

Without another series, study and frame of reference follow from the scan. So all images of one scan
share a study and a frame of reference, and images of two scans never do. A patient position that
the user stated is part of the frame of reference.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import isfinite
from typing import TYPE_CHECKING

from engine.core.errors import FileFormatError
from engine.core.json_types import Plain
from engine.data.patient_position import STATED_AXES, is_position_by_user
from engine.io.dicom.headers import damage, reason_of
from engine.io.dicom.object_reader import read_object
from engine.io.dicom.order import ImagingOrder
from engine.io.dicom.preamble import has_preamble
from engine.io.dicom.values import pseudonym_for, uid_of
from engine.io.safety.open_input import InputFile
from engine.io.text.json_text import object_of

if TYPE_CHECKING:
    from pydicom.dataset import Dataset

PATIENT = (
    *("PatientName", "PatientID", "IssuerOfPatientID", "PatientBirthDate", "PatientSex"),
    *("PatientAge", "PatientSize", "PatientWeight", "OtherPatientIDs"),
)
STUDY = (
    *("StudyInstanceUID", "StudyID", "StudyDate", "StudyTime", "AccessionNumber"),
    *("ReferringPhysicianName", "StudyDescription"),
)
OF_BODY = ("PatientWeight", "PatientSize")
# Copied only together: "removed" without a method is not valid (PS3.3 C.7.1.1).
REMOVAL = ("PatientIdentityRemoved", "DeidentificationMethod")
IDENTITY = ("PatientName", "PatientID", "StudyInstanceUID", "SeriesInstanceUID")
"""Attributes that identify patient, study and series."""
SEPARATOR = "\\"
"""Sign between the values of an attribute (PS3.5 6.4)."""
REMOVED = "Names are replaced by pseudonyms"


@dataclass(frozen=True)
class Subject:
    """Patient and study of a series.

    Attributes
    ----------
    attributes : patient and study, DICOM keyword -> value
    frame_uid : FrameOfReferenceUID of the voxels
    references : attributes that refer to the other series in the study
    """

    attributes: Plain
    frame_uid: str
    references: Plain = field(default_factory=dict)


def subject_of(provenance: Plain, digest: str) -> Subject:
    """Return pseudonyms for patient and study of an image.

    Parameters
    ----------
    provenance
        origin of the image as JSON values
    digest
        digest of its values, which replaces that of the scan if the provenance does not state it
    """
    data = object_of(provenance.get("inputs")).get("data", {})
    # By the scan, not the image, so that PET reconstructions with other settings share a study.
    key = str(data.get("sha256") or digest)
    name = pseudonym_for(key)
    family, _, given = name.partition("-")
    known = object_of(provenance.get("scan"))
    attributes: Plain = {
        "PatientName": f"{family}^{given}",
        "PatientID": name,
        "PatientBirthDate": "",
        "PatientSex": str(known.get("sex") or ""),
        "PatientIdentityRemoved": "YES",
        "DeidentificationMethod": REMOVED,
        "StudyInstanceUID": uid_of("study", key),
        "StudyID": key[:12],
        "AccessionNumber": "",
        "ReferringPhysicianName": "",
    }
    for keyword, fact, parts in (
        ("PatientWeight", "weight_kg", 1),
        ("PatientSize", "height_cm", 100),
    ):
        if isinstance(known.get(fact), int | float):
            attributes[keyword] = float(known[fact]) / parts
    # Images of one scan in different patient positions do not match voxel by voxel.
    by_user = is_position_by_user(provenance)
    position = (str(provenance.get(STATED_AXES, "")),) if by_user else ()
    return Subject(attributes, uid_of("frame", key, *position))


def subject_of_order(order: ImagingOrder, provenance: Plain, digest: str) -> Subject:
    """Return patient and study of an order, with the frame of reference of the scan.

    Parameters
    ----------
    order
        worklist order
    provenance, digest
        origin and digest of the image, as for `subject_of`
    """
    own = subject_of(provenance, digest)
    # Weight and height of the scan are kept unless the order states them.
    body = {key: own.attributes[key] for key in OF_BODY if key in own.attributes}
    return Subject(body | order.attributes(), own.frame_uid)


def subject_like(file: InputFile, *, same_frame: bool = False) -> Subject:
    """Return patient and study of another image of the patient.

    Parameters
    ----------
    file
        any instance of the other series
    same_frame
        True if the image is in the frame of reference of that series

    Raises
    ------
    FileFormatError
        if the file is no DICOM image of a patient, or has no frame of reference to share
    """
    other = _read(file)
    keys = (*PATIENT, *STUDY, *(REMOVAL if all(key in other for key in REMOVAL) else ()))
    attributes: Plain = {key: _text_of(other[key].value) for key in keys if key in other}
    # An invalid weight would make every exported file unreadable.
    for key in OF_BODY:
        if not _is_number_or_empty(attributes.get(key, "")):
            del attributes[key]
    for key in IDENTITY:
        stated = _text_of(other.get(key, "")).strip()
        if not stated:
            raise FileFormatError(
                f"{file.name}: has no {key}, so the patient and study cannot be identified; choose "
                "another series of the patient."
            )
        n_values = stated.count(SEPARATOR) + 1
        if n_values > 1:
            raise FileFormatError(
                f"{file.name}: {key} has {n_values} values, expected one, so the "
                "patient and study cannot be identified; choose another series of the patient."
            )
    frame = str(other.get("FrameOfReferenceUID", "")).strip()
    if same_frame and not frame:
        raise FileFormatError(
            f"{file.name}: has no frame of reference to share; choose an image that has one, or "
            "omit --same-frame."
        )
    series = str(other.SeriesInstanceUID)
    instance = {
        "ReferencedSOPClassUID": str(other.SOPClassUID),
        "ReferencedSOPInstanceUID": str(other.SOPInstanceUID),
    }
    references: Plain = {
        "ReferencedSeriesSequence": [
            {"SeriesInstanceUID": series, "ReferencedInstanceSequence": [instance]}
        ]
    }
    # Another frame of reference by default: viewers would otherwise overlay images that may not
    # match.
    return Subject(attributes, frame if same_frame else uid_of("frame next to", series), references)


def _read(file: InputFile) -> Dataset:
    from pydicom.errors import InvalidDicomError

    try:
        if not has_preamble(file.head):
            raise InvalidDicomError("the DICOM preamble is missing")
        found = read_object(file, pixels=False, may_be_deflated=True)
        if "SOPClassUID" not in found or "SOPInstanceUID" not in found:
            raise InvalidDicomError("the SOP class or instance UID is missing")
        return found
    except damage() as e:
        raise FileFormatError(
            f"{file.name}: contains no readable DICOM image; choose a file from one of the "
            f"patient's series. Reason: {reason_of(e)}."
        ) from e


def _text_of(value: object) -> str:
    """Return a value as text; several values are separated, as in the file."""
    if isinstance(value, Sequence) and not isinstance(value, str):
        return SEPARATOR.join(str(each) for each in value)
    return "" if value is None else str(value)


def _is_number_or_empty(text: str) -> bool:
    try:
        return not text.strip() or isfinite(float(text))
    except ValueError:
        return False
