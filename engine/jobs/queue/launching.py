"""Starting the process that works through the queue, so that it outlives whoever starts it."""

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
    """Start a process that works through the queue if it shall run and none does.

    Returns
    -------
    started
        whether one was started now
    """
    settings = queue.settings  # looked at without the lock, as is asked every second
    return settings.runs and not settings.has_runner and queue.start_runner(_start)


def work_through() -> None:
    """Work through the queue of this user, as long as it shall run."""
    from engine.jobs.queue.executor import LocalExecutor
    from engine.jobs.queue.runner import QueueRunner

    queue = StudyQueue()
    QueueRunner(queue, LocalExecutor(queue)).run()


def _start() -> int:
    root = str(Path(__file__).resolve().parents[3])
    paths = os.pathsep.join((root, *(path for path in sys.path if path)))
    try:
        process = subprocess.Popen(
            [sys.executable, "-c", COMMAND],
            env=os.environ | {"PYTHONPATH": paths, "PYTHONSAFEPATH": "1"},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,  # neither Ctrl+C nor the end of the window reaches it
            creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),
        )
    except OSError as e:
        raise ResourceError(
            f"the queue cannot be started ({e.strerror or e}); give `isocenter queue run`."
        ) from e
    Thread(target=process.wait, daemon=True, name="end of the queue").start()  # leaves no zombie
    return process.pid
