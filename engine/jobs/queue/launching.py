"""Start the process that works through the queue, so that it outlives its parent."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from threading import Thread

from engine.core.errors import ResourceError
from engine.jobs.queue.store import StudyQueue

COMMAND = "from engine.jobs.queue.launching import work_through; work_through()"


def ensure_runner(queue: StudyQueue) -> bool:
    """Start a process that works through the queue if the queue is on and has none.

    Parameters
    ----------
    queue
        queue of this user

    Returns
    -------
    started
        True if a process was started now
    """
    settings = queue.settings  # read without the lock, since this is called every second
    return settings.runs and not settings.has_runner and queue.start_runner(_start)


def work_through() -> None:
    """Work through this user's queue as long as it is on."""
    from engine.jobs.queue.executor import LocalExecutor
    from engine.jobs.queue.runner import QueueRunner

    queue = StudyQueue()
    QueueRunner(queue, LocalExecutor(queue)).run()


def _start() -> int:
    # The process must find the same copy of the program, whatever its current folder is
    root = str(Path(__file__).resolve().parents[3])
    paths = os.pathsep.join((root, *(path for path in sys.path if path)))
    try:
        process = subprocess.Popen(
            [sys.executable, "-c", COMMAND],
            env=os.environ | {"PYTHONPATH": paths, "PYTHONSAFEPATH": "1"},
            # A terminal that closes would otherwise end the process at its next line
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,  # neither Ctrl+C nor the end of the window stops it
            creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),
        )
    except OSError as e:
        raise ResourceError(
            f"The queue process cannot be started ({e.strerror or e}). Start it in a terminal "
            "with `isocenter queue run`."
        ) from e
    Thread(target=process.wait, daemon=True, name="end of the queue").start()  # leaves no zombie
    return process.pid
