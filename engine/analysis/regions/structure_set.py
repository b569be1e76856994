"""Write regions as an RT structure set (PS3.3 A.19): closed contours in the slices of an image."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from math import floor, log10
from pathlib import Path

import numpy as np

from engine.analysis.regions.dicom_image import SUFFIX, DicomImage, refuse_no_regions
from engine.analysis.regions.planar import PlanarContours
from engine.analysis.regions.region_set import Region
from engine.analysis.regions.slice_contours import SliceContours, slice_contours
from engine.core.arrays import Array
from engine.core.errors import DataError
from engine.core.json_types import Plain
from engine.data.volume import Volume
from engine.geometry.patient_planes import to_patient_axes
from engine.io.dicom.general import MAX_BYTES, encoded_object
from engine.io.dicom.private_block import SIGNED
from engine.io.dicom.series import instance_uid
from engine.io.dicom.values import decimal, uid_of, words
from engine.io.safety.atomic_write import write_atomically

CLASS_UID = "1.2.840.10008.5.1.4.1.1.481.3"
"""RT Structure Set Storage."""
STUDY_CLASS_UID = "1.2.840.10008.3.1.2.3.1"
"""Detached Study Management, by which structure sets name a study (PS3.3 C.8.8.5)."""
NUMBER = "905"
"""Series number that no other export of this program uses."""
MIN_DECIMALS, DIGITS = 4, 3
"""Decimals of a coordinate [mm], and digits below the order of magnitude of a voxel."""
MAX_CHARACTERS = 64


def write_structure_set(regions: Sequence[Region], image: DicomImage, path: Path) -> int:
    """Write regions as contours in the slices of an image; return the number of contours.

    Parameters
    ----------
    regions
        regions in the coordinates of the image
    image
        image that supplies the slices
    path
        target, .dcm; written completely or not at all

    Raises
    ------
    DataError
        if the name has another suffix, there is no region, a region has no contour, or no series
        of the image is known
    """
    if not path.name.lower().endswith(SUFFIX):
        raise DataError(
            f"{path.name}: a structure set is a DICOM file; choose a name that ends with .dcm."
        )
    drawn = contours_of(regions, image.volume)
    write_atomically(structure_set_of(regions, drawn, image), path)
    return sum(len(plane.rings) for planes in drawn for plane in planes)


def contours_of(regions: Sequence[Region], volume: Volume) -> list[list[SliceContours]]:
    """Return the contours of each region in an image.

    Parameters
    ----------
    regions
        regions in the coordinates of the image
    volume
        image that supplies the slices

    Raises
    ------
    DataError
        if there is no region, or a region has no contour
    """
    refuse_no_regions(regions)
    found = [slice_contours(region.shape, volume) for region in regions]
    for region, planes in zip(regions, found, strict=True):
        if not planes:
            raise DataError(
                f"{region.name}: the region has no contour, because no slice centre is inside; "
                "enlarge the region."
            )
    return found


def structure_set_of(
    regions: Sequence[Region],
    drawn: Sequence[Sequence[SliceContours]],
    image: DicomImage,
    signed: str = "",
) -> bytes:
    """Return the bytes of a structure set.

    Parameters
    ----------
    regions
        regions in the coordinates of the image
    drawn
        contours of each region, from `contours_of`
    image
        image that the regions belong to
    signed
        text by which the file states its signature; empty if it is not signed
    """
    instances, volume = image.instances(), image.volume
    contours = [
        _contours(number, region, planes, volume, instances)
        for number, (region, planes) in enumerate(zip(regions, drawn, strict=True), 1)
    ]
    # The UID depends on names and contours: the same export keeps its UID, and an edited region
    # is a new object instead of a conflicting copy of the old one.
    digest = sha256(repr([(r.name, r.colour) for r in regions]).encode() + repr(contours).encode())
    own = uid_of("structure set", image.study, image.digest, digest.hexdigest())
    general = image.attributes()
    date, time = general.pop("ContentDate"), general.pop("ContentTime")
    frame = image.subject.frame_uid
    attributes: Plain = {
        **general,
        "SOPClassUID": CLASS_UID,
        "SOPInstanceUID": instance_uid(own, 1),
        "SeriesInstanceUID": own,
        "SeriesNumber": NUMBER,
        "SeriesDescription": words(f"Structures, {general['SeriesDescription']}"),
        "InstanceNumber": "1",
        "Modality": "RTSTRUCT",
        "OperatorsName": "",
        "FrameOfReferenceUID": frame,
        "PositionReferenceIndicator": "",
        "StructureSetLabel": "REGIONS",
        "StructureSetName": "Regions of Isocenter",
        "StructureSetDate": date,
        "StructureSetTime": time,
        "ReferencedFrameOfReferenceSequence": [_frame(image)],
        "StructureSetROISequence": [
            _structure(number, region, frame) for number, region in enumerate(regions, 1)
        ],
        "ROIContourSequence": contours,
        "RTROIObservationsSequence": [
            {
                "ObservationNumber": str(number),
                "ReferencedROINumber": str(number),
                # Organ, target or other purposes are decisions of a physician.
                "RTROIInterpretedType": "",
                "ROIInterpreter": "",
            }
            for number in range(1, len(regions) + 1)
        ],
        "ApprovalStatus": "UNAPPROVED",
        SIGNED: signed,
    }
    return encoded_object(attributes, has_long_values=_are_long(contours))


def _are_long(contours: Sequence[Plain]) -> bool:
    """Return True if a contour has too many corners for a short length field."""
    rings = (ring["ContourData"] for each in contours for ring in each["ContourSequence"])
    return any(sum(len(text) + 1 for text in ring) > MAX_BYTES for ring in rings)


def _frame(image: DicomImage) -> Plain:
    study = {
        "ReferencedSOPClassUID": STUDY_CLASS_UID,
        "ReferencedSOPInstanceUID": image.study,
        "RTReferencedSeriesSequence": [
            {
                "SeriesInstanceUID": each["SeriesInstanceUID"],
                "ContourImageSequence": each["ReferencedInstanceSequence"],
            }
            # The contours lie in the frame of reference of the first series only.
            for each in image.named_series[:1]
        ],
    }
    return {
        "FrameOfReferenceUID": image.subject.frame_uid,
        "RTReferencedStudySequence": [study],
    }


def _structure(number: int, region: Region, frame: str) -> Plain:
    return {
        "ROINumber": str(number),
        "ReferencedFrameOfReferenceUID": frame,
        "ROIName": words(region.name, MAX_CHARACTERS) or f"Region {number}",
        "ROIGenerationAlgorithm": "SEMIAUTOMATIC" if region.shape.follows_image else "MANUAL",
    }


def _contours(
    number: int,
    region: Region,
    planes: Sequence[SliceContours],
    volume: Volume,
    instances: dict[int, list[Plain]],
) -> Plain:
    heights = volume.grid.centres_mm(2)
    shape = region.shape
    slab_mm = shape.slab_mm if isinstance(shape, PlanarContours) else volume.grid.voxel_mm[2]
    items = list[Plain]()
    for plane in planes:
        away = np.abs(heights - plane.height_mm)
        k = int(away.argmin())
        # Contours drawn elsewhere can lie between the slices of this image.
        near = away[k] < volume.grid.voxel_mm[2] / 2
        sources = instances.get(k, []) if near else []
        for ring in plane.rings:
            items.append(
                {
                    **({"ContourImageSequence": sources} if sources else {}),
                    # Retired, but a single plane states its thickness nowhere else.
                    "ContourSlabThickness": decimal(slab_mm),
                    "ContourGeometricType": "CLOSED_PLANAR",
                    "NumberOfContourPoints": str(len(ring)),
                    "ContourData": _points(ring, plane.height_mm, volume),
                }
            )
    return {
        "ROIDisplayColor": [int(region.colour[k : k + 2], 16) for k in (1, 3, 5)],
        "ContourSequence": items,
        "ReferencedROINumber": str(number),
    }


def _points(ring: Array, height_mm: float, volume: Volume) -> list[str]:
    """Return the corners of a contour in patient coordinates [mm, LPS]."""
    points = np.column_stack([ring, np.full(len(ring), height_mm)])
    placed = points @ to_patient_axes(volume.sides).T
    decimals = max(MIN_DECIMALS, DIGITS - floor(log10(min(volume.grid.voxel_mm))))
    # Adding 0.0 turns -0.0 into 0.0.
    rounded = np.round(placed, decimals).ravel() + 0.0
    return [f"{float(each):.{decimals}f}".rstrip("0").rstrip(".") for each in rounded]
