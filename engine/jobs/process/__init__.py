"""Run a reconstruction in a child process: a crash leaves the window running."""

from engine.jobs.process.engine_process import EngineProcess, run_isolated

__all__ = ["EngineProcess", "run_isolated"]
