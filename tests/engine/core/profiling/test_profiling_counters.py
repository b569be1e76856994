"""Tests of counters of GPU and process, which give a value or a reason, never an error."""

from __future__ import annotations

import sys
from dataclasses import replace
from types import ModuleType, SimpleNamespace

import psutil
import pytest

from engine.core.backend import cpu, cuda
from engine.core.backend.gpu import GpuFacts
from engine.core.profiling import counters
from engine.core.profiling.counters import Card, Meter
from tests.emulator import EmulatedGpu

GIB = 1 << 30
CARD = GpuFacts("NVIDIA Test", 90, 2, 80 * GIB, 1e12, "13.0", "0000:3B:00.0")
UUID = "1b0c7a62-0000-4000-8000-000000000001"
SHARE = replace(CARD, name="NVIDIA Test MIG 1g.10gb", uuid=UUID)


class NoDriverError(Exception):
    """A stub of NVML's error."""


class Nvml(ModuleType):
    """A stub of NVML for one GPU; queries in `mute` fail."""

    NVMLError = NoDriverError
    NVML_TEMPERATURE_GPU, NVML_CLOCK_SM, NVML_CLOCK_MEM = 0, 1, 2

    def __init__(
        self, mute: tuple[str, ...] = (), bus_id: str = "0000:3B:00.0", uuids: tuple[str, ...] = ()
    ) -> None:
        super().__init__("pynvml")
        self._mute, self._bus_id, self._uuids = mute, bus_id, uuids
        self.n_asked = 0

    def _answer(self, question, value):
        self.n_asked += 1
        if question in self._mute:
            raise NoDriverError(f"{question}: Not Supported")
        return value

    def nvmlInit(self):
        self._answer("init", None)

    def nvmlDeviceGetHandleByPciBusId(self, bus_id):
        if bus_id != self._bus_id:
            raise NoDriverError("Not Found")
        return "card"

    def nvmlDeviceGetHandleByUUID(self, uuid):
        if uuid not in self._uuids:
            raise NoDriverError("Not Found")
        return "share"

    def nvmlDeviceGetMemoryInfo(self, card):
        return self._answer("memory", SimpleNamespace(used=3 * GIB, total=80 * GIB))

    def nvmlDeviceGetUtilizationRates(self, card):
        return self._answer("load", SimpleNamespace(gpu=97, memory=40))

    def nvmlDeviceGetPowerUsage(self, card):
        return self._answer("power", 412_500)

    def nvmlDeviceGetEnforcedPowerLimit(self, card):
        return self._answer("limit", 700_000)

    def nvmlDeviceGetTemperature(self, card, sensor):
        return self._answer("temperature", 61)

    def nvmlDeviceGetClockInfo(self, card, which):
        return self._answer("clock", {1: 1980, 2: 3201}[which])


EVERYTHING = ("memory", "load", "power", "limit", "temperature", "clock")


@pytest.fixture
def driver(monkeypatch):
    def use(**options) -> Nvml:
        nvml = Nvml(**options)
        monkeypatch.setitem(sys.modules, "pynvml", nvml)
        return nvml

    return use


def test_counters_have_plain_units(driver):
    driver()
    found, reason = Card(CARD).read()
    assert reason == "" and found is not None
    assert (found.memory_used_bytes, found.memory_total_bytes) == (3 * GIB, 80 * GIB)
    assert (found.power_w, found.power_limit_w) == (412.5, 700.0)
    assert (found.utilisation_percent, found.temperature_c) == (97, 61)
    assert (found.clock_mhz, found.memory_clock_mhz) == (1980, 3201)


@pytest.mark.parametrize("mute", EVERYTHING)
def test_unavailable_counter_is_omitted_and_the_others_reported(driver, mute):
    driver(mute=(mute,))
    found, reason = Card(CARD).read()
    assert reason == "" and found is not None
    values = vars(found)
    missing = {name for name, value in values.items() if value is None}
    assert missing and len(missing) <= 2
    assert any(mute[:4] in name or mute == "load" for name in missing)


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"mute": ("init",)}, "the driver reports no values (init: Not Supported)"),
        ({"mute": EVERYTHING}, "the driver reports no values"),
        ({"bus_id": "0000:01:00.0"}, "the driver reports no values (Not Found)"),
    ],
)
def test_failing_driver_gives_a_reason(driver, options, reason):
    driver(**options)
    assert Card(CARD).read() == (None, reason)


def test_mig_share_is_queried_by_its_own_uuid_or_reported_unavailable(driver):
    driver(uuids=(f"MIG-{UUID}",))
    found, reason = Card(SHARE).read()
    assert reason == "" and found is not None
    driver()  # memory and load are those of the complete GPU
    assert Card(SHARE).read() == (
        None,
        "the driver reports only the whole card, not this instance of it (MIG)",
    )


def test_missing_package_gives_a_reason(monkeypatch):
    monkeypatch.setitem(sys.modules, "pynvml", None)
    found, reason = Card(CARD).read()
    assert found is None and "nvidia-ml-py is not installed" in reason


def test_real_library_never_raises():
    found, reason = Card(CARD).read()
    assert (found is None) == bool(reason)


def test_device_without_a_bus_address_is_not_queried(driver):
    nvml = driver()
    read = Meter(cuda(EmulatedGpu())).read()
    assert read.gpu is None and read.gpu_reason
    assert nvml.n_asked == 0


def test_process_is_measured_on_the_cpu(monkeypatch):
    monkeypatch.setattr(counters, "POLL_S", 0.0)
    read = Meter(cpu(2)).read()
    assert read.gpu is None and read.gpu_reason == ""
    assert 1e6 < read.process_bytes < read.machine_bytes == psutil.virtual_memory().total
    assert read.cpu_percent is not None and read.cpu_percent >= 0


def test_counters_are_polled_at_the_stated_interval(monkeypatch):
    now = 100.0
    monkeypatch.setattr(counters, "monotonic", lambda: now)
    meter = Meter(cpu(1))
    first = meter.read()
    assert first.cpu_percent is None, "there is a load before the first interval"
    now += 0.9 * counters.POLL_S
    assert meter.read() is first
    now += 0.2 * counters.POLL_S
    second = meter.read()
    assert second is not first and second.cpu_percent is not None
