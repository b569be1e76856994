"""A volume as a series of single slices, the form that every viewer and archive takes.

    value = RescaleIntercept + RescaleSlope · number

with one slope for the whole series. Slices go from feet to head, rows to the patient's left and
columns to the back. The same image has the same UIDs whenever it is exported, and the same bytes
where its provenance says when it was made.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, timezone
from hashlib import sha256
from io import BytesIO
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from engine.data.moments import moment_of
from engine.data.volume import Volume
from engine.errors import DataError
from engine.io.dicom import emission, transmission
from engine.io.dicom.subject import Subject
from engine.io.dicom.uids import uid_of
from engine.io.dicom.values import date_of, decimal, decimal_from_above, time_of, words, zone_of
from engine.plain import Plain

if TYPE_CHECKING:
    from pydicom.dataset import Dataset

LARGEST = 2**15 - 1
"""Largest whole number; they have a sign, since filters leave values below zero."""
HOUNSFIELD_STEPS = (0.1, 1.0)
"""Steps of CT numbers, the finest that holds all of them; programs of old know none but whole."""
UNKNOWN_SIDES = "xyz"
CLAIM = "Research use only. Not for diagnosis or treatment."
EXPLICIT_LITTLE_ENDIAN = "1.2.840.10008.1.2.1"
OURS = uid_of("Isocenter")
PET_UNITS = (*emission.UNITS, emission.LEAN, "counts/mm")


def slices_of(volume: Volume, provenance: Plain, subject: Subject) -> Iterator[bytes]:
    """Yield the DICOM files of a volume, from feet to head.

    Parameters
    ----------
    volume
        finite values
    provenance
        of the volume
    subject
        patient and study

    Raises
    ------
    DataError
        where DICOM's whole numbers cannot hold the values
    """
    slope = slope_of(volume)
    digest = digest_of(volume)
    common = _common(volume, provenance, subject, digest) | {
        "RescaleSlope": decimal(slope),
        "RescaleIntercept": "0",
    }
    series, is_pet = str(common["SeriesInstanceUID"]), is_emission(volume, provenance)
    order = range(volume.grid.shape[0])[:: volume.head_sign]
    for number, k in enumerate(order, start=1):
        each = common | _of_slice(volume, k, number, series, is_pet=is_pet)
        yield _encoded(each, np.rint(volume.values[k] / slope).astype("<i2"))


def digest_of(volume: Volume) -> str:
    """Return a digest of the values, where they lie and their unit."""
    said = f"{volume.grid} {volume.unit} {volume.axes}".encode()
    return sha256(said + np.ascontiguousarray(volume.values, "<f4").tobytes()).hexdigest()


def slope_of(volume: Volume) -> float:
    """Return the step from one whole number to the next, as the series states it."""
    largest = float(np.abs(volume.values).max(initial=0.0))
    if volume.unit == transmission.HOUNSFIELD:
        for step in HOUNSFIELD_STEPS:
            if largest <= step * LARGEST:
                return step
    slope = float(decimal_from_above(largest / LARGEST)) if largest else 1.0
    if not slope > 0:
        raise DataError("the values are too small for DICOM; export another format.")
    return slope


def is_emission(volume: Volume, provenance: Plain) -> bool:
    """Whether a volume is of a PET scan."""
    protocol = provenance.get("protocol")
    modality = str(protocol.get("modality", "")) if isinstance(protocol, dict) else ""
    return "pet" in modality if modality else volume.unit in PET_UNITS


def _common(volume: Volume, provenance: Plain, subject: Subject, digest: str) -> Plain:
    is_pet = is_emission(volume, provenance)
    of_kind = emission if is_pet else transmission
    attributes = of_kind.series_attributes(
        provenance, volume.unit, *([volume.grid.shape[0]] if is_pet else [])
    )
    started = moment_of(_scan(provenance).get("scan_start"))
    ended = _ended(provenance, started)
    begin = started or ended or datetime.now().astimezone()  # a PET series must have a date
    study = str(subject.attributes["StudyInstanceUID"])
    return {
        "SOPClassUID": of_kind.CLASS_UID,
        "StudyDate": date_of(begin),
        "StudyTime": time_of(begin),
        **subject.attributes,
        **subject.references,
        "SeriesInstanceUID": uid_of("series", study, digest),
        "SeriesNumber": "901",
        "SeriesDescription": _description(volume, provenance),
        "SeriesDate": date_of(begin),
        "SeriesTime": time_of(begin),
        "FrameOfReferenceUID": subject.frame_uid,
        "PositionReferenceIndicator": "",
        "Laterality": "",
        "Manufacturer": "Isocenter",
        "ManufacturerModelName": words(str(_scan(provenance).get("scanner", ""))) or "Isocenter",
        "SoftwareVersions": words(str(_environment(provenance).get("isocenter", "unknown"))),
        "InstanceCreationDate": date_of(ended),
        "InstanceCreationTime": time_of(ended),
        "ContentDate": date_of(ended),
        "ContentTime": time_of(ended),
        "AcquisitionNumber": "1",
        "ImageComments": _comments(volume),
        **({"TimezoneOffsetFromUTC": zone_of(begin)} if zone_of(begin) else {}),
        **attributes,
    }


def _of_slice(volume: Volume, k: int, number: int, series: str, *, is_pet: bool) -> Plain:
    grid = volume.grid
    x, y, z = (grid.centres_mm(axis) for axis in range(3))
    height = volume.head_sign * float(z[k])
    x_mm, y_mm, z_mm = grid.voxel_mm
    return {
        "SOPInstanceUID": uid_of("instance", series, str(number)),
        "InstanceNumber": str(number),
        **({"ImageIndex": number} if is_pet else {}),
        "PixelSpacing": [decimal(y_mm), decimal(x_mm)],
        "SliceThickness": decimal(z_mm),
        "SpacingBetweenSlices": decimal(z_mm),
        "ImageOrientationPatient": ["1", "0", "0", "0", "1", "0"],
        "ImagePositionPatient": [decimal(float(x[0])), decimal(float(y[0])), decimal(height)],
        "SliceLocation": decimal(height),
    }


def _encoded(attributes: Plain, numbers: NDArray[np.int16]) -> bytes:
    from pydicom.dataset import FileMetaDataset

    dataset = _dataset(attributes)
    dataset.SpecificCharacterSet = "ISO_IR 192"
    dataset.SamplesPerPixel, dataset.PhotometricInterpretation = 1, "MONOCHROME2"
    dataset.Rows, dataset.Columns = numbers.shape
    dataset.BitsAllocated, dataset.BitsStored, dataset.HighBit = 16, 16, 15
    dataset.PixelRepresentation = 1
    dataset.PixelData = numbers.tobytes()
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
    parts = (str(known.get("name", "")), kind.upper(), volume.unit)
    return words(", ".join(part for part in parts if part)) or "Isocenter"


def _comments(volume: Volume) -> str:
    sides = "" if volume.axes != UNKNOWN_SIDES else " How the object lay is not known."
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
