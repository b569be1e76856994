"""A process that simulates a demo scan, and can start before the window is loaded."""

from __future__ import annotations

import traceback
from multiprocessing.connection import Connection
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING

from engine.core.errors import EngineError
from engine.jobs.process.starting import new_process, process_context

if TYPE_CHECKING:
    from engine.modalities.demo import Demo


class DemoSimulation:
    """A process that simulates a demo.

    Parameters
    ----------
    demo
        the demo
    folder
        folder for its files; None for the default

    Attributes
    ----------
    messages : end of the pipe that yields (steps done, all steps), and last the study, an error
        message, or the lines of a traceback
    """

    def __init__(self, demo: Demo, folder: Path | None = None) -> None:
        self.messages, self._there = process_context().Pipe(duplex=False)
        self._process = new_process(_make, self._there, demo, folder, name="isocenter-demo")
        self._fault: OSError | None = None
        # The start waits until the server of processes is ready. A window is loaded meanwhile.
        self._starting = Thread(target=self._start)
        self._starting.start()

    def _start(self) -> None:
        try:
            self._process.start()
        except OSError as e:
            self._fault = e
        # The parent must close its copy, or it would never see the end of the pipe.
        self._there.close()

    @property
    def sentinel(self) -> int:
        """Handle that becomes ready when the process ends.

        Raises
        ------
        OSError
            the process could not be started
        """
        self._starting.join()
        if self._fault is not None:
            raise self._fault
        return self._process.sentinel

    def end(self) -> None:
        """End the process."""
        self._starting.join()
        self.messages.close()
        if self._fault is None:
            # Also after success: the child may still hang in its exit handlers.
            self._process.terminate()
            self._process.join()
        self._process.close()


def _make(pipe: Connection, demo: Demo, folder: Path | None) -> None:
    # Here, because the window must not load Numba.
    from engine.modalities.demos import demo_folder
    from engine.modalities.warm_up import compiled_early

    try:
        folder = folder or demo_folder()
        with compiled_early(demo):
            study = demo.make(folder, on_progress=lambda done, total: pipe.send((done, total)))
        pipe.send(study)
    except EngineError as e:
        pipe.send(str(e))
    except Exception:  # noqa: BLE001  the last door: nothing may end without a word
        pipe.send(traceback.format_exc(limit=-1).splitlines())
