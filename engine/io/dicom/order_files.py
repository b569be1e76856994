"""Write DICOM files for the patient and study of an order."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from engine.core.json_types import Plain
from engine.data.timing.time_frames import FrameVolume
from engine.data.volume import Volume
from engine.io.dicom.capture import DicomCaptureWriter, write_capture
from engine.io.dicom.order import ImagingOrder
from engine.io.dicom.patient_identity import of_order
from engine.io.dicom.series_writer import DicomSeriesWriter, write_series
from engine.io.volumes.frame_series import save_frames
from engine.io.volumes.volume_saving import note_written


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
