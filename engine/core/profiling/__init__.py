"""Profile of a run: the time of its stages, and the load of the machine."""

from typing import TYPE_CHECKING

from engine.core.lazy_exports import face

if TYPE_CHECKING:
    from engine.core.profiling.profile import ON_THE_BUS as ON_THE_BUS
    from engine.core.profiling.profile import GpuCounters as GpuCounters
    from engine.core.profiling.profile import Kernel as Kernel
    from engine.core.profiling.profile import Profile as Profile
    from engine.core.profiling.profile import Span as Span
    from engine.core.profiling.profile import Stage as Stage
    from engine.core.profiling.profiler import Profiler as Profiler
    from engine.core.profiling.trace import COMPUTING as COMPUTING
    from engine.core.profiling.trace import COPYING as COPYING
    from engine.core.profiling.trace import HOST as HOST
    from engine.core.profiling.trace import lane_of as lane_of
    from engine.core.profiling.trace import trace_of as trace_of

if not TYPE_CHECKING:  # type checkers read the imports above and refuse other names
    __getattr__, __dir__ = face(
        __name__,
        {
            "profile": ("ON_THE_BUS", "GpuCounters", "Kernel", "Profile", "Span", "Stage"),
            "profiler": ("Profiler",),
            "trace": ("COMPUTING", "COPYING", "HOST", "lane_of", "trace_of"),
        },
    )
