"""Read the patient and study of an image from another DICOM image or a worklist order.

An image that names its patient cannot be assigned to another one. Our pseudonyms do not count as
names.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from engine.core.errors import DataError, SettingsError
from engine.core.json_types import Plain
from engine.data.timing.time_frames import FrameVolume
from engine.data.volume import Volume
from engine.io.dicom.order import ImagingOrder, is_order, refuse_other_patient
from engine.io.dicom.pseudonyms import named
from engine.io.dicom.series import digest_of
from engine.io.dicom.subject import Subject, subject_like, subject_of_order
from engine.io.safety.open_input import open_input


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
    return subject


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
    refuse_other_patient(order, volume.patient, "the image")
    return subject_of_order(order, provenance, digest_of(volume, frames))
