"""Volumes as a folder of DICOM files, one for each slice, with provenance beside it."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path
from typing import ClassVar

from engine.data.volume import Volume
from engine.io.atomic_folder import new_folder, refuse_impossible_folder
from engine.io.base import VolumeWriter
from engine.io.dicom.series import digest_of, slices_of
from engine.io.dicom.subject import Subject, subject_of
from engine.io.provenance_file import sidecar_path, writing_provenance
from engine.plain import Plain

HEADER_BYTES = 4096
"""What a file has besides its numbers, at most."""


class DicomSeriesWriter(VolumeWriter):
    """DICOM series of PET or CT images."""

    name: ClassVar[str] = "DICOM series"
    suffixes: ClassVar[tuple[str, ...]] = (".dicom",)
    detail: ClassVar[str] = "a folder of slices for archives and viewers"

    @classmethod
    def written(cls, path: Path) -> tuple[Path, ...]:
        return path, sidecar_path(path)

    @classmethod
    def refuse_place(cls, path: Path) -> None:
        refuse_impossible_folder(path)

    @classmethod
    def write(cls, volume: Volume, path: Path, provenance: Plain) -> None:
        write_series(volume, path, provenance)


def write_series(
    volume: Volume, path: Path, provenance: Plain, subject: Subject | None = None
) -> int:
    """Write a volume as a folder of slices; return how many bytes these have.

    Parameters
    ----------
    volume
        finite values
    path
        the folder, which must not exist yet
    provenance
        of the volume
    subject
        patient and study; by pseudonyms if None

    Raises
    ------
    DataError
        where DICOM's whole numbers cannot hold the values
    ResourceError
        where the folder exists, or cannot be written
    """
    whose = subject or subject_of(provenance, digest_of(volume))
    n_slices, n_bytes = volume.grid.shape[0], 0
    room = volume.values.size * 2 + n_slices * HEADER_BYTES
    total = sha256()
    with new_folder(path, room) as folder:
        for number, content in enumerate(slices_of(volume, provenance, whose), start=1):
            folder.add(f"{number:05}.dcm", content)
            total.update(content)
            n_bytes += len(content)
        with writing_provenance(path, total.hexdigest(), volume.unit, provenance) as forget_older:
            forget_older()
            folder.put_in_place()
    return n_bytes
