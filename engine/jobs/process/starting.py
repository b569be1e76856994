"""Processes of our own: at work at once where the system can, and with nothing of the window's.

A process that is started anew spends most of a second on imports before it does anything. On Linux
one process without window, threads or card, the server, has done them; ours are copies of it
(Python's "forkserver"). Elsewhere they are started anew: "spawn". Never copies of the window
itself: a copy has its locks, but not the threads that would release them.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from multiprocessing.context import BaseContext
    from multiprocessing.process import BaseProcess

PRELOADED = "engine.jobs.process.preloaded"


@cache
def process_context() -> BaseContext:
    """Return the way in which this system starts processes, with its pipes.

    The first call starts the server. A program with a window makes it before there are threads.
    """
    if sys.platform != "linux":
        return get_context("spawn")
    from multiprocessing.forkserver import ensure_running

    context = get_context("forkserver")
    context.set_forkserver_preload([PRELOADED])
    with _paths_of_this_program():
        ensure_running()
    return context


@contextmanager
def _paths_of_this_program() -> Iterator[None]:
    """Have Python start with the paths of now, and not look into the current folder.

    Up to Python 3.12 the server does not ask for them, and might load the engine of another copy of
    the program.
    """
    paths = os.pathsep.join(path or str(Path.cwd()) for path in sys.path)
    wanted = {"PYTHONPATH": paths, "PYTHONSAFEPATH": "1"}
    before = {name: os.environ.get(name) for name in wanted}
    os.environ.update(wanted)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def new_process(target: Callable[..., None], *arguments: object, name: str) -> BaseProcess:
    """Return a process that is not started yet; it calls a function that stands in a module.

    It ends with this program. Its environment is that of the moment of this call.
    """
    return process_context().Process(  # type: ignore[attr-defined]  # each has its own
        target=_called,
        args=(__file__, dict(os.environ), target, arguments),
        name=name,
        daemon=True,
    )


def _called(
    file: str,
    environment: dict[str, str],
    target: Callable[..., None],
    arguments: tuple[object, ...],
) -> None:
    if __file__ != file:
        raise ImportError(f"{__file__}: another copy of the program; want {file}.")
    # a copy of the server has the environment of the server's start
    for gone in os.environ.keys() - environment.keys():
        del os.environ[gone]
    os.environ.update(environment)
    target(*arguments)
