"""The program's side of a recording: it sends data to the writing process without waiting."""

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
"""Longest time for the last data to reach the disk."""
MOST_AT_ONCE, MOST_BYTES_AT_ONCE = 256, 2**25
"""Most records that are written together, and bytes before the last of them."""
GATHER_S, ENOUGH_BYTES = 0.05, 2**21
"""Time for which records wait for others, unless there are so many bytes."""
LATE_S = 0.25
"""Records that wait longer are late."""
END_S = 3.0
"""Longest time for the process to end after that."""


class RecordingWriter:
    """Writes one recording by a process of its own.

    Parameters
    ----------
    path : file of the recording, made with the first data
    facts : facts about the scan, written first
    most_bytes : most memory for data that the process has not taken yet

    Attributes
    ----------
    path : file of the recording
    synced : number of frames or events that are on the disk
    """

    def __init__(self, path: Path, facts: Plain, most_bytes: int) -> None:
        self.path, self.synced = path, 0
        self._facts, self._most = facts, most_bytes
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
        """Send a message; this never waits for the disk.

        Parameters
        ----------
        kind
            announcement or data
        count
            number of frames or events
        parts
            header and data, which must not change afterwards
        """
        size = memoryview(parts[1]).nbytes
        with self._changed:
            if not self._has_begun:
                self._has_begun = True
                header = json.dumps(self._facts).encode()
                self._wait((RecordKind.FACTS, 0, header, b""))
            if self._is_broken or (self._waiting and self._bytes + size > self._most):
                self._leave_out(count)
                return
            self._wait((kind, count, parts[0], parts[1]))
            before, self._bytes = self._bytes, self._bytes + size
            # Otherwise the thread is at work, or waits for further ones
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
        # After its last message nothing is left to write
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

    def _wait(self, record: Waiting) -> None:
        self._waiting.append(record)
        self._arrived_s.append(monotonic())

    def _leave_out(self, count: int) -> None:
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
                self._hand_over(pipe.fileno(), records)
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
        """Wait for records, and return some of them; none at the end."""
        with self._changed:
            self._changed.wait_for(lambda: self._waiting or self._is_closing)
            # Threads take turns at a cost, so small records wait for others
            self._changed.wait_for(
                lambda: self._bytes >= ENOUGH_BYTES or self._is_closing, GATHER_S
            )
        found, n_bytes = list[Waiting](), 0
        with self._changed:
            for record in islice(self._waiting, MOST_AT_ONCE):
                found.append(record)
                n_bytes += memoryview(record[3]).nbytes
                if n_bytes >= MOST_BYTES_AT_ONCE:
                    break
        return found

    def _hand_over(self, pipe: int, records: list[Waiting]) -> None:
        """Write records to the file; once that fails, the process writes them and all others."""
        if self._writes_itself:
            try:
                if self._file is None:
                    self._file = RecordAppender.of_new(self.path)
                is_late = monotonic() - self._arrived_s[0] > LATE_S
                self._file.append(records, is_late=is_late)
            except OSError:
                self._writes_itself = False
                self._leave_no_empty_file()
            else:
                count = sum(each[1] for each in records if each[0] == RecordKind.DATA)
                _write_to(pipe, [head_of(RecordKind.WRITTEN, count, b"", b"")])
                return
        for record in records:
            _write_to(pipe, [head_of(*record), record[2], record[3]])

    def _leave_no_empty_file(self) -> None:
        # The process makes the file if the program could write nothing
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
                        self._heed(facts)

    def _heed(self, facts: Plain) -> None:
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
    # The process must find the same copy of the program, whatever its current folder is
    root = str(Path(__file__).resolve().parents[3])
    paths = os.pathsep.join((root, *(each for each in sys.path if each)))
    try:
        process = subprocess.Popen(
            [sys.executable, "-c", COMMAND, str(path)],
            env=os.environ | {"PYTHONPATH": paths, "PYTHONSAFEPATH": "1"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,  # neither Ctrl+C nor the end of the program stops it
            creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),
        )
    except OSError as e:
        raise ResourceError(
            f"{path.name}: the process that records the scan cannot be started "
            f"({e.strerror or e}). Close other programs and start again."
        ) from e
    if process.stdin is not None and sys.platform == "linux":
        import fcntl

        with suppress(OSError):  # a larger pipe only saves switches between the processes
            fcntl.fcntl(process.stdin.fileno(), fcntl.F_SETPIPE_SZ, PIPE_BYTES)
    return process


def _write_to(descriptor: int, pieces: Sequence[Buffer]) -> None:
    for piece in pieces:
        view = memoryview(piece).cast("B") if memoryview(piece).nbytes else memoryview(b"")
        while view.nbytes:
            view = view[os.write(descriptor, view) :]
