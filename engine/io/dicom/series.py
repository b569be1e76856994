"""Write a volume as a series of single slices, which every viewer and archive accepts.

    value = RescaleIntercept + RescaleSlope · number

Each time frame has one slope for all of its slices, so an early frame with little activity is as
precise as a late one. Slices go from feet to head, frame after frame; rows go to the patient's left
and columns to the back. The same image always has the same UIDs. It has the same bytes if its
provenance states when it was made, except for the newest line of the audit log.

Time frames of a dynamic PET series follow PS3.3 C.8.9.1 and C.8.9.4. A frame of length T that
starts at t has its mean activity at the reference time

    t + ln(λT / (1 − exp(−λT))) / λ,    or t + T / 2 if the half-life is unknown,

counted from the series time, which is the start of the scan. The images are numbered

    index = (frame − 1) · slices + slice.

A folder has one file per slice and a provenance sidecar. References name the images that a file was
made from or overlays (PS3.3 C.12.4).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from datetime import timedelta
from hashlib import sha256
from pathlib import Path
from typing import ClassVar

import numpy as np

from engine.core.errors import DataError, FileFormatError
from engine.core.json_types import Plain
from engine.data.patient_position import with_axes_facts
from engine.data.timing.decay import frame_factor
from engine.data.timing.time_frames import FrameVolume, TimeFrame
from engine.data.timing.timestamps import moment_of
from engine.data.volume import Volume
from engine.geometry.patient_planes import to_patient_axes
from engine.io.auxiliary.sidecar_writers import FolderWriter, write_folder
from engine.io.dicom import emission, transmission
from engine.io.dicom.emission import series_attributes
from engine.io.dicom.general import encoded, general_attributes
from engine.io.dicom.headers import Header
from engine.io.dicom.subject import Subject, subject_of
from engine.io.dicom.transmission import is_emission
from engine.io.dicom.values import date_of, decimal, decimal_from_above, time_of, uid_of
from engine.io.text.json_text import object_of

LARGEST = 2**15 - 1
"""Largest stored number; numbers are signed, because filters produce negative values."""
HOUNSFIELD_STEPS = (0.1, 1.0)
"""Allowed steps of CT numbers; the finest that fits is used. Old programs expect whole numbers."""
DYNAMIC = ["DYNAMIC", "IMAGE"]
HEADER_BYTES = 4096
"""Upper limit for a file without its pixels, to estimate the space [bytes]."""
MIN_DIGITS = 5


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
    if frames and not frames_in_series(volume, provenance, frames):
        raise DataError(
            "In DICOM, only PET images can have time frames, and no image can have gates; export "
            "to another format."
        )
    images = [each.volume for each in frames] or [volume]
    common = _common(volume, provenance, subject, digest_of(volume, frames)) | {
        "RescaleIntercept": "0",
        **(dynamic_attributes(len(frames)) if frames else {}),
    }
    series, n_slices = str(common["SeriesInstanceUID"]), volume.grid.shape[0]
    order = slice_order(volume)
    for t, image in enumerate(images):
        slope = slope_of(image)
        stated: Plain = {"RescaleSlope": decimal(slope)}
        if frames:
            stated |= frame_attributes(provenance, volume.unit, frames[t].frame)
        # Image index of a dynamic series: (frame − 1) · slices + slice (PS3.3 C.8.9.4).
        for number, k in enumerate(order, start=1 + t * n_slices):
            each = common | stated | _of_slice(volume, k, number, series, is_pet=is_pet)
            yield encoded(each, np.rint(image.values[k] / slope).astype("<i2"))


def frames_in_series(
    volume: Volume, provenance: Plain, frames: Sequence[FrameVolume]
) -> Sequence[FrameVolume]:
    """Return the frames from which the series of an image is written.

    Parameters
    ----------
    volume
        image
    provenance
        origin of the image as JSON values
    frames
        its time frames or gates, if it has any

    Returns
    -------
    frames
        empty if a series holds only the image itself: gates have no times, and CT has no frames
    """
    is_timed = is_emission(volume, provenance) and not any(each.frame.gate for each in frames)
    return frames if is_timed else ()


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
    stated = f"{volume.grid} {volume.unit} {volume.sides}".encode()
    total = sha256(stated + np.ascontiguousarray(volume.values, "<f4").tobytes())
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


def dynamic_attributes(n_frames: int) -> Plain:
    """Return the attributes of a dynamic series that a static PET series does not have."""
    return {"SeriesType": DYNAMIC, "NumberOfTimeSlices": n_frames}


def frame_attributes(provenance: Plain, unit: str, frame: TimeFrame) -> Plain:
    """Return the attributes that all slices of one frame share.

    Parameters
    ----------
    provenance
        origin of the whole image as JSON values
    unit
        unit of the values
    frame
        start and length of the frame

    Returns
    -------
    attributes
        times of the frame, and its decay factor if the activity is decay-corrected
    """
    scan = object_of(provenance.get("scan"))
    own = [{"start_s": frame.start_s, "duration_s": frame.duration_s}]
    # The factor is that of a static image of this frame alone.
    stated = series_attributes({**provenance, "scan": {**scan, "frames": own}}, unit, 1)
    started = moment_of(scan.get("scan_start"))
    begun = None if started is None else started + timedelta(milliseconds=frame.start_ms)
    attributes: Plain = {
        "AcquisitionDate": date_of(begun),
        "AcquisitionTime": time_of(begun),
        # Integer string [ms], while FrameReferenceTime is a decimal string [ms].
        "ActualFrameDuration": str(frame.end_ms - frame.start_ms),
        "FrameReferenceTime": decimal(1000 * _reference_s(frame, scan.get("half_life_s"))),
    }
    return attributes | ({"DecayFactor": stated["DecayFactor"]} if "DecayFactor" in stated else {})


def _reference_s(frame: TimeFrame, half_life_s: object) -> float:
    if not isinstance(half_life_s, int | float) or not half_life_s > 0:
        return frame.start_s + frame.duration_s / 2
    # factor = λT / (1 − exp(−λT)), so its logarithm to base 2 is the time in half-lives.
    factor = frame_factor(frame.duration_s, float(half_life_s))
    return frame.start_s + float(half_life_s) * math.log2(factor)


class DicomSeriesWriter(FolderWriter):
    """DICOM series of PET or CT images."""

    detail: ClassVar[str] = "a folder of slices for archives and viewers"

    @classmethod
    def write(cls, volume: Volume, path: Path, provenance: Plain) -> None:
        write_series(volume, path, provenance)


def write_series(
    volume: Volume,
    path: Path,
    provenance: Plain,
    subject: Subject | None = None,
    frames: Sequence[FrameVolume] = (),
) -> int:
    """Write a volume, or its time frames, as a folder of slices; return the size in bytes.

    Parameters
    ----------
    volume
        finite values
    path
        new folder
    provenance
        origin of the volume as JSON values
    subject
        patient and study; None uses pseudonyms
    frames
        time frames on the grid of the volume, for a dynamic series

    Raises
    ------
    DataError
        if the values are too small for DICOM numbers, or frames do not belong to a PET scan
    ResourceError
        if the folder exists or cannot be written
    """
    stated = with_axes_facts(provenance, volume.info)
    identity = subject or subject_of(stated, digest_of(volume, frames))
    n_images = max(len(frames), 1)
    n_files = n_images * volume.grid.shape[0]
    # Leading zeros: programs that sort by name then get the order of the slices.
    digits = max(MIN_DIGITS, len(str(n_files)))
    needed = n_images * volume.values.size * 2 + n_files * HEADER_BYTES
    contents = enumerate(slices_of(volume, provenance, identity, frames), start=1)
    files = ((f"{number:0{digits}}.dcm", content) for number, content in contents)
    return write_folder(path, needed, files, volume.unit, provenance)


def references_of(
    volume: Volume,
    provenance: Plain,
    subject: Subject,
    series: Sequence[Header],
    frames: Sequence[FrameVolume] = (),
) -> Plain:
    """Return references to the source images of a file.

    Parameters
    ----------
    volume, provenance, subject
        image, its origin, and its patient and study
    series
        headers of the DICOM series that the volume was read from, in the same study; if empty, a
        volume that was not read from a series refers to the series that this program would write
    frames
        time frames or gates of the volume; a dynamic series is written in place of the volume

    Returns
    -------
    attributes
        ReferencedSeriesSequence and SourceImageSequence, if there are references

    Raises
    ------
    FileFormatError
        if a header has no SOPInstanceUID
    """
    sources = _sources(volume, provenance, subject, series, frames)
    referenced = subject.references.get("ReferencedSeriesSequence", [])
    # One item for each series: viewers take only the first one.
    others = [each for each in referenced if each["SeriesInstanceUID"] not in sources]
    named = [
        {"SeriesInstanceUID": uid, "ReferencedInstanceSequence": instances}
        for uid, instances in sources.items()
    ]
    images = [each for instances in sources.values() for each in instances]
    found: Plain = {"ReferencedSeriesSequence": [*named, *others]} if named or others else {}
    return found | ({"SourceImageSequence": images} if images else {})


def _sources(
    volume: Volume,
    provenance: Plain,
    subject: Subject,
    series: Sequence[Header],
    frames: Sequence[FrameVolume],
) -> dict[str, list[Plain]]:
    """Return the instances of the displayed series, by SeriesInstanceUID."""
    if series:
        return {series[0].series: [_instance(each) for each in series]}
    # Read from a series that was not passed. Our own series would be another one.
    if volume.patient:
        return {}
    # UIDs follow from the content, so the series can be written before or after this file.
    written = frames_in_series(volume, provenance, frames)
    shown = series_uid(subject, digest_of(volume, written))
    kind = class_uid(volume, provenance)
    numbers = range(1, max(len(written), 1) * volume.grid.shape[0] + 1)
    return {
        shown: [
            {"ReferencedSOPClassUID": kind, "ReferencedSOPInstanceUID": instance_uid(shown, n)}
            for n in numbers
        ]
    }


def _instance(header: Header) -> Plain:
    found = header.text("SOPClassUID"), header.text("SOPInstanceUID")
    if not all(found):
        raise FileFormatError(
            f"{header.path.name}: has no SOPInstanceUID, so no image can refer to it; export the "
            "series again."
        )
    return {"ReferencedSOPClassUID": found[0], "ReferencedSOPInstanceUID": found[1]}
