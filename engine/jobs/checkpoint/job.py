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

from engine.core.errors import DataError, FileFormatError, ResourceError, SettingsError
from engine.core.json_types import Plain
from engine.core.paths import OWNER_ONLY, jobs_dir, made
from engine.core.private_files import privacy_fault
from engine.core.settings import explain
from engine.data.runs.events import Preview
from engine.io.folder import is_file
from engine.io.safety import audit_log
from engine.io.safety.atomic_write import write_atomically
from engine.io.safety.locks import after_others, sweep_locks, sweep_parts
from engine.jobs.caches import drop_unused
from engine.jobs.checkpoint.frames import FinishedFrames
from engine.jobs.checkpoint.images import Head, LastImages, read_image, write_image
from engine.jobs.checkpoint.iterates import Iterates
from engine.jobs.checkpoint.job_record import QUEUED_RUN, STUDY, JobInfo, JobRecord, Status
from engine.jobs.checkpoint.origin import Origin, origin_of, refuse_other_origin
from engine.jobs.checkpoint.owner import Owner
from engine.jobs.checkpoint.slabs import FinishedSlabs
from engine.modalities.protocol_identity import identified_study
from engine.modalities.studies import Study, read_study, with_fingerprints, write_study
from engine.protocols.privacy.names import Names
from engine.protocols.run_context.provenance import describe_inputs, unknown_inputs

if TYPE_CHECKING:  # the window lists jobs without loading kernels
    from engine.core.backend import Backend
    from engine.jobs.reconstruction import Resume

RECORD, ITERATES, FRAMES = "job.json", "iterates", "frames"
DATA = "data"
MAX_ENDED = 20
"""Number of ended jobs in the list, the newest ones. Interrupted jobs always stay."""

log = logging.getLogger(__name__)


class Job:
    """A reconstruction that survives its process, since its state is in the folder."""

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
        """Make the folder of a new job.

        Parameters
        ----------
        study
            study to reconstruct; its paths become absolute
        folder
            folder of the job; None for a new name among the user's jobs
        device
            requested device, see `engine.core.backend.named`
        output
            file for the volume, stored for a later resume; None without one

        Raises
        ------
        SettingsError
            if the folder already contains a job
        ResourceError
            if the folder cannot be written
        """
        if folder is None:
            # Old jobs make space only for jobs of ours; a folder of the user is never cleaned up
            _remove_old()
            folder = jobs_dir() / f"{datetime.now(UTC):%Y%m%dT%H%M%SZ}-{secrets.token_hex(3)}"
        # Without fingerprints nothing shows that another scan has replaced this one meanwhile
        study = with_fingerprints(identified_study(study))
        folder = folder.expanduser().absolute()
        job, algorithm = cls(folder), study.protocol.algorithm
        record = JobRecord(
            status="running",
            owner=Owner.current(),
            # The title is public: pseudonyms replace the names of files and folders
            title=Names.title(study),
            created_utc=datetime.now(UTC),
            device=device,
            updates=algorithm.n_iterations * algorithm.n_subsets,
            output="" if output is None else str(output.expanduser().absolute()),
        )
        with after_others(folder):  # two processes may get the same folder at once
            if (folder / RECORD).exists():
                raise SettingsError(
                    f"{folder}: this folder already contains a job. Resume that job, or choose "
                    "another folder."
                )
            made(folder, mode=OWNER_ONLY)
            write_study(study.with_absolute_paths(), folder / STUDY, private=True)
            job._write(record)
        audit_log.record("run begun", job=job._public_id)
        return job

    @classmethod
    def open(cls, folder_or_id: str | Path) -> Self:
        """Open an existing job.

        Parameters
        ----------
        folder_or_id
            folder of the job, or its name among the user's jobs

        Raises
        ------
        SettingsError
            if no such job exists
        """
        for folder in (Path(folder_or_id).expanduser().absolute(), jobs_dir() / folder_or_id):
            if is_file(folder / RECORD):
                _refuse_foreign(folder)
                return cls(folder)
        raise SettingsError(
            f"{folder_or_id}: no job has this name or folder. Check the name, or give the "
            "folder of the job."
        )

    @property
    def id(self) -> str:
        """Name of the folder."""
        return self.folder.name

    @property
    def study(self) -> Study:
        """The study of the job, with absolute paths."""
        return read_study(self.folder / STUDY, is_own=True)

    @property
    def record(self) -> JobRecord:
        """The state on disk now; raises `FileFormatError` if the record is damaged."""
        try:
            return JobRecord.from_text((self.folder / RECORD).read_bytes())
        except ValueError as e:
            reason = explain(e) if isinstance(e, ValidationError) else str(e)
            raise FileFormatError(
                f"{self.id}/{RECORD}: the record of this job is damaged. Reason: {reason}. Start "
                "the study again."
            ) from e
        except OSError as e:
            raise ResourceError(
                f"{self.folder}: the job cannot be read ({e.strerror or e}). Check the "
                "permissions of this folder."
            ) from e

    @property
    def info(self) -> JobInfo:
        """Summary of the job for a list."""
        record = self.record
        newest = max((head.done for head, _ in self._images.newest_first()), default=None)
        updates, slabs = record.updates, self.slabs.record()
        if slabs is not None:
            newest, updates = slabs.slices, slabs.head.shape[0]
        # "running" in the record of a dead process means that it could not record its end
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
        """Make this process the owner of the job.

        Parameters
        ----------
        heir_of
            process that may hand the job over: the parent of an engine process

        Raises
        ------
        ResourceError
            if another living process works on the job
        """
        with after_others(self.folder):  # two processes may claim it at once
            owner, me = self.record.owner, Owner.current()
            if owner.pid not in (me.pid, heir_of) and owner.alive:
                raise ResourceError(
                    f"job {self.id} is in use by process {owner.pid} on {owner.host}. Wait until "
                    "it has finished, or start the study again."
                )
            self._change(status="running", owner=me, text="")

    def threads(self, asked: int | None, *, resumes: bool) -> int | None:
        """Return the number of CPU threads for a run.

        The order of sums depends on it, so a resumed run continues with the same number.

        Parameters
        ----------
        asked
            number that the user requested; None for the default
        resumes
            True if the run continues from a checkpoint
        """
        return self.record.threads if resumes and asked is None else asked

    def note_device(self, on: Backend) -> None:
        """Record the CPU threads of the run.

        Parameters
        ----------
        on
            device of the run; a GPU has no such number
        """
        self._change(threads=None if on.is_cuda else on.threads)

    def mark(self, status: Status, text: str = "", *, result: str = "") -> None:
        """Write the state of the job to its record.

        Parameters
        ----------
        status
            new state
        text
            reason of a failure; names of files become pseudonyms
        result
            name of the saved result; with "finished" it lets the images of the job be deleted
        """
        anonymous = Names.of(self.study).text(text) if text else ""
        self._change(status=status, text=anonymous, result=result)
        audit_log.record(f"run {status}", job=self._public_id)
        # Only once the image is safe among the results are the checkpoints superfluous
        if status == "finished" and result:
            self._remove_images()

    def note_result(self, result: str) -> None:
        """Record the name of the result with the last image."""
        self._change(result=result)

    def save(self, preview: Preview) -> bool:
        """Save an image and its run history, replacing the older of the two checkpoints.

        Parameters
        ----------
        preview
            image to save, or a volume in slabs with a record of its finished slices

        Returns
        -------
        is_kept
            False if the slabs of the volume are not in the job's own file

        Raises
        ------
        ResourceError
            if the disk is full, even without iterates
        """
        volume, done = preview.volume, preview.update
        # A pause and the end can both request to save the same image
        if done == self._saved:
            return True
        if preview.slices is not None:
            self._saved = done
            return self.slabs.add(volume, self._head_of(preview), preview.slices)
        oldest, head = self._images.oldest, self._head_of(preview)
        self.iterates.make_space_for(lambda: write_image(volume, head, oldest))
        self._saved = done
        # A hard link to the checkpoint just written: free of cost, see `iterates`
        if preview.ends_iteration:
            self.iterates.add(oldest, done)
        return True

    def save_frame(self, preview: Preview) -> None:
        """Save the finished image of a frame, which later frames do not replace."""
        self.frames.add(preview.volume, self._head_of(preview), preview.iteration)

    def _head_of(self, preview: Preview) -> Head:
        # Hashing all input files takes long, so it is done once, at the first checkpoint
        if self._origin is None:
            # Origin of the files that were read.
            self._origin = self._stored_origin(self._known_inputs(of_run=True))
            self._change(updates=preview.iterations * preview.subsets, subsets=preview.subsets)
        return Head.of(preview, *self._origin)

    def latest(self) -> Resume | None:
        """Return the state from which to continue.

        Returns
        -------
        resume
            newest undamaged image with its history and finished frames; None if none was saved

        Raises
        ------
        DataError, SettingsError
            if the input files or the protocol have changed since
        FileFormatError
            if checkpoints exist, but all are damaged or from another version
        """
        from engine.jobs.reconstruction import Resume

        # A volume in slabs has no other checkpoints, so it is tried first
        slabs = self.slabs.read()
        if slabs is not None:
            self._refuse_other_inputs(slabs.head)
            return Resume(slabs.values, 0, slabs.head.history, slices=slabs.slices)
        frames = self.frames.read()
        volumes = tuple(found for _, found in frames)
        for head, path in self._images.newest_first():
            image = read_image(path)
            if image is not None:
                # A frame was finished after this image, which is then part of an earlier frame
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
                f"job {self.id}: the checkpoints are damaged, or from another version "
                "of Isocenter. Start the study again."
            )
        return None

    def refuse_replaced_scan(self) -> None:
        """Refuse a job of an earlier version if its files are not those that it began with.

        Later versions store fingerprints with the study, which readers of the study compare. Reads
        no image.

        Raises
        ------
        DataError, SettingsError
            if the files or the protocol have changed, or nothing shows that they have not
        """
        study = self.study
        if DATA in study.fingerprints:
            return
        slabs, images = self.slabs.record(), self._images.newest_first()
        head = images[0][0] if images else self.frames.head
        head = head if slabs is None else slabs.head
        if head is None:
            raise DataError(
                f"{study.data.name}: the job has neither a checkpoint nor a fingerprint of this "
                "file, which may be the file of another patient by now. Open the scan, check the "
                "patient, and start it again."
            )
        origin = origin_of(study, describe_inputs(study))
        refuse_other_origin(origin, head, study, f"{self.id}/{STUDY}")

    def remove(self) -> None:
        """Delete the job's files, and its folder if it is then empty."""
        audit_log.record("run deleted", job=self._public_id, why="asked for")
        self._remove_images()
        for name in (STUDY, RECORD):
            (self.folder / name).unlink(missing_ok=True)
        with suppress(OSError):  # a folder of the user can contain other files
            self.folder.rmdir()

    def _remove_images(self) -> None:
        self.iterates.remove()
        self.frames.remove()
        self.slabs.remove()
        self._images.remove()

    @property
    def _public_id(self) -> str:
        """Name for the audit log; hides a name that the user chose."""
        return self.id if self.folder.parent == jobs_dir() else "in a folder of the user"

    def _known_inputs(self, *, of_run: bool = False) -> dict[str, Plain]:
        """Describe the files as they are now, for a run: those that it has read."""
        study = self.study
        found = describe_inputs(study, study.fingerprints if of_run else None)
        # A checkpoint of one scan with the digest of another would continue with the other one
        if lost := unknown_inputs(found):
            names = ", ".join(study.files[role].name for role in lost)
            raise DataError(
                f"{names}: the file was replaced, changed or removed since the run began. Restore "
                "it to get checkpoints again."
            )
        return found

    def _stored_origin(self, inputs: dict[str, Plain]) -> Origin:
        """Store the description of the files in the record, and return the origin of the images."""
        if inputs != self.record.inputs:
            self._change(inputs=inputs)
        return origin_of(self.study, inputs)

    def _refuse_other_inputs(self, head: Head) -> None:
        study, found = self.study, self._known_inputs()
        # Compared first: the record must not state the digests of files that replaced those of
        # the images.
        refuse_other_origin(origin_of(study, found), head, study, f"{self.id}/{STUDY}")
        self._stored_origin(found)

    def _change(self, **values: Any) -> None:
        self._write(self.record.model_copy(update=values))

    def _write(self, record: JobRecord) -> None:
        write_atomically(record.to_text().encode(), self.folder / RECORD, private=True)


def refuse_replaced_scan(scan: Path, folder: Path) -> None:
    """Do the same as `Job.refuse_replaced_scan`, for a process that reads foreign files.

    Parameters
    ----------
    scan
        scan of the job
    folder
        folder of the job
    """
    Job(folder).refuse_replaced_scan()


def job_files(folder: Path) -> tuple[Path, ...]:
    """Return the paths of the files of a job.

    Parameters
    ----------
    folder
        folder of the job

    Returns
    -------
    paths
        record, study, both checkpoints and the files of slabs; not all of them need to exist
    """
    named = (folder / name for name in (RECORD, STUDY))
    return (*named, *LastImages(folder).files, *FinishedSlabs(folder).files)


def jobs() -> list[JobInfo]:
    """Return all jobs of this user, the newest first; removes partial files of dead processes."""
    for folder in jobs_dir().iterdir():
        sweep_parts(folder)
    sweep_locks()
    return sorted(_readable(jobs_dir()), key=lambda info: info.created, reverse=True)


def _refuse_foreign(folder: Path) -> None:
    """Refuse a job that another user made or can change: it names the file to write."""
    reason = next(filter(None, (privacy_fault(folder / name) for name in (RECORD, STUDY))), "")
    if reason:
        raise SettingsError(
            f"{folder}: this job cannot be used. {reason} Copy it to a folder that only you can "
            "write to, and resume the copy."
        )


def _readable(folder: Path) -> Iterator[JobInfo]:
    for path in folder.glob(f"*/{RECORD}"):
        try:
            _refuse_foreign(path.parent)
            yield Job(path.parent).info
        except (FileFormatError, ResourceError, SettingsError) as e:
            log.warning("job left out: %s", e)


def _remove_old() -> None:
    drop_unused()
    ended = [
        info
        for info in jobs()
        # The queue still needs the runs of its own entries, and deletes them itself
        if info.status in ("finished", "aborted", "failed") and not info.id.startswith(QUEUED_RUN)
    ]
    for info in ended[MAX_ENDED:]:
        audit_log.record("run deleted", job=info.id, why="older than the ended ones that are kept")
        shutil.rmtree(info.folder, ignore_errors=True)
