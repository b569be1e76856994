"""Attributes that every DICOM file of this program has, and its encoding."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from io import BytesIO
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from engine.core.json_types import Plain
from engine.data.timing.timestamps import moment_of
from engine.data.volume import Volume
from engine.io.dicom.private_block import AUDIT_LOG, ELEMENTS, add_private
from engine.io.dicom.subject import Subject
from engine.io.dicom.values import date_of, time_of, uid_of, words, zone_of
from engine.io.safety.audit_log import latest_statement
from engine.io.text.json_text import object_of

if TYPE_CHECKING:
    from pydicom.dataset import Dataset

UNKNOWN_SIDES = "xyz"
CLAIM = "Research use only. Not for diagnosis or treatment."
MAX_NAME_CHARACTERS = 40
"""Maximum length of the protocol name in a description of 64 characters, so that its mark fits."""
EXPLICIT_LITTLE_ENDIAN = "1.2.840.10008.1.2.1"
IMPLICIT_LITTLE_ENDIAN = "1.2.840.10008.1.2"
MAX_BYTES = 65_534
"""Maximum length of most values with explicit value representations."""
OURS = uid_of("Isocenter")


def general_attributes(volume: Volume, provenance: Plain, subject: Subject) -> Plain:
    """Return attributes of patient, study, times and equipment, and comments.

    Parameters
    ----------
    volume
        image that the file stores or was made from
    provenance
        its origin as JSON values
    subject
        patient and study

    Returns
    -------
    attributes
        keyword -> value
    """
    scan, environment = (object_of(provenance.get(key)) for key in ("scan", "environment"))
    started = moment_of(scan.get("scan_start"))
    ended = _ended(provenance, started)
    # SeriesDate is type 1 in PET (PS3.3 C.8.9.1). The current time is only the last resort, because
    # it makes the bytes differ from export to export.
    begin = started or ended or datetime.now().astimezone()
    return {
        "StudyDate": date_of(begin),
        "StudyTime": time_of(begin),
        # After the defaults: the study of another series keeps its own date.
        **subject.attributes,
        **subject.references,
        "SeriesDescription": _description(volume, provenance),
        "SeriesDate": date_of(begin),
        "SeriesTime": time_of(begin),
        "Laterality": "",
        "Manufacturer": "Isocenter",
        "ManufacturerModelName": words(str(scan.get("scanner", ""))) or "Isocenter",
        "SoftwareVersions": words(str(environment.get("isocenter", "unknown"))),
        "InstanceCreationDate": date_of(ended),
        "InstanceCreationTime": time_of(ended),
        "ContentDate": date_of(ended),
        "ContentTime": time_of(ended),
        "ImageComments": _comments(volume),
        # A log that was restored from an earlier backup does not contain this line.
        AUDIT_LOG: latest_statement(),
        **({"TimezoneOffsetFromUTC": zone_of(begin)} if zone_of(begin) else {}),
    }


def encoded(attributes: Plain, numbers: NDArray[np.int16] | NDArray[np.uint8]) -> bytes:
    """Return the bytes of a DICOM file with pixels.

    Parameters
    ----------
    attributes
        keyword -> value
    numbers
        int16 (rows, columns) or (frames, rows, columns); or uint8 (rows, columns, 3) in RGB
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
    # Values have an even length (PS3.5, section 7.1), so odd ones are padded with a zero byte.
    dataset.PixelData = numbers.tobytes() + bytes(numbers.nbytes % 2)
    return _file_of(dataset)


def encoded_bits(attributes: Plain, inside: NDArray[np.bool_]) -> bytes:
    """Return the bytes of a DICOM file with one bit per pixel.

    Parameters
    ----------
    attributes
        keyword -> value
    inside
        (frames, rows, columns)
    """
    dataset = _dataset(attributes)
    dataset.SamplesPerPixel, dataset.PhotometricInterpretation = 1, "MONOCHROME2"
    dataset.Rows, dataset.Columns = inside.shape[1:]
    dataset.BitsAllocated, dataset.BitsStored, dataset.HighBit = 1, 1, 0
    dataset.PixelRepresentation = 0
    # The first pixel is the least significant bit, and frames do not begin at a byte (PS3.5,
    # 8.1.1).
    packed = np.packbits(inside.ravel(), bitorder="little").tobytes()
    dataset.PixelData = packed + bytes(len(packed) % 2)
    return _file_of(dataset)


def encoded_document(attributes: Plain, document: bytes) -> bytes:
    """Return the bytes of a DICOM file that contains a document.

    Parameters
    ----------
    attributes
        keyword -> value
    document
        bytes of the document, such as a PDF
    """
    dataset = _dataset(attributes)
    dataset.EncapsulatedDocument = document + bytes(len(document) % 2)
    # The length without the padding byte, so that readers restore the original file.
    dataset.EncapsulatedDocumentLength = len(document)
    return _file_of(dataset)


def encoded_object(attributes: Plain, *, has_long_values: bool = False) -> bytes:
    """Return the bytes of a DICOM file without pixels or documents.

    Parameters
    ----------
    attributes
        keyword -> value
    has_long_values
        True if a value with a length field of 16 bits (PS3.5 7.1.2) can have more than `MAX_BYTES`
    """
    # With implicit value representations all length fields have 32 bits, and every program reads
    # them, because they are the default.
    syntax = IMPLICIT_LITTLE_ENDIAN if has_long_values else EXPLICIT_LITTLE_ENDIAN
    return _file_of(_dataset(attributes), syntax)


def _file_of(dataset: Dataset, syntax: str = EXPLICIT_LITTLE_ENDIAN) -> bytes:
    from pydicom.dataset import FileMetaDataset

    # UTF-8: names of patients and protocols can contain any letter.
    dataset.SpecificCharacterSet = "ISO_IR 192"
    meta = FileMetaDataset()
    meta.MediaStorageSOPClassUID = dataset.SOPClassUID
    meta.MediaStorageSOPInstanceUID = dataset.SOPInstanceUID
    meta.TransferSyntaxUID = syntax  # type: ignore[assignment]
    meta.ImplementationClassUID = OURS  # type: ignore[assignment]
    meta.ImplementationVersionName = "ISOCENTER"
    dataset.file_meta = meta
    stream = BytesIO()
    dataset.save_as(stream, enforce_file_format=True)
    return stream.getvalue()


def _dataset(attributes: Plain) -> Dataset:
    from pydicom.dataset import Dataset

    dataset = Dataset()
    # pydicom infers the value representation (VR) from the keyword.
    for keyword, value in attributes.items():
        if keyword in ELEMENTS:
            add_private(dataset, keyword, value)
            continue
        is_sequence = keyword.endswith("Sequence")
        setattr(dataset, keyword, [_dataset(each) for each in value] if is_sequence else value)
    return dataset


def _description(volume: Volume, provenance: Plain) -> str:
    known = object_of(provenance.get("protocol"))
    kind = str(object_of(known.get("algorithm")).get("kind", ""))
    name = _protocol_label(provenance) or str(known.get("name", ""))
    # A second series of the same study must not be taken for the image.
    quantity = str(provenance.get("quantity", ""))
    parts = (quantity, name, kind.upper(), volume.unit)
    return words(", ".join(part for part in parts if part)) or "Isocenter"


def _protocol_label(provenance: Plain) -> str:
    """Return the name of the protocol, with a mark if its settings differ from the saved ones."""
    identity = object_of(provenance.get("protocol_identity"))
    name, label = str(identity.get("name") or ""), str(identity.get("label") or "")
    return name[:MAX_NAME_CHARACTERS] + label.removeprefix(name)


def _comments(volume: Volume) -> str:
    sides = "" if volume.axes != UNKNOWN_SIDES else " The orientation of the object is unknown."
    return f"{CLAIM} Unit of the values: {volume.unit or 'not known'}.{sides}"


def _ended(provenance: Plain, started: datetime | None) -> datetime | None:
    """Return when the image was made, in the time zone of the scan."""
    ended = moment_of(provenance.get("ended_utc"))
    if ended is None:
        return None
    # DICOM states local times. The provenance records UTC and the offset of the computer.
    minutes = provenance.get("local_utc_offset_minutes")
    here = timezone(timedelta(minutes=minutes)) if isinstance(minutes, int | float) else UTC
    return ended.astimezone((started.tzinfo if started else None) or here)
