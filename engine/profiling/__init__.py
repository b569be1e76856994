"""Profile of a run: how its time is spent, and what the machine does meanwhile."""

from engine.profiling.profile import Profile
from engine.profiling.profiler import Profiler

__all__ = ["Profile", "Profiler"]
