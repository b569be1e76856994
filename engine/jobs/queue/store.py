"""The queue on disk: one small file for each study, changed by one process at a time.

Every change is made under one lock, from the content of the file at that moment, in one step. A
killed process leaves the file in the state before or after. A running study names the process that
works on it. When that process dies, the study is free again.
"""

from __future__ import annotations

import secrets
import shutil
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, suppress
from datetime import UTC, datetime
from pathlib import Path

from engine.core.errors import EngineError, SettingsError
from engine.core.json_types import Plain
from engine.core.paths import OWNER_ONLY, jobs_dir, made, queue_dir
from engine.io.dicom.order import ImagingOrder
from engine.io.safety import audit_log
from engine.io.safety.locks import after_others
from engine.jobs.checkpoint import Job
from engine.jobs.checkpoint.owner import Owner
from engine.jobs.queue.entry import QueueEntry, QueueRequest
from engine.jobs.queue.entry_files import EntryFiles
from engine.jobs.queue.leases import hold_of
from engine.jobs.queue.question import Question
from engine.jobs.queue.settings import QueueSettings, read_settings, write_settings
from engine.modalities.protocol_identity import identified_study
from engine.modalities.studies import Study, with_fingerprints

MAX_FINISHED = 50
"""Number of finished studies in the list; their images are among the results."""
OPEN = ("waiting", "asking", "paused", "running")

Change = Callable[[QueueEntry], QueueEntry | None]
"""Function that returns the new entry, or None to leave it unchanged."""


class StudyQueue:
    """The queue of this user.

    Parameters
    ----------
    folder
        folder of the queue; None for the user's own
    """

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = made(folder or queue_dir(), mode=OWNER_ONLY)
        self._files = EntryFiles(self.folder)

    # reading

    def entries(self) -> list[QueueEntry]:
        """Return all studies in order; one with a damaged file has the state "failed"."""
        return sorted(self._files.all(), key=lambda each: (each.place, each.added_utc, each.id))

    def get(self, id: str) -> QueueEntry:
        """Return a study by its name in the queue; raise `SettingsError` if there is none."""
        entry = self._files.read(id)
        if entry is None:
            raise SettingsError(
                f"{id}: the queue has no study with this ID. `isocenter queue list` shows all "
                "studies."
            )
        return entry

    @property
    def settings(self) -> QueueSettings:
        """Settings of the queue; the defaults if their file cannot be read."""
        return read_settings(self.folder)

    # requests of the user

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
        question: Question | None = None,
        asks: bool = False,
        scanner_kind: str = "",
    ) -> QueueEntry:
        """Add a study at the end.

        Parameters
        ----------
        study
            study to reconstruct
        output
            file for the image, in addition to the results; None for none
        replaces
            True if that file may exist
        device, threads
            see `engine.core.backend.named`
        memory_bytes, on_gpu
            its requirements, if already estimated
        order
            worklist order of the scan; None without one
        question
            question that the user must answer before the study can run; None without one
        asks
            True if a run that must assume a value of the scan stops and asks instead
        scanner_kind
            kind of its scanner, see `engine.modalities.scanner_kind`

        Raises
        ------
        SettingsError
            if the same study with the same output waits or runs already
        """
        place = "" if output is None else str(output.expanduser().absolute())
        # Paths are made absolute here: the runner has another working directory
        # Before the lock: a slow disk must not stop the other processes
        whole = _whole(study, question)
        text = whole.model_dump_json()
        with self._locked():
            entries = self.entries()
            same = [e for e in entries if e.state in OPEN and (e.study, e.output) == (text, place)]
            if same:
                raise SettingsError(
                    f"{whole.title}: this study is already in the queue ({same[0].id})."
                )
            entry = QueueEntry(
                id=secrets.token_hex(4),
                # Numbers may have gaps; only their order counts
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
                asks=asks,
                scanner_kind=scanner_kind,
                **_question_values(question),
                added_utc=datetime.now(UTC),
            )
            self._files.write(entry)
            self._drop_finished(entries)
        audit_log.record("study queued", job=entry.run)
        return entry

    def replace_study(
        self,
        id: str,
        study: Study,
        *,
        question: Question | None = None,
        agreed: Sequence[str] = (),
        scanner_kind: str = "",
        memory_bytes: int = 0,
        on_gpu: bool = False,
    ) -> QueueEntry:
        """Replace a study that has not run, for example after an answer of the user.

        Parameters
        ----------
        id
            name of the study in the queue
        study
            the study with the answers, or with another protocol
        question
            the next question; None if the study can run
        agreed
            sentences about assumed values that the user has accepted, in addition to earlier ones
        scanner_kind
            kind of its scanner, see `engine.modalities.scanner_kind`
        memory_bytes, on_gpu
            its requirements, if already estimated

        Returns
        -------
        entry
            unchanged if the study runs or has ended

        Raises
        ------
        SettingsError
            if there is no such study
        """
        whole = _whole(study, question)

        def change(entry: QueueEntry) -> QueueEntry | None:
            if entry.state not in ("waiting", "asking", "paused"):
                return None
            state = entry.state if entry.state == "paused" else "waiting"
            text = whole.model_dump_json()
            values: Plain = {
                "state": state,
                "text": "",
                "question": "",
                "study": text,
                "title": whole.title,
                "agreed": tuple(dict.fromkeys((*entry.agreed, *agreed))),
                "scanner_kind": scanner_kind or entry.scanner_kind,
                "memory_bytes": memory_bytes,
                "on_gpu": on_gpu,
            }
            if text != entry.study:
                remove_run(entry)  # its checkpoint belongs to the earlier settings
                values |= {"updates": 0, "deaths": 0, "done": 0.0}
            return _with(entry, **(values | _question_values(question)))

        return self.change(id, change)

    def pause(self, id: str) -> QueueEntry:
        """Pause a study; a running one stops with a checkpoint and can continue from there."""
        return self._ask(id, "pause", "paused")

    def resume(self, id: str) -> QueueEntry:
        """Let a paused study wait again."""

        def change(entry: QueueEntry) -> QueueEntry | None:
            if entry.state == "running":
                return entry.model_copy(update={"wish": ""}) if entry.wish == "pause" else None
            waiting = {"state": "waiting", "text": ""}
            return _with(entry, **waiting) if entry.state == "paused" else None

        return self.change(id, change)

    def retry(self, id: str) -> QueueEntry:
        """Let a failed study wait again.

        Parameters
        ----------
        id
            name of the study in the queue

        Raises
        ------
        SettingsError
            if there is no such study, or its file is damaged
        """

        def change(entry: QueueEntry) -> QueueEntry | None:
            if not entry.study:
                raise SettingsError(entry.text)
            start = {"state": "waiting", "text": "", "deaths": 0, "done": 0.0, "ended_utc": None}
            return _with(entry, **start) if entry.state == "failed" else None

        return self.change(id, change)

    def remove(self, id: str) -> None:
        """Remove a study with its checkpoints; its results stay."""
        entry = self._ask(id, "remove", "paused")
        # With a request in the file the owner deletes the study once its engine has stopped
        if entry.wish != "remove":
            self.drop(id)

    def clear_finished(self) -> None:
        """Remove all finished studies."""
        for entry in self.entries():
            if entry.state == "finished":
                self.drop(entry.id)

    def move(self, id: str, to: int) -> None:
        """Move a study to another place; the others keep their order.

        Parameters
        ----------
        id
            name of the study in the queue
        to
            new place among all studies, from 0
        """
        with self._locked():
            moved, entries = self.get(id), self.entries()
            now = [each.id for each in entries].index(id)
            at = max(0, min(to, len(entries) - 1))
            if at == now:
                return
            del entries[now]
            between = _place_at(entries, at)
            if between is not None and moved.study:
                self._files.write(_with(moved, place=between))
                return
            entries.insert(at, moved)
            for place, each in enumerate(entries, 1):
                # A placeholder of a damaged file is never written
                if each.place != place and each.study:
                    self._files.write(_with(each, place=float(place)))

    def set_running(self, runs: bool, at_once: int | None = None) -> QueueSettings:
        """Switch the queue on or off.

        Parameters
        ----------
        runs
            True to start waiting studies; False also stops running ones, which then wait again
        at_once
            studies at a time; None leaves the number unchanged
        """
        changes: dict[str, object] = {"runs": runs}
        if at_once is not None:
            changes["at_once"] = at_once
        settings = self.change_settings(**changes)
        if not runs:
            for entry in self.entries():
                if entry.state == "running":
                    self._ask(entry.id, "wait", "waiting")
        return settings

    # calls of the processes that work on studies

    def claim(self, id: str, *, lapsed: QueueEntry | None = None) -> QueueEntry | None:
        """Claim a study for this process if it waits, or if its process has died.

        Parameters
        ----------
        id
            name of the study in the queue
        lapsed
            entry of a machine that has stopped confirming; claimed only if still unchanged

        Returns
        -------
        entry
            claimed entry; None if another process was faster, or the study was removed
        """
        claimed: list[QueueEntry] = []

        def change(entry: QueueEntry) -> QueueEntry | None:
            left = lapsed is not None and hold_of(entry) == hold_of(lapsed)
            if not entry.is_ready and not left:
                return None
            mine = {"owner": Owner.current(), "begun_utc": datetime.now(UTC), "ended_utc": None}
            if left and entry.owner is not None:
                mine["left_by"] = entry.owner.host
            claimed.append(_with(entry, state="running", text="", doing="", request="", **mine))
            return claimed[0]

        with suppress(SettingsError):  # removed meanwhile
            self.change(id, change)
        return claimed[0] if claimed else None

    def change(self, id: str, change: Change) -> QueueEntry:
        """Change a study under the lock, from the content of its file now.

        Parameters
        ----------
        id
            name of the study in the queue
        change
            returns the new entry, None to leave it unchanged

        Returns
        -------
        entry
            entry after the change

        Raises
        ------
        SettingsError
            if there is no such study
        """
        with self._locked():
            entry = self.get(id)
            changed = change(entry)
            # No write without a change: every write is copied to all machines of a share
            if changed is None or changed == entry:
                return entry
            self._files.write(changed)
            return changed

    def change_settings(self, **values: object) -> QueueSettings:
        """Change the settings of the queue; other settings stay."""
        with self._locked():
            settings = self.settings.model_copy(update=values)
            write_settings(self.folder, settings)
        return settings

    def start_runner(self, start: Callable[[], int]) -> bool:
        """Start a process that works through the queue if the queue is on and has none.

        Parameters
        ----------
        start
            starts the process and returns its number, which is written before it reports itself

        Returns
        -------
        started
            True if a process was started now
        """
        with self._locked():
            settings = self.settings
            if not settings.runs or settings.has_runner or self._only_asks():
                return False
            runner = Owner.of(start())
            write_settings(self.folder, settings.model_copy(update={"runner": runner}))
            return True

    def end_if_done(self) -> bool:
        """Return True if the runner can end; the queue is then off unless a question is open."""
        with self._locked():
            settings = self.settings
            # The queue continues by itself after the answers, so it stays on
            if self._only_asks():
                return True
            if any(entry.is_ready or entry.state == "running" for entry in self.entries()):
                return not settings.runs
            rests = settings.model_copy(update={"runs": False})
            if rests != settings:
                write_settings(self.folder, rests)
            return True

    def drop(self, id: str) -> None:
        """Delete the file of a study, and the folder of its run."""
        with self._locked():
            entry = self._files.read(id)
            if entry is None:
                return
            remove_run(entry)
            self._files.remove(id)
        audit_log.record("study taken out of the queue", job=entry.run)

    def _ask(self, id: str, request: QueueRequest, state: str) -> QueueEntry:
        """Send a request to the owner of a study, or carry it out if no process works on it."""

        def change(entry: QueueEntry) -> QueueEntry | None:
            if entry.state == "running" and not entry.is_abandoned:
                return entry.model_copy(update={"wish": request})
            return _with(entry, state=state) if entry.is_ready else None

        return self.change(id, change)

    def _only_asks(self) -> bool:
        """Return True if all studies that have not ended wait for an answer."""
        entries = self.entries()
        if any(each.is_ready or each.state == "running" for each in entries):
            return False
        return any(each.state == "asking" for each in entries)

    def _locked(self) -> AbstractContextManager[None]:
        return after_others(self.folder)

    def _drop_finished(self, entries: Sequence[QueueEntry]) -> None:
        finished = [entry for entry in entries if entry.state == "finished"]
        finished.sort(key=lambda entry: entry.ended_utc or entry.added_utc)
        # Their images stay among the results
        for entry in finished[:-MAX_FINISHED]:
            self._files.remove(entry.id)


def _whole(study: Study, question: Question | None) -> Study:
    """Return a study as the queue stores it, with the fingerprints of its files."""
    whole = identified_study(study).with_absolute_paths()
    # A scan with a question can be damaged; the user may replace it before the answer
    return with_fingerprints(whole) if question is None else whole


def remove_run(entry: QueueEntry) -> None:
    """Delete the job of an entry, unless a process works on it.

    Parameters
    ----------
    entry
        entry of the queue
    """
    if not entry.run:
        return
    folder = jobs_dir() / entry.run
    with suppress(EngineError):
        if folder.is_dir() and not Job(folder).record.is_at_work:
            Job(folder).remove()
            shutil.rmtree(folder, ignore_errors=True)  # parts of writes that were killed


def _place_at(entries: Sequence[QueueEntry], at: int) -> float | None:
    """Return a number between two neighbours, so that only one file changes; None without space.

    Parameters
    ----------
    entries
        other studies in their order
    at
        index of the study among them
    """
    # A placeholder of a damaged file has no place of its own
    if not all(each.study for each in entries[max(at - 1, 0) : at + 1]):
        return None
    before = entries[at - 1].place if at else None
    after = entries[at].place if at < len(entries) else None
    if before is None:
        return 1.0 if after is None else after - 1
    if after is None:
        return before + 1
    middle = (before + after) / 2
    return middle if before < middle < after else None


def _question_values(question: Question | None) -> Plain:
    """Return the values of an entry that waits for an answer; none without a question."""
    if question is None:
        return {}
    return {"state": "asking", "text": question.text, "question": question.model_dump_json()}


def _with(entry: QueueEntry, **values: object) -> QueueEntry:
    """Return a copy with other values and without a request."""
    return entry.model_copy(update={"wish": "", **values})
