"""Write regions as a DICOM segmentation (PS3.3 A.51).

There is one segment for each region, with the voxels that are at least half inside. Segments can
overlap. Frames use one bit per voxel, the first voxel in the lowest bit (PS3.5 8.1.1).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from engine.analysis.regions.coverage import HALF
from engine.analysis.regions.dicom_image import SUFFIX, DicomImage, refuse_no_regions
from engine.analysis.regions.measuring import coverage_of
from engine.analysis.regions.region_set import Region
from engine.core.errors import DataError
from engine.core.json_types import Plain
from engine.data.volume import Volume
from engine.io.dicom.general import encoded_bits, general_attributes
from engine.io.dicom.series import (
    instance_uid,
    orientation_of,
    pixel_measures,
    position_of,
    slice_order,
)
from engine.io.dicom.subject import Subject
from engine.io.dicom.values import uid_of, words
from engine.io.safety.atomic_write import write_atomically

CLASS_UID = "1.2.840.10008.5.1.4.1.1.66.4"
SEGMENT, IDENTIFICATION = 0x0062000B, 0x0062000A
POSITION, PLANE = 0x00200032, 0x00209113
TISSUE = {"CodeValue": "85756007", "CodingSchemeDesignator": "SCT", "CodeMeaning": "Tissue"}
MAX_CHARACTERS, MAX_UINT16 = 64, 65535
TO_XYZ = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
"""Matrix from linear sRGB to CIE XYZ."""
D65 = np.array([0.9505, 1.0, 1.089])
"""White point of sRGB in CIE XYZ."""


class SegmentFrame(NamedTuple):
    """One slice of one segment.

    Attributes
    ----------
    segment : number of the segment, from 1
    k : index of the slice
    level : number of the slice in the order of the series, from 1
    inside : (n_y, n_x) voxels of the segment
    """

    segment: int
    k: int
    level: int
    inside: NDArray[np.bool_]


def write_segmentation(regions: Sequence[Region], image: DicomImage, path: Path) -> int:
    """Write regions on the grid of an image; return the number of frames.

    Parameters
    ----------
    regions
        regions in the coordinates of the image
    image
        image that supplies the grid
    path
        target, .dcm; written completely or not at all

    Raises
    ------
    DataError
        if the name has another suffix, there is no region, or a region has no voxel
    """
    if not path.name.lower().endswith(SUFFIX):
        raise DataError(
            f"{path.name}: a segmentation is a DICOM file; choose a name that ends with .dcm."
        )
    found = Segmentation.of(regions, image)
    write_atomically(found.encoded(), path)
    return len(found.frames)


@dataclass(frozen=True)
class Segmentation:
    """Segments of regions on the grid of an image.

    Attributes
    ----------
    regions : regions in the order of their segments
    image : image that supplies the grid
    frames : slices of all segments
    uid : SeriesInstanceUID
    """

    regions: tuple[Region, ...]
    image: DicomImage
    frames: tuple[SegmentFrame, ...]
    uid: str

    @classmethod
    def of(cls, regions: Sequence[Region], image: DicomImage) -> Self:
        """Find the voxels of regions.

        Parameters
        ----------
        regions
            regions in the coordinates of the image
        image
            image that supplies the grid

        Raises
        ------
        DataError
            if there is no region, or a region has no voxel
        """
        refuse_no_regions(regions)
        volume = image.volume
        frames = [
            frame for number, r in enumerate(regions, 1) for frame in _frames(number, r, volume)
        ]
        # The UID depends on names and voxels: the same export keeps its UID, and an edited region
        # is a new object instead of a conflicting copy of the old one.
        drawn = sha256(_pixels(frames).tobytes() + repr([r.name for r in regions]).encode())
        uid = uid_of("segmentation", image.study, image.digest, drawn.hexdigest())
        return cls(tuple(regions), image, tuple(frames), uid)

    @property
    def reference(self) -> Plain:
        """Reference to the object: its class and its instance."""
        return {
            "ReferencedSOPClassUID": CLASS_UID,
            "ReferencedSOPInstanceUID": instance_uid(self.uid, 1),
        }

    def encoded(self) -> bytes:
        """Return the bytes of the DICOM file."""
        image, volume = self.image, self.image.volume
        attributes = _attributes(volume, image.provenance, image.subject, self.uid)
        attributes |= image.references
        attributes |= {
            "SegmentSequence": [_segment(number, r) for number, r in enumerate(self.regions, 1)],
            "NumberOfFrames": len(self.frames),
            **_dimensions(self.uid),
            "SharedFunctionalGroupsSequence": [_shared(volume)],
            "PerFrameFunctionalGroupsSequence": [_group(each, volume) for each in self.frames],
        }
        return encoded_bits(attributes, _pixels(self.frames))


def _pixels(frames: Sequence[SegmentFrame]) -> NDArray[np.bool_]:
    return np.stack([frame.inside for frame in frames])


def _frames(number: int, region: Region, volume: Volume) -> list[SegmentFrame]:
    """Return the slices with voxels of a region, in the order of the series."""
    found = coverage_of(region.shape, volume)
    heights, *across = found.box
    _, *size = volume.grid.shape
    frames = []
    for level, k in enumerate(slice_order(volume), 1):
        # Only slices inside the box of the region exist in its coverage.
        if not heights.start <= k < heights.stop:
            continue
        part = found.share[k - heights.start] >= HALF
        if part.any():
            inside = np.zeros(size, bool)
            inside[tuple(across)] = part
            frames.append(SegmentFrame(number, k, level, inside))
    if not frames:
        raise DataError(
            f"{region.name}: no voxel is at least half inside the region, so the segmentation "
            "would be empty; enlarge the region."
        )
    return frames


def _attributes(volume: Volume, provenance: Plain, identity: Subject, own: str) -> Plain:
    general = general_attributes(volume, provenance, identity)
    del general["Laterality"]
    return {
        **general,
        "SOPClassUID": CLASS_UID,
        "SOPInstanceUID": instance_uid(own, 1),
        "SeriesInstanceUID": own,
        "SeriesNumber": "904",
        "SeriesDescription": words(f"Regions, {general['SeriesDescription']}"),
        "InstanceNumber": "1",
        "Modality": "SEG",
        "ContentDate": general["ContentDate"] or general["SeriesDate"],
        # ContentDate and ContentTime are type 1 in a segmentation, so they must not be empty.
        "ContentTime": general["ContentTime"] or general["SeriesTime"],
        "ContentLabel": "REGIONS",
        "ContentDescription": "Regions of Isocenter",
        "ContentCreatorName": "",
        "FrameOfReferenceUID": identity.frame_uid,
        "PositionReferenceIndicator": "",
        "DeviceSerialNumber": "0",
        "ImageType": ["DERIVED", "PRIMARY"],
        "LossyImageCompression": "00",
        "SegmentationType": "BINARY",
    }


def _segment(number: int, region: Region) -> Plain:
    return {
        "SegmentNumber": number,
        "SegmentLabel": words(region.name, MAX_CHARACTERS) or f"Region {number}",
        "SegmentAlgorithmType": "MANUAL",
        "RecommendedDisplayCIELabValue": _cielab(region.colour),
        "SegmentedPropertyCategoryCodeSequence": [TISSUE],
        "SegmentedPropertyTypeCodeSequence": [TISSUE],
    }


def _dimensions(own: str) -> Plain:
    """Return the dimensions: frames are ordered by segment, then by position (PS3.3 C.7.6.17)."""
    uid = uid_of("dimensions", own)
    pointers = ((SEGMENT, IDENTIFICATION), (POSITION, PLANE))
    return {
        "DimensionOrganizationSequence": [{"DimensionOrganizationUID": uid}],
        "DimensionIndexSequence": [
            {
                "DimensionOrganizationUID": uid,
                "DimensionIndexPointer": pointer,
                "FunctionalGroupPointer": group,
            }
            for pointer, group in pointers
        ],
    }


def _shared(volume: Volume) -> Plain:
    return {
        "PixelMeasuresSequence": [pixel_measures(volume)],
        "PlaneOrientationSequence": [{"ImageOrientationPatient": orientation_of(volume)}],
    }


def _group(frame: SegmentFrame, volume: Volume) -> Plain:
    return {
        "FrameContentSequence": [{"DimensionIndexValues": [frame.segment, frame.level]}],
        "PlanePositionSequence": [{"ImagePositionPatient": position_of(volume, frame.k)}],
        "SegmentIdentificationSequence": [{"ReferencedSegmentNumber": frame.segment}],
    }


def _cielab(colour: str) -> list[int]:
    """Return "#rrggbb" as CIE L*a*b*, scaled to 0 to 65,535 (PS3.3 C.10.7.1.1)."""
    rgb = np.array([int(colour[k : k + 2], 16) for k in (1, 3, 5)]) / 255
    # The transfer curves of sRGB (IEC 61966-2-1) and of CIE L*a*b* each have a linear part near
    # black.
    linear = np.where(rgb > 0.04045, ((rgb + 0.055) / 1.055) ** 2.4, rgb / 12.92)
    part = TO_XYZ @ linear / D65
    x, y, z = np.where(part > 0.008856, np.cbrt(part), 7.787 * part + 16 / 116)
    lab = np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])
    scaled = (lab + np.array([0, 128, 128])) / np.array([100, 255, 255]) * MAX_UINT16
    return [int(each) for each in np.clip(np.rint(scaled), 0, MAX_UINT16)]
