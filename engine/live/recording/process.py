"""Process that appends records to a recording, and continues if the program crashes.

It reads records from standard input, and reports in JSON lines on standard output. It has its own
session, so that Ctrl+C, a closed terminal or a logout does not end it.
"""

from __future__ import annotations

import json
import signal
import sys
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from threading import Event, Lock, Thread
from typing import BinaryIO, Protocol

from engine.core.errors import ResourceError
from engine.core.json_types import Plain
from engine.io.safety.budget import available_memory
from engine.io.safety.locks import only_writer
from engine.live.recording.appending import RecordAppender, Waiting
from engine.live.recording.recording_list import enter
from engine.live.recording.records import HEAD, RecordKind

SYNC_S = 0.4
"""Interval of flushes to the disk; the guide promises one second."""
IDLE_S = 0.5
"""Time without data until the process prepares to save the scan."""
DISK_WAIT_S = 600.0
"""Maximum wait for free disk space after the program has ended."""
SHARE = 0.25
"""Share of the free memory for data that cannot be written to the disk."""


class Appender:
    """Appends records to one file, and syncs it.

    Parameters
    ----------
    path : file; the first record creates it
    report : called with facts for the program
    max_bytes : memory limit of data that cannot be written to the disk
    """

    def __init__(self, path: Path, report: Callable[[Plain], None], max_bytes: int) -> None:
        self._path, self._report, self._max_bytes = path, report, max_bytes
        self._file: RecordAppender | None = None
        self._waiting: deque[Waiting] = deque()
        self._bytes = self._count = self._dropped = 0
        self._is_new = self._is_failing = self._is_listed = self._is_ours = False
        self._lock = Lock()

    @property
    def has_file(self) -> bool:
        """True once the file exists."""
        return self._file is not None

    @property
    def count(self) -> int:
        """Number of frames or events in the file."""
        return self._count

    def add(self, record: Waiting) -> None:
        """Append a record; store it in memory while it cannot be written."""
        with self._lock:
            size = memoryview(record[2]).nbytes + memoryview(record[3]).nbytes
            if self._waiting and self._bytes + size > self._max_bytes:
                self._dropped += record[1]
                self._report({"event": "dropped", "count": self._dropped})
                return
            self._waiting.append(record)
            self._bytes += size
            self._drain()

    def count_written(self, count: int) -> None:
        """Count frames or events that the program has written itself."""
        with self._lock:
            try:
                if self._file is None:
                    self._file = RecordAppender.of_open(self._path)
            except OSError as e:
                self._fail(e)
                return
            self._count += count
            self._is_new = True

    def sync(self) -> bool:
        """Flush everything to the disk; return False while the disk accepts no data."""
        with self._lock:
            self._drain()
            file, count, is_new = self._file, self._count, self._is_new
            self._is_new = False
        if file is not None and not self._is_listed:
            # A full home folder must not prevent a recording on another disk; try again later
            with suppress(ResourceError, OSError):
                enter(self._path)
                self._is_listed = True
        if file is not None and is_new:
            try:
                file.sync()  # outside the lock, so that appending continues
            except OSError as e:
                self._fail(e)
                return False
            self._report({"event": "synced", "count": count})
        return not self._waiting

    def close(self) -> None:
        """Close the file."""
        if self._file is not None:
            self._file.close()

    def _drain(self) -> None:
        while self._waiting:
            kind, count, header, data = record = self._waiting[0]
            try:
                self._append(record)
            except OSError as e:
                self._fail(e)
                return
            self._waiting.popleft()
            self._bytes -= memoryview(header).nbytes + memoryview(data).nbytes
            self._count += count if kind == RecordKind.DATA else 0
            self._is_new = True
        if self._is_failing:
            self._is_failing = False
            self._report({"event": "writes again"})

    def _append(self, record: Waiting) -> None:
        if self._file is None:
            self._file = RecordAppender.of_new(self._path)
        elif not self._is_ours:
            # Only this process writes from now on; the last record may be incomplete
            self._file.take_over(self._path)
        self._is_ours = True
        self._file.append([record])

    def _fail(self, e: OSError) -> None:
        if not self._is_failing:
            self._is_failing = True
            self._report({"event": "fails", "reason": e.strerror or str(e)})


class Rescuer(Protocol):
    """Saves the scan if the program crashes."""

    def load(self) -> None:
        """Load modules; called once, in a thread."""

    def prepare(self) -> None:
        """Prepare to save the scan; called in a thread whenever no data arrive."""

    def save(self) -> Plain:
        """Save the scan after a crash; return facts to append to the recording."""

    def discard(self) -> None:
        """Delete prepared files."""


def record(path: Path, rescuer: Rescuer) -> None:
    """Append records from the standard input until they end.

    Parameters
    ----------
    path
        file of the recording
    rescuer
        saves the scan if the program ends without finishing the recording
    """
    _ignore_signals()
    source, target = sys.stdin.buffer, sys.stdout.buffer
    appender = Appender(
        path,
        lambda facts: _report(target, facts),
        int(SHARE * available_memory()),
    )
    stopped = Event()
    # Saving a large scan takes seconds, and must not delay the next flush
    threads = [
        Thread(target=work, args=(appender, stopped, rescuer), daemon=True)
        for work in (_sync_regularly, _prepare_when_idle)
    ]
    # The lock marks an unfinished recording
    with only_writer(path):
        for each in threads:
            each.start()
        is_whole = _receive(source, appender)
        stopped.set()
        threads[0].join()
        is_written = appender.sync()
        if is_whole:
            appender.close()
            rescuer.discard()
            _report(target, {"event": "finished", "is_written": is_written})
            return
        if not appender.has_file and path.exists():
            appender.count_written(0)  # the program ended directly after its first record
        until_s = time.monotonic() + DISK_WAIT_S
        while not appender.sync() and time.monotonic() < until_s:
            time.sleep(1)
        if appender.has_file:
            facts = rescuer.save()
            appender.add((RecordKind.NOTE, 0, json.dumps(facts).encode(), b""))
            appender.sync()
        rescuer.discard()


def _ignore_signals() -> None:
    # The end of the input ends the process, after everything is written
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), signal.SIG_IGN)


def _report(target: BinaryIO, facts: Plain) -> None:
    with suppress(OSError, ValueError):  # no reader after a crash
        target.write(json.dumps(facts).encode() + b"\n")
        target.flush()


def _sync_regularly(appender: Appender, stopped: Event, _: Rescuer) -> None:
    while not stopped.wait(SYNC_S):
        appender.sync()


def _prepare_when_idle(appender: Appender, stopped: Event, rescuer: Rescuer) -> None:
    rescuer.load()
    count = 0
    while not stopped.wait(IDLE_S):
        before, count = count, appender.count
        if count and count == before:
            rescuer.prepare()


def _receive(source: BinaryIO, appender: Appender) -> bool:
    """Append received records; return True if the program has finished the recording."""
    while len(head := source.read(HEAD.size)) == HEAD.size:
        _, kind, count, n_header, n_data = HEAD.unpack(head)
        if kind == RecordKind.FINISH:
            return True
        if kind == RecordKind.WRITTEN:
            appender.count_written(count)
            continue
        header, data = source.read(n_header), source.read(n_data)
        if len(header) + len(data) < n_header + n_data:
            return False  # incomplete record: the program has ended
        appender.add((kind, count, header, data))
    return False
