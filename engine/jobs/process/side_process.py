"""A child process with one task that sends messages and follows commands.

The caller receives its messages one by one. The process exits after its last message, when the
caller ends it, or when the caller has ended.
"""

from __future__ import annotations

import os
import signal
import traceback
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from enum import Enum
from multiprocessing.connection import Connection, wait
from threading import Thread
from typing import Final, Generic, TypeVar

from engine.core.errors import EngineError
from engine.jobs.process.exit_reasons import exit_text
from engine.jobs.process.starting import new_process, process_context

POLL_S = 0.1
"""Interval of checks for a request of the caller."""
END_S = 0.5
"""Time to exit after SIGTERM, before SIGKILL."""

Message = TypeVar("Message")
Task = TypeVar("Task")


class _Closed(Enum):
    CLOSED = "gone"


CLOSED: Final = _Closed.CLOSED
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
            None if there was none in time, `CLOSED` once the process has ended
        """
        if not wait([self._events, self._process.sentinel], timeout_s):
            return None
        try:
            # Messages from before its death are still in the pipe
            if self._events.poll(0):
                message: Message = self._events.recv()
                return message
        except (EOFError, OSError):
            return CLOSED
        return CLOSED

    def messages(
        self, last: tuple[type[Message], ...], goes_on: Callable[[], bool]
    ) -> Iterator[Message | Refused]:
        """Yield the messages up to the last one, and end the process.

        Parameters
        ----------
        last
            types of the last message
        goes_on
            called several times a second; False ends the process without a result

        Yields
        ------
        message
            `Refused` at the end if the process crashed or was killed
        """
        is_last = False
        try:
            while not is_last:
                if not goes_on():
                    return
                message = self.receive(POLL_S)
                if message is CLOSED:
                    break
                if message is not None:
                    is_last = isinstance(message, last)
                    yield message
        finally:
            # Also if the caller stops iterating: the process must not continue alone
            code = self.end()
        if not is_last:
            yield Refused(f"The measurement stopped. {exit_text(code)} Start it again.")

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


def run_or_refuse(work: Callable[[], object], events: Connection) -> None:
    """Run the task of this process; send `Refused` if it raises an error, and close the pipe.

    Parameters
    ----------
    work
        the task
    events
        pipe for messages
    """
    try:
        work()
    except EngineError as e:
        tell(events, Refused(str(e)))
    except MemoryError:
        tell(events, Refused("there is not enough memory. Close other programs, and try again."))
    except Exception:  # noqa: BLE001  no error may end the process without a message
        tell(events, Refused(f"internal error: {traceback.format_exc(limit=-1)}"))
    finally:
        events.close()


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
