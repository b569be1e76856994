"""Profile of a run: how its time is spent, and what the machine does meanwhile."""

from engine.core.profiling.profile import ON_THE_BUS, GpuCounters, Kernel, Profile, Stage
from engine.core.profiling.profiler import Profiler

__all__ = ["ON_THE_BUS", "GpuCounters", "Kernel", "Profile", "Profiler", "Stage"]
