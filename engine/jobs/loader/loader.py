"""The caller's side of the loader: start its process, wait, stop it, and explain a crash."""

from __future__ import annotations

import pickle
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import accumulate
from multiprocessing import get_context, resource_tracker
from multiprocessing.connection import Connection, wait
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Literal, Protocol, TypeVar, cast

from engine.core.errors import EngineError, FileFormatError, ReadingStoppedError, ResourceError
from engine.jobs.loader.child import main
from engine.jobs.loader.limits import allowed_seconds
from engine.jobs.loader.packing import receive_files, unpack
from engine.jobs.process.starting import new_process, process_context

if TYPE_CHECKING:
    from multiprocessing.process import BaseProcess

    import psutil

    from engine.jobs.process.slots import OwnedSlots

T = TypeVar("T")
POLL_S = 0.1
"""Interval of checks for a stop."""
JOIN_S = 2.0
KILLED = 9
"""Number of SIGKILL, which a process cannot handle."""


def for_command() -> Calls:
    """Return the reader for the command line: a forked process if possible, else this process."""
    # A fork copies locks but not the threads that hold them, so only without threads
    if sys.platform == "linux" and threading.active_count() == 1:
        return Loader("fork")
    return CallsHere()


def never() -> bool:
    """Return False: nothing stops the call."""
    return False


class Calls(Protocol):
    """Executes calls about files; see `Loader.call`."""

    def call(
        self,
        function: Callable[..., T],
        *arguments: object,
        about: Path | str,
        stopped: Callable[[], bool] = never,
    ) -> T:
        """Return the function's result, see `Loader.call`."""


class CallsHere:
    """Executes calls in this process, if a second one brings no advantage."""

    def call(
        self,
        function: Callable[..., T],
        *arguments: object,
        about: Path | str,
        stopped: Callable[[], bool] = never,
    ) -> T:
        """Return the function's result; the other parameters have no effect."""
        return function(*arguments)


@dataclass(frozen=True)
class EndWords:
    """Sentences for a process that ends too early; each contains {name}.

    Attributes
    ----------
    slow : it needed more than {seconds} of processor time
    killed : the system ended it
    crashed : it crashed by {cause}
    kind : kind of error of a crash
    """

    slow: str
    killed: str
    crashed: str
    kind: type[EngineError] = FileFormatError


OF_FILES = EndWords(
    "{name}: reading took more than {seconds:g} s of CPU time and was stopped. The file may be "
    "damaged, or too large for this computer.",
    "{name}: the reader was killed, perhaps because memory ran out. Close other programs, or check "
    "that the file is not damaged.",
    "{name}: the reader crashed ({cause}). The file is damaged. Copy or export it again.",
)


class Loader:
    """One process that reads files and is reused for the next one; a crash starts a new one.

    Any thread may call. Calls are executed one at a time.

    Parameters
    ----------
    method
        "new" if this process has threads, see `new_process`; "fork" for a command without
        threads: a copy of this process
    words
        sentences for a process that ends too early
    """

    def __init__(
        self, method: Literal["new", "fork"] = "new", words: EndWords | None = None
    ) -> None:
        self._is_forked = method == "fork"
        self._words = words or OF_FILES
        self._calling = Lock()
        self._process: BaseProcess | None = None
        self._line: Connection | None = None
        self._lifeline: Connection | None = None

    @property
    def pid(self) -> int | None:
        """Number of the process, None if there is none."""
        return self._process.pid if self._process is not None else None

    def start(self) -> None:
        """Start the process now, so that the first file does not wait for it."""
        with self._calling:
            self._connected()

    def call(
        self,
        function: Callable[..., T],
        *arguments: object,
        about: Path | str,
        stopped: Callable[[], bool] = never,
    ) -> T:
        """Call a function in the process and return its result.

        Parameters
        ----------
        function
            function at the top level of a module
        arguments
            values that can be pickled
        about
            the file that is read, or a name if there is no file
        stopped
            polled during the call; True ends the process

        Raises
        ------
        EngineError
            the function's own error, or that the process crashed, took too long or was stopped
        """
        path = about if isinstance(about, Path) else None
        name = about.name if isinstance(about, Path) else about
        with self._turn(name, stopped):
            line = self._connected()
            try:
                # Pickled before sending: an error in pickling leaves the pipe usable
                line.send_bytes(pickle.dumps((function, arguments, name)))
                self._wait(line, name, allowed_seconds(path), stopped)
                result = self._received(line)
            except (EOFError, OSError) as e:
                fault = self._crash(name)
                self._restart()
                raise fault from e
            # A stop or a limit: the process still works on the call, so it cannot be reused
            except BaseException:
                self._end()
                self._restart()
                raise
        if isinstance(result, EngineError):
            raise result
        return cast(T, result)

    def close(self) -> None:
        """End the process."""
        with self._calling:
            self._end()

    @contextmanager
    def _turn(self, name: str, stopped: Callable[[], bool]) -> Iterator[None]:
        while not self._calling.acquire(timeout=POLL_S):
            if stopped():
                raise ReadingStoppedError(f"{name}: reading was stopped.")
        try:
            yield
        finally:
            self._calling.release()

    def _connected(self) -> Connection:
        """Return the pipe to a living process."""
        if self._line is not None and self._process is not None and self._process.is_alive():
            return self._line
        self._end()
        context = get_context("fork") if self._is_forked else process_context()
        line, far_line = context.Pipe()
        far_lifeline, lifeline = context.Pipe(duplex=False)
        name = "isocenter-loader"
        process: BaseProcess
        if self._is_forked:  # processes that share memory must share its resource tracker too
            resource_tracker.ensure_running()
            inherited = (line, lifeline)
            ends = (far_line, far_lifeline, inherited)
            process = get_context("fork").Process(target=main, args=ends, name=name, daemon=True)
        else:
            process = new_process(main, far_line, far_lifeline, name=name)
        process.start()
        far_line.close()  # else the death of the process would go unnoticed on the pipe
        far_lifeline.close()
        self._process, self._line, self._lifeline = process, line, lifeline
        return line

    def _restart(self) -> None:
        """Start the next process before the next file is requested."""
        if not self._is_forked:  # a fork takes no time
            self._connected()

    def _wait(
        self, line: Connection, name: str, allowed_s: float, stopped: Callable[[], bool]
    ) -> None:
        """Wait for a result or the death of the process; raise if the call takes too long."""
        import psutil

        process = self._process
        if process is None:
            raise EOFError
        # Processor time, not wall time: a slow network drive is no reason to stop
        clock = psutil.Process(process.pid)
        begun_s = _processor_s(clock)
        while not wait([line, process.sentinel], POLL_S):
            if stopped():
                raise ReadingStoppedError(f"{name}: reading was stopped.")
            if _processor_s(clock) - begun_s > allowed_s:
                raise ResourceError(self._words.slow.format(name=name, seconds=allowed_s))

    def _received(self, line: Connection) -> object:
        sizes, n_files = line.recv()
        buffers: list[bytearray] = []
        slots = self._slots(sizes)
        try:
            if sizes:
                line.send(slots.names if slots else ())
                if not slots:
                    buffers = [bytearray(line.recv_bytes()) for _ in sizes]
            pickled = line.recv_bytes()
            files = receive_files(line, n_files)
            # The memory is made here, so that this process removes it if the reader crashes
            if slots:
                starts = accumulate(sizes, initial=0)
                buffers = [slots.read_bytes(a, n) for a, n in zip(starts, sizes, strict=False)]
        finally:
            if slots:
                slots.close()
        return unpack(pickled, buffers, files)

    def _slots(self, sizes: list[int]) -> OwnedSlots | None:
        if not sizes:
            return None
        from engine.jobs.process.slots import OwnedSlots  # most answers have no large arrays

        with suppress(OSError):  # too little shared memory: through the pipe
            return OwnedSlots(1, sum(sizes))
        return None

    def _crash(self, name: str) -> EngineError:
        """Return the error for a process that died."""
        code = None
        if self._process is not None:
            self._process.join(JOIN_S)
            code = self._process.exitcode
        self._end()
        # On Linux the kernel ends processes this way when memory runs out
        if code == -KILLED:
            return ResourceError(self._words.killed.format(name=name))
        cause = f"signal {-code}" if code is not None and code < 0 else f"exit code {code}"
        return self._words.kind(self._words.crashed.format(name=name, cause=cause))

    def _end(self) -> None:
        if self._process is None:
            return
        self._process.kill()
        self._process.join()
        self._process.close()
        for end in (self._line, self._lifeline):
            if end is not None:
                end.close()
        self._process = self._line = self._lifeline = None


def _processor_s(process: psutil.Process) -> float:
    import psutil

    try:
        times = process.cpu_times()
    except psutil.Error:
        return 0.0  # it has ended, which the pipe reports
    return float(times.user + times.system)
