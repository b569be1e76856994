"""Write a CT volume as one Enhanced CT file with all slices as frames. PS3.3 A.38.

    value = RescaleIntercept + RescaleSlope · number

The stored numbers are those of the series of single slices. Enhanced PET is not written: it must
state all corrections, their methods and the administration of the tracer, which are not fully
known.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from engine.core.errors import DataError
from engine.core.json_types import Plain
from engine.data.patient_position import with_axes_facts
from engine.data.volume import Volume
from engine.io.auxiliary.provenance_file import sidecar_path, write_with_sidecar
from engine.io.dicom import transmission
from engine.io.dicom.general import encoded, general_attributes
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
from engine.io.dicom.transmission import is_emission
from engine.io.dicom.values import decimal, uid_of
from engine.io.safety.atomic_write import refuse_impossible

CLASS_UID = "1.2.840.10008.5.1.4.1.1.2.1"
"""Enhanced CT Image Storage."""
MAX_BYTES = 2**32 - 2
"""Maximum size of the pixels, because their length has 32 bits."""
KIND: Plain = {
    "PixelPresentation": "MONOCHROME",
    "VolumetricProperties": "VOLUME",
    "VolumeBasedCalculationTechnique": "NONE",
}
TYPE = ["DERIVED", "PRIMARY", "VOLUME", "NONE"]
STACK, IN_STACK, FRAME_CONTENT = 0x00209056, 0x00209057, 0x00209111


def enhanced_files(path: Path) -> tuple[Path, ...]:
    """Return the files that are written for an Enhanced file: the file and its provenance."""
    return path, sidecar_path(path)


def refuse_enhanced(volume: Volume, path: Path, provenance: Plain) -> None:
    """Refuse an image that an Enhanced CT file cannot store, and a target that cannot be written.

    Parameters
    ----------
    volume
        image to write
    path
        target
    provenance
        origin of the image as JSON values

    Raises
    ------
    DataError
        if it is a PET image, is not in HU, or is too large
    ResourceError
        if the target cannot be written
    """
    if is_emission(volume, provenance):
        raise DataError(
            f"{path.name}: an Enhanced PET file must list all corrections and methods, which are "
            "not known for this image; export a DICOM series (.dicom) instead."
        )
    if volume.unit != transmission.HOUNSFIELD:
        raise DataError(
            f"{path.name}: the unit of the image is {volume.unit!r}, but an Enhanced CT file can "
            "only store CT numbers (HU); export a DICOM series (.dicom) instead."
        )
    n_bytes = 2 * volume.values.size
    if n_bytes > MAX_BYTES:
        raise DataError(
            f"{path.name}: the pixels need {n_bytes:,} bytes, but a single DICOM file can store at "
            f"most {MAX_BYTES:,}; export a DICOM series (.dicom) instead."
        )
    refuse_impossible(path, n_bytes)


def write_enhanced(
    volume: Volume, path: Path, provenance: Plain, subject: Subject | None = None
) -> None:
    """Write a CT volume as one Enhanced file, with its provenance next to it.

    Parameters
    ----------
    volume
        finite CT numbers
    path
        target; it is written completely or not at all
    provenance
        origin of the volume as JSON values
    subject
        patient and study; None uses pseudonyms

    Raises
    ------
    DataError
        if it is a PET image, is not in HU, or is too large for one file
    """
    refuse_enhanced(volume, path, provenance)
    digest = digest_of(volume)
    identity = subject or subject_of(with_axes_facts(provenance, volume.info), digest)
    # One slope for all frames, as in PixelValueTransformationSequence of the shared groups.
    slope = slope_of(volume)
    order = slice_order(volume)
    numbers = np.stack([np.rint(volume.values[k] / slope).astype("<i2") for k in order])
    study = str(identity.attributes["StudyInstanceUID"])
    series = uid_of("enhanced", study, digest)
    dimensions = uid_of("dimensions", series)
    general = general_attributes(volume, provenance, identity)
    attributes: Plain = {
        **general,
        **KIND,
        # Type 1 in files with functional groups (PS3.3 C.7.6.16), so they must not be empty.
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
        "FrameOfReferenceUID": identity.frame_uid,
        "PositionReferenceIndicator": "",
        # Type 1 in the Enhanced General Equipment module, but software has no serial number.
        "DeviceSerialNumber": "0",
        "ContentQualification": "RESEARCH",
        "BurnedInAnnotation": "NO",
        "LossyImageCompression": "00",
        "PresentationLUTShape": "IDENTITY",
        "AcquisitionContextSequence": [],
        "NumberOfFrames": len(numbers),
        "DimensionOrganizationSequence": [{"DimensionOrganizationUID": dimensions}],
        # Viewers sort frames by these indices: stack first, then position in the stack.
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
    del attributes["Laterality"]  # not allowed here, because each frame states its own
    write_with_sidecar(path, encoded(attributes, numbers), volume.unit, provenance)


def _shared(volume: Volume, slope: float, study: str) -> Plain:
    """Return the functional groups that all frames share."""
    scale: Plain = {
        "RescaleIntercept": "0",
        "RescaleSlope": decimal(slope),
        "RescaleType": transmission.HOUNSFIELD,
    }
    # The anatomic region is type 1, and the program does not know it.
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
