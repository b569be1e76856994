"""DICOM object types, by the storage class that each file states (PS3.6, annex A)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.core.errors import FileFormatError
from engine.io.dicom.bounded_stream import BoundedStream
from engine.io.dicom.headers import LONGEST_BYTES, STORAGE, damage, read_dataset
from engine.io.dicom.preamble import has_preamble, is_dicom
from engine.io.safety.open_input import InputFile

if TYPE_CHECKING:
    from pydicom.dataset import Dataset

DIRECTORY = "1.2.840.10008.1.3.10"
CAPTURES = (STORAGE + "7", *(f"{STORAGE}7.{kind}" for kind in (1, 2, 3, 4)))
REPORTS = (STORAGE + "88.11", STORAGE + "88.22", STORAGE + "88.33")
NUCLEAR = STORAGE + "20"
STRUCTURES, SEGMENTATION = STORAGE + "481.3", STORAGE + "66.4"
DOSE, PLAN = STORAGE + "481.2", STORAGE + "481.5"
NAMES = {
    STORAGE + "2": "CT",
    STORAGE + "2.1": "Enhanced CT",
    STORAGE + "4": "MR",
    STORAGE + "4.1": "Enhanced MR",
    STORAGE + "128": "PET",
    STORAGE + "130": "Enhanced PET",
    DOSE: "RT dose",
    PLAN: "RT plan",
    STRUCTURES: "RT structure set",
    SEGMENTATION: "segmentation",
    DIRECTORY: "DICOMDIR",
    **dict.fromkeys(CAPTURES, "secondary capture"),
    **dict.fromkeys(REPORTS, "structured report"),
}
"""Storage class -> common name."""
TOMOGRAPHIC = ("TOMO", "GATED TOMO", "RECON TOMO", "RECON GATED TOMO")
"""Third value of ImageType of SPECT scans and images (PS3.3 C.8.4.9)."""


def storage_class(file: InputFile) -> str:
    """Return the SOPClassUID of a file; "" if it is no DICOM file or cannot be read."""
    found = _kind_attributes(file)
    if found is None:
        return ""
    try:  # pydicom decodes a value at its first use, so errors occur here
        return str(found.get("SOPClassUID") or found.file_meta.get("MediaStorageSOPClassUID") or "")
    except damage():
        return ""


def is_tomographic(file: InputFile) -> bool:
    """Return True if a nuclear medicine file is SPECT, not a planar image."""
    found = _kind_attributes(file)
    try:
        kinds = found.get("ImageType") if found is not None else None
        return kinds is not None and any(str(each) in TOMOGRAPHIC for each in kinds)
    except damage():
        return False


def object_name(file: InputFile) -> str:
    """Return the format of a DICOM file for display: "DICOM (RT dose)"."""
    kind = storage_class(file)
    name = NAMES.get(kind, "")
    if kind == NUCLEAR:
        name = "SPECT" if is_tomographic(file) else "planar nuclear medicine"
    bare = "" if has_preamble(file.head) else "without preamble"
    inner = ", ".join(part for part in (name, bare) if part)
    return f"DICOM ({inner})" if inner else "DICOM"


def _kind_attributes(file: InputFile) -> Dataset | None:
    if not is_dicom(file.head):
        return None
    faults: tuple[type[Exception], ...] = (FileFormatError, *damage())
    try:
        wanted = ("SOPClassUID", "ImageType")
        return read_dataset(BoundedStream(file), wanted=wanted, defer_bytes=LONGEST_BYTES)
    except faults:
        return None
