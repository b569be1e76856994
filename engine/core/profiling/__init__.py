"""Profile of a run: how its time is spent, and what the machine does meanwhile."""

from engine.core.profiling.profile import ON_THE_BUS, GpuCounters, Kernel, Profile, Span, Stage
from engine.core.profiling.profiler import Profiler
from engine.core.profiling.trace import COMPUTING, COPYING, HOST, lane_of, trace_of

__all__ = [
    "COMPUTING",
    "COPYING",
    "HOST",
    "ON_THE_BUS",
    "GpuCounters",
    "Kernel",
    "Profile",
    "Profiler",
    "Span",
    "Stage",
    "lane_of",
    "trace_of",
]
