"""Choose patient and study of an image: pseudonyms, or those of another series of the patient.

Without another series, study and frame of reference follow from the scan, so that all images of one
scan lie in one study and in one frame, and those of two scans never do.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from engine.core.errors import FileFormatError
from engine.core.json_types import Plain
from engine.io.dicom.order import ImagingOrder
from engine.io.dicom.pseudonyms import pseudonym_for
from engine.io.dicom.uids import uid_of
from engine.io.safety.open_input import InputFile

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
REMOVAL = ("PatientIdentityRemoved", "DeidentificationMethod")
REMOVED = "Names are replaced by pseudonyms"


@dataclass(frozen=True)
class Subject:
    """Patient and study that a series belongs to.

    Attributes
    ----------
    attributes : of patient and study, by their DICOM keywords
    frame_uid : frame of reference in which the voxels lie
    references : attributes that name the series this one was derived beside
    """

    attributes: Plain
    frame_uid: str
    references: Plain = field(default_factory=dict)


def subject_of(provenance: Plain, digest: str) -> Subject:
    """Return the subject of an image by pseudonyms.

    Parameters
    ----------
    provenance
        of the image
    digest
        of its values, which stands for the scan where nobody says which one it was
    """
    inputs = provenance.get("inputs", {})
    data = inputs.get("data", {}) if isinstance(inputs, dict) else {}
    key = str(data.get("sha256") or digest)
    name = pseudonym_for(key)
    family, _, given = name.partition("-")
    scan = provenance.get("scan", {})
    known = scan if isinstance(scan, dict) else {}
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
    return Subject(attributes, uid_of("frame", key))


def subject_of_order(order: ImagingOrder, provenance: Plain, digest: str) -> Subject:
    """Return the patient and the study of an order; the frame of reference is that of the scan.

    Parameters
    ----------
    order
        of the worklist
    provenance, digest
        of the image, as for `subject_of`
    """
    own = subject_of(provenance, digest)
    body = {key: own.attributes[key] for key in OF_BODY if key in own.attributes}
    return Subject(body | order.attributes(), own.frame_uid)


def subject_like(file: InputFile, *, same_frame: bool = False) -> Subject:
    """Return the patient and the study of another image of the same patient.

    Parameters
    ----------
    file
        any instance of the other series
    same_frame
        whether the image lies where the other does: in the same frame of reference

    Raises
    ------
    FileFormatError
        where the file is no DICOM image of a patient
    """
    other = _read(file)
    taken = (*PATIENT, *STUDY, *(REMOVAL if all(key in other for key in REMOVAL) else ()))
    attributes: Plain = {key: _simple_text(other[key].value) for key in taken if key in other}
    for key in ("PatientName", "PatientID", "StudyInstanceUID", "SeriesInstanceUID"):
        if not str(other.get(key, "")).strip():
            raise FileFormatError(
                f"{file.name}: has no {key}, so its patient is unknown; choose another series of "
                "the patient."
            )
    frame = str(other.get("FrameOfReferenceUID", "")).strip()
    if same_frame and not frame:
        raise FileFormatError(
            f"{file.name}: states no frame of reference, so no image can share it; omit that "
            "option."
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
    return Subject(attributes, frame if same_frame else uid_of("frame next to", series), references)


def _read(file: InputFile) -> Dataset:
    from pydicom import dcmread
    from pydicom.errors import InvalidDicomError

    try:
        found = dcmread(file.stream(), stop_before_pixels=True)
        if "SOPClassUID" not in found or "SOPInstanceUID" not in found:
            raise InvalidDicomError
        return found
    except (InvalidDicomError, ValueError, KeyError, AttributeError, NotImplementedError) as e:
        raise FileFormatError(
            f"{file.name}: contains no readable DICOM image; choose one file of a series of the "
            "patient."
        ) from e


def _simple_text(value: object) -> str | float:
    return value if isinstance(value, str | float) else str(value)
