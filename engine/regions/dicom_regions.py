"""Regions that other programs drew: DICOM segmentations and RT structure sets.

A segmentation (PS3.3 A.51) gives voxels: frames of one grid, whose rows and columns run along the
axes of the patient. A structure set (PS3.3 A.19) gives closed contours in planes across z: a voxel
is inside where a ray from it crosses contours of its plane an odd number of times, so that a
contour within another one is a hole. Contours stand for a slab as thick as they are apart.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from engine.errors import DataError, FileFormatError
from engine.geometry.grid import ImageGrid
from engine.io.dicom.headers import DAMAGE, DEFLATED
from engine.io.folder import is_file
from engine.io.open_input import open_input
from engine.regions.masks import MaskRegion
from engine.regions.region_set import COLOURS, Region, RegionSet, is_name, scan_marks

if TYPE_CHECKING:
    from pydicom import Dataset

Mask = NDArray[np.bool_]
SEGMENTATION, STRUCTURES = b"1.2.840.10008.5.1.4.1.1.66.4", b"1.2.840.10008.5.1.4.1.1.481.3"
"""What the two kinds of objects are called in files (PS3.6 A)."""
CLOSED = ("CLOSED_PLANAR", "CLOSEDPLANAR_XOR")
"""Contours that bound an area; those of the second kind say what all mean here."""
MOST_BYTES = 1 << 30
MOST_VOXELS = 1 << 29
SAME_MM = 1e-2
"""Distance within which planes are the same, or evenly apart."""
FINEST_MM, MOST_ACROSS = 0.5, 512
"""Pixels that contours are filled with: so fine, as long as no more are needed across."""
ALONE_MM = 1.0
"""Thickness of a contour that is alone."""
STRAIGHT = 1e-4
FARTHEST_MM = 1e6


def read_dicom_regions(path: Path) -> RegionSet:
    """Read a segmentation, or a set of structures, in the coordinates of the patient (LPS).

    It knows its scan by the frame of reference, and its patient. Points and open contours of
    structures are left out.

    Raises
    ------
    FileFormatError
        where the file is neither, or is damaged
    DataError
        where its grid is oblique, too large, in several frames of reference, or holds nothing
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
                f"{path.name}: a DICOM file of {kind or 'no'} modality; regions are read of "
                "segmentations (SEG) and structure sets (RTSTRUCT)."
            )
        frame, patient = _frame_of(found, path.name), str(found.get("PatientID") or "")
    except DAMAGE as e:
        raise FileFormatError(f"{path.name}: damaged DICOM file ({e}); export it again.") from e
    if not parts:
        raise DataError(f"{path.name}: holds no region; choose a file with drawn ones.")
    marks = scan_marks(frame_of_reference=frame)
    made = RegionSet(axes="LPS", scans=marks, patient=patient)
    for k, (name, mask, grid) in enumerate(parts):
        shown = name if is_name(name) else f"Structure {k + 1}"
        shape = MaskRegion.of(mask, grid)
        region = Region(name=made.free_name(shown), colour=COLOURS[k % len(COLOURS)], shape=shape)
        made = made.model_copy(update={"regions": (*made.regions, region)})
    return made


def _dataset(path: Path) -> Dataset:
    from pydicom import dcmread
    from pydicom.errors import InvalidDicomError

    with open_input(path) as file:
        if file.size > MOST_BYTES or DEFLATED in file.head:
            raise FileFormatError(
                f"{path.name}: larger than {MOST_BYTES >> 20:,} MiB, or packed as a whole, which "
                "is not read; export it again in parts, or without."
            )
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # what matters is checked here, in sentences
                found = dcmread(file.stream(), force=True)  # some programs write no head
            if "SOPClassUID" not in found:
                raise InvalidDicomError("it names no kind of object")
            return found
        except (InvalidDicomError, *DAMAGE) as e:
            raise FileFormatError(f"{path.name}: no DICOM file ({e}); choose another one.") from e


def is_dicom_regions(path: Path) -> bool:
    """Whether a file says at its beginning that it is a segmentation or a structure set."""
    if not is_file(path):
        return False
    with open_input(path) as file:
        return any(kind in file.head for kind in (SEGMENTATION, STRUCTURES))


def _frame_of(found: Dataset, name: str) -> str:
    """Return the frame of reference; each structure may say its own."""
    said = [found, *found.get("StructureSetROISequence", ())]
    keys = ("FrameOfReferenceUID", "ReferencedFrameOfReferenceUID")
    frames = {str(value) for each in said for key in keys if (value := each.get(key))}
    if len(frames) > 1:
        raise DataError(
            f"{name}: its structures lie in {len(frames)} frames of reference; export those of one."
        )
    return frames.pop() if frames else ""


# segmentations


def _segments(found: Dataset, name: str) -> Iterator[tuple[str, Mask, ImageGrid]]:
    frames = _frames(found, name)
    shared, groups = found.SharedFunctionalGroupsSequence[0], found.PerFrameFunctionalGroupsSequence
    if len(groups) != len(frames):
        raise FileFormatError(
            f"{name}: holds {len(frames):,} frames and describes {len(groups):,}; export it again."
        )
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
        for k in np.flatnonzero(number == int(segment.SegmentNumber)):
            mask[level[k]] |= frames[k, ::down, ::across]
        if mask.any():
            yield str(segment.get("SegmentLabel", "")).strip(), mask, grid


def _frames(found: Dataset, name: str) -> Mask:
    """Return what is at least half inside, (frames, rows, columns)."""
    shape = (int(found.get("NumberOfFrames", 1)), int(found.Rows), int(found.Columns))
    if found.file_meta.TransferSyntaxUID.is_compressed or found.SegmentationType == "LABELMAP":
        raise DataError(
            f"{name}: its frames are compressed, or label maps, which are not read; export it as "
            "a binary segmentation."
        )
    _refuse_large(name, shape)
    least = float(found.get("MaximumFractionalValue", 1)) / 2
    return np.asarray(found.pixel_array).reshape(shape) >= least


def _grid(
    groups: list[Dataset], shared: Dataset, shape: tuple[int, ...], name: str
) -> tuple[ImageGrid, NDArray[np.int64], tuple[int, int]]:
    """Return the grid of all frames, the slice of each, and the steps of rows and columns."""
    first = _group(groups[0], shared, "PlaneOrientationSequence")
    across, down = _ways(first.ImageOrientationPatient, name)
    measures = _group(groups[0], shared, "PixelMeasuresSequence")
    height, width = (float(v) for v in measures.PixelSpacing)
    places = np.array(
        [_group(g, shared, "PlanePositionSequence").ImagePositionPatient for g in groups], float
    )
    _refuse_no_place(name, places, np.array([height, width]) > 0)
    thick = float(measures.get("SliceThickness", 0) or ALONE_MM)
    planes, step = _planes(places[:, 2], name, thick)
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
    """Return what a frame, or all frames together, say of something."""
    return own[keyword][0] if keyword in own else shared[keyword][0]


def _ways(cosines: Sequence[float], name: str) -> tuple[int, int]:
    """Return to which side of x columns run, and of y rows."""
    want = np.array([cosines[0], 0, 0, 0, cosines[4], 0], float)
    if np.abs(np.array(cosines, float) - want).max() > STRAIGHT:
        raise DataError(
            f"{name}: its slices do not lie across z of the patient; only such ones are read. "
            "Export the regions on axial slices."
        )
    return (1 if cosines[0] > 0 else -1), (1 if cosines[4] > 0 else -1)


def _middle(first_mm: float, way: int, n: int, edge_mm: float) -> float:
    return float(first_mm) + way * (n - 1) / 2 * edge_mm


def _planes(heights: NDArray[np.float64], name: str, alone_mm: float) -> tuple[list[float], float]:
    """Return the planes of frames or contours, from low to high, and how far they are apart."""
    planes = [float(heights.min())]
    for height in np.sort(heights):
        if height - planes[-1] > SAME_MM:
            planes.append(float(height))
    steps = [b - a for a, b in pairwise(planes)]
    if not steps:
        return planes, alone_mm
    step = min(steps)
    if any(abs(each / step - round(each / step)) * step > SAME_MM * len(planes) for each in steps):
        raise DataError(f"{name}: its slices are unevenly apart; export them evenly.")
    return planes, step


# structures


def _structures(found: Dataset, name: str) -> Iterator[tuple[str, Mask, ImageGrid]]:
    names = {int(r.ROINumber): str(r.get("ROIName", "")) for r in found.StructureSetROISequence}
    for drawn in found.get("ROIContourSequence", ()):
        contours = [
            np.array(each.ContourData, float).reshape(-1, 3)
            for each in drawn.get("ContourSequence", ())
            if each.ContourGeometricType in CLOSED
        ]
        if contours:
            yield names.get(int(drawn.ReferencedROINumber), "").strip(), *_filled(contours, name)


def _filled(contours: list[NDArray[np.float64]], name: str) -> tuple[Mask, ImageGrid]:
    _refuse_no_place(name, np.concatenate(contours))
    if any(np.ptp(each[:, 2]) > SAME_MM for each in contours):
        raise DataError(
            f"{name}: its contours do not lie across z of the patient; only such ones are read."
        )
    planes, step = _planes(np.array([each[0, 2] for each in contours]), name, ALONE_MM)
    points = np.concatenate(contours)[:, :2]
    low, high = points.min(axis=0), points.max(axis=0)
    pixel = max(FINEST_MM, float((high - low).max()) / MOST_ACROSS)
    n_x, n_y = (int(n) for n in np.ceil((high - low) / pixel) + 1)
    n_z = round((planes[-1] - planes[0]) / step) + 1
    _refuse_large(name, (n_z, n_y, n_x))
    x, y = low[0] + pixel * np.arange(n_x), low[1] + pixel * np.arange(n_y)
    mask = np.zeros((n_z, n_y, n_x), bool)
    for each in contours:
        mask[round((each[0, 2] - planes[0]) / step)] ^= _inside(each[:, :2], x, y)
    if not mask.any():
        raise DataError(f"{name}: a structure is thinner than {pixel:.2g} mm everywhere.")
    middle = (float(x.mean()), float(y.mean()), (planes[0] + planes[-1]) / 2)
    return mask, ImageGrid(mask.shape, (pixel, pixel, step), middle)


def _inside(corners: NDArray[np.float64], x: NDArray[np.float64], y: NDArray[np.float64]) -> Mask:
    """Return which pixels (n_y, n_x) lie in a polygon: rays to the right cross it oddly."""
    crossed = np.zeros((len(y), len(x)), bool)
    for (x0, y0), (x1, y1) in zip(corners, np.roll(corners, -1, axis=0), strict=True):
        rows = (y0 <= y) != (y1 <= y)
        if rows.any():
            at = x0 + (y[rows] - y0) * (x1 - x0) / (y1 - y0)
            crossed[rows] ^= x[None] < at[:, None]
    return crossed


def _refuse_no_place(name: str, places: NDArray[np.float64], *sound: NDArray[np.bool_]) -> None:
    if not all(each.all() for each in (np.isfinite(places), np.abs(places) < FARTHEST_MM, *sound)):
        raise DataError(f"{name}: its places or sizes are no lengths; export it again.")


def _refuse_large(name: str, shape: tuple[int, ...]) -> None:
    if min(shape) < 1 or np.prod([float(n) for n in shape]) > MOST_VOXELS:
        raise DataError(
            f"{name}: {' × '.join(f'{n:,}' for n in shape)} voxels, at most {MOST_VOXELS:,} are "
            "read; export fewer slices."
        )
