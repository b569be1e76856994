"""A process that does one thing beside the program: tells what happens, and obeys words.

Whoever starts it draws its messages one by one. It ends when it has said its last word, when it is
ended, or when nobody is left to listen.
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
"""Time to go after a signal to end, before it is ended by force."""

Message = TypeVar("Message")
Task = TypeVar("Task")


class _Gone(Enum):
    GONE = "gone"


GONE: Final = _Gone.GONE
"""There is no process any more, and all it sent was received."""


@dataclass(frozen=True)
class Refused:
    """A task that cannot be done, or go on.

    Attributes
    ----------
    text : why, and what to do
    """

    text: str


class SideProcess(Generic[Message]):
    """One process with one task, started at once.

    Parameters
    ----------
    main
        function of a module: called in the process with `task`, the end of a pipe to `tell` on and
        one with words to `obey`
    task
        what is to be done
    name
        of the process
    """

    def __init__(
        self, main: Callable[[Task, Connection, Connection], None], task: Task, *, name: str
    ) -> None:
        context = process_context()
        self._events, events = context.Pipe(duplex=False)
        wishes, self._wishes = context.Pipe(duplex=False)
        self._process = new_process(main, task, events, wishes, name=name)
        self._process.start()
        events.close()  # else its death would go unnoticed on the pipe
        wishes.close()

    def receive(self, timeout_s: float) -> Message | _Gone | None:
        """Return what it tells next, None where it is silent, `GONE` where it is no more."""
        if not wait([self._events, self._process.sentinel], timeout_s):
            return None
        try:
            if self._events.poll(0):
                message: Message = self._events.recv()
                return message
        except (EOFError, OSError):
            return GONE
        return GONE

    def ask(self, word: str) -> None:
        """Say a word that it obeys."""
        with suppress(OSError):
            self._wishes.send(word)

    def end(self) -> int | None:
        """See that it is gone, by force if need be; returns its exit code."""
        # what said its last word ends by itself, and so does what died
        self._process.join(END_S if self._has_ended else 0)
        if self._process.is_alive():
            self._process.terminate()
            self._process.join(END_S)
        if self._process.is_alive():
            self._process.kill()
        self._process.join()
        code = self._process.exitcode
        self._events.close()
        self._wishes.close()
        self._process.close()
        return code

    @property
    def _has_ended(self) -> bool:
        try:
            return self._events.poll(0)  # its end of the line is closed
        except (EOFError, OSError):
            return True


def leave_signals_alone() -> None:
    """Let Ctrl+C, which reaches this process too, be the parent's affair."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def tell(events: Connection, message: object) -> None:
    """Send a message from the process."""
    with suppress(OSError):  # nobody listens: `obey` ends the process
        events.send(message)


def obey(wishes: Connection, act: Callable[[str], object]) -> None:
    """Call `act` with each word that comes, in a thread; leave with whoever started the process."""

    def listen() -> None:
        with suppress(EOFError, OSError):
            while True:
                act(wishes.recv())
        os._exit(1)

    Thread(target=listen, daemon=True).start()
