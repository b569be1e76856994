"""A CT volume as one Enhanced file: all slices as frames, each saying where it lies. PS3.3 A.38.

    value = RescaleIntercept + RescaleSlope · number

as in the series of single slices, whose numbers are the same. Enhanced PET is not written: it has
to state corrections, their methods and how the tracer was given, which no image knows in full.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from engine.core.errors import DataError
from engine.core.json_types import Plain
from engine.data.volume import Volume
from engine.io.auxiliary.provenance_file import sidecar_path, write_with_sidecar
from engine.io.dicom import transmission
from engine.io.dicom.general import encoded, general_attributes
from engine.io.dicom.kind_of_scan import is_emission
from engine.io.dicom.series import (
    digest_of,
    instance_uid,
    orientation_of,
    pixel_measures,
    position_of,
    slice_order,
    slope_of,
)
from engine.io.dicom.subject import Subject, subject_of
from engine.io.dicom.uids import uid_of
from engine.io.dicom.values import decimal
from engine.io.safety.atomic_write import refuse_impossible

CLASS_UID = "1.2.840.10008.5.1.4.1.1.2.1"
"""Enhanced CT Image Storage."""
MOST_BYTES = 2**32 - 2
"""Pixels that a file holds, by the length that it states."""
KIND: Plain = {
    "PixelPresentation": "MONOCHROME",
    "VolumetricProperties": "VOLUME",
    "VolumeBasedCalculationTechnique": "NONE",
}
TYPE = ["DERIVED", "PRIMARY", "VOLUME", "NONE"]
STACK, IN_STACK, FRAME_CONTENT = 0x00209056, 0x00209057, 0x00209111


def enhanced_files(path: Path) -> tuple[Path, ...]:
    """Return the files that an Enhanced file is written as: with its provenance."""
    return path, sidecar_path(path)


def refuse_enhanced(volume: Volume, path: Path, provenance: Plain) -> None:
    """Refuse what no Enhanced CT file can hold, and a place that takes none."""
    if is_emission(volume, provenance):
        raise DataError(
            f"{path.name}: an Enhanced PET file must state all corrections and methods, but this "
            "image does not; write a series (.dicom) instead."
        )
    if volume.unit != transmission.HOUNSFIELD:
        raise DataError(
            f"{path.name}: values in {volume.unit or 'an unknown unit'}, but an Enhanced CT file "
            "stores only CT numbers; write a series (.dicom) instead."
        )
    n_bytes = 2 * volume.values.size
    if n_bytes > MOST_BYTES:
        raise DataError(
            f"{path.name}: {n_bytes:,} bytes of pixels, but one DICOM file stores at most "
            f"{MOST_BYTES:,}; write a series (.dicom) instead."
        )
    refuse_impossible(path, n_bytes)


def write_enhanced(
    volume: Volume, path: Path, provenance: Plain, subject: Subject | None = None
) -> None:
    """Write a CT volume as one Enhanced file, with its provenance beside it.

    Parameters
    ----------
    volume
        finite values
    path
        target; whole, or not at all
    provenance
        of the volume
    subject
        patient and study; by pseudonyms if None

    Raises
    ------
    DataError
        where the volume is of a PET scan, or too large for one file
    """
    refuse_enhanced(volume, path, provenance)
    digest = digest_of(volume)
    whose = subject or subject_of(provenance, digest)
    slope = slope_of(volume)
    order = slice_order(volume)
    numbers = np.stack([np.rint(volume.values[k] / slope).astype("<i2") for k in order])
    study = str(whose.attributes["StudyInstanceUID"])
    series = uid_of("enhanced", study, digest)
    dimensions = uid_of("dimensions", series)
    general = general_attributes(volume, provenance, whose)
    attributes: Plain = {
        **general,
        **KIND,
        "ContentDate": general["ContentDate"] or general["SeriesDate"],
        "ContentTime": general["ContentTime"] or general["SeriesTime"],
        "SOPClassUID": CLASS_UID,
        "SOPInstanceUID": instance_uid(series, 1),
        "SeriesInstanceUID": series,
        "SeriesNumber": "903",
        "InstanceNumber": "1",
        "Modality": "CT",
        "ImageType": TYPE,
        "PatientPosition": "",
        "FrameOfReferenceUID": whose.frame_uid,
        "PositionReferenceIndicator": "",
        "DeviceSerialNumber": "0",
        "ContentQualification": "RESEARCH",
        "BurnedInAnnotation": "NO",
        "LossyImageCompression": "00",
        "PresentationLUTShape": "IDENTITY",
        "AcquisitionContextSequence": [],
        "NumberOfFrames": len(numbers),
        "DimensionOrganizationSequence": [{"DimensionOrganizationUID": dimensions}],
        "DimensionIndexSequence": [
            {
                "DimensionOrganizationUID": dimensions,
                "DimensionIndexPointer": pointer,
                "FunctionalGroupPointer": FRAME_CONTENT,
            }
            for pointer in (STACK, IN_STACK)
        ],
        "SharedFunctionalGroupsSequence": [_shared(volume, slope, study)],
        "PerFrameFunctionalGroupsSequence": [
            _frame(volume, k, number) for number, k in enumerate(order, start=1)
        ],
    }
    del attributes["Laterality"]  # each frame has one
    write_with_sidecar(path, encoded(attributes, numbers), volume.unit, provenance)


def _shared(volume: Volume, slope: float, study: str) -> Plain:
    """Return what all frames state."""
    scale: Plain = {
        "RescaleIntercept": "0",
        "RescaleSlope": decimal(slope),
        "RescaleType": transmission.HOUNSFIELD,
    }
    unknown = {
        "CodeValue": "261665006",
        "CodingSchemeDesignator": "SCT",
        "CodeMeaning": "Unknown",
    }
    return {
        "PixelMeasuresSequence": [pixel_measures(volume)],
        "PlaneOrientationSequence": [{"ImageOrientationPatient": orientation_of(volume)}],
        "PixelValueTransformationSequence": [scale],
        "FrameAnatomySequence": [{"FrameLaterality": "U", "AnatomicRegionSequence": [unknown]}],
        "CTImageFrameTypeSequence": [{"FrameType": TYPE, **KIND}],
        "IrradiationEventIdentificationSequence": [
            {"IrradiationEventUID": uid_of("irradiation", study)}
        ],
    }


def _frame(volume: Volume, k: int, number: int) -> Plain:
    content: Plain = {
        "StackID": "1",
        "InStackPositionNumber": number,
        "DimensionIndexValues": [1, number],
    }
    return {
        "FrameContentSequence": [content],
        "PlanePositionSequence": [{"ImagePositionPatient": position_of(volume, k)}],
    }
