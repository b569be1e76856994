"""A volume as a series of single slices, the form that every viewer and archive takes.

    value = RescaleIntercept + RescaleSlope · number

with one slope for all slices of a frame of time, so that an early frame of little activity is as
fine as a late one. Slices go from feet to head, frame after frame, rows to the patient's left and
columns to the back. The same image has the same UIDs whenever it is exported, and the same bytes
where its provenance says when it was made.
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
"""Largest whole number; they have a sign, since filters leave values below zero."""
HOUNSFIELD_STEPS = (0.1, 1.0)
"""Steps of CT numbers, the finest that holds all of them; programs of old know none but whole."""


def slices_of(
    volume: Volume, provenance: Plain, subject: Subject, frames: Sequence[FrameVolume] = ()
) -> Iterator[bytes]:
    """Yield the DICOM files of a volume, from feet to head, frame after frame.

    Parameters
    ----------
    volume
        finite values
    provenance
        of the volume
    subject
        patient and study
    frames
        of time, whose sum or mean the volume is: they are written in its place

    Raises
    ------
    DataError
        where DICOM's whole numbers cannot hold the values, or frames are of no PET scan
    """
    is_pet = is_emission(volume, provenance)
    if frames and not is_pet:
        raise DataError("In DICOM, only PET images can have time frames; export another format.")
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
        for number, k in enumerate(order, start=1 + t * n_slices):
            each = common | said | _of_slice(volume, k, number, series, is_pet=is_pet)
            yield encoded(each, np.rint(image.values[k] / slope).astype("<i2"))


def digest_of(volume: Volume, frames: Sequence[FrameVolume] = ()) -> str:
    """Return a digest of the values, where they lie and their unit, and of frames of time."""
    said = f"{volume.grid} {volume.unit} {volume.axes}".encode()
    total = sha256(said + np.ascontiguousarray(volume.values, "<f4").tobytes())
    for frame, image in frames:
        total.update(f"{frame}".encode())
        total.update(np.ascontiguousarray(image.values, "<f4").tobytes())
    return total.hexdigest()


def slope_of(image: Volume) -> float:
    """Return the step from one whole number to the next, as the slices of an image state it."""
    largest = float(np.abs(image.values).max(initial=0.0))
    if image.unit == transmission.HOUNSFIELD:
        for step in HOUNSFIELD_STEPS:
            if largest <= step * LARGEST:
                return step
    slope = float(decimal_from_above(largest / LARGEST)) if largest else 1.0
    if not slope > 0:
        raise DataError("the values are too small for DICOM; export another format.")
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
    """Return the sizes of voxels as frames of one file state them."""
    x_mm, y_mm, z_mm = volume.grid.voxel_mm
    return {
        "PixelSpacing": [decimal(y_mm), decimal(x_mm)],
        "SliceThickness": decimal(z_mm),
        "SpacingBetweenSlices": decimal(z_mm),
    }


def position_of(volume: Volume, k: int) -> list[str]:
    """Return the middle of the first voxel of slice `k` in the patient's axes [mm, LPS]."""
    x, y, z = (volume.grid.centres_mm(axis) for axis in range(3))
    place = to_patient_axes(volume.sides) @ [float(x[0]), float(y[0]), float(z[k])]
    return [decimal(float(each) + 0.0) for each in place]


def orientation_of(volume: Volume) -> list[str]:
    """Return where the rows and the columns of slices lead in the patient's axes [LPS]."""
    turn = to_patient_axes(volume.sides)
    return [str(int(each)) for each in (*turn[:, 0], *turn[:, 1])]


def slice_order(volume: Volume) -> range:
    """Return the numbers of the slices, from the feet to the head if z lies along the patient."""
    return range(volume.grid.shape[0])[:: -1 if volume.sides.endswith("I") else 1]


def _common(volume: Volume, provenance: Plain, subject: Subject, digest: str) -> Plain:
    """Return what all slices state."""
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
    """Return the UID of the series of an image, by the digest of it."""
    return uid_of("series", str(subject.attributes["StudyInstanceUID"]), digest)


def class_uid(volume: Volume, provenance: Plain) -> str:
    """Return the storage class of the slices of an image."""
    return (emission if is_emission(volume, provenance) else transmission).CLASS_UID


def instance_uid(series: str, number: int) -> str:
    """Return the UID of a file of a series, counted from 1."""
    return uid_of("instance", series, str(number))
