"""Store of results: each is added and removed in one atomic step.

A result is written into a hidden folder with the process in its name, and renamed when all of it is
on disk. Two processes therefore never share a folder, a crash leaves only complete results, and
leftovers of ended processes can be identified.
"""

from __future__ import annotations

import logging
import os
import platform
import re
import secrets
import shutil
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Self

from engine.core.errors import EngineError, ResourceError, SettingsError
from engine.core.json_types import Plain
from engine.core.paths import made
from engine.data.runs.record import RecordedRun
from engine.data.timing.time_frames import FrameVolume
from engine.data.volume import Volume
from engine.io.folder import is_file
from engine.io.safety import audit_log
from engine.io.safety.atomic_write import folder_to_disk, write_atomically
from engine.io.safety.file_signature import (
    FileSignature,
    key_or_none,
    signature_file,
    signed_or_none,
)
from engine.io.safety.open_input import open_input
from engine.io.safety.outputs import DiskNeed, refuse_full_disks
from engine.io.text.json_text import to_json
from engine.modalities.studies import Study, write_study
from engine.protocols.privacy import Names
from engine.results.result import (
    EXPORTED,
    FILES,
    PINNED,
    PROVENANCE,
    RECORD,
    STUDY,
    THUMBNAIL,
    VOLUME,
    Result,
    may_be_of_job,
    state_of,
)
from engine.results.result_record import RESULT_FORMAT, ResultRecord
from engine.results.retention import Retention, is_removable

PART, REMOVED = ".part", ".gone"
OWNER_ONLY = 0o700
"""Permissions of the folders, which contain images of patients."""
STALE_S = 7 * 86_400
"""Age after which an unfinished folder of another machine is removed [s]."""
SPARE_BYTES = 4 << 20
"""Space for all files of a result except the volume."""

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class NewResult:
    """A result to store.

    Attributes
    ----------
    study, volume, provenance : study, image and its provenance
    run : record of the run; None: the one in the provenance, otherwise a record that states only
        the protocol
    frames : time frames; the volume is their sum or mean
    seconds : duration of the run
    job : name of the run, unchanged after it is resumed
    """

    study: Study
    volume: Volume
    provenance: Plain
    run: RecordedRun | None = None
    seconds: float = 0.0
    job: str = ""
    inputs: dict[str, Plain] = field(default_factory=dict)
    frames: tuple[FrameVolume, ...] = ()

    @property
    def run_record(self) -> RecordedRun:
        """Record of the run."""
        known, made = self.run or RecordedRun.of(self.provenance), self.provenance
        if known is not None:
            return known
        from engine.protocols.run_context.unrecorded import unrecorded  # few images lack a record

        return unrecorded(self.study.protocol, made.get("iterations_done")).with_messages_of(made)

    def record(self, id: str, digests: dict[str, str], key: str = "") -> ResultRecord:
        """Return the record of the result.

        Parameters
        ----------
        id
            name of the result and of its folder
        digests
            SHA-256 of the other files, by name
        key
            public key that will sign the record; empty for none
        """
        protocol, volume, run = self.study.protocol, self.volume, self.run_record
        return ResultRecord(
            id=id,
            title=Names.title(self.study),
            protocol=run.protocol.label,
            modality=protocol.modality,
            format=RESULT_FORMAT,
            run=run,
            outcome=run.outcome,
            iteration=run.iterations_done,
            iterations=max(run.iterations_planned, 1),
            created_utc=datetime.now(UTC),
            seconds=self.seconds,
            device=run.device,
            job=self.job,
            inputs=self.inputs,
            voxels=volume.grid.describe(),
            unit=volume.unit,
            digests=digests,
            **({"key": key} if key else {}),
        ).sealed()


class Results:
    """All results of a user; several processes can use them at the same time.

    Attributes
    ----------
    retention : limits
    note : reason why the user's limits could not be read; empty if they could
    """

    def __init__(self, retention: Retention | None = None) -> None:
        self.note = ""
        try:
            self.retention = retention or Retention.read()
        except SettingsError as e:  # a mistyped limit must not cost a finished image
            self.retention = Retention()
            self.note = f"{e} The default limits apply until this is corrected."

    @classmethod
    def at(cls, folder: Path) -> Self:
        """Return the results of a folder, with the default limits."""
        return cls(Retention(folder=str(folder)))

    @property
    def folder(self) -> Path:
        """Folder of the results; it may not exist yet."""
        return self.retention.place

    def newest_first(self, known: Iterable[Result] = ()) -> list[Result]:
        """Return all complete results, and remove leftovers of ended processes.

        Parameters
        ----------
        known
            results of an earlier call; those that have not changed are returned again, which takes
            less time and memory than new ones

        Returns
        -------
        results
            the newest first
        """
        self._sweep()
        found = self._readable({each.id: each for each in known})
        return sorted(found, key=lambda r: (r.record.created_utc, r.id), reverse=True)

    def open(self, id: str) -> Result:
        """Return a result by its name.

        Parameters
        ----------
        id
            name of the result; letters, digits, "_" and "-"

        Raises
        ------
        SettingsError
            if there is no such result
        FileFormatError
            if its record is damaged
        """
        folder = self.folder / id
        # The name comes from the command line. The pattern keeps ".." and separators out of the
        # path.
        if not re.fullmatch(r"[\w-]+", id) or not is_file(folder / RECORD):
            raise SettingsError(
                f"{id}: this result does not exist; run `isocenter results` for a list of all "
                "results."
            )
        return Result.read(folder)

    @property
    def n_bytes(self) -> int:
        """Disk space of all results in bytes."""
        return sum(result.n_bytes for result in self.newest_first())

    def keep(self, new: NewResult) -> Result:
        """Store a result, completely or not at all.

        It replaces an earlier result of the same run, unless that one is pinned.

        Parameters
        ----------
        new
            result to store

        Raises
        ------
        ResourceError
            if the disk is full or the folder cannot be written
        """
        made(self.folder, "Set another folder in results.toml.", mode=OWNER_ONLY)
        # UTC keeps names in order of time over a change of daylight saving; the random part
        # separates results of one second.
        name = f"{datetime.now(UTC):%Y%m%dT%H%M%SZ}-{secrets.token_hex(4)}"
        # Host and process ID tell `_sweep` later whether the owner is still alive.
        part = self.folder / f".{_host()}-{os.getpid()}-{name}{PART}"
        # Checked before writing: a full disk is better reported before minutes of output.
        refuse_full_disks([self.result_need(new.volume.values.nbytes, len(new.frames))])
        try:
            part.mkdir(OWNER_ONLY)
            _fill(part, name, new)
            # Renaming a folder is atomic on one file system. `fsync` of the parent makes it survive
            # a crash.
            part.replace(self.folder / name)
            folder_to_disk(self.folder)
        except OSError as e:
            raise ResourceError(
                f"{self.folder}: the result could not be written ({e.strerror or e}); free "
                "disk space, or set another folder in results.toml."
            ) from e
        finally:
            shutil.rmtree(part, ignore_errors=True)
        newest = Result.read(self.folder / name)
        key = newest.key
        audit_log.record("result stored", result=name, record=newest.record.sha256, key=key)
        # The earlier result is deleted only after the new one is safe on disk.
        self._drop_earlier(newest, new.job)
        return newest

    def delete(self, result: Result, why: str = "asked for") -> None:
        """Remove a result; nothing happens if another process has removed it.

        Parameters
        ----------
        result
            result to remove
        why
            reason for the audit log

        Raises
        ------
        ResourceError
            if a file is in use or the folder cannot be written
        """
        # Deleting many files takes time. The rename makes the result disappear first, at once.
        removed = result.folder.with_name(f".{_host()}-{os.getpid()}-{result.id}{REMOVED}")
        try:
            result.folder.replace(removed)  # atomic: no process sees a half-deleted result
        except FileNotFoundError:
            return
        except OSError as e:
            raise ResourceError(
                f"{result.folder}: the result could not be deleted ({e.strerror or e}); check the "
                "permissions of this folder, and close programs that use its files."
            ) from e
        audit_log.record("result deleted", result=result.id, why=why)
        shutil.rmtree(removed, ignore_errors=True)

    def remove_outdated(self) -> list[str]:
        """Remove results that exceed the limits; return one line for each."""
        now, faults = datetime.now(UTC), []
        # Reading all records takes long, and this happens at the end of each run.
        if not self._may_exceed_limits(now):
            self._sweep()
            return []
        for result, limit in self.retention.outdated(self.newest_first(), now):
            try:
                self.delete(result, limit)
            # A result in use stays until the next time; the others must still be removed.
            except ResourceError as e:
                log.warning("%s", e)
                continue
            faults.append(f"{result.record.title} of {result.created:%d %b %Y %H:%M} ({limit})")
            log.info("result %s removed: %s", result.id, faults[-1])
        return faults

    def result_need(self, image_bytes: int, n_frames: int) -> DiskNeed:
        """Return the space that a result needs.

        Parameters
        ----------
        image_bytes
            size of an image
        n_frames
            number of time frames or gates, which are stored with their sum; 0 for a single image
        """
        n_bytes = image_bytes * (1 + n_frames) + SPARE_BYTES
        remedy = "Free disk space, or set another folder in results.toml."
        return DiskNeed("result", self.folder, n_bytes, remedy)

    def _drop_earlier(self, newest: Result, job: str) -> None:
        for path in self._records() if job else ():
            if path.parent == newest.folder or not may_be_of_job(path, job):
                continue
            with suppress(EngineError):  # if the order cannot be passed on, the result stays
                result = Result.read(path.parent)
                if result.record.job != job or result.pinned:
                    continue
                if result.order is not None:
                    newest.assign_order(result.order)
                self.delete(result, "a later image of the same run")

    def _may_exceed_limits(self, now: datetime) -> bool:
        """Return False if certainly no result is to be removed, without reading their records."""
        folders = [path.parent for path in self._records()]
        try:
            n_bytes = sum(state_of(folder)[0] for folder in folders)
            ages = [now - datetime.fromisoformat(folder.name[:16]) for folder in folders]
        # Just removed by another process, or not named by `keep`: a mere date has no time zone.
        except (OSError, TypeError, ValueError):
            return True
        # As if each were the oldest, because the order of simultaneous results is not known here.
        return any(
            self.retention.limit_exceeded(len(folders), n_bytes, age)
            and is_removable(
                age, exported=(folder / EXPORTED).exists(), pinned=(folder / PINNED).exists()
            )
            for folder, age in zip(folders, ages, strict=True)
        )

    def _records(self) -> Iterator[Path]:
        # Hidden folders are unfinished, so they never match.
        return self.folder.glob(f"[!.]*/{RECORD}")

    def _readable(self, known: Mapping[str, Result]) -> Iterator[Result]:
        for path in self._records():
            try:
                before = known.get(path.parent.name)
                is_same = before is not None and _is_unchanged(before, path.parent)
                yield before if before is not None and is_same else Result.read(path.parent)
            except EngineError as e:
                if path.exists():  # otherwise another process has just removed it
                    log.warning("result left out: %s", e)

    def _sweep(self) -> None:
        for folder in (*self.folder.glob(f".*{PART}"), *self.folder.glob(f".*{REMOVED}")):
            if _is_abandoned(folder):
                shutil.rmtree(folder, ignore_errors=True)


def _is_unchanged(result: Result, folder: Path) -> bool:
    with suppress(OSError):
        return result.folder == folder and result.stamp == state_of(folder)[1]
    return False


def _fill(part: Path, name: str, new: NewResult) -> None:
    """Write all files; the record with their digests is last."""
    from engine import io
    from engine.results.thumbnail import thumbnail

    write_study(new.study.with_absolute_paths(), part / STUDY, private=True)
    text = to_json(new.provenance, indent=2)
    write_atomically(text.encode(), part / PROVENANCE, private=True)
    write_atomically(thumbnail(new.volume), part / THUMBNAIL, private=True)
    made_by = new.provenance or new.volume.info
    if new.frames:
        io.save_frames(new.volume, new.frames, part / VOLUME, made_by)
    else:
        io.save(new.volume, part / VOLUME, made_by)
    digests = {file: _digest(part / file) for file in FILES}
    record = new.record(name, digests, key_or_none()).to_text().encode()
    # Without a usable key the result is stored without a signature: it must not be lost.
    made = signed_or_none(lambda: FileSignature.made("result", RECORD, record, name))
    if made is not None:
        write_atomically(made.to_bytes(), signature_file(part / RECORD), private=True)
    write_atomically(record, part / RECORD, private=True)


def _digest(path: Path) -> str:
    with open_input(path) as file:
        return file.sha256()


def _host() -> str:
    return re.sub(r"[^\w]", "", platform.node()) or "host"


def _is_abandoned(folder: Path) -> bool:
    """Return True if no process uses a hidden folder any more."""
    import psutil

    host, pid, *_ = (*folder.name.removeprefix(".").split("-"), "", "")
    # A process ID means nothing on another machine, for example on a shared network folder; there
    # only the age counts.
    if host == _host() and pid.isdecimal():
        try:
            # A zombie has ended but its ID is not free yet.
            return bool(psutil.Process(int(pid)).status() == psutil.STATUS_ZOMBIE)
        except psutil.NoSuchProcess:
            return True
    with suppress(OSError):
        return time.time() - folder.stat().st_mtime > STALE_S
    return False
