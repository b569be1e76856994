"""Attributes of every DICOM file that we write, and its bytes."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from io import BytesIO
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from engine.core.json_types import Plain
from engine.data.timing.timestamps import moment_of
from engine.data.volume import Volume
from engine.io.dicom.subject import Subject
from engine.io.dicom.uids import uid_of
from engine.io.dicom.values import date_of, time_of, words, zone_of

if TYPE_CHECKING:
    from pydicom.dataset import Dataset

UNKNOWN_SIDES = "xyz"
CLAIM = "Research use only. Not for diagnosis or treatment."
MOST_OF_NAME = 40
"""Letters of a protocol's name in a description of 64, so that its mark is not cut off."""
EXPLICIT_LITTLE_ENDIAN = "1.2.840.10008.1.2.1"
OURS = uid_of("Isocenter")


def general_attributes(volume: Volume, provenance: Plain, subject: Subject) -> Plain:
    """Return patient, study, times, equipment and words of all that is made of an image."""
    started = moment_of(_scan(provenance).get("scan_start"))
    ended = _ended(provenance, started)
    begin = started or ended or datetime.now().astimezone()  # a PET series must have a date
    return {
        "StudyDate": date_of(begin),
        "StudyTime": time_of(begin),
        **subject.attributes,
        **subject.references,
        "SeriesDescription": _description(volume, provenance),
        "SeriesDate": date_of(begin),
        "SeriesTime": time_of(begin),
        "Laterality": "",
        "Manufacturer": "Isocenter",
        "ManufacturerModelName": words(str(_scan(provenance).get("scanner", ""))) or "Isocenter",
        "SoftwareVersions": words(str(_environment(provenance).get("isocenter", "unknown"))),
        "InstanceCreationDate": date_of(ended),
        "InstanceCreationTime": time_of(ended),
        "ContentDate": date_of(ended),
        "ContentTime": time_of(ended),
        "ImageComments": _comments(volume),
        **({"TimezoneOffsetFromUTC": zone_of(begin)} if zone_of(begin) else {}),
    }


def encoded(attributes: Plain, numbers: NDArray[np.int16] | NDArray[np.uint8]) -> bytes:
    """Return a DICOM file.

    Parameters
    ----------
    attributes
        by their keywords
    numbers
        (rows, columns) int16, (frames, rows, columns) of several, or (rows, columns, 3) uint8 of a
        picture in colours
    """
    dataset = _dataset(attributes)
    is_coloured, bits = numbers.dtype.kind == "u", 8 * numbers.dtype.itemsize
    dataset.SamplesPerPixel = 3 if is_coloured else 1
    dataset.PhotometricInterpretation = "RGB" if is_coloured else "MONOCHROME2"
    if is_coloured:
        dataset.PlanarConfiguration = 0
    dataset.Rows, dataset.Columns = numbers.shape[:2] if is_coloured else numbers.shape[-2:]
    dataset.BitsAllocated, dataset.BitsStored, dataset.HighBit = bits, bits, bits - 1
    dataset.PixelRepresentation = int(numbers.dtype.kind == "i")
    dataset.PixelData = numbers.tobytes() + bytes(numbers.nbytes % 2)
    return _file_of(dataset)


def encoded_bits(attributes: Plain, inside: NDArray[np.bool_]) -> bytes:
    """Return a DICOM file of frames (n, rows, columns) with a bit for each pixel."""
    dataset = _dataset(attributes)
    dataset.SamplesPerPixel, dataset.PhotometricInterpretation = 1, "MONOCHROME2"
    dataset.Rows, dataset.Columns = inside.shape[1:]
    dataset.BitsAllocated, dataset.BitsStored, dataset.HighBit = 1, 1, 0
    dataset.PixelRepresentation = 0
    packed = np.packbits(inside.ravel(), bitorder="little").tobytes()
    dataset.PixelData = packed + bytes(len(packed) % 2)
    return _file_of(dataset)


def encoded_document(attributes: Plain, document: bytes) -> bytes:
    """Return a DICOM file that holds a document, by the keywords of its attributes."""
    dataset = _dataset(attributes)
    dataset.EncapsulatedDocument = document + bytes(len(document) % 2)
    dataset.EncapsulatedDocumentLength = len(document)
    return _file_of(dataset)


def _file_of(dataset: Dataset) -> bytes:
    from pydicom.dataset import FileMetaDataset

    dataset.SpecificCharacterSet = "ISO_IR 192"
    meta = FileMetaDataset()
    meta.MediaStorageSOPClassUID = dataset.SOPClassUID
    meta.MediaStorageSOPInstanceUID = dataset.SOPInstanceUID
    meta.TransferSyntaxUID = EXPLICIT_LITTLE_ENDIAN  # type: ignore[assignment]
    meta.ImplementationClassUID = OURS  # type: ignore[assignment]
    meta.ImplementationVersionName = "ISOCENTER"
    dataset.file_meta = meta
    stream = BytesIO()
    dataset.save_as(stream, enforce_file_format=True)
    return stream.getvalue()


def _dataset(attributes: Plain) -> Dataset:
    from pydicom.dataset import Dataset

    dataset = Dataset()
    for keyword, value in attributes.items():
        is_sequence = keyword.endswith("Sequence")
        setattr(dataset, keyword, [_dataset(each) for each in value] if is_sequence else value)
    return dataset


def _description(volume: Volume, provenance: Plain) -> str:
    protocol = provenance.get("protocol")
    known = protocol if isinstance(protocol, dict) else {}
    algorithm = known.get("algorithm")
    kind = str(algorithm.get("kind", "")) if isinstance(algorithm, dict) else ""
    name = _protocol_label(provenance) or str(known.get("name", ""))
    parts = (name, kind.upper(), volume.unit)
    return words(", ".join(part for part in parts if part)) or "Isocenter"


def _protocol_label(provenance: Plain) -> str:
    """Return the protocol's name with a mark if its content is not the saved one."""
    identity = provenance.get("protocol_identity")
    if not isinstance(identity, dict):
        return ""
    name, label = str(identity.get("name") or ""), str(identity.get("label") or "")
    return name[:MOST_OF_NAME] + label.removeprefix(name)


def _comments(volume: Volume) -> str:
    sides = "" if volume.axes != UNKNOWN_SIDES else " The orientation of the object is unknown."
    return f"{CLAIM} Unit of the values: {volume.unit or 'not known'}.{sides}"


def _ended(provenance: Plain, started: datetime | None) -> datetime | None:
    """Return when the image was made, by the clock that the scan's start is told by."""
    ended = moment_of(provenance.get("ended_utc"))
    if ended is None:
        return None
    minutes = provenance.get("local_utc_offset_minutes")
    here = timezone(timedelta(minutes=minutes)) if isinstance(minutes, int | float) else UTC
    return ended.astimezone((started.tzinfo if started else None) or here)


def _scan(provenance: Plain) -> Plain:
    found = provenance.get("scan")
    return found if isinstance(found, dict) else {}


def _environment(provenance: Plain) -> Plain:
    found = provenance.get("environment")
    return found if isinstance(found, dict) else {}
