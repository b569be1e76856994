"""The queue on disk: one small file for each study, changed by one process at a time.

Every change is made under one lock, from what the file says at that moment, and takes its place in
one step: whoever is killed leaves the file before or after it. A running study names the process
that works on it; it is free again once that process is no more.
"""

from __future__ import annotations

import secrets
import shutil
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, suppress
from datetime import UTC, datetime
from pathlib import Path

from engine.core.errors import EngineError, SettingsError
from engine.core.paths import jobs_dir, made, queue_dir
from engine.io.dicom.order import ImagingOrder
from engine.io.safety import audit_log
from engine.io.safety.locks import after_others
from engine.jobs.checkpoint import Job
from engine.jobs.checkpoint.owner import Owner
from engine.jobs.queue.entry import QueueEntry, Wish
from engine.jobs.queue.entry_files import EntryFiles
from engine.jobs.queue.leases import hold_of
from engine.jobs.queue.settings import QueueSettings, read_settings, write_settings
from engine.modalities.protocol_identity import identified_study
from engine.protocols.study.study import Study

OWNER_ONLY = 0o700
"""Permissions of the folder: it says where scans lie, and whose."""
KEPT_FINISHED = 50
"""Finished studies that stay listed; their images are among the results."""
OPEN = ("waiting", "paused", "running")

Change = Callable[[QueueEntry], QueueEntry | None]
"""Returns the entry as it shall be, None where it shall stay as it is."""


class StudyQueue:
    """The queue of this user.

    Parameters
    ----------
    folder
        another one than that of the user
    """

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = made(folder or queue_dir(), mode=OWNER_ONLY)
        self._files = EntryFiles(self.folder)

    # what stands in it

    def entries(self) -> list[QueueEntry]:
        """All studies in their order; one whose file is damaged stands as failed."""
        return sorted(self._files.all(), key=lambda each: (each.place, each.added_utc, each.id))

    def get(self, id: str) -> QueueEntry:
        """Return a study by its name in the queue."""
        entry = self._files.read(id)
        if entry is None:
            raise SettingsError(
                f"{id}: no such study in the queue; `isocenter queue list` names all."
            )
        return entry

    @property
    def settings(self) -> QueueSettings:
        """How it is worked through; the usual way where the file cannot be read."""
        return read_settings(self.folder)

    # what people do with it

    def add(
        self,
        study: Study,
        *,
        output: Path | None = None,
        replaces: bool = False,
        device: str = "auto",
        threads: int | None = None,
        memory_bytes: int = 0,
        on_gpu: bool = False,
        order: ImagingOrder | None = None,
    ) -> QueueEntry:
        """Put a study at the end; refuse one that waits or runs already, to the same place.

        Parameters
        ----------
        study
            what to reconstruct, and how
        output
            file its image is written to besides the results
        replaces
            whether that file may be there already
        device, threads
            as for one reconstruction
        memory_bytes, on_gpu
            what it will take, where that is known
        order
            whose scan it is, where the worklist said so
        """
        place = "" if output is None else str(output.expanduser().absolute())
        whole = identified_study(study).with_absolute_paths()
        text = whole.model_dump_json()
        with self._alone():
            entries = self.entries()
            same = [e for e in entries if e.state in OPEN and (e.study, e.output) == (text, place)]
            if same:
                raise SettingsError(f"{whole.title}: is in the queue already ({same[0].id}).")
            entry = QueueEntry(
                id=secrets.token_hex(4),
                place=max((each.place for each in entries), default=0.0) + 1,
                study=text,
                title=whole.title,
                output=place,
                replaces=replaces,
                device=device,
                threads=threads,
                memory_bytes=memory_bytes,
                on_gpu=on_gpu,
                order="" if order is None else order.model_dump_json(),
                added_utc=datetime.now(UTC),
            )
            self._files.write(entry)
            self._drop_finished(entries)
        audit_log.record("study queued", job=entry.run)
        return entry

    def pause(self, id: str) -> QueueEntry:
        """Hold a study back; one at work ends, with its checkpoint, and can go on from there."""
        return self._ask(id, "pause", "paused")

    def resume(self, id: str) -> QueueEntry:
        """Let a paused study wait for its turn again."""

        def change(entry: QueueEntry) -> QueueEntry | None:
            if entry.state == "running":
                return entry.model_copy(update={"wish": ""}) if entry.wish == "pause" else None
            anew = {"state": "waiting", "text": ""}
            return _with(entry, **anew) if entry.state == "paused" else None

        return self.change(id, change)

    def retry(self, id: str) -> QueueEntry:
        """Let a study that failed wait for its turn again."""

        def change(entry: QueueEntry) -> QueueEntry | None:
            if not entry.study:
                raise SettingsError(entry.text)
            anew = {"state": "waiting", "text": "", "deaths": 0, "done": 0.0, "ended_utc": None}
            return _with(entry, **anew) if entry.state == "failed" else None

        return self.change(id, change)

    def remove(self, id: str) -> None:
        """Take a study out, with what its run has kept to go on; its results stay."""
        entry = self._ask(id, "remove", "paused")
        if entry.wish != "remove":
            self.drop(id)

    def clear_finished(self) -> None:
        """Take out all studies that have finished."""
        for entry in self.entries():
            if entry.state == "finished":
                self.drop(entry.id)

    def move(self, id: str, to: int) -> None:
        """Put a study at a place, counted from 0 among all; the others keep their order."""
        with self._alone():
            moved = self.get(id)
            entries = [each for each in self.entries() if each.id != id]
            entries.insert(max(0, min(to, len(entries))), moved)
            for place, each in enumerate(entries, 1):
                if each.place != place and each.study:
                    self._files.write(_with(each, place=float(place)))

    def set_running(self, runs: bool, at_once: int | None = None) -> QueueSettings:
        """Let waiting studies begin, or none any more; those at work then go back to wait."""
        changes: dict[str, object] = {"runs": runs}
        if at_once is not None:
            changes["at_once"] = at_once
        settings = self.change_settings(**changes)
        if not runs:
            for entry in self.entries():
                if entry.state == "running":
                    self._ask(entry.id, "wait", "waiting")
        return settings

    # what those who work on it do

    def claim(self, id: str, *, lapsed: QueueEntry | None = None) -> QueueEntry | None:
        """Take a study that waits, or whose process died, for this process; None if it is taken.

        `lapsed` is how it stood when its machine had left it alone for too long.
        """
        claimed: list[QueueEntry] = []

        def change(entry: QueueEntry) -> QueueEntry | None:
            left = lapsed is not None and hold_of(entry) == hold_of(lapsed)
            if not entry.is_ready and not left:
                return None
            mine = {"owner": Owner.me(), "begun_utc": datetime.now(UTC), "ended_utc": None}
            if left and entry.owner is not None:
                mine["left_by"] = entry.owner.host
            claimed.append(_with(entry, state="running", text="", doing="", wish="", **mine))
            return claimed[0]

        with suppress(SettingsError):  # taken out meanwhile
            self.change(id, change)
        return claimed[0] if claimed else None

    def change(self, id: str, change: Change) -> QueueEntry:
        """Change a study from what its file says now; return it as it then is."""
        with self._alone():
            entry = self.get(id)
            changed = change(entry)
            if changed is None or changed == entry:
                return entry
            self._files.write(changed)
            return changed

    def change_settings(self, **values: object) -> QueueSettings:
        """Change how the queue is worked through."""
        with self._alone():
            settings = self.settings.model_copy(update=values)
            write_settings(self.folder, settings)
        return settings

    def start_runner(self, start: Callable[[], int]) -> bool:
        """Start a process that works through the queue if it shall run and none does.

        `start` returns its number: noted here, it counts before it has come to say so itself.
        """
        with self._alone():
            settings = self.settings
            if not settings.runs or settings.has_runner:
                return False
            runner = Owner.of(start())
            write_settings(self.folder, settings.model_copy(update={"runner": runner}))
            return True

    def end_if_done(self) -> bool:
        """Let the queue rest if nothing is left to begin or at work; return whether it rests."""
        with self._alone():
            settings = self.settings
            if any(entry.is_ready or entry.state == "running" for entry in self.entries()):
                return not settings.runs
            rests = settings.model_copy(update={"runs": False})
            if rests != settings:
                write_settings(self.folder, rests)
            return True

    def drop(self, id: str) -> None:
        """Delete the file of a study, and the folder of its run."""
        with self._alone():
            entry = self._files.read(id)
            if entry is None:
                return
            remove_run(entry)
            self._files.remove(id)
        audit_log.record("study taken out of the queue", job=entry.run)

    def _ask(self, id: str, wish: Wish, state: str) -> QueueEntry:
        """Ask the process at work for something, or do it where there is none."""

        def change(entry: QueueEntry) -> QueueEntry | None:
            if entry.state == "running" and not entry.is_abandoned:
                return entry.model_copy(update={"wish": wish})
            return _with(entry, state=state) if entry.is_ready else None

        return self.change(id, change)

    def _alone(self) -> AbstractContextManager[None]:
        return after_others(self.folder)

    def _drop_finished(self, entries: Sequence[QueueEntry]) -> None:
        finished = [entry for entry in entries if entry.state == "finished"]
        finished.sort(key=lambda entry: entry.ended_utc or entry.added_utc)
        for entry in finished[:-KEPT_FINISHED]:
            self._files.remove(entry.id)


def remove_run(entry: QueueEntry) -> None:
    """Remove what the run of a study has kept to go on."""
    if not entry.run:
        return
    folder = jobs_dir() / entry.run
    with suppress(EngineError):
        if folder.is_dir() and not Job(folder).record.is_at_work:
            Job(folder).remove()
            shutil.rmtree(folder, ignore_errors=True)  # parts of writes that were killed


def _with(entry: QueueEntry, **values: object) -> QueueEntry:
    """Return a copy in another state; nobody is asked for anything there any more."""
    return entry.model_copy(update={"wish": "", **values})
