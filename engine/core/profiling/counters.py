"""Memory and load of the process, and the counters of the GPU.

The GPU counters come from the driver through NVML. If NVML is missing or refuses, there are none,
with a reason. Errors here never stop a run.
"""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic
from types import ModuleType
from typing import Any

from engine.core.backend import Backend
from engine.core.backend.gpu import GpuFacts
from engine.core.backend.nvml import OnlyTheCardError, handle_of
from engine.core.profiling.profile import Counters, GpuCounters

POLL_S = 0.5
"""Minimum interval between two readings of the counters."""


class Meter:
    """Reads the counters of this process and of the GPU in use."""

    def __init__(self, on: Backend) -> None:
        import psutil

        self._process = psutil.Process()
        self._process.cpu_percent()  # the first call only starts the interval
        self._machine_bytes = int(psutil.virtual_memory().total)
        self._card = Card(on.gpu.facts) if on.gpu is not None else None
        self._read_at = monotonic()
        self._last: Counters | None = None

    def read(self) -> Counters:
        """Return the counters, at most `POLL_S` old."""
        now = monotonic()
        # psutil measures the load since its last call; very short intervals give meaningless
        # percentages.
        if self._last is None or now - self._read_at >= POLL_S:
            load = float(self._process.cpu_percent()) if now - self._read_at >= POLL_S else None
            gpu, reason = self._card.read() if self._card is not None else (None, "")
            memory = int(self._process.memory_info().rss)
            self._last = Counters(memory, self._machine_bytes, load, gpu, reason)
            self._read_at = now
        return self._last


class Card:
    """One card or MIG instance, found by its UUID or its PCI bus id."""

    def __init__(self, facts: GpuFacts) -> None:
        self._facts = facts
        self._handle: object = None

    def read(self) -> tuple[GpuCounters | None, str]:
        """Return the counters of the card.

        Returns
        -------
        counters and an empty text, or None and the reason why there are none
        """
        if not self._facts.bus_id:
            return None, "the card has no bus number in this machine"
        try:
            import pynvml as nvml
        except ImportError:
            return None, "the package nvidia-ml-py is not installed"
        try:
            if self._handle is None:
                self._handle = self._found(nvml)
            found = _counters(nvml, self._handle)
        except OnlyTheCardError as e:
            return None, str(e)
        except (nvml.NVMLError, OSError, ValueError) as e:
            self._handle = None
            # The handle is searched again next time: the driver may have been restarted.
            return None, f"the driver reports no values ({e})"
        if found == GpuCounters():
            return None, "the driver reports no values"
        return found, ""

    def _found(self, nvml: ModuleType) -> object:
        # Not shut down: the handle is used for the whole run, and NVML counts its users.
        nvml.nvmlInit()
        return handle_of(nvml, self._facts.name, self._facts.uuid, self._facts.bus_id)


def _counters(nvml: ModuleType, handle: object) -> GpuCounters:
    def ask(question: Callable[..., Any], *words: Any) -> Any:
        try:
            return question(handle, *words)
        except nvml.NVMLError:  # not every card or MIG instance supports every counter
            return None

    memory = ask(nvml.nvmlDeviceGetMemoryInfo)
    load = ask(nvml.nvmlDeviceGetUtilizationRates)
    power_mw = ask(nvml.nvmlDeviceGetPowerUsage)
    limit_mw = ask(nvml.nvmlDeviceGetEnforcedPowerLimit)
    return GpuCounters(
        memory_used_bytes=None if memory is None else int(memory.used),
        memory_total_bytes=None if memory is None else int(memory.total),
        utilisation_percent=None if load is None else float(load.gpu),
        power_w=None if power_mw is None else power_mw / 1e3,
        power_limit_w=None if limit_mw is None else limit_mw / 1e3,
        temperature_c=ask(nvml.nvmlDeviceGetTemperature, nvml.NVML_TEMPERATURE_GPU),
        clock_mhz=ask(nvml.nvmlDeviceGetClockInfo, nvml.NVML_CLOCK_SM),
        memory_clock_mhz=ask(nvml.nvmlDeviceGetClockInfo, nvml.NVML_CLOCK_MEM),
    )
