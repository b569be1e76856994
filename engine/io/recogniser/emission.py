"""Data of PET and SPECT scanners."""

from __future__ import annotations

from engine.io.dicom.headers import STORAGE
from engine.io.dicom.storage import (
    CAPTURES,
    DIRECTORY,
    DOSE,
    NUCLEAR,
    PLAN,
    REPORTS,
    SEGMENTATION,
    STRUCTURES,
    is_tomographic,
    storage_class,
)
from engine.io.first_bytes import both
from engine.io.interfile.header import is_interfile, is_spect
from engine.io.recogniser.known_format import KnownFormat, Tell, says, with_header
from engine.io.safety.open_input import InputFile
from engine.io.siemens.raw import NORMALISATION, kind_of

E7TOOLS = "Convert it with STIR to a sinogram (.hs) or to supported list mode, and open that."
TAKE_OUT = (
    "Extract header and data with `isocenter dicom extract` for other programs, or open the list "
    "mode of the same scan."
)
SIDECARS = (
    "Copy it into the folder of its counts (.s.hdr with .s, not compressed), and open that folder."
)
REGIONS = (
    "Open the image series on which it was drawn, and read the regions from this file (isocenter "
    "regions --regions)."
)
LUT = "It describes the crystals of a scanner; put it next to the scan (.cdh), and open that scan."
DICOM_PART = "This part of the study contains no image; open an image series of the study."


def _siemens(kind: str) -> Tell:
    """Recognise an Interfile header of Siemens PET software by its stated content."""
    return both(says("%sms-mi header name space"), says(kind))


def _dicom(*classes: str) -> Tell:
    """Recognise a DICOM file by its storage class."""
    return lambda file: storage_class(file) in classes


def _is_spect_file(file: InputFile) -> bool:
    """Return True if a file is a SPECT scan or image."""
    return storage_class(file) == NUCLEAR and is_tomographic(file)


def _is_dicom_text(file: InputFile) -> bool:
    """Return True if a file is JSON with DICOM attributes, by number or by name."""
    head = file.head.lstrip()
    # Numbers as in the DICOM JSON model (PS3.18, annex F), names as in exports of archives.
    keys = (b'"SOPInstanceUID"', b'"SeriesDate"', b'"StudyInstanceUID"', b'"00080016"', b'"0020000')
    return head[:1] in (b"[", b"{") and any(key in head for key in keys)


def _is_hscan(head: bytes) -> bool:
    """Return True if a text describes the crystals of a CASToR scanner."""
    lower = head.lower()
    return all(word in lower for word in (b"scanner name", b"number of elements", b"modality"))


def _siemens_raw(kind: str) -> Tell:
    """Recognise raw data of Siemens PET scanners by their content."""
    return lambda file: kind_of(file) == kind


EMISSION = (
    # Specific headers first: every one of them is also an Interfile header, which is last.
    KnownFormat("Siemens normalisation header", _siemens("normalization header"), SIDECARS),
    KnownFormat("Siemens scan header", _siemens("main header"), SIDECARS),
    KnownFormat("Siemens image header", _siemens("image subheader"), E7TOOLS),
    KnownFormat(
        "Siemens list-mode header of an unsupported scanner", _siemens("listmode"), E7TOOLS
    ),
    KnownFormat(
        "header of a microPET or Inveon scanner",
        both(says("# header file for data file"), says("file_type")),
        "Export the image as DICOM from the scanner software, and open that.",
    ),
    KnownFormat(
        "STIR header of GATE coincidences (.hroot)",
        says("root header"),
        "Open the GATE ROOT file that it names (.root).",
    ),
    KnownFormat("CASToR scanner description (.hscan)", lambda file: _is_hscan(file.head), LUT),
    # Bare numbers have no mark, so only the header of the same name identifies them.
    KnownFormat("CASToR look-up table (.lut)", with_header(".lut", ".hscan", _is_hscan), LUT),
    KnownFormat(
        "SPECT scan in Interfile",
        lambda file: is_interfile(file.head) and is_spect(file.head),
        "Reconstruct it with STIR, and open the image that it writes (.hv).",
    ),
    KnownFormat(
        "Interfile header of an image or of projections",
        says("!interfile"),
        "Save the image as NIfTI, or the projections as a STIR sinogram (.hs).",
    ),
    KnownFormat(
        "normalisation of a Siemens scanner in raw DICOM", _siemens_raw(NORMALISATION), TAKE_OUT
    ),
    # Raw Data Storage: private content, which only the manufacturer's software can read.
    KnownFormat("scanner raw data in DICOM", _dicom(STORAGE + "66"), E7TOOLS),
    KnownFormat(
        "DICOM screenshot (secondary capture)",
        _dicom(*CAPTURES),
        DICOM_PART,
    ),
    KnownFormat("SPECT scan or image (nuclear medicine)", _is_spect_file, DICOM_PART),
    # Planar, SPECT and gated images have one storage class. The image type separates them above.
    KnownFormat("planar nuclear medicine image", _dicom(NUCLEAR), DICOM_PART),
    KnownFormat("RT structure set", _dicom(STRUCTURES), REGIONS),
    KnownFormat("RT plan", _dicom(PLAN), DICOM_PART),
    KnownFormat("RT dose", _dicom(DOSE), DICOM_PART),
    KnownFormat("DICOM segmentation", _dicom(SEGMENTATION), REGIONS),
    KnownFormat("DICOM presentation state", _dicom(STORAGE + "11.1"), DICOM_PART),
    KnownFormat(
        "DICOM report",
        _dicom(*REPORTS),
        DICOM_PART,
    ),
    KnownFormat(
        "list of DICOM attributes (JSON)",
        _is_dicom_text,
        "It contains no pixels; open the folder of the original DICOM files.",
    ),
    KnownFormat(
        "index of a DICOM folder (DICOMDIR)",
        _dicom(DIRECTORY),
        "Open the folder of one series next to it.",
    ),
)
