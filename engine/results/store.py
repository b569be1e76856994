"""The folder of results: each is put in place in one step, and leaves it in one step.

A result is filled in a hidden folder of its own, whose name says which process fills it, and gets
its name when all of it is on the disk. So two processes never meet in one folder, a crash leaves
whole results alone, and what a dead process left behind is known.
"""

from __future__ import annotations

import logging
import os
import platform
import re
import secrets
import shutil
import time
from collections.abc import Iterator
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
from engine.io.safety import audit_log
from engine.io.safety.atomic_write import folder_to_disk, write_atomically
from engine.io.safety.open_input import open_input
from engine.io.text.json_text import to_json
from engine.protocols.privacy import Names
from engine.protocols.run_context.unrecorded import unrecorded
from engine.protocols.study.study import Study, write_study
from engine.results.result import (
    FILES,
    PROVENANCE,
    RECORD,
    STUDY,
    THUMBNAIL,
    VOLUME,
    Result,
)
from engine.results.result_record import RESULT_FORMAT, ResultRecord
from engine.results.retention import Retention

PART, GONE = ".part", ".gone"
OWNER_ONLY = 0o700
"""Permissions of the folders: they hold images of patients."""
STALE_S = 7 * 86_400
"""Age at which an unfinished folder of another machine is litter [s]."""
SPARE_BYTES = 4 << 20
"""Room for all of a result but its volume."""

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class NewResult:
    """What is to be kept.

    Attributes
    ----------
    study, volume, provenance : what was reconstructed, what came out, what exactly made it
    run : the record of the run; None: that in the provenance, else of an image of which no more is
        known than its protocol
    frames : of a scan in frames of time, whose sum or mean the volume is
    seconds : time the run took
    job : name of the run, the same after it was resumed
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
        """The record of the run that made it."""
        known, made = self.run or RecordedRun.of(self.provenance), self.provenance
        if known is not None:
            return known
        return unrecorded(self.study.protocol, made.get("iterations_done")).with_messages_of(made)

    def record(self, id: str, digests: dict[str, str]) -> ResultRecord:
        """Return what the result will say of itself."""
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
        ).sealed()


class Results:
    """All results of a user; several processes may use them at once.

    Attributes
    ----------
    retention : how long results are kept
    note : why the user's own limits could not be read, empty if they could
    """

    def __init__(self, retention: Retention | None = None) -> None:
        self.note = ""
        try:
            self.retention = retention or Retention.read()
        except SettingsError as e:  # a finished image is never lost to a mistyped limit
            self.retention = Retention()
            self.note = f"{e} The usual limits hold until that is mended."

    @classmethod
    def at(cls, folder: Path) -> Self:
        """Return the results of a folder, with the usual limits."""
        return cls(Retention(folder=str(folder)))

    @property
    def folder(self) -> Path:
        """The folder that holds them; it need not exist."""
        return self.retention.place

    def newest_first(self) -> list[Result]:
        """Return all whole results, and remove what dead processes left half-done."""
        self._sweep()
        return sorted(self._readable(), key=lambda r: (r.record.created_utc, r.id), reverse=True)

    def open(self, id: str) -> Result:
        """Return one result by its name."""
        folder = self.folder / id
        if not re.fullmatch(r"[\w-]+", id) or not (folder / RECORD).is_file():
            raise SettingsError(f"{id}: no such result; `isocenter results` lists those there are.")
        return Result.read(folder)

    @property
    def n_bytes(self) -> int:
        """Room that all of them take on the disk."""
        return sum(result.n_bytes for result in self.newest_first())

    def keep(self, new: NewResult) -> Result:
        """Put a result on the disk, whole or not at all.

        It takes the place of what an earlier end of the same run left, unless that is pinned.
        """
        made(self.folder, "name another folder in results.toml", mode=OWNER_ONLY)
        name = f"{datetime.now(UTC):%Y%m%dT%H%M%SZ}-{secrets.token_hex(4)}"
        part = self.folder / f".{_host()}-{os.getpid()}-{name}{PART}"
        self._refuse_full(new.volume.values.nbytes * (1 + len(new.frames)))
        try:
            part.mkdir(OWNER_ONLY)
            _fill(part, name, new)
            part.replace(self.folder / name)
            folder_to_disk(self.folder)
        except OSError as e:
            raise ResourceError(
                f"{self.folder}: the result could not be written ({e.strerror or e}); make room, "
                "or name another folder in results.toml."
            ) from e
        finally:
            shutil.rmtree(part, ignore_errors=True)
        kept = Result.read(self.folder / name)
        self._drop_earlier(kept, new.job)
        return kept

    def delete(self, result: Result, why: str = "asked for") -> None:
        """Remove a result; one that another process removed meanwhile is gone already."""
        gone = result.folder.with_name(f".{_host()}-{os.getpid()}-{result.id}{GONE}")
        try:
            result.folder.replace(gone)  # in one step: nobody ever sees half of it
        except FileNotFoundError:
            return
        except OSError as e:
            raise ResourceError(
                f"{result.folder}: cannot be deleted ({e.strerror or e}); close the program that "
                "uses it, or check the permissions."
            ) from e
        audit_log.record("result deleted", result=result.id, why=why)
        shutil.rmtree(gone, ignore_errors=True)

    def remove_outdated(self) -> list[str]:
        """Remove what exceeds the limits; return what went and why, a line each."""
        said = []
        for result, limit in self.retention.outdated(self.newest_first(), datetime.now(UTC)):
            try:
                self.delete(result, limit)
            except ResourceError as e:
                log.warning("%s", e)
                continue
            said.append(f"{result.record.title} of {result.created:%d %b %Y %H:%M} ({limit})")
            log.info("result %s removed: %s", result.id, said[-1])
        return said

    def _refuse_full(self, n_bytes: int) -> None:
        wanted, free = n_bytes + SPARE_BYTES, shutil.disk_usage(self.folder).free
        if free < wanted:
            raise ResourceError(
                f"{self.folder}: needs {wanted:,} bytes and {free:,} are free; make room, or name "
                "another folder in results.toml."
            )

    def _drop_earlier(self, kept: Result, job: str) -> None:
        for result in self._readable():
            if job and result.record.job == job and result.id != kept.id and not result.pinned:
                with suppress(EngineError):  # one that cannot hand on whose it is stays
                    if result.order is not None:
                        kept.put_order(result.order)
                    self.delete(result, "a later image of the same run")

    def _readable(self) -> Iterator[Result]:
        for path in self.folder.glob(f"[!.]*/{RECORD}"):
            try:
                yield Result.read(path.parent)
            except EngineError as e:
                if path.exists():  # else another process removed it just now
                    log.warning("result left out: %s", e)

    def _sweep(self) -> None:
        for folder in (*self.folder.glob(f".*{PART}"), *self.folder.glob(f".*{GONE}")):
            if _is_abandoned(folder):
                shutil.rmtree(folder, ignore_errors=True)


def _fill(part: Path, name: str, new: NewResult) -> None:
    """Write all files; the record with their digests comes last."""
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
    record = new.record(name, digests).to_text()
    write_atomically(record.encode(), part / RECORD, private=True)


def _digest(path: Path) -> str:
    with open_input(path) as file:
        return file.sha256()


def _host() -> str:
    return re.sub(r"[^\w]", "", platform.node()) or "host"


def _is_abandoned(folder: Path) -> bool:
    """Whether nobody works on a hidden folder any more."""
    import psutil

    host, pid, *_ = (*folder.name.removeprefix(".").split("-"), "", "")
    if host == _host() and pid.isdecimal():
        try:
            return bool(psutil.Process(int(pid)).status() == psutil.STATUS_ZOMBIE)
        except psutil.NoSuchProcess:
            return True
    with suppress(OSError):
        return time.time() - folder.stat().st_mtime > STALE_S
    return False
