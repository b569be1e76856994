"""Run a reconstruction in a child process: a crash leaves the window running."""

from typing import TYPE_CHECKING

from engine.core.lazy_exports import face

if TYPE_CHECKING:
    from engine.jobs.process.engine_process import EngineProcess as EngineProcess
    from engine.jobs.process.engine_process import run_isolated as run_isolated

if not TYPE_CHECKING:  # type checkers read the imports above and refuse other names
    __getattr__, __dir__ = face(
        __name__,
        {"engine_process": ("EngineProcess", "run_isolated")},
    )
