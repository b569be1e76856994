"""Start, command and end one receiving process."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import deque
from contextlib import suppress
from io import FileIO
from pathlib import Path
from queue import Empty, Full, Queue
from threading import Event, Lock, Thread
from time import monotonic

from engine.core.errors import DataError, ResourceError
from engine.core.json_types import Plain
from engine.live.receiving.shared_memory import MemoryReader, new_memory
from engine.live.receiving.wire import INLINE, Item, ItemReader

COMMAND = "from engine.live.receiving.process import receive; receive()"
PIPE_BYTES = 2**20
WAITING_READS = 64
"""Maximum number of unprocessed reads; the shared memory limits large data."""
PROCESSED_BYTES = 2**25
"""Processed bytes after which the process is notified, well below its limit."""
END_S = 1.0
"""Time limit for the process to end by itself."""


class Child:
    """A running process; call `end` to stop it.

    Parameters
    ----------
    options : options of the process, see `engine.live.receiving.process`
    name : address of the source, for error messages

    Attributes
    ----------
    reported_s : time of its last report, by `time.monotonic` [s]
    """

    def __init__(self, options: Plain, name: str) -> None:
        descriptor = new_memory()
        self._memory = None if descriptor is None else MemoryReader(descriptor)
        self._reads: Queue[list[Item]] = Queue(WAITING_READS)
        self._items: deque[Item] = deque()
        self._stop, self._lock = Event(), Lock()
        self._processed = 0
        try:
            self._process = _started(name, descriptor)
        except ResourceError:
            if self._memory is not None:
                self._memory.close()
            raise
        self.reported_s = monotonic()
        self.send_command(options | {"memory": descriptor})
        self._thread = Thread(target=self._listen, daemon=True, name=f"messages of {name}")
        self._thread.start()

    def take(self, timeout_s: float) -> Item | None:
        """Return the next report.

        Parameters
        ----------
        timeout_s
            longest wait [s]

        Returns
        -------
        item
            None if nothing arrived in time

        Raises
        ------
        EOFError
            if the process has ended
        """
        if not self._items:
            try:
                # Several at once, because switching between threads takes time
                self._items.extend(self._reads.get(timeout=timeout_s))
            except Empty:
                return None
        if not self._items:
            raise EOFError
        item = self._items.popleft()
        if item.offset != INLINE and self._memory is not None:
            data = self._memory.view(item.offset, item.n_bytes)
            self._processed += item.n_bytes
            # One command for many small frames, because each command wakes a thread of the process
            if self._processed >= PROCESSED_BYTES:
                self.send_command({"taken": self._processed})
                self._processed = 0
            return Item(item.facts, item.header, data, item.offset, item.n_bytes, item.at_s)
        return item

    def send_command(self, command: Plain) -> None:
        """Send a command; it has no effect if the process has ended."""
        pipe = self._process.stdin
        with suppress(OSError, ValueError), self._lock:
            if pipe is not None:
                pipe.write(json.dumps(command).encode() + b"\n")
                pipe.flush()

    @property
    def ending(self) -> str:
        """The signal or exit code of the process, for error messages."""
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(END_S)
        code = self._process.returncode
        return f"signal {-code}" if code is not None and code < 0 else f"exit code {code}"

    def end(self, *, at_once: bool = False) -> None:
        """End the process.

        Parameters
        ----------
        at_once
            True to kill a process that does not answer
        """
        self._stop.set()
        pipes = (self._process.stdin, self._process.stdout)
        if at_once:
            self._process.kill()
        with suppress(OSError), self._lock:
            if pipes[0] is not None:
                pipes[0].close()
        try:
            self._process.wait(END_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._thread.join()
        if pipes[1] is not None:
            pipes[1].close()
        if self._memory is not None:
            self._memory.close()

    def _listen(self) -> None:
        pipe = self._process.stdout
        if pipe is None:
            return
        reader = ItemReader(FileIO(pipe.fileno(), closefd=False))
        # An invalid report is handled like the end of the process
        with suppress(OSError, ValueError, DataError):
            while (items := reader.read()) and not self._stop.is_set():
                self.reported_s = monotonic()
                self._put(items)
        self._put([])

    def _put(self, items: list[Item]) -> None:
        while not self._stop.is_set():
            with suppress(Full):
                self._reads.put(items, timeout=0.1)
                return


def _started(name: str, memory: int | None) -> subprocess.Popen[bytes]:
    # The process must import the same copy of the program from any working directory
    root = str(Path(__file__).resolve().parents[3])
    paths = os.pathsep.join((root, *(each for each in sys.path if each)))
    environment = {"PYTHONPATH": paths, "PYTHONSAFEPATH": "1", **_ALLOCATION}
    try:
        process = subprocess.Popen(
            [sys.executable, "-c", COMMAND],
            env=os.environ | environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,  # Ctrl+C ends the program, which then ends the process
            creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),
            pass_fds=() if memory is None else (memory,),
        )
    except OSError as e:
        raise ResourceError(
            f"{name}: the process that receives messages cannot be started ({e.strerror or e}). "
            "Close other programs and start again."
        ) from e
    if process.stdout is not None and sys.platform == "linux":
        import fcntl

        with suppress(OSError):  # a larger pipe is faster, but not required
            fcntl.fcntl(process.stdout.fileno(), fcntl.F_SETPIPE_SZ, PIPE_BYTES)
    return process


_ALLOCATION = {
    "MALLOC_ARENA_MAX": "1",
    "MALLOC_MMAP_THRESHOLD_": str(2**25),
    "MALLOC_TRIM_THRESHOLD_": str(2**28),
}
"""Make glibc reuse the memory of messages: new pages cost as much time as a copy."""
