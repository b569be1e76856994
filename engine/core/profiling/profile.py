"""Measurements of a run: stages, kernels and counters, as simple values."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace

from engine.core.json_types import Plain

FORMAT = "isocenter-profile-1"
TITLES = {
    "read": "Read",
    "kernels": "Compiling",
    "response": "Response",
    "correct": "Corrections",
    "sort": "Sort",
    "upload": "Upload",
    "scatter": "Scatter",
    "sensitivity": "Sensitivity",
    "forward": "Forward",
    "back": "Back",
    "fused": "Forward/back",
    "update": "Update",
    "filter": "Filter",
    "preview": "Preview copy",
}
"""Every stage that can be timed, in the order of a run, with its label."""
PROJECTION = ("forward", "back", "fused")
"""The stages that trace the events of an iteration."""
UNITS = ("events", "pixels", "rays", "voxel updates")
"""Units of a stage's count; a voxel update is one voxel in one view."""
ON_THE_BUS = ("upload", "preview")
"""Stages that transfer bytes over the bus, so the memory bandwidth is not their limit."""

ON_THE_HOST = ("read", "kernels")
"""Stages in which a GPU has nothing to do."""


@dataclass(frozen=True)
class Device:
    """Device of the run; values that a CPU does not have are None.

    Attributes
    ----------
    kind : "cpu" or "cuda"
    threads : workers of CPU kernels
    compute_capability : 75, 80, 90, 120, ...
    peak_bytes_per_s : peak memory bandwidth of the card, from clock and bus width
    memory_bytes : of the card
    driver : CUDA version of the driver, "13.0"
    """

    kind: str
    name: str
    threads: int
    compute_capability: int | None = None
    peak_bytes_per_s: float | None = None
    memory_bytes: int | None = None
    driver: str | None = None


@dataclass(frozen=True)
class Stage:
    """One stage, summed over its calls so far.

    Attributes
    ----------
    key, title : see `TITLES`
    seconds : time on the device that ran it
    share : part of the time of all stages, 0 to 1
    events, bytes : processed and moved; 0 if not counted
    unit : unit of `events`, one of `UNITS`
    events_per_s, bytes_per_s : rates; None if not counted
    peak_share : bytes_per_s / peak memory bandwidth; None if unknown
    """

    key: str
    title: str
    seconds: float
    calls: int
    share: float
    events: int
    events_per_s: float | None
    bytes: int
    bytes_per_s: float | None
    peak_share: float | None
    unit: str = "events"


@dataclass(frozen=True, slots=True)
class Span:
    """One call of a stage.

    Attributes
    ----------
    key : of its stage, see `TITLES`
    start_s : start since the profiler was made, on the clock of the device [s]
    seconds : duration [s]
    events, bytes : processed and moved; 0 if not counted
    thread : number of the thread that called it; 0 for all calls on a GPU, which has one queue
    """

    key: str
    start_s: float
    seconds: float
    events: int = 0
    bytes: int = 0
    thread: int = 0

    @property
    def bytes_per_s(self) -> float | None:
        """Rate of moved bytes; None if they were not counted."""
        return self.bytes / self.seconds if self.bytes and self.seconds > 0 else None


@dataclass(frozen=True)
class Kernel:
    """One kernel as compiled: registers of a thread, memory of a block [bytes], occupancy 0 to 1.

    `local_bytes` of a thread are registers that did not fit and went to slow memory.
    """

    name: str
    n_threads: int
    registers: int
    shared_bytes: int
    local_bytes: int
    occupancy: float


@dataclass(frozen=True)
class GpuCounters:
    """Counters of the card now, for all its users together; None if not reported."""

    memory_used_bytes: int | None = None
    memory_total_bytes: int | None = None
    utilisation_percent: float | None = None
    power_w: float | None = None
    power_limit_w: float | None = None
    temperature_c: float | None = None
    clock_mhz: float | None = None
    memory_clock_mhz: float | None = None


@dataclass(frozen=True)
class Counters:
    """Memory and load of the machine now.

    Attributes
    ----------
    process_bytes : memory of the engine's process
    machine_bytes : memory of the machine
    cpu_percent : of the engine's process; 100 is one core, None before the first interval
    gpu : counters of the card; None if unknown
    gpu_reason : reason for missing GPU counters; empty on the CPU
    """

    process_bytes: int
    machine_bytes: int
    cpu_percent: float | None = None
    gpu: GpuCounters | None = None
    gpu_reason: str = ""


@dataclass(frozen=True)
class Profile:
    """All measurements of a run so far.

    Attributes
    ----------
    timeline : the newest calls, in the order of their starts
    n_calls : number of all calls; greater than the length of the timeline after a long run
    """

    device: Device
    stages: tuple[Stage, ...]
    kernels: tuple[Kernel, ...]
    counters: Counters
    timeline: tuple[Span, ...] = ()
    n_calls: int = 0

    def stage(self, key: str) -> Stage | None:
        """Return a stage; None if it has not run yet."""
        return next((stage for stage in self.stages if stage.key == key), None)

    @property
    def seconds(self) -> float:
        """Time of all stages in s."""
        return sum(stage.seconds for stage in self.stages)

    @property
    def events_per_s(self) -> float | None:
        """Events traced forward and back per second of projection; None before the first."""
        tracing = [s for s in self.stages if s.key in PROJECTION and s.unit == "events"]
        # The maximum, not the sum: forward and back each count every event.
        events = max((stage.events for stage in tracing), default=0)
        seconds = sum(stage.seconds for stage in tracing)
        return events / seconds if events and seconds > 0 else None

    def as_dict(self) -> Plain:
        """Return the profile as JSON values, without its timeline, see `trace_of`."""
        values = asdict(replace(self, timeline=()))
        del values["timeline"], values["n_calls"]
        values["stages"] = [asdict(stage) for stage in self.stages]
        values["kernels"] = [asdict(kernel) for kernel in self.kernels]
        return {"format": FORMAT, "events_per_s": self.events_per_s, **values}
