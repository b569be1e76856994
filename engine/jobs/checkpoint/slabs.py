"""Store a volume that is made in slabs in the job's folder, with a record of finished slabs.

The run writes into the volume's file itself. A record next to it has the digest of each slab on
disk. A run continues after the last slab, counted from the first, whose digest matches.
"""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from pydantic import ValidationError

from engine.core.settings import Settings, setting
from engine.data.storage import volume_file
from engine.data.volume import Volume
from engine.io.safety.atomic_write import write_atomically
from engine.io.safety.seal import CHUNK_BYTES, seal_of, sealed_text
from engine.io.text.json_text import from_json, to_json
from engine.jobs.checkpoint.images import Head

RECORD = "slabs.json"
SEAL = "seal"


class StoredSlab(Settings):
    """Slices of a volume's file, from the end of the previous slab up to `stop`."""

    stop: int = setting(ge=1)
    sha256: str = setting(max_length=64)


class SlabsRecord(Settings):
    """The finished part of a volume."""

    format: str = setting("isocenter-slabs-1", max_length=40)
    head: Head = setting()
    slabs: tuple[StoredSlab, ...] = setting(min_length=1)

    @property
    def slices(self) -> int:
        """Number of finished slices."""
        return self.slabs[-1].stop


class FoundSlabs(NamedTuple):
    """The finished slabs from which a run continues.

    Attributes
    ----------
    head : description of the volume
    values : values in the volume's file, writable
    slices : number of finished slices, from the first
    """

    head: Head
    values: volume_file.VolumeValues
    slices: int


class FinishedSlabs:
    """The slabs of a job."""

    def __init__(self, folder: Path) -> None:
        self._file, self._record = folder / volume_file.NAME, folder / RECORD

    @property
    def files(self) -> tuple[Path, Path]:
        """The volume's file and its record."""
        return self._file, self._record

    def add(self, volume: Volume, head: Head, stop: int) -> bool:
        """Record that the slices up to `stop` are on disk.

        Parameters
        ----------
        volume
            volume in the job's own file
        head
            description of the volume
        stop
            number of finished slices, from the first

        Returns
        -------
        is_kept
            False if the values are not in the job's own file
        """
        place = volume_file.place_of(volume.values)
        if place is None or place.path != self._file:
            return False
        before = self.record()
        # The slabs of a run with other settings or files do not count
        is_of_run = before is not None and (before.head.protocol, before.head.inputs) == (
            head.protocol,
            head.inputs,
        )
        slabs = before.slabs if before is not None and is_of_run and before.slices < stop else ()
        start = slabs[-1].stop if slabs else 0
        # The digest is of the file, not of the memory: it proves the content of the disk
        found = StoredSlab(stop=stop, sha256=self._digest(head, start, stop))
        text = sealed_text(SlabsRecord(head=head, slabs=(*slabs, found)).model_dump(mode="json"))
        write_atomically(text.encode(), self._record, private=True)
        return True

    def record(self) -> SlabsRecord | None:
        """Return the record, None if there is none or it is damaged."""
        try:
            record = from_json(self._record.read_text())
            seal = record.pop(SEAL, None)
            found = SlabsRecord.model_validate_json(to_json(record))
        except (OSError, ValueError, ValidationError):
            return None
        return found if seal == seal_of(**found.model_dump(mode="json")) else None

    def read(self) -> FoundSlabs | None:
        """Return the point to continue from, None if no slab matches its digest."""
        found, slices = self.record(), 0
        if found is None:
            return None
        try:
            for slab in found.slabs:
                # Slabs after a damaged one are made again, since a run continues at one place only
                if self._digest(found.head, slices, slab.stop) != slab.sha256:
                    break
                slices = slab.stop
            values = volume_file.opened(self._file, found.head.shape, writable=True)
        except (OSError, ValueError):
            return None
        return FoundSlabs(found.head, values, slices) if slices else None

    def remove(self) -> None:
        """Delete the volume's file and its record."""
        for file in self.files:
            file.unlink(missing_ok=True)

    def _digest(self, head: Head, start: int, stop: int) -> str:
        """Return the SHA-256 of slices, read in pieces."""
        per_slice = 4 * head.shape[1] * head.shape[2]
        total, left = sha256(), (stop - start) * per_slice
        with self._file.open("rb") as file:
            file.seek(start * per_slice)
            while left and (part := file.read(min(left, CHUNK_BYTES))):
                total.update(part)
                left -= len(part)
        return total.hexdigest()
