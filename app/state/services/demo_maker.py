"""Simulate a demo scan in a separate process, so that the window stays responsive."""

from __future__ import annotations

from multiprocessing.connection import wait
from pathlib import Path

from app.language.translation import Lines, tr
from app.state.services.threads import Task
from engine.core.errors import ResourceError
from engine.jobs import DemoSimulation
from engine.modalities import Demo, Study

POLL_S = 0.2
"""Interval at which the thread checks for a stop request [s]."""
STOPPED = tr("The simulation stopped unexpectedly. The computer may have run out of memory.")


def make_demo_in_process(
    task: Task, demo: Demo, folder: Path | None = None, begun: DemoSimulation | None = None
) -> Study | None:
    """Simulate a demo in a child process.

    Parameters
    ----------
    task
        worker thread; its `progressed` signal reports progress
    demo
        the demo
    folder
        folder for its files; None for the default
    begun
        the process, if it runs already; None to start it

    Returns
    -------
    the study; None if the task was interrupted

    Raises
    ------
    ResourceError
        the simulation failed or its process died
    """
    simulation = begun or DemoSimulation(demo, folder)
    try:
        return _wait_for_study(simulation, task)
    finally:
        simulation.end()


def _wait_for_study(simulation: DemoSimulation, task: Task) -> Study | None:
    here, sentinel = simulation.messages, simulation.sentinel
    while True:
        # Waiting on the sentinel too detects a child that was killed without a message.
        ready = wait([here, sentinel], POLL_S)
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
        if isinstance(message, list):
            raise ResourceError(
                tr("Internal error in the simulation: {format_exc}", format_exc=Lines(message))
            )
        task.progressed.emit(*message)
