"""The process of a search: runs one request, tells what happens, stops when asked or left alone."""

from __future__ import annotations

import os
import signal
import traceback
from contextlib import suppress
from dataclasses import dataclass
from enum import Enum
from multiprocessing.connection import Connection, wait
from pathlib import Path
from threading import Thread
from typing import Final

from engine.errors import EngineError
from engine.jobs.process.starting import new_process, process_context
from engine.plain import Plain
from engine.tuning.outcome import SearchEvent
from engine.tuning.request import SearchRequest
from engine.tuning.search import Search, problem_of
from engine.tuning.words import SearchEnded

END_S = 0.5
"""Time to go after a signal to end, before it is ended by force."""


class _Gone(Enum):
    GONE = "gone"


GONE: Final = _Gone.GONE
"""There is no process any more, and all it sent was received."""


@dataclass(frozen=True)
class SearchPrepared:
    """What is to be tuned.

    Attributes
    ----------
    title : the kernel
    device : its name
    work : the very work that is measured
    had_one : whether a form is kept already
    trials : file of what was tried
    facts : what is tuned, as figures keep it: kernel, shape, parameters, the shipped form
    """

    title: str
    device: str
    work: str
    had_one: bool
    trials: Path
    facts: Plain


@dataclass(frozen=True)
class Refused:
    """A search that cannot be, or go on.

    Attributes
    ----------
    text : why, and what to do
    """

    text: str


Message = SearchPrepared | SearchEvent | SearchEnded | Refused


class SearchProcess:
    """One process with one search, started at once."""

    def __init__(self, request: SearchRequest) -> None:
        context = process_context()
        self._events, events = context.Pipe(duplex=False)
        wishes, self._wishes = context.Pipe(duplex=False)
        self._process = new_process(_main, request, events, wishes, name="isocenter-tuning")
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

    def stop(self) -> None:
        """Ask it to end after the run at hand."""
        with suppress(OSError):
            self._wishes.send("stop")

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


def _main(request: SearchRequest, events: Connection, wishes: Connection) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl+C reaches us too; the parent decides
    try:
        problem = (request.problem or problem_of)(request)
        search = Search(problem, request, lambda each: _tell(events, each))
        Thread(target=_obey, args=(search, wishes), daemon=True).start()
        _tell(events, _prepared(search))
        _, ended = search.run()
        _tell(events, ended)
    except EngineError as e:
        _tell(events, Refused(str(e)))
    except MemoryError:
        _tell(events, Refused("The memory is used up; close other programs, and tune again."))
    except Exception:  # noqa: BLE001  the last door: nothing may end without a word
        _tell(events, Refused(f"A fault of ours in the search: {traceback.format_exc(limit=-1)}"))
    finally:
        events.close()


def _prepared(search: Search) -> SearchPrepared:
    problem = search.problem
    facts = {
        "kernel": problem.slot.kernel,
        "shape": problem.slot.shape,
        "work": problem.work,
        "parameters": {name: list(values) for name, values in problem.parameters.items()},
        "shipped": problem.shipped,
    }
    title, device = problem.title, problem.on.label
    return SearchPrepared(title, device, problem.work, search.had_one, search.trials, facts)


def _tell(events: Connection, message: Message) -> None:
    with suppress(OSError):  # nobody listens: the thread below ends the search
        events.send(message)


def _obey(search: Search, wishes: Connection) -> None:
    """Stop the search when asked; leave with the window that asked for it."""
    with suppress(EOFError, OSError):
        wishes.recv()
        search.stop()
        wishes.recv()
    os._exit(1)
