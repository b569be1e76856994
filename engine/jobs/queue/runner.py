"""The process that works through the queue: it starts studies in order and watches them.

It is a separate process and outlives the window. All state is in files: windows read it, a second
runner takes other studies, and the next runner continues with them.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from threading import Event as Flag
from threading import Thread

from engine.core.errors import EngineError
from engine.io.safety.budget import available_memory
from engine.jobs.checkpoint.owner import Owner
from engine.jobs.queue.admission import (
    RunMemory,
    estimate,
    fits_memory,
    memory_of_children,
)
from engine.jobs.queue.ending import ended
from engine.jobs.queue.entry import QueueEntry
from engine.jobs.queue.executor import Executor, Work
from engine.jobs.queue.leases import LEASE_S, OthersLeases, OwnLease
from engine.jobs.queue.settings import AS_MANY_AS_FIT
from engine.jobs.queue.store import Change, StudyQueue, remove_run

POLL_S = 0.2
"""Interval of reads of the queue."""
TELL_S = 2.0
"""Shortest time between two progress reports of a study."""

log = logging.getLogger(__name__)


class QueueRunner:
    """Works through a queue until it is empty or switched off.

    Parameters
    ----------
    queue
        queue on disk
    executor
        starts work on studies
    log_line
        called with a line about each start and end
    lease_s
        time after which studies of a silent machine are taken over [s]
    """

    def __init__(
        self,
        queue: StudyQueue,
        executor: Executor,
        log_line: Callable[[str], object] | None = None,
        *,
        lease_s: float = LEASE_S,
    ) -> None:
        self._queue, self._executor, self._log = queue, executor, log_line or log.info
        self._others = OthersLeases(lease_s)
        self._leases: dict[str, OwnLease] = {}
        self._is_over = Flag()
        self._me = Owner.current()
        self._works: dict[str, Work] = {}
        self._noted: dict[str, tuple[str, float]] = {}
        self._noted_at = 0.0
        self._reader = ThreadPoolExecutor(1, "estimates")
        self._estimates: dict[str, Future[RunMemory]] = {}
        self._fault = ""

    def run(self) -> None:
        """Work until the queue rests; an interrupt stops all studies with a checkpoint."""
        self._queue.change_settings(runner=self._me)
        Thread(target=self._stop_lost_leases, daemon=True, name="leases").start()
        try:
            while not self._rests():
                self._poll()
                time.sleep(POLL_S)
        finally:
            self._stop()
            self._is_over.set()
            self._reader.shutdown(wait=False, cancel_futures=True)

    def _rests(self) -> bool:
        if self._works:
            return False
        try:
            return self._queue.end_if_done()
        except EngineError as e:
            self._complain(e)
            return False

    def _poll(self) -> None:
        """Record ends, follow requests, and start the studies that fit."""
        try:
            entries = {entry.id: entry for entry in self._queue.entries()}
            self._others.update(list(entries.values()))
            for id, work in list(self._works.items()):
                self._attend(id, work, entries.get(id))
            self._tell()
            if self._queue.settings.runs:
                self._begin(list(entries.values()))
            self._fault = ""
        except EngineError as e:  # a full disk: the end is recorded once there is space
            self._complain(e)

    def _attend(self, id: str, work: Work, entry: QueueEntry | None) -> None:
        ending = work.ending
        if ending is None:
            if entry is None or entry.wish or not self._is_mine(entry):
                work.stop()
            return
        if entry is not None:
            if ending.kind == "finished" and self._is_mine(entry):
                remove_run(entry)  # first: if this process dies here, the result is found
            updated = self._change_mine(id, lambda now: ended(now, ending))
            if updated.wish == "remove":
                self._queue.drop(id)
            why = f": {updated.text}" if updated.text else ""
            self._log(f"{updated.title}: {updated.state}{why}")
        del self._works[id], self._leases[id]

    def _stop_lost_leases(self) -> None:
        """Stop studies that others may take over; in a thread, since a lost disk blocks."""
        while not self._is_over.wait(POLL_S):
            for id, lease in tuple(self._leases.items()):
                work = self._works.get(id)
                if lease.is_over and work is not None:
                    work.stop()

    def _tell(self) -> None:
        if time.monotonic() - self._noted_at < TELL_S:
            return
        self._noted_at = time.monotonic()
        for id, work in self._works.items():
            progress, lease = work.standing, self._leases[id]
            if progress != self._noted.get(id) or lease.is_due:
                self._note(id, progress, lease)

    def _note(self, id: str, progress: tuple[str, float], lease: OwnLease) -> None:
        """Write the progress of a study, and confirm that this process works on it."""
        counts = 0 if lease.is_over else 1

        # Changed under the lock from the newest file: the user's requests in it must not be lost
        def change(now: QueueEntry) -> QueueEntry:
            noted = {"doing": progress[0], "done": progress[1], "beat": now.beat + counts}
            return now.model_copy(update=noted)

        lease.renewing()
        if self._is_mine(self._change_mine(id, change)) and counts:
            lease.renewed()
        self._noted[id] = progress

    def _begin(self, entries: list[QueueEntry]) -> None:
        for entry in entries:
            has_lapsed = self._others.has_lapsed(entry)
            if (entry.is_ready or has_lapsed) and entry.id not in self._works:
                if not self._fits(entry, entries):
                    return  # in order: no study starts before one that waits for memory
                claimed = self._queue.claim(entry.id, lapsed=entry if has_lapsed else None)
                if claimed is not None:
                    self._log(f"{claimed.title}: {self._start_text(claimed)}")
                    self._leases[entry.id] = OwnLease()
                    self._works[entry.id] = self._executor.start(claimed)
                return  # the next read of the queue counts this study, and can start another one

    def _start_text(self, entry: QueueEntry) -> str:
        return (
            f"started, because {entry.left_by} stopped responding" if entry.left_by else "started"
        )

    def _fits(self, entry: QueueEntry, entries: list[QueueEntry]) -> bool:
        n_free = self._executor.n_free()
        if n_free is not None:
            return n_free > len(self._works)
        at_once = self._queue.settings.at_once
        others = [each for each in entries if each.id != entry.id]
        running = [each for each in others if each.state == "running" and not each.is_abandoned]
        # A limit on the number counts all runners, since each reads the same files
        if at_once != AS_MANY_AS_FIT:
            return len(running) < at_once
        wanted = self._known(entry)
        if wanted is None:
            return False
        known = [self._known(each) or RunMemory() for each in running]
        used, free = memory_of_children(), available_memory()
        return fits_memory(wanted, known, used_bytes=used, free_bytes=free)

    def _known(self, entry: QueueEntry) -> RunMemory | None:
        """Return the memory of a study, None while its files are being read."""
        if entry.memory_bytes:
            return RunMemory(entry.memory_bytes, entry.on_gpu)
        # In a thread: reading a large scan must not delay the watch over running studies
        if entry.id not in self._estimates:
            self._estimates[entry.id] = self._reader.submit(_memory_of, entry)
        found = self._estimates[entry.id]
        return found.result() if found.done() else None

    def _stop(self) -> None:
        """Stop all studies, wait for them, and let them wait again."""
        for work in self._works.values():
            work.stop()
        while self._works:
            self._collect_finished()
            time.sleep(POLL_S)
        self._executor.close()

    def _collect_finished(self) -> None:
        try:
            entries = {entry.id: entry for entry in self._queue.entries()}
            for id, work in list(self._works.items()):
                if work.ending is not None:
                    self._attend(id, work, entries.get(id))
        except EngineError as e:
            self._complain(e)

    def _change_mine(self, id: str, change: Change) -> QueueEntry:
        """Change a study, unless another process owns it by now."""
        return self._queue.change(id, lambda now: change(now) if self._is_mine(now) else None)

    def _is_mine(self, entry: QueueEntry) -> bool:
        return entry.state == "running" and entry.owner == self._me

    def _complain(self, e: EngineError) -> None:
        # The same error returns five times a second until it is solved
        if str(e) != self._fault:
            self._fault = str(e)
            self._log(f"The queue cannot be written: {e}")


def _memory_of(entry: QueueEntry) -> RunMemory:
    try:
        return estimate(entry.to_study(), entry.device)
    except EngineError:  # its run will report the reason
        return RunMemory()
