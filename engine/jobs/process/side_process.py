"""A child process with one task that sends messages and follows commands.

The caller receives its messages one by one. The process exits after its last message, when the
caller ends it, or when the caller has ended.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from enum import Enum
from multiprocessing.connection import Connection, wait
from threading import Thread
from typing import Final, Generic, TypeVar

from engine.jobs.process.starting import new_process, process_context

END_S = 0.5
"""Time to exit after SIGTERM, before SIGKILL."""

Message = TypeVar("Message")
Task = TypeVar("Task")


class _Closed(Enum):
    GONE = "gone"


GONE: Final = _Closed.GONE
"""The process has ended, and all its messages were received."""


@dataclass(frozen=True)
class Refused:
    """A task that cannot start or continue.

    Attributes
    ----------
    text : reason and remedy
    """

    text: str


class SideProcess(Generic[Message]):
    """One process with one task, started at once.

    Parameters
    ----------
    main
        function at the top level of a module. It is called in the process with `task`, a pipe
        for messages (`tell`) and a pipe with commands (`run_commands`)
    task
        task of the process
    name
        name of the process
    """

    def __init__(
        self, main: Callable[[Task, Connection, Connection], None], task: Task, *, name: str
    ) -> None:
        context = process_context()
        self._events, events = context.Pipe(duplex=False)
        requests, self._requests = context.Pipe(duplex=False)
        self._process = new_process(main, task, events, requests, name=name)
        self._process.start()
        events.close()  # else the death of the process would go unnoticed on the pipe
        requests.close()

    def receive(self, timeout_s: float) -> Message | _Closed | None:
        """Return the next message.

        Parameters
        ----------
        timeout_s
            longest wait [s]

        Returns
        -------
        message
            None if there was none in time, `GONE` once the process has ended
        """
        if not wait([self._events, self._process.sentinel], timeout_s):
            return None
        try:
            # Messages from before its death are still in the pipe
            if self._events.poll(0):
                message: Message = self._events.recv()
                return message
        except (EOFError, OSError):
            return GONE
        return GONE

    def ask(self, word: str) -> None:
        """Send a command; does nothing once the process has ended."""
        with suppress(OSError):
            self._requests.send(word)

    def end(self) -> int | None:
        """End the process, by force if necessary; return its exit code."""
        # after its last message, or a crash, the process ends by itself
        self._process.join(END_S if self._has_ended else 0)
        if self._process.is_alive():
            self._process.terminate()
            self._process.join(END_S)
        if self._process.is_alive():
            self._process.kill()
        self._process.join()
        code = self._process.exitcode
        self._events.close()
        self._requests.close()
        self._process.close()
        return code

    @property
    def _has_ended(self) -> bool:
        try:
            return self._events.poll(0)  # its end of the pipe is closed
        except (EOFError, OSError):
            return True


def leave_signals_alone() -> None:
    """Ignore Ctrl+C, which reaches this process too; the parent decides."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def tell(events: Connection, message: object) -> None:
    """Send a message from the process."""
    with suppress(OSError):  # no receiver: `run_commands` ends the process
        events.send(message)


def run_commands(requests: Connection, act: Callable[[str], object]) -> None:
    """Call a function with each command, in a thread; exit when the parent has ended.

    Parameters
    ----------
    requests
        pipe with commands
    act
        called with each command, in the thread
    """

    def listen() -> None:
        with suppress(EOFError, OSError):
            while True:
                act(requests.recv())
        # Without cleanup: the main thread may be in a kernel, and `sys.exit` ends only this thread
        os._exit(1)

    Thread(target=listen, daemon=True).start()
