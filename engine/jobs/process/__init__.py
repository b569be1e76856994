"""A reconstruction in a child process of its own: the same events, and the window survives."""

from engine.jobs.process.engine_process import EngineProcess, run_isolated

__all__ = ["EngineProcess", "run_isolated"]
