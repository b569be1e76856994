"""A result on disk: a folder with volume, thumbnail, study, provenance and record."""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Self

from pydantic import ValidationError
from pydantic_core import to_json

from engine.core.errors import DataError, EngineError, FileFormatError, ResourceError
from engine.core.json_types import Plain
from engine.core.settings import explain
from engine.data.timing.time_frames import FrameVolume
from engine.data.volume import Volume
from engine.io.safety.budget import free_memory
from engine.io.safety.file_signature import (
    CheckedSignature,
    check_file,
    compared_with_statement,
)
from engine.io.safety.locks import after_others
from engine.io.safety.open_input import open_input, read_text
from engine.io.text.json_text import from_json
from engine.io.text.toml_file import read_toml
from engine.modalities.studies import read_study
from engine.results.result_record import ResultRecord

if TYPE_CHECKING:
    from engine.io.dicom.order import ImagingOrder
    from engine.modalities.studies import Study
    from engine.results.name_differences import Named

RECORD, STUDY, VOLUME = "result.json", "study.toml", "volume.h5"
THUMBNAIL, PROVENANCE = "thumbnail.png", "provenance.json"
FILES = (STUDY, VOLUME, THUMBNAIL, PROVENANCE)
"""Files with digests in the record."""
MAX_BYTES = 1 << 26
"""Size limit of a record, or of a provenance with every crystal of a large scanner."""
READ_COPIES = 3
"""Copies of a volume in memory while it is processed: itself, the result and the output."""
PINNED, EXPORTED = "pinned", "exported"
"""Marks are empty files, so that two processes can set them at the same time."""


@dataclass(frozen=True)
class Result:
    """One result; its files are compared with their digests when they are read.

    Attributes
    ----------
    folder : folder of the result
    record : content of `result.json`
    pinned : True if it stays until the user deletes it
    exported : True if it was also exported
    n_bytes : size on disk
    stamp : number that differs after any change in the folder
    """

    folder: Path
    record: ResultRecord
    pinned: bool
    exported: bool
    n_bytes: int
    stamp: int = field(default=0, compare=False)

    @classmethod
    def read(cls, folder: Path) -> Self:
        """Read a result; its large files are read later, on demand.

        Parameters
        ----------
        folder
            folder of the result

        Raises
        ------
        FileFormatError
            if the record is damaged or was changed, or belongs to another folder
        ResourceError
            if the folder cannot be read
        """
        path = folder / RECORD
        try:
            record = ResultRecord.model_validate_json(read_text(path, MAX_BYTES)).compact()
            n_bytes, stamp = state_of(folder)
        except ValidationError as e:
            raise FileFormatError(
                f"{folder.name}/{RECORD}: the record of this result is damaged. Reason: "
                f"{explain(e)}. Restore the file from a backup."
            ) from e
        except OSError as e:
            raise ResourceError(
                f"{folder}: the result cannot be read ({e.strerror or e}); check the permissions "
                "of this folder."
            ) from e
        # The name of the folder is part of the record: a copied folder is not a second result.
        if not record.is_whole or record.id != folder.name:
            raise FileFormatError(
                f"{folder.name}/{RECORD}: this record was changed or its folder was renamed; open "
                "the volume in this folder as a file instead."
            )
        pinned, exported = ((folder / mark).exists() for mark in (PINNED, EXPORTED))
        return cls(folder, record, pinned, exported, n_bytes, stamp)

    @property
    def id(self) -> str:
        """Name of the folder."""
        return self.folder.name

    @property
    def signed(self) -> CheckedSignature:
        """State of the signature of its record, which contains the digests of the other files."""
        return compared_with_statement(check_file(self.folder / RECORD, "result"), self.record.key)

    @property
    def key(self) -> str:
        """Public key of its signature; empty without one."""
        made = self.signed.signature
        return "" if made is None else made.key

    @property
    def created(self) -> datetime:
        """Local time at which it was stored."""
        return self.record.created_utc.astimezone()

    @property
    def named(self) -> Named:
        """Facts from which its name is made."""
        from engine.results.name_differences import Named

        record = self.record
        return Named(self.id, self.scan, record.run_record, self.created, record.voxels)

    @property
    def thumbnail(self) -> Path:
        """Path of the thumbnail (PNG)."""
        return self.folder / THUMBNAIL

    @cached_property
    def scan(self) -> str:
        """Name of the scan, for display to its owner; the pseudonym if the name is not known."""
        try:
            self._refuse_changed(STUDY)
            return Path(str(read_toml(self.folder / STUDY)["data"])).name
        except (EngineError, KeyError):
            return self.record.title.partition(",")[0]

    @cached_property
    def study(self) -> Study:
        """Study of the result, with absolute paths."""
        self._refuse_changed(STUDY)
        return read_study(self.folder / STUDY, is_own=True)

    @cached_property
    def provenance(self) -> Plain:
        """Provenance of the volume."""
        self._refuse_changed(PROVENANCE)
        try:
            return from_json(read_text(self.folder / PROVENANCE, MAX_BYTES))
        except ValueError as e:
            raise FileFormatError(
                f"{self.id}/{PROVENANCE}: the provenance of this result cannot be read ({e}); "
                "restore the file from a backup."
            ) from e

    @cached_property
    def order(self) -> ImagingOrder | None:
        """Imaging order of the result; None without one."""
        from engine.io.dicom.order import ORDER, ImagingOrder  # few results have a patient

        path = self.folder / ORDER
        return ImagingOrder.read(path) if path.is_file() else None

    def assign_order(self, order: ImagingOrder) -> None:
        """Assign the result to the patient of an order.

        Parameters
        ----------
        order
            order from the worklist

        Raises
        ------
        DataError
            if the result already belongs to another patient
        """
        from engine.io.dicom.order import ORDER

        path = self.folder / ORDER
        with after_others(path):  # two windows may assign it at the same time
            # The cached order may be out of date. `cached_property` stores it in `__dict__`, so
            # removing it there forces a new read.
            self.__dict__.pop("order", None)
            stored = self.order
            if stored is not None and stored.patient_id != order.patient_id:
                raise DataError(
                    f"{self.id}: the order is for a different patient; choose an order for the "
                    "patient of this result."
                )
            order.write(path)
            self.__dict__.pop("order", None)

    def volume(self, *, mapped: bool = False) -> Volume:
        """Read the volume.

        Parameters
        ----------
        mapped
            True to map the values in a file; False: only if they do not fit into free memory

        Raises
        ------
        FileFormatError
            if the file was changed since it was written
        """
        from engine.io import read_volume
        from engine.io.hdf5.volume import read_mapped

        self._refuse_changed(VOLUME)
        path = self.folder / VOLUME
        # The file size stands for the memory: volumes are stored without compression.
        if not mapped and READ_COPIES * path.stat().st_size <= free_memory():
            return read_volume(path)
        with open_input(path) as file:
            return read_mapped(file)

    def frames(self) -> tuple[FrameVolume, ...]:
        """Read the time frames; none if the scan is a single frame."""
        from engine.io import read_frames

        self._refuse_changed(VOLUME)
        return read_frames(self.folder / VOLUME)

    def mark(self, mark: str, *, on: bool = True) -> None:
        """Set or remove a mark.

        Parameters
        ----------
        mark
            `PINNED` or `EXPORTED`
        on
            False to remove it

        Raises
        ------
        ResourceError
            if the folder cannot be written
        """
        try:
            if on:
                (self.folder / mark).touch()
            else:
                (self.folder / mark).unlink(missing_ok=True)
        except OSError as e:
            raise ResourceError(
                f"{self.folder}: the result cannot be marked as {mark!r} ({e.strerror or e}); "
                "check "
                "the permissions of this folder."
            ) from e

    def refuse_changed_files(self) -> None:
        """Compare every file with its digest; raise `FileFormatError` for the first changed one."""
        for name in FILES:
            self._refuse_changed(name)

    # Digests are checked at every read: a changed image must not get a valid report.
    def _refuse_changed(self, name: str) -> None:
        with open_input(self.folder / name) as file:
            found = file.sha256()
        if found != self.record.digests.get(name):
            raise FileFormatError(
                f"{self.id}/{name}: this file has changed since the result was saved; restore it "
                "from a backup."
            )


def state_of(folder: Path) -> tuple[int, int]:
    """Return the size of a result on disk, and a number that differs after any change.

    Parameters
    ----------
    folder
        folder of the result

    Raises
    ------
    OSError
        if it cannot be read
    """
    # All files count, also signatures and marks that are not part of the record.
    with os.scandir(folder) as files:
        found = sorted((file.name, file.stat()) for file in files)
    stamps = tuple((name, s.st_ino, s.st_size, s.st_mtime_ns, s.st_ctime_ns) for name, s in found)
    return sum(s.st_size for _, s in found), hash(stamps)


def may_be_of_job(record: Path, job: str) -> bool:
    """Return False if a record is certainly not of a run, which takes less time than to parse it.

    Parameters
    ----------
    record
        path of a `result.json`; False if it cannot be read
    job
        name of the run
    """
    with suppress(EngineError):
        return to_json(job).decode() in read_text(record, MAX_BYTES)
    return False
