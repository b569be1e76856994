"""Write volumes as a folder of DICOM files, one per slice, with a provenance sidecar."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from typing import ClassVar

from engine.core.json_types import Plain
from engine.data.timing.time_frames import FrameVolume
from engine.data.volume import Volume
from engine.io.auxiliary.provenance_file import sidecar_path, writing_provenance
from engine.io.base import VolumeWriter
from engine.io.dicom.series import digest_of, slices_of
from engine.io.dicom.subject import Subject, subject_of
from engine.io.safety.atomic_folder import new_folder, refuse_impossible_folder

HEADER_BYTES = 4096
"""Upper limit for a file without its pixels, to estimate the space [bytes]."""
FEWEST_DIGITS = 5


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
    volume: Volume,
    path: Path,
    provenance: Plain,
    subject: Subject | None = None,
    frames: Sequence[FrameVolume] = (),
) -> int:
    """Write a volume, or its time frames, as a folder of slices; return the size in bytes.

    Parameters
    ----------
    volume
        finite values
    path
        new folder
    provenance
        origin of the volume as JSON values
    subject
        patient and study; None uses pseudonyms
    frames
        time frames on the grid of the volume, for a dynamic series

    Raises
    ------
    DataError
        if the values are too small for DICOM numbers, or frames do not belong to a PET scan
    ResourceError
        if the folder exists or cannot be written
    """
    whose = subject or subject_of(provenance, digest_of(volume, frames))
    n_images, n_bytes = max(len(frames), 1), 0
    n_files = n_images * volume.grid.shape[0]
    # Leading zeros: programs that sort by name then get the order of the slices.
    digits = max(FEWEST_DIGITS, len(str(n_files)))
    room = n_images * volume.values.size * 2 + n_files * HEADER_BYTES
    total = sha256()
    with new_folder(path, room) as folder:
        contents = slices_of(volume, provenance, whose, frames)
        for number, content in enumerate(contents, start=1):
            folder.add(f"{number:0{digits}}.dcm", content)
            total.update(content)
            n_bytes += len(content)
        # The digest runs over all files in the order of their names, as the reader computes it.
        with writing_provenance(path, total.hexdigest(), volume.unit, provenance) as forget_older:
            forget_older()
            folder.put_in_place()
    return n_bytes
