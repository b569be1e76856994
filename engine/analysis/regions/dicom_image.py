"""An image as DICOM objects of its regions refer to it: patient, study, and instances of slices."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Self

import numpy as np

from engine.analysis.regions.region_set import Region
from engine.core.errors import DataError
from engine.core.json_types import Plain
from engine.data.patient_position import with_axes_facts
from engine.data.timing.time_frames import FrameVolume
from engine.data.volume import Volume
from engine.io.dicom.general import general_attributes
from engine.io.dicom.headers import Header
from engine.io.dicom.order import ImagingOrder
from engine.io.dicom.patient_identity import of_order
from engine.io.dicom.reader import headers_of
from engine.io.dicom.series import (
    digest_of,
    frames_in_series,
    position_of,
    references_of,
    slice_order,
)
from engine.io.dicom.subject import Subject, subject_like, subject_of
from engine.io.safety.open_input import open_input
from engine.io.scan_files import scan_file
from engine.io.volumes.straight_axes import MAX_TILT

SUFFIX = ".dcm"
SERIES, SOURCES = "ReferencedSeriesSequence", "SourceImageSequence"
IDENTIFIERS = (
    *("SOPClassUID", "SOPInstanceUID", "SeriesInstanceUID", "ImagePositionPatient"),
    "ImageOrientationPatient",
)
FOREIGN = ("ImageComments", "Laterality")
"""Attributes of images that other objects must not have."""


@dataclass(frozen=True)
class DicomImage:
    """An image with its patient and its slices in DICOM.

    Attributes
    ----------
    volume : image on which regions were drawn
    provenance : its origin as JSON values
    subject : patient, study and frame of reference
    digest : digest of the image, from `digest_of`
    references : references to the series of the image and to other series of the study
    series : headers of the DICOM series that the image was read from; empty if there is none

    A dynamic image refers to its time frames, because they are the slices of its series.
    """

    volume: Volume
    provenance: Plain
    subject: Subject
    digest: str
    references: Plain
    series: Sequence[Header] = ()

    @classmethod
    def of(
        cls,
        volume: Volume,
        provenance: Plain,
        subject: Subject | None = None,
        order: ImagingOrder | None = None,
        series: Sequence[Header] = (),
        frames: Sequence[FrameVolume] = (),
    ) -> Self:
        """Collect the references of an image.

        Parameters
        ----------
        volume
            image
        provenance
            provenance of the image, as for its exported series
        subject
            patient, study and frame of reference
        order
            patient of the image if there is no subject; None: pseudonyms, as in exported series
        series
            headers of the DICOM series from which the volume was read; empty: series of its export
        frames
            time frames or gates, if the volume is their sum or mean

        Raises
        ------
        DataError
            if the image belongs to a different patient than the order
        """
        written = frames_in_series(volume, provenance, frames)
        digest = digest_of(volume, written)
        if subject is None and order is not None:
            subject = of_order(order, volume, provenance, written)
        identity = subject or subject_of(with_axes_facts(provenance, volume.info), digest)
        found = references_of(volume, provenance, identity, series, written)
        return cls(volume, provenance, identity, digest, found, series)

    @property
    def study(self) -> str:
        """StudyInstanceUID."""
        return str(self.subject.attributes["StudyInstanceUID"])

    @property
    def named_series(self) -> list[Plain]:
        """Items of ReferencedSeriesSequence; the series of the image is the first.

        Raises
        ------
        DataError
            if no series of the image is known
        """
        found: list[Plain] = self.references.get(SERIES, [])
        if not found:
            raise DataError(
                "The image was read from a DICOM series that is not known any more; open the "
                "series again."
            )
        return found

    def attributes(self) -> Plain:
        """Return patient, study, times and equipment, with type 1 content times."""
        general = general_attributes(self.volume, self.provenance, self.subject)
        dates = {
            "ContentDate": general["ContentDate"] or general["SeriesDate"],
            "ContentTime": general["ContentTime"] or general["SeriesTime"],
        }
        # The sequence belongs to images; other objects name series at places of their own.
        left = {key: value for key, value in general.items() if key not in (*FOREIGN, SERIES)}
        return left | dates

    def instances(self) -> dict[int, list[Plain]]:
        """Return the references to the instances of each slice, where they are known.

        A dynamic series has one instance for each time frame of a slice. Slices across z of a
        series with tilted, coronal or sagittal slices lie in no instance.

        Returns
        -------
        dict
            index k of the slice -> items with ReferencedSOPClassUID and ReferencedSOPInstanceUID
        """
        sources: list[Plain] = self.references.get(SOURCES, [])
        n = self.volume.grid.shape[0]
        if not self.series:
            # Frame after frame, each with all slices.
            order = list(slice_order(self.volume)) if sources else []
            return {k: sources[at::n] for at, k in enumerate(order)}
        heights = np.array([float(position_of(self.volume, k)[2]) for k in range(n)])
        found: dict[int, list[Plain]] = {}
        for header, source in zip(self.series, sources, strict=True):
            place = header.dataset.get("ImagePositionPatient")
            # One file with all slices, or slices that the planes across z cross.
            if place is None or not _is_axial(header):
                continue
            away = np.abs(heights - float(place[2]))
            k = int(away.argmin())
            if away[k] < self.volume.grid.voxel_mm[2] / 2:
                found.setdefault(k, []).append(source)
        return found


@dataclass(frozen=True)
class DicomSource:
    """The DICOM series from which an image was read.

    Attributes
    ----------
    subject : its patient, study and frame of reference
    series : identifiers and positions of its slices, which can pass between processes
    """

    subject: Subject
    series: tuple[Header, ...]


def dicom_source(path: Path, same_frame: bool = True) -> DicomSource:
    """Read patient, study and slices of the DICOM series of an image.

    Parameters
    ----------
    path
        file of the series, or its folder
    same_frame
        False if the series states no frame of reference

    Raises
    ------
    FileFormatError
        if the file is no DICOM image of a patient, or has no frame of reference to share
    """
    file = scan_file(path)
    with open_input(file) as opened:
        subject = subject_like(opened, same_frame=same_frame)
    return DicomSource(subject, tuple(_identifiers(each) for each in headers_of(file)))


def _is_axial(header: Header) -> bool:
    """Return True if rows and columns have no part along z; a tilt is read as none up to 0.06°."""
    rows_and_columns = header.dataset.get("ImageOrientationPatient") or ()
    # Without an orientation no plane is known.
    along_z = [abs(float(each)) for each in rows_and_columns[2::3]]
    return bool(along_z) and max(along_z) <= MAX_TILT


def _identifiers(header: Header) -> Header:
    """Return a header with the attributes that references need, without the open file."""
    from pydicom.dataset import Dataset

    stored = Dataset()
    for key in IDENTIFIERS:
        if key in header.dataset:
            value = header.dataset[key].value
            setattr(
                stored, key, str(value) if isinstance(value, str) else [float(e) for e in value]
            )
    return Header(header.path, stored)


def refuse_no_regions(regions: Sequence[Region]) -> None:
    """Refuse to write an object without regions.

    Raises
    ------
    DataError
        if there is no region
    """
    if not regions:
        raise DataError("There is no region to save; draw one first.")
