"""Where the time of a run goes, and what the machine does meanwhile."""

from engine.profiling.profile import Profile
from engine.profiling.profiler import Profiler

__all__ = ["Profile", "Profiler"]
