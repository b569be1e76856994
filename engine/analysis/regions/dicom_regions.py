"""Read regions of other programs: DICOM segmentations and RT structure sets.

A segmentation (PS3.3 A.51) holds voxels: frames of one grid with rows and columns along the axes of
the patient. A structure set (PS3.3 A.19) holds closed contours in planes across z, which are kept
as they were drawn.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from engine.analysis.regions.masks import MaskRegion
from engine.analysis.regions.planar import PlanarContours
from engine.analysis.regions.region_set import COLOURS, Region, RegionSet, is_name, scan_marks
from engine.core.errors import DataError, FileFormatError
from engine.geometry.grid import ImageGrid
from engine.io.dicom.headers import damage, reason_of
from engine.io.dicom.object_reader import read_object
from engine.io.dicom.storage import SEGMENTATION, STRUCTURES, storage_class
from engine.io.folder import is_file
from engine.io.safety.open_input import open_input

if TYPE_CHECKING:
    from pydicom import Dataset

Mask = NDArray[np.bool_]
NamedShape = tuple[str, MaskRegion | PlanarContours]
CLOSED = ("CLOSED_PLANAR", "CLOSEDPLANAR_XOR")
"""Contour types that bound an area. All are combined by XOR, as the second type states."""
MAX_BYTES = 1 << 30
MAX_VOXELS = 1 << 29
SAME_MM, FINEST_MM, SAME_PART = 1e-2, 2e-4, 0.1
"""Tolerance for equal positions and for even spacing of planes: `SAME_PART` of the details, from
`FINEST_MM` for images of micrometres to `SAME_MM`."""
MIN_CORNERS = 3
ALONE_MM = 1.0
"""Slice thickness of a region with a single plane."""
STRAIGHT = 1e-4
FARTHEST_MM = 1e6


def read_dicom_regions(path: Path) -> RegionSet:
    """Read a segmentation or a structure set, in patient coordinates (LPS).

    The frame of reference links the regions to their scan. Points and open contours are ignored.

    Parameters
    ----------
    path
        DICOM file of modality SEG or RTSTRUCT

    Raises
    ------
    FileFormatError
        if the file is damaged or of another modality
    DataError
        if the grid is oblique or too large, structures use several frames of reference, or the file
        has no region
    """
    found = _dataset(path)
    kind = str(found.get("Modality", ""))
    try:
        if kind == "SEG":
            parts = list(_segments(found, path.name))
        elif kind == "RTSTRUCT":
            parts = list(_structures(found, path.name))
        else:
            raise FileFormatError(
                f"{path.name}: the file is neither a segmentation nor a structure set (modality: "
                f"{kind or 'unknown'}, expected: SEG or RTSTRUCT); choose another file."
            )
        frames, patient = _frames_of(found, path.name), str(found.get("PatientID") or "")
    except damage() as e:
        raise FileFormatError(
            f"{path.name}: damaged DICOM file. Export it again. Reason: {reason_of(e)}."
        ) from e
    if not parts:
        raise DataError(f"{path.name}: the file contains no regions; choose a file with regions.")
    marks = tuple(mark for each in frames for mark in scan_marks(frame_of_reference=each))
    made = RegionSet(axes="LPS", scans=marks, patient=patient, in_frame=True)
    for k, (name, shape) in enumerate(parts):
        shown = name if is_name(name) else f"Structure {k + 1}"
        region = Region(name=made.free_name(shown), colour=COLOURS[k % len(COLOURS)], shape=shape)
        made = made.model_copy(update={"regions": (*made.regions, region)})
    return made


def _dataset(path: Path) -> Dataset:
    with open_input(path) as file:
        if file.size > MAX_BYTES:
            raise FileFormatError(
                f"{path.name}: the file has {file.size >> 20:,} MiB, expected at most "
                f"{MAX_BYTES >> 20:,} MiB; export the regions in several files."
            )
        try:
            # some programs write no preamble
            found = read_object(file)
        except damage() as e:
            raise FileFormatError(
                f"{path.name}: not a DICOM file. Choose another file. Reason: {reason_of(e)}."
            ) from e
    if "SOPClassUID" not in found:
        raise FileFormatError(
            f"{path.name}: not a DICOM object, because the attribute SOPClassUID is missing; "
            "choose another file."
        )
    return found


def is_dicom_regions(path: Path) -> bool:
    """Return True if a file is a DICOM segmentation or structure set."""
    if not is_file(path):
        return False
    with open_input(path) as file:
        return storage_class(file) in (SEGMENTATION, STRUCTURES)


def frames_of_reference(path: Path) -> tuple[str, ...]:
    """Return the frames of reference in a segmentation or structure set.

    Parameters
    ----------
    path
        DICOM file

    Raises
    ------
    FileFormatError
        if it is not a DICOM file
    DataError
        if its structures use several frames of reference
    """
    return _frames_of(_dataset(path), path.name)


def _frames_of(found: Dataset, name: str) -> tuple[str, ...]:
    """Return the frames of reference of the file and of its structures.

    Some programs fill only one of the two attributes, or use different UIDs for one frame. The
    regions therefore match an image with either UID.
    """
    key = "ReferencedFrameOfReferenceUID"
    structures = {str(each.get(key) or "") for each in found.get("StructureSetROISequence", ())}
    structures.discard("")
    if len(structures) > 1:
        raise DataError(
            f"{name}: the structures are in {len(structures)} frames of reference, expected "
            "one; export the structures of one frame of reference."
        )
    own = {str(found.get("FrameOfReferenceUID") or "")} - {""}
    return tuple(sorted(own | structures))


# The frames of all segments follow each other; each frame states its segment and its position.
# segmentations


def _segments(found: Dataset, name: str) -> Iterator[NamedShape]:
    frames = _frames(found, name)
    shared, groups = found.SharedFunctionalGroupsSequence[0], found.PerFrameFunctionalGroupsSequence
    if len(groups) != len(frames):
        raise FileFormatError(
            f"{name}: the file has {len(frames):,} frames but describes "
            f"{len(groups):,}; export it again."
        )
    # Rows along y: the grid has rows along x, so the pixels are transposed
    if _has_rows_along_y(groups[0], shared):
        frames = frames.swapaxes(1, 2)
    grid, level, (down, across) = _grid(list(groups), shared, frames.shape[1:], name)
    _refuse_large(name, grid.shape)
    number = np.array(
        [
            int(_group(g, shared, "SegmentIdentificationSequence").ReferencedSegmentNumber)
            for g in groups
        ]
    )
    for segment in found.SegmentSequence:
        mask = np.zeros(grid.shape, bool)
        # Several frames of a segment can have the same position, and their union is taken.
        for k in np.flatnonzero(number == int(segment.SegmentNumber)):
            mask[level[k]] |= frames[k, ::down, ::across]
        if mask.any():
            yield str(segment.get("SegmentLabel", "")).strip(), MaskRegion.of(mask, grid)


def _frames(found: Dataset, name: str) -> Mask:
    """Return the voxels that are at least half inside, (frames, rows, columns)."""
    shape = (int(found.get("NumberOfFrames", 1)), int(found.Rows), int(found.Columns))
    if found.file_meta.TransferSyntaxUID.is_compressed or found.SegmentationType == "LABELMAP":
        raise DataError(
            f"{name}: compressed frames and label maps are not supported; export the regions as a "
            "binary segmentation."
        )
    _refuse_large(name, shape)
    # Fractional segmentations have values up to Maximum Fractional Value (PS3.3 C.8.20.2).
    least = float(found.get("MaximumFractionalValue", 1)) / 2
    return np.asarray(found.pixel_array).reshape(shape) >= least


def _grid(
    groups: list[Dataset], shared: Dataset, shape: tuple[int, ...], name: str
) -> tuple[ImageGrid, NDArray[np.int64], tuple[int, int]]:
    """Return the grid of all frames, the slice of each frame, and the signs of rows and columns."""
    cosines = _cosines(groups[0], shared)
    if any(_cosines(group, shared) != cosines for group in groups):
        raise DataError(
            f"{name}: the frames have different orientations; export the regions with the slices "
            "of one image."
        )
    measures = _group(groups[0], shared, "PixelMeasuresSequence")
    # Pixel Spacing states the distance between rows first (PS3.3 10.7.1.3).
    height, width = (float(v) for v in measures.PixelSpacing)
    if _has_rows_along_y(groups[0], shared):
        cosines, height, width = [*cosines[3:], *cosines[:3]], width, height
    across, down = _direction_signs(cosines, name)
    places = np.array(
        [_group(g, shared, "PlanePositionSequence").ImagePositionPatient for g in groups], float
    )
    _refuse_no_place(name, places, np.array([height, width]) > 0)
    # One plane has no spacing. Slice Thickness is optional, so a default stands in.
    thick = float(measures.get("SliceThickness", 0) or ALONE_MM)
    planes, step = _planes(places[:, 2], name, thick, _tolerance(min(height, width)))
    level = np.rint((places[:, 2] - planes[0]) / step).astype(np.int64)
    n_z = int(level.max()) + 1
    x = _middle(places[0, 0], across, shape[1], width)
    y = _middle(places[0, 1], down, shape[0], height)
    middle = (x, y, planes[0] + step * (n_z - 1) / 2)
    return (
        ImageGrid((n_z, shape[0], shape[1]), (width, height, step), middle),
        level,
        (down, across),
    )


def _group(own: Dataset, shared: Dataset, keyword: str) -> Dataset:
    """Return a functional group of a frame, or the one shared by all frames."""
    return own[keyword][0] if keyword in own else shared[keyword][0]


def _cosines(own: Dataset, shared: Dataset) -> list[float]:
    """Return the directions of a row and of a column, as three cosines each."""
    found = _group(own, shared, "PlaneOrientationSequence").ImageOrientationPatient
    return [float(each) for each in found]


def _has_rows_along_y(own: Dataset, shared: Dataset) -> bool:
    """Return True if each row of a frame runs along y; such slices can be axial too."""
    cosines = _cosines(own, shared)
    return abs(cosines[1]) > 1 - STRAIGHT and abs(cosines[3]) > 1 - STRAIGHT


def _direction_signs(cosines: Sequence[float], name: str) -> tuple[int, int]:
    """Return the signs of the column direction along x and of the row direction along y."""
    want = np.array([cosines[0], 0, 0, 0, cosines[4], 0], float)
    if np.abs(np.array(cosines, float) - want).max() > STRAIGHT:
        given = ", ".join(f"{each:.4g}" for each in cosines)
        raise DataError(
            f"{name}: the slices are not axial (row and column directions: {given}). In the other "
            "program, show the image in axial slices and export the regions from them, or export "
            "an RT structure set with axial contours."
        )
    return (1 if cosines[0] > 0 else -1), (1 if cosines[4] > 0 else -1)


def _middle(first_mm: float, direction: int, n: int, edge_mm: float) -> float:
    return float(first_mm) + direction * (n - 1) / 2 * edge_mm


def _tolerance(detail_mm: float) -> float:
    """Return the distance below which two positions count as equal [mm]."""
    return float(np.clip(SAME_PART * detail_mm, FINEST_MM, SAME_MM))


def _planes(
    heights: NDArray[np.float64], name: str, alone_mm: float, same_mm: float
) -> tuple[list[float], float]:
    """Return the planes of frames or contours from low to high, and their spacing [mm]."""
    planes = [float(heights.min())]
    for height in np.sort(heights):
        # Files round positions, so values closer than the tolerance are one plane.
        if height - planes[-1] > same_mm:
            planes.append(float(height))
    steps = [b - a for a, b in pairwise(planes)]
    if not steps:
        return planes, alone_mm
    step = min(steps)
    # Gaps are allowed: slices without a region are often missing. The tolerance grows with the
    # number of planes, because each step adds a rounding error.
    if any(abs(each / step - round(each / step)) * step > same_mm * len(planes) for each in steps):
        raise DataError(
            f"{name}: the slice spacing is uneven; export the regions with even spacing."
        )
    return planes, step


# structures


def _structures(found: Dataset, name: str) -> Iterator[NamedShape]:
    names = {int(r.ROINumber): str(r.get("ROIName", "")) for r in found.StructureSetROISequence}
    for drawn in found.get("ROIContourSequence", ()):
        items = [e for e in drawn.get("ContourSequence", ()) if e.ContourGeometricType in CLOSED]
        if items:
            contours = [_points(each.ContourData) for each in items]
            # Retired, but the only statement about the thickness of a single plane.
            thick = float(items[0].get("ContourSlabThickness") or ALONE_MM)
            shape = _shape(contours, thick, name)
            yield names.get(int(drawn.ReferencedROINumber), "").strip(), shape


def _points(stated: Sequence[float] | bytes) -> NDArray[np.float64]:
    """Return the corners (n, 3) of a contour."""
    # Values of 64 KiB and more do not fit into an explicit DS, so some programs write them as UN
    # (PS3.5 6.2.2), which pydicom leaves as bytes.
    values = stated.split(b"\\") if isinstance(stated, bytes) else stated
    return np.array(values, float).reshape(-1, 3)


def _shape(contours: list[NDArray[np.float64]], alone_mm: float, name: str) -> PlanarContours:
    """Return the region inside the contours (n, 3) of one structure."""
    _refuse_no_place(name, np.concatenate(contours), np.array([alone_mm]) > 0)
    if any(np.ptp(each[:, 2]) > SAME_MM for each in contours):
        raise DataError(f"{name}: the contours are not axial; export them on axial slices.")
    edges = np.concatenate([np.linalg.norm(np.diff(each, axis=0), axis=1) for each in contours])
    same_mm = _tolerance(float(np.median(edges))) if len(edges) else SAME_MM
    planes, step = _planes(np.array([each[0, 2] for each in contours]), name, alone_mm, same_mm)
    # Two points enclose no area, but some programs write single clicks as closed contours.
    rings = [each for each in contours if len(each) >= MIN_CORNERS]
    if not rings or not np.ptp(np.concatenate(rings)[:, :2], axis=0).all():
        raise DataError(
            f"{name}: a structure has no area; remove the structure, and export the file again."
        )
    at = np.array(planes)
    heights = [float(at[np.abs(at - each[0, 2]).argmin()]) for each in rings]
    return PlanarContours.of([each[:, :2] for each in rings], heights, step)


def _refuse_no_place(name: str, places: NDArray[np.float64], *sound: NDArray[np.bool_]) -> None:
    if not all(each.all() for each in (np.isfinite(places), np.abs(places) < FARTHEST_MM, *sound)):
        raise DataError(
            f"{name}: a position is infinite or beyond {FARTHEST_MM:g} mm, or a pixel size is "
            "not above 0; export the regions again."
        )


def _refuse_large(name: str, shape: tuple[int, ...]) -> None:
    if min(shape) < 1 or np.prod([float(n) for n in shape]) > MAX_VOXELS:
        raise DataError(
            f"{name}: the file has {' × '.join(f'{n:,}' for n in shape)} voxels, but at most "
            f"{MAX_VOXELS:,} are supported; export fewer slices."
        )
