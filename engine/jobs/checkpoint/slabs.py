"""A volume that is made in slabs, in the folder of its job: its file, and what is finished of it.

The file is the one that the run writes into; beside it stands a record with the digest of each slab
that is on the disk. A run goes on after the last slab, from the first on, that is as its digest
says.
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
from engine.io.safety.seal import CHUNK_BYTES, seal_of
from engine.io.text.json_text import from_json, to_json
from engine.jobs.checkpoint.images import Head

RECORD = "slabs.json"
SEAL = "seal"


class StoredSlab(Settings):
    """Slices of a volume's file, from behind those of the slab before up to `stop`."""

    stop: int = setting(ge=1)
    sha256: str = setting(max_length=64)


class SlabsRecord(Settings):
    """What is finished of a volume."""

    format: str = setting("isocenter-slabs-1", max_length=40)
    head: Head = setting()
    slabs: tuple[StoredSlab, ...] = setting(min_length=1)

    @property
    def slices(self) -> int:
        """Slices that are finished."""
        return self.slabs[-1].stop


class FoundSlabs(NamedTuple):
    """The slabs after which a run goes on.

    Attributes
    ----------
    head : what is said of it
    values : the volume's file, to write into
    slices : that are finished, from the first on
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
        """All that is kept."""
        return self._file, self._record

    def add(self, volume: Volume, head: Head, stop: int) -> bool:
        """Note that slices up to `stop` are on the disk; False where they lie in another file."""
        place = volume_file.place_of(volume.values)
        if place is None or place.path != self._file:
            return False
        before = self.record()
        is_of_run = before is not None and (before.head.protocol, before.head.inputs) == (
            head.protocol,
            head.inputs,
        )
        slabs = before.slabs if before is not None and is_of_run and before.slices < stop else ()
        start = slabs[-1].stop if slabs else 0
        found = StoredSlab(stop=stop, sha256=self._digest(head, start, stop))
        said = SlabsRecord(head=head, slabs=(*slabs, found)).model_dump(mode="json")
        text = to_json(said | {SEAL: seal_of(**said)}, indent=2)
        write_atomically(text.encode(), self._record, private=True)
        return True

    def record(self) -> SlabsRecord | None:
        """Return what is finished, None where nothing is or the record is damaged."""
        try:
            said = from_json(self._record.read_text())
            seal = said.pop(SEAL, None)
            found = SlabsRecord.model_validate_json(to_json(said))
        except (OSError, ValueError, ValidationError):
            return None
        return found if seal == seal_of(**found.model_dump(mode="json")) else None

    def read(self) -> FoundSlabs | None:
        """Return where to go on, None where no slab is as it was written."""
        found, slices = self.record(), 0
        if found is None:
            return None
        try:
            for slab in found.slabs:
                if self._digest(found.head, slices, slab.stop) != slab.sha256:
                    break
                slices = slab.stop
            values = volume_file.opened(self._file, found.head.shape, writable=True)
        except (OSError, ValueError):
            return None
        return FoundSlabs(found.head, values, slices) if slices else None

    def remove(self) -> None:
        """Delete all."""
        for file in self.files:
            file.unlink(missing_ok=True)

    def _digest(self, head: Head, start: int, stop: int) -> str:
        """Return the SHA-256 of some slices, read in pieces."""
        per_slice = 4 * head.shape[1] * head.shape[2]
        total, left = sha256(), (stop - start) * per_slice
        with self._file.open("rb") as file:
            file.seek(start * per_slice)
            while left and (part := file.read(min(left, CHUNK_BYTES))):
                total.update(part)
                left -= len(part)
        return total.hexdigest()
