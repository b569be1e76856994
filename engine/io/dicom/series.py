"""Write a volume as a series of single slices, which every viewer and archive accepts.

    value = RescaleIntercept + RescaleSlope · number

Each time frame has one slope for all of its slices, so an early frame with little activity is as
precise as a late one. Slices go from feet to head, frame after frame; rows go to the patient's left
and columns to the back. The same image always has the same UIDs, and the same bytes if its
provenance
states when it was made.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from hashlib import sha256

import numpy as np

from engine.core.errors import DataError
from engine.core.json_types import Plain
from engine.data.timing.time_frames import FrameVolume
from engine.data.volume import Volume
from engine.geometry.patient_planes import to_patient_axes
from engine.io.dicom import emission, transmission
from engine.io.dicom.dynamic import dynamic_attributes, frame_attributes
from engine.io.dicom.general import encoded, general_attributes
from engine.io.dicom.kind_of_scan import is_emission
from engine.io.dicom.subject import Subject
from engine.io.dicom.uids import uid_of
from engine.io.dicom.values import decimal, decimal_from_above

LARGEST = 2**15 - 1
"""Largest stored number; numbers are signed, because filters produce negative values."""
HOUNSFIELD_STEPS = (0.1, 1.0)
"""Allowed steps of CT numbers; the finest that fits is used. Old programs expect whole numbers."""


def slices_of(
    volume: Volume, provenance: Plain, subject: Subject, frames: Sequence[FrameVolume] = ()
) -> Iterator[bytes]:
    """Yield the DICOM files of a volume, from feet to head, frame after frame.

    Parameters
    ----------
    volume
        finite values
    provenance
        origin of the volume as JSON values
    subject
        patient and study
    frames
        time frames, written in place of `volume`, which is their sum or mean

    Raises
    ------
    DataError
        if the values are too small for DICOM numbers, or frames do not belong to a PET scan
    """
    is_pet = is_emission(volume, provenance)
    if frames and not is_pet:
        raise DataError("In DICOM, only PET images can have time frames; export to another format.")
    images = [each.volume for each in frames] or [volume]
    common = _common(volume, provenance, subject, digest_of(volume, frames)) | {
        "RescaleIntercept": "0",
        **(dynamic_attributes(len(frames)) if frames else {}),
    }
    series, n_slices = str(common["SeriesInstanceUID"]), volume.grid.shape[0]
    order = slice_order(volume)
    for t, image in enumerate(images):
        slope = slope_of(image)
        said: Plain = {"RescaleSlope": decimal(slope)}
        if frames:
            said |= frame_attributes(provenance, volume.unit, frames[t].frame)
        # Image index of a dynamic series: (frame − 1) · slices + slice (PS3.3 C.8.9.4).
        for number, k in enumerate(order, start=1 + t * n_slices):
            each = common | said | _of_slice(volume, k, number, series, is_pet=is_pet)
            yield encoded(each, np.rint(image.values[k] / slope).astype("<i2"))


def digest_of(volume: Volume, frames: Sequence[FrameVolume] = ()) -> str:
    """Return a digest of values, grid and unit of an image, and of its time frames.

    Parameters
    ----------
    volume
        image
    frames
        its time frames, if it has any
    """
    # The digest becomes part of UIDs, so an image in another unit or place must get another one.
    said = f"{volume.grid} {volume.unit} {volume.axes}".encode()
    total = sha256(said + np.ascontiguousarray(volume.values, "<f4").tobytes())
    for frame, image in frames:
        total.update(f"{frame}".encode())
        total.update(np.ascontiguousarray(image.values, "<f4").tobytes())
    return total.hexdigest()


def slope_of(image: Volume) -> float:
    """Return the step between stored numbers of an image.

    Parameters
    ----------
    image
        one image, or one time frame

    Raises
    ------
    DataError
        if the values are too small for DICOM numbers
    """
    largest = float(np.abs(image.values).max(initial=0.0))
    if image.unit == transmission.HOUNSFIELD:
        for step in HOUNSFIELD_STEPS:
            if largest <= step * LARGEST:
                return step
    # Rounded up: a smaller slope would make the largest value overflow 16 bits.
    slope = float(decimal_from_above(largest / LARGEST)) if largest else 1.0
    if not slope > 0:
        raise DataError(
            f"the largest value ({largest:g}) is too small for DICOM; export to another format."
        )
    return slope


def _of_slice(volume: Volume, k: int, number: int, series: str, *, is_pet: bool) -> Plain:
    position = position_of(volume, k)
    return {
        "SOPInstanceUID": instance_uid(series, number),
        "InstanceNumber": str(number),
        **({"ImageIndex": number} if is_pet else {}),
        **pixel_measures(volume),
        "ImageOrientationPatient": orientation_of(volume),
        "ImagePositionPatient": position,
        "SliceLocation": position[2],
    }


def pixel_measures(volume: Volume) -> Plain:
    """Return spacing and thickness of the slices, as in the pixel measures of Enhanced files."""
    x_mm, y_mm, z_mm = volume.grid.voxel_mm
    return {
        "PixelSpacing": [decimal(y_mm), decimal(x_mm)],
        "SliceThickness": decimal(z_mm),
        "SpacingBetweenSlices": decimal(z_mm),
    }


def position_of(volume: Volume, k: int) -> list[str]:
    """Return the centre of the first voxel of slice `k` in patient axes [mm, LPS]."""
    x, y, z = (volume.grid.centres_mm(axis) for axis in range(3))
    place = to_patient_axes(volume.sides) @ [float(x[0]), float(y[0]), float(z[k])]
    # Adding 0.0 turns -0.0 into 0.0, so that equal positions have equal texts.
    return [decimal(float(each) + 0.0) for each in place]


def orientation_of(volume: Volume) -> list[str]:
    """Return the directions of rows and columns in patient axes [LPS]."""
    turn = to_patient_axes(volume.sides)
    return [str(int(each)) for each in (*turn[:, 0], *turn[:, 1])]


def slice_order(volume: Volume) -> range:
    """Return the numbers of the slices from feet to head, if z is parallel to the patient."""
    # Axes that end in "I" run to the feet, so their slices are reversed.
    return range(volume.grid.shape[0])[:: -1 if volume.sides.endswith("I") else 1]


def _common(volume: Volume, provenance: Plain, subject: Subject, digest: str) -> Plain:
    """Return the attributes that all slices share."""
    is_pet = is_emission(volume, provenance)
    of_kind = emission if is_pet else transmission
    attributes = of_kind.series_attributes(
        provenance, volume.unit, *([volume.grid.shape[0]] if is_pet else [])
    )
    return {
        **general_attributes(volume, provenance, subject),
        "SOPClassUID": of_kind.CLASS_UID,
        "SeriesInstanceUID": series_uid(subject, digest),
        "SeriesNumber": "901",
        "FrameOfReferenceUID": subject.frame_uid,
        "PositionReferenceIndicator": "",
        "AcquisitionNumber": "1",
        **attributes,
    }


def series_uid(subject: Subject, digest: str) -> str:
    """Return the SeriesInstanceUID for an image.

    Parameters
    ----------
    subject
        patient and study
    digest
        digest of the image, from `digest_of`
    """
    return uid_of("series", str(subject.attributes["StudyInstanceUID"]), digest)


def class_uid(volume: Volume, provenance: Plain) -> str:
    """Return the storage class for the slices of an image."""
    return (emission if is_emission(volume, provenance) else transmission).CLASS_UID


def instance_uid(series: str, number: int) -> str:
    """Return the SOPInstanceUID of a file of a series; files count from 1."""
    return uid_of("instance", series, str(number))
