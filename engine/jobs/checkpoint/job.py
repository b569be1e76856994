"""A job: a folder with a study, its state, and the images of its last two checkpoints."""

from __future__ import annotations

import logging
import secrets
import shutil
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from pydantic import ValidationError

from engine.core.errors import FileFormatError, ResourceError, SettingsError
from engine.core.paths import jobs_dir, made
from engine.core.settings import explain
from engine.data.runs.events import Preview
from engine.io.safety import audit_log
from engine.io.safety.atomic_write import write_atomically
from engine.io.safety.dead_parts import sweep_parts
from engine.io.safety.locks import after_others, sweep_locks
from engine.jobs.caches import drop_unused
from engine.jobs.checkpoint.frames import FinishedFrames
from engine.jobs.checkpoint.images import Head, LastImages, read_image, write_image
from engine.jobs.checkpoint.iterates import Iterates
from engine.jobs.checkpoint.job_record import QUEUED_RUN, STUDY, JobInfo, JobRecord, Status
from engine.jobs.checkpoint.origin import Origin, origin_of, refuse_other_origin
from engine.jobs.checkpoint.owner import Owner
from engine.jobs.checkpoint.slabs import FinishedSlabs
from engine.modalities.protocol_identity import identified_study
from engine.modalities.studies import read_study
from engine.protocols.privacy.names import Names
from engine.protocols.run_context.provenance import describe_inputs
from engine.protocols.study.study import Study, write_study

if TYPE_CHECKING:  # the window lists jobs without loading kernels
    from engine.jobs.reconstruction import Resume

RECORD, ITERATES, FRAMES = "job.json", "iterates", "frames"
KEPT_ENDED = 20
"""Ended jobs that stay listed, the newest; interrupted jobs always stay."""
OWNER_ONLY = 0o700
"""Permissions of a job's folder: it says where scans lie, and whose."""

log = logging.getLogger(__name__)


class Job:
    """A reconstruction that survives its process: all that counts is in the folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.iterates = Iterates(folder / ITERATES)
        self.frames = FinishedFrames(folder / FRAMES)
        self.slabs = FinishedSlabs(folder)
        self._images = LastImages(folder)
        self._saved: int | None = None
        self._origin: Origin | None = None

    @classmethod
    def create(
        cls,
        study: Study,
        folder: Path | None = None,
        *,
        device: str = "auto",
        output: Path | None = None,
    ) -> Self:
        """Make a job for `study`, in `folder` or under a new name in the user's jobs."""
        if folder is None:
            _remove_old()
            folder = jobs_dir() / f"{datetime.now(UTC):%Y%m%dT%H%M%SZ}-{secrets.token_hex(3)}"
        folder, study = folder.expanduser().absolute(), identified_study(study)
        job, algorithm = cls(folder), study.protocol.algorithm
        record = JobRecord(
            status="running",
            owner=Owner.me(),
            title=Names.title(study),
            created_utc=datetime.now(UTC),
            device=device,
            updates=algorithm.n_iterations * algorithm.n_subsets,
            output="" if output is None else str(output.expanduser().absolute()),
        )
        with after_others(folder):  # two may be given the same one at once
            if (folder / RECORD).exists():
                raise SettingsError(
                    f"{folder}: holds a job already; resume that one or choose another folder."
                )
            made(folder, mode=OWNER_ONLY)
            write_study(study.with_absolute_paths(), folder / STUDY, private=True)
            job._write(record)
        audit_log.record("run begun", job=job._public_id)
        return job

    @classmethod
    def open(cls, folder_or_id: str | Path) -> Self:
        """Return a job by its folder or, in the user's jobs, by its name."""
        for folder in (Path(folder_or_id).expanduser().absolute(), jobs_dir() / folder_or_id):
            if (folder / RECORD).is_file():
                return cls(folder)
        raise SettingsError(f"{folder_or_id}: no such job; give its folder or its name.")

    @property
    def id(self) -> str:
        """Name of the folder."""
        return self.folder.name

    @property
    def study(self) -> Study:
        """What the job reconstructs, with absolute paths."""
        return read_study(self.folder / STUDY)

    @property
    def record(self) -> JobRecord:
        """The state as it is on disk now."""
        try:
            return JobRecord.from_text((self.folder / RECORD).read_bytes())
        except ValueError as e:
            reason = explain(e) if isinstance(e, ValidationError) else str(e)
            raise FileFormatError(
                f"{self.id}/{RECORD}: damaged ({reason}); start the study anew."
            ) from e
        except OSError as e:
            raise ResourceError(f"{self.folder}: cannot be read ({e.strerror or e}).") from e

    @property
    def info(self) -> JobInfo:
        """One line for a list."""
        record = self.record
        newest = max((head.done for head, _ in self._images.newest_first()), default=None)
        updates, slabs = record.updates, self.slabs.record()
        if slabs is not None:
            newest, updates = slabs.slices, slabs.head.shape[0]
        interrupted = record.status in ("running", "paused") and not record.owner.alive
        return JobInfo(
            self.id,
            self.folder,
            record.title,
            record.status,
            record.created_utc,
            record.device,
            newest,
            updates,
            interrupted,
            record.text,
        )

    def claim(self, *, heir_of: int | None = None) -> None:
        """Make this process the owner; refuse where another one works on the job.

        `heir_of` is the process that may hand the job over: the parent of an engine process.
        """
        with after_others(self.folder):  # two may ask at once
            owner, me = self.record.owner, Owner.me()
            if owner.pid not in (me.pid, heir_of) and owner.alive:
                raise ResourceError(
                    f"job {self.id}: another process works on it (number {owner.pid} on "
                    f"{owner.host}); wait until it ends, or start the study anew."
                )
            self._change(status="running", owner=me, text="")

    def mark(self, status: Status, text: str = "", *, result: str = "") -> None:
        """Write down how the job stands; its images go once its `result` is safe elsewhere."""
        said = Names.of(self.study).text(text) if text else ""
        self._change(status=status, text=said, result=result)
        audit_log.record(f"run {status}", job=self._public_id)
        if status == "finished" and result:
            self._remove_images()

    def note_result(self, result: str) -> None:
        """Write down the name of the result that holds the last image."""
        self._change(result=result)

    def save(self, preview: Preview) -> bool:
        """Put an image, with how the run came to it, in the place of the older checkpoint.

        Of a volume in slabs, note which of them are finished; returns False where nothing is kept.
        """
        volume, done = preview.volume, preview.update
        if done == self._saved:
            return True
        if preview.slices is not None:
            self._saved = done
            return self.slabs.add(volume, self._head_of(preview), preview.slices)
        oldest, head = self._images.oldest, self._head_of(preview)
        self.iterates.give_way_to(lambda: write_image(volume, head, oldest))
        self._saved = done
        if preview.ends_iteration:
            self.iterates.add(oldest, done)
        return True

    def save_frame(self, preview: Preview) -> None:
        """Keep the finished image of a frame of time."""
        self.frames.add(preview.volume, self._head_of(preview), preview.iteration)

    def _head_of(self, preview: Preview) -> Head:
        if self._origin is None:
            self._origin = self._find_origin()  # of the files as they were read
            self._change(updates=preview.iterations * preview.subsets, subsets=preview.subsets)
        return Head.of(preview, *self._origin)

    def latest(self) -> Resume | None:
        """Return where to go on: the newest whole image, None if none was ever saved."""
        from engine.jobs.reconstruction import Resume

        slabs = self.slabs.read()
        if slabs is not None:
            self._refuse_other_inputs(slabs.head)
            return Resume(slabs.values, 0, slabs.head.history, slices=slabs.slices)
        frames = self.frames.read()
        volumes = tuple(found for _, found in frames)
        for head, path in self._images.newest_first():
            image = read_image(path)
            if image is not None:
                if frames and frames[-1][0].done > head.done:
                    break
                self._refuse_other_inputs(head)
                return Resume(image, head.done, head.history, volumes)
        if frames:
            head = frames[-1][0]
            self._refuse_other_inputs(head)
            return Resume(volumes[-1].volume.values, head.done, head.history, volumes)
        if self._images.is_there:
            raise FileFormatError(
                f"job {self.id}: its checkpoints are damaged, or of another version of Isocenter; "
                "start the study anew."
            )
        return None

    def remove(self) -> None:
        """Delete the folder of the job and all in it."""
        audit_log.record("run deleted", job=self._public_id, why="asked for")
        self._remove_images()
        for name in (STUDY, RECORD):
            (self.folder / name).unlink(missing_ok=True)
        with suppress(OSError):  # a folder the user chose may hold other things
            self.folder.rmdir()

    def _remove_images(self) -> None:
        self.iterates.remove()
        self.frames.remove()
        self.slabs.remove()
        self._images.remove()

    @property
    def _public_id(self) -> str:
        """Its name, unless the user named it."""
        return self.id if self.folder.parent == jobs_dir() else "in a folder of the user"

    def _find_origin(self) -> Origin:
        study = self.study
        found = describe_inputs(study)
        if found != self.record.inputs:
            self._change(inputs=found)
        return origin_of(study, found)

    def _refuse_other_inputs(self, head: Head) -> None:
        refuse_other_origin(self._find_origin(), head, self.study, f"{self.id}/{STUDY}")

    def _change(self, **values: Any) -> None:
        self._write(self.record.model_copy(update=values))

    def _write(self, record: JobRecord) -> None:
        write_atomically(record.to_text().encode(), self.folder / RECORD, private=True)


def job_files(folder: Path) -> tuple[Path, ...]:
    """Return the files that a job keeps in its folder."""
    named = (folder / name for name in (RECORD, STUDY))
    return (*named, *LastImages(folder).files, *FinishedSlabs(folder).files)


def jobs() -> list[JobInfo]:
    """All jobs of this user, the newest first; removes litter of writes that never ended."""
    for folder in jobs_dir().iterdir():
        sweep_parts(folder)
    sweep_locks()
    return sorted(_readable(jobs_dir()), key=lambda info: info.created, reverse=True)


def _readable(folder: Path) -> Iterator[JobInfo]:
    for path in folder.glob(f"*/{RECORD}"):
        try:
            yield Job(path.parent).info
        except (FileFormatError, ResourceError) as e:
            log.warning("job left out: %s", e)


def _remove_old() -> None:
    drop_unused()
    ended = [
        info
        for info in jobs()
        if info.status in ("finished", "aborted", "failed") and not info.id.startswith(QUEUED_RUN)
    ]
    for info in ended[KEPT_ENDED:]:
        audit_log.record("run deleted", job=info.id, why="older than the ended ones that are kept")
        shutil.rmtree(info.folder, ignore_errors=True)
