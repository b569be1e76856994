"""Writers of volumes with their provenance in a separate file: one file, or a folder."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable
from hashlib import sha256
from pathlib import Path

from engine.core.json_types import Plain
from engine.data.volume import Volume
from engine.io.auxiliary.provenance_file import (
    sidecar_path,
    write_with_sidecar,
    writing_provenance,
)
from engine.io.base import VolumeWriter
from engine.io.safety.atomic_folder import new_folder, refuse_impossible_folder


class SidecarWriter(VolumeWriter):
    """Writes a volume with its provenance in a JSON sidecar."""

    @classmethod
    def written(cls, path: Path) -> tuple[Path, ...]:
        return path, sidecar_path(path)


class FileWriter(SidecarWriter):
    """Writes a volume as one file."""

    @classmethod
    @abstractmethod
    def content(cls, volume: Volume) -> bytes:
        """Return all bytes of the file."""

    @classmethod
    def write(cls, volume: Volume, path: Path, provenance: Plain) -> None:
        write_with_sidecar(path, cls.content(volume), volume.unit, provenance)


class FolderWriter(SidecarWriter):
    """Writes a volume as a new folder; the sidecar is next to it."""

    @classmethod
    def refuse_place(cls, path: Path) -> None:
        refuse_impossible_folder(path)


def write_folder(
    path: Path, n_bytes: int, files: Iterable[tuple[str, bytes]], unit: str, provenance: Plain
) -> int:
    """Write a folder and the provenance of its volume, completely or not at all.

    Parameters
    ----------
    path
        new folder
    n_bytes
        space that must be free on the disk
    files
        name and content of each file, in the order in which the reader computes the digest
    unit
        unit of the values
    provenance
        origin of the volume as JSON values

    Returns
    -------
    size
        size of all files in bytes

    Raises
    ------
    ResourceError
        if the folder exists or cannot be written
    """
    total, n_written = sha256(), 0
    with new_folder(path, n_bytes) as folder:
        for name, content in files:
            folder.add(name, content)
            total.update(content)
            n_written += len(content)
        # The sidecar is next to the folder: inside, validators would report an unknown file.
        with writing_provenance(path, total.hexdigest(), unit, provenance) as forget_older:
            # An older provenance of the same name must not be taken for that of the new folder.
            forget_older()
            folder.put_in_place()
    return n_written
