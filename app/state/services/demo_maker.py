"""Simulate a demo scan in a separate process, so that the window stays responsive."""

from __future__ import annotations

import traceback
from multiprocessing.connection import Connection, wait
from pathlib import Path

from app.language.translation import Lines, tr
from app.state.services.threads import Task
from engine.core.errors import EngineError, ResourceError
from engine.jobs import new_process, process_context
from engine.modalities import Demo, Study, demo_folder

LOOK_S = 0.2
"""Interval at which the thread checks for a stop request [s]."""
STOPPED = tr("The simulation stopped unexpectedly. The computer may have run out of memory.")


def make_demo_in_process(task: Task, demo: Demo, folder: Path | None = None) -> Study | None:
    """Simulate a demo in a child process.

    Parameters
    ----------
    task
        worker thread; its `progressed` signal reports progress
    demo
        the demo
    folder
        folder for its files; None for the default

    Returns
    -------
    the study; None if the task was interrupted

    Raises
    ------
    ResourceError
        the simulation failed or its process died
    """
    here, there = process_context().Pipe(duplex=False)
    child = new_process(_make, there, demo, folder, name="isocenter-demo")
    child.start()
    # The parent must close its copy, or it would never see the end of the pipe.
    there.close()
    try:
        return _listen(here, child.sentinel, task)
    finally:
        here.close()
        # Also after success: the child may still hang in its exit handlers.
        child.terminate()
        child.join()
        child.close()


def _listen(here: Connection, sentinel: int, task: Task) -> Study | None:
    while True:
        # Waiting on the sentinel too detects a child that was killed without a message.
        ready = wait([here, sentinel], LOOK_S)
        if task.isInterruptionRequested():
            return None
        if not ready:
            continue
        # Read the pipe first: a child that has ended may have sent its study just before.
        if here not in ready:
            raise ResourceError(STOPPED)
        try:
            message = here.recv()
        except EOFError as e:
            raise ResourceError(STOPPED) from e
        if isinstance(message, Study):
            return message
        if isinstance(message, str):
            raise ResourceError(message)
        task.progressed.emit(*message)


def _make(pipe: Connection, demo: Demo, folder: Path | None) -> None:
    # Here, because the window must not load Numba.
    from engine.modalities import compiled_early

    try:
        folder = folder or demo_folder()
        with compiled_early(demo):
            study = demo.make(folder, on_progress=lambda done, total: pipe.send((done, total)))
        pipe.send(study)
    except EngineError as e:
        pipe.send(str(e))
    except Exception:  # noqa: BLE001  the last door: nothing may end without a word
        pipe.send(
            tr(
                "Internal error in the simulation: {format_exc}",
                format_exc=Lines(traceback.format_exc(limit=-1).splitlines()),
            )
        )
