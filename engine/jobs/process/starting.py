"""Start child processes quickly, without anything of the window in them.

A new Python process spends most of a second on imports. On Linux one process without window,
threads or GPU, the server, has done these imports, and the children are its copies (Python's
"forkserver"). Other systems start each child from scratch ("spawn"). A child is never a copy of
the window: a copy has the window's locks, but not the threads that would release them.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
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
    """Return the multiprocessing context of this system.

    The first call starts the server. A program with a window makes this call before it has threads.
    """
    if sys.platform != "linux":
        return get_context("spawn")
    from engine.jobs.process.temporary_folder import name_temporary_folder

    name_temporary_folder()
    from multiprocessing.forkserver import ensure_running

    context = get_context("forkserver")
    context.set_forkserver_preload([PRELOADED])
    with _paths_of_this_program(), _without_hangup():
        ensure_running()
    return context


@contextmanager
def _without_hangup() -> Iterator[None]:
    """Let the server and its processes ignore that the terminal was closed.

    They end with this program, which may still need them to save an image.
    """
    before: object = None
    with suppress(ValueError):  # only the main thread may set handlers
        before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        yield
    finally:
        if before is not None:
            signal.signal(signal.SIGHUP, before)  # type: ignore[arg-type]  # as it was


@contextmanager
def _paths_of_this_program() -> Iterator[None]:
    """Start Python with the current import paths, and without the current folder.

    Up to Python 3.12 the server does not receive them, and could load another copy of the engine.
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
    """Return a process that is not started yet; it ends with this program.

    Parameters
    ----------
    target
        function at the top level of a module
    arguments
        values that can be pickled
    name
        name of the process

    Returns
    -------
    process
        process with the environment at the time of this call
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
    # Two copies of the program with different code would exchange pickles
    if __file__ != file:
        raise ImportError(
            f"this process uses the program in {__file__}, expected {file}; remove one of the "
            "two copies."
        )
    # the environment of a copy is the one from the start of the server
    for removed in os.environ.keys() - environment.keys():
        del os.environ[removed]
    os.environ.update(environment)
    target(*arguments)
