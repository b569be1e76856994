"""Send the data of a recording to its process, without waiting for the disk."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from itertools import islice
from pathlib import Path
from threading import Condition, Thread
from time import monotonic

from engine.core.errors import ResourceError
from engine.core.json_types import Plain
from engine.live.recording.appending import RecordAppender, Waiting
from engine.live.recording.records import Buffer, RecordKind, head_of

COMMAND = "from engine.live.conversion import write_recording; write_recording()"
PIPE_BYTES = 2**20
FINISH_S = 60.0
"""Time limit for writing the last data to the disk."""
MAX_AT_ONCE, MAX_BYTES_AT_ONCE = 256, 2**25
"""Maximum number of records in one write, and of bytes before the last of them."""
GATHER_S, ENOUGH_BYTES = 0.05, 2**21
"""Small records are collected for this time, or up to this number of bytes."""
LATE_S = 0.25
"""Time after which a waiting record counts as late."""
END_S = 3.0
"""Time limit for the process to end after its last message."""


class RecordingWriter:
    """Writes one recording in a separate process.

    Parameters
    ----------
    path : file of the recording; the first data create it
    facts : facts about the scan, written first
    max_bytes : memory limit of data that are not written yet

    Attributes
    ----------
    path : file of the recording
    synced : number of frames or events on the disk
    """

    def __init__(self, path: Path, facts: Plain, max_bytes: int) -> None:
        self.path, self.synced = path, 0
        self._facts, self._max_bytes = facts, max_bytes
        self._waiting: deque[Waiting] = deque()
        self._arrived_s: deque[float] = deque()
        self._file: RecordAppender | None = None
        self._writes_itself = True
        self._bytes = self._not_sent = 0
        self._changed = Condition()
        self._notices: deque[str] = deque(maxlen=100)
        self._is_written: bool | None = None
        self._has_begun = self._is_closing = self._is_broken = self._has_dropped = False
        self._process = _started(path)
        self._threads = [
            Thread(target=work, daemon=True, name=f"recording {path.name}")
            for work in (self._send, self._listen)
        ]
        for thread in self._threads:
            thread.start()

    def put(self, kind: RecordKind, count: int, parts: Sequence[Buffer]) -> None:
        """Send a message without waiting for the disk.

        Parameters
        ----------
        kind
            announcement or data
        count
            number of frames or events
        parts
            header and data; they must not change later
        """
        size = memoryview(parts[1]).nbytes
        with self._changed:
            if not self._has_begun:
                self._has_begun = True
                header = json.dumps(self._facts).encode()
                self._enqueue((RecordKind.FACTS, 0, header, b""))
            if self._is_broken or (self._waiting and self._bytes + size > self._max_bytes):
                self._drop(count)
                return
            self._enqueue((kind, count, parts[0], parts[1]))
            before, self._bytes = self._bytes, self._bytes + size
            # Otherwise the thread is working, or collects more records
            if len(self._waiting) <= 2 or before < ENOUGH_BYTES <= self._bytes:
                self._changed.notify_all()

    def take_notices(self) -> list[str]:
        """Return messages for the user since the last call."""
        found = list[str]()
        while self._notices:
            found.append(self._notices.popleft())
        return found

    def finish(self) -> bool:
        """Wait until all data are on the disk, and end the process.

        Returns
        -------
        is_written
            False if some data are not in the recording
        """
        with self._changed:
            self._is_closing = True
            self._changed.notify_all()
        for thread in self._threads:
            thread.join(FINISH_S)
        self._end_process()
        return self._is_written is True and not (self._not_sent or self._has_dropped)

    def _end_process(self) -> None:
        # After its last message, everything is written
        has_finished = self._is_written is not None
        try:
            self._process.wait(END_S if has_finished else FINISH_S)
        except subprocess.TimeoutExpired:
            if not has_finished:
                return
            self._process.kill()
            self._process.wait()
        if self._process.stdout is not None:
            self._process.stdout.close()

    def _enqueue(self, record: Waiting) -> None:
        self._waiting.append(record)
        self._arrived_s.append(monotonic())

    def _drop(self, count: int) -> None:
        if not self._not_sent:
            self._notices.append(
                f"{self.path.name}: the disk is too slow or full, and the memory for waiting data "
                "is used up; further data are not recorded. Free some space, or use a faster disk."
            )
        self._not_sent += count

    def _send(self) -> None:
        pipe = self._process.stdin
        if pipe is None:
            return
        try:
            while records := self._next():
                self._write(pipe.fileno(), records)
                with self._changed:
                    for record in records:
                        self._waiting.popleft()
                        self._arrived_s.popleft()
                        self._bytes -= memoryview(record[3]).nbytes
            if self._file is not None and self._writes_itself:
                self._file.trim()
            _write_to(pipe.fileno(), [head_of(RecordKind.FINISH, 0, b"", b"")])
        except OSError:
            self._break()
        finally:
            if self._file is not None:
                self._file.close()
            with suppress(OSError):
                pipe.close()

    def _next(self) -> list[Waiting]:
        """Wait for records and return some of them; empty at the end."""
        with self._changed:
            self._changed.wait_for(lambda: self._waiting or self._is_closing)
            # Thread switches take time, so small records are collected
            self._changed.wait_for(
                lambda: self._bytes >= ENOUGH_BYTES or self._is_closing, GATHER_S
            )
        found, n_bytes = list[Waiting](), 0
        with self._changed:
            for record in islice(self._waiting, MAX_AT_ONCE):
                found.append(record)
                n_bytes += memoryview(record[3]).nbytes
                if n_bytes >= MAX_BYTES_AT_ONCE:
                    break
        return found

    def _write(self, pipe: int, records: list[Waiting]) -> None:
        """Write records to the file; after a failure, leave all writing to the process."""
        if self._writes_itself:
            try:
                if self._file is None:
                    self._file = RecordAppender.of_new(self.path)
                is_late = monotonic() - self._arrived_s[0] > LATE_S
                self._file.append(records, is_late=is_late)
            except OSError:
                self._writes_itself = False
                self._remove_empty_file()
            else:
                count = sum(each[1] for each in records if each[0] == RecordKind.DATA)
                _write_to(pipe, [head_of(RecordKind.WRITTEN, count, b"", b"")])
                return
        for record in records:
            _write_to(pipe, [head_of(*record), record[2], record[3]])

    def _remove_empty_file(self) -> None:
        # The process creates the file if the program could not write anything
        if self._file is not None and self._file.is_empty:
            self._file.close()
            self._file = None
            with suppress(OSError):
                self.path.unlink()

    def _break(self) -> None:
        with self._changed:
            self._is_broken = True
            self._not_sent += sum(count for _, count, _, _ in self._waiting)
            self._waiting.clear()
            self._arrived_s.clear()
        self._notices.append(
            f"{self.path.name}: the process that writes the recording has ended; further data stay "
            "only in memory. Save the scan as soon as possible."
        )

    def _listen(self) -> None:
        pipe = self._process.stdout
        if pipe is None:
            return
        with suppress(OSError, ValueError):
            for line in pipe:
                facts = json.loads(line)
                match facts.get("event"):
                    case "synced":
                        self.synced = int(facts["count"])
                    case "finished":
                        self._is_written = bool(facts["is_written"])
                        return
                    case _:
                        self._handle(facts)

    def _handle(self, facts: Plain) -> None:
        match facts.get("event"):
            case "fails":
                self._notices.append(
                    f"{self.path}: the recording cannot be written ({facts.get('reason')}). New "
                    "data stay in memory. Free some space now."
                )
            case "writes again":
                self._notices.append(f"{self.path}: the recording is written to the disk again.")
            case "dropped" if not self._has_dropped:
                self._has_dropped = True
                self._notices.append(
                    f"{self.path}: the disk accepts no data and the memory is full; further data "
                    "are not recorded. Free some space."
                )


def _started(path: Path) -> subprocess.Popen[bytes]:
    # The process must import the same copy of the program from any working directory
    root = str(Path(__file__).resolve().parents[3])
    paths = os.pathsep.join((root, *(each for each in sys.path if each)))
    try:
        process = subprocess.Popen(
            [sys.executable, "-c", COMMAND, str(path)],
            env=os.environ | {"PYTHONPATH": paths, "PYTHONSAFEPATH": "1"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,  # Ctrl+C and the end of the program do not stop it
            creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),
        )
    except OSError as e:
        raise ResourceError(
            f"{path.name}: the process that records the scan cannot be started "
            f"({e.strerror or e}). Close other programs and start again."
        ) from e
    if process.stdin is not None and sys.platform == "linux":
        import fcntl

        with suppress(OSError):  # a larger pipe is faster, but not required
            fcntl.fcntl(process.stdin.fileno(), fcntl.F_SETPIPE_SZ, PIPE_BYTES)
    return process


def _write_to(descriptor: int, pieces: Sequence[Buffer]) -> None:
    for piece in pieces:
        view = memoryview(piece).cast("B") if memoryview(piece).nbytes else memoryview(b"")
        while view.nbytes:
            view = view[os.write(descriptor, view) :]
