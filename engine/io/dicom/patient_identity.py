"""Read the patient and study of an image from another DICOM image or a worklist order.

An image that names its patient cannot be assigned to another one. Our pseudonyms do not count as
names.
DICOM files are written for the patient and study of an order.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from engine.core.errors import DataError, SettingsError
from engine.core.json_types import Plain
from engine.data.patient_position import with_axes_facts
from engine.data.timing.time_frames import FrameVolume
from engine.data.volume import Volume
from engine.io.dicom.capture import DicomCaptureWriter, write_capture
from engine.io.dicom.order import ImagingOrder, is_order, refuse_other_patient
from engine.io.dicom.series import DicomSeriesWriter, digest_of, write_series
from engine.io.dicom.subject import Subject, subject_like, subject_of, subject_of_order
from engine.io.dicom.values import named, uid_of
from engine.io.safety.open_input import open_input
from engine.io.volumes.frame_series import save_frames
from engine.io.volumes.volume_saving import note_written


def subject_of_image(
    path: Path,
    volume: Volume,
    provenance: Plain,
    frames: Sequence[FrameVolume] = (),
    *,
    same_frame: bool = False,
) -> Subject:
    """Return patient and study from a file.

    Parameters
    ----------
    path
        a DICOM image of the patient, or an order that was saved by `isocenter dicom worklist`
    volume, provenance, frames
        the image and its origin
    same_frame
        True if the image is in the frame of reference of the DICOM image

    Raises
    ------
    DataError
        if the image belongs to another patient
    FileFormatError
        if the file names no patient
    SettingsError
        if `same_frame` is set for an order
    """
    if is_order(path):
        if same_frame:
            raise SettingsError(
                f"{path.name}: a worklist order has no frame of reference; omit --same-frame."
            )
        return of_order(ImagingOrder.read(path), volume, provenance, frames)
    with open_input(path) as file:
        subject = subject_like(file, same_frame=same_frame)
    # Checked here again: the user can choose a file of the wrong patient by mistake.
    if named(volume.patient) not in ("", subject.attributes["PatientID"]):
        raise DataError(
            f"{path.name}: belongs to a different patient than the image; choose an image of this "
            "patient."
        )
    if same_frame:
        return subject
    # Other scans of the patient can be written next to the same series. They must not share a frame
    # of reference, because viewers would overlay them.
    own = subject_of(with_axes_facts(provenance, volume.info), digest_of(volume, frames))
    return replace(subject, frame_uid=uid_of("frame next to", subject.frame_uid, own.frame_uid))


def of_order(
    order: ImagingOrder, volume: Volume, provenance: Plain, frames: Sequence[FrameVolume] = ()
) -> Subject:
    """Return patient and study of an order for an image.

    Parameters
    ----------
    order
        worklist order
    volume, provenance, frames
        the image and its origin

    Raises
    ------
    DataError
        if the image belongs to another patient
    """
    refuse_other_patient(order, volume.patient)
    stated = with_axes_facts(provenance, volume.info)
    return subject_of_order(order, stated, digest_of(volume, frames))


def is_dicom(path: Path) -> bool:
    """Return True if an image with this file name is written as DICOM."""
    return DicomSeriesWriter.ends(path) or DicomCaptureWriter.ends(path)


def write_for_order(
    order: ImagingOrder,
    volume: Volume,
    path: Path,
    provenance: Plain,
    frames: Sequence[FrameVolume] = (),
) -> bool:
    """Write an image as DICOM for the patient of an order.

    Parameters
    ----------
    order
        worklist order
    volume
        image; for several time frames their sum or mean
    path
        target
    provenance
        origin of the image as JSON values
    frames
        time frames, written in place of `volume`

    Returns
    -------
    is_written
        False for other formats, which cannot identify a patient

    Raises
    ------
    DataError
        if the image belongs to another patient
    """
    if not is_dicom(path):
        return False
    subject = of_order(order, volume, provenance, frames)
    if DicomCaptureWriter.ends(path):
        write_capture(volume, path, provenance, subject)
        note_written(path, DicomCaptureWriter.name)
    elif frames:
        save_frames(volume, frames, path, provenance, subject)
    else:
        write_series(volume, path, provenance, subject)
        note_written(path, DicomSeriesWriter.name)
    return True
