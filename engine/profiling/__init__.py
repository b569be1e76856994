"""Profile of a run: how its time is spent, and what the machine does meanwhile."""

from engine.profiling.profile import ON_THE_BUS, GpuCounters, Kernel, Profile, Stage
from engine.profiling.profiler import Profiler

__all__ = ["ON_THE_BUS", "GpuCounters", "Kernel", "Profile", "Profiler", "Stage"]
