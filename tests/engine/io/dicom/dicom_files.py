"""Write DICOM series for tests: a function of space, sampled at the slice positions."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pydicom
from pydicom.dataset import Dataset, FileMetaDataset
from pydicom.uid import ExplicitVRLittleEndian, generate_uid

KINDS = {
    "CT": "1.2.840.10008.5.1.4.1.1.2",
    "MR": "1.2.840.10008.5.1.4.1.1.4",
    "PT": "1.2.840.10008.5.1.4.1.1.128",
}
Field = Callable[[np.ndarray], np.ndarray]


def plane_field(points: np.ndarray) -> np.ndarray:
    """Return values that are linear in x, y and z [mm]; linear interpolation reproduces them."""
    return 3 * points[..., 0] + 5 * points[..., 1] - 2 * points[..., 2]


def write_series(
    folder: Path,
    *,
    affine: np.ndarray,
    shape: tuple[int, int, int],
    field: Field = plane_field,
    kind: str = "CT",
    slopes: Callable[[int], float] = lambda k: 1.0,
    prefix: str = "im",
    **attributes: object,
) -> list[Dataset]:
    """Write a series of `shape` (columns, rows, slices) with file names in another order."""
    folder.mkdir(exist_ok=True)
    n_columns, n_rows, n_slices = shape
    series, study, frame = (generate_uid(entropy_srcs=[prefix, w]) for w in ("a", "b", "c"))
    r, c = np.meshgrid(np.arange(n_rows), np.arange(n_columns), indexing="ij")
    across, down = affine[:3, 0], affine[:3, 1]
    written = []
    for k in range(n_slices):
        indices = np.stack([c, r, np.full_like(c, k), np.ones_like(c)], -1)
        values = field((indices @ affine.T)[..., :3])
        slope, intercept = slopes(k), -1024.0
        dataset = Dataset()
        dataset.SOPClassUID, dataset.Modality = KINDS[kind], kind
        dataset.SOPInstanceUID = generate_uid(entropy_srcs=[prefix, str(k), repr(attributes)])
        dataset.SeriesInstanceUID, dataset.StudyInstanceUID = series, study
        dataset.FrameOfReferenceUID = frame
        dataset.SeriesNumber, dataset.SeriesDescription = "3", f"Test {prefix}"
        dataset.PatientID, dataset.PatientName = "P1", "A^B"
        dataset.Rows, dataset.Columns = n_rows, n_columns
        edges = np.linalg.norm(affine[:3, :2], axis=0)
        dataset.PixelSpacing = [float(edges[1]), float(edges[0])]
        directions = [*(across / edges[0]), *(down / edges[1])]
        dataset.ImageOrientationPatient = [round(float(v), 12) for v in directions]
        dataset.ImagePositionPatient = [round(float(v), 9) for v in affine[:3] @ [0, 0, k, 1]]
        dataset.SliceThickness = 2.0
        dataset.RescaleSlope, dataset.RescaleIntercept = slope, intercept
        dataset.SamplesPerPixel, dataset.PhotometricInterpretation = 1, "MONOCHROME2"
        dataset.BitsAllocated, dataset.BitsStored, dataset.HighBit = 16, 16, 15
        dataset.PixelRepresentation = 1
        dataset.PixelData = np.rint((values - intercept) / slope).astype("<i2").tobytes()
        for keyword, value in attributes.items():
            setattr(dataset, keyword, value)
        dataset.file_meta = FileMetaDataset()
        dataset.file_meta.TransferSyntaxUID = ExplicitVRLittleEndian
        dataset.save_as(folder / f"{prefix}{(7 * k) % 1009:04}", enforce_file_format=True)
        written.append(dataset)
    return written


def change(path: Path, **attributes: object) -> None:
    """Change attributes of a file; None removes an attribute."""
    dataset = pydicom.dcmread(path)
    for keyword, value in attributes.items():
        if value is None:
            delattr(dataset, keyword)
        else:
            setattr(dataset, keyword, value)
    dataset.save_as(path)
