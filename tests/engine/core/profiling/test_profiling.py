"""Tests of the profiler: sums of spans, no waiting, and refusals."""

from __future__ import annotations

import json
import pickle
import time
from typing import Any

import numpy as np
import pytest

from engine.core.backend import cpu, cuda
from engine.core.backend.gpu import Resources, Stamp
from engine.core.profiling import Profiler, profiler
from engine.core.profiling.profile import ON_THE_BUS, TITLES
from tests.emulator import EmulatedGpu

PEAK = 1e10
"""Bytes per second of the emulated GPU."""


class OnProgress(Stamp):
    """A stamp of a clock that advances by one second with each stamp."""

    def __init__(self, gpu: ClockedGpu) -> None:
        self.gpu, self.at_s = gpu, gpu.n_stamps

    def wait(self) -> None:
        self.gpu.waited.append(self.at_s)

    def seconds_since(self, earlier: Any) -> float:
        self.wait()
        return float(self.at_s - earlier.at_s)


class ClockedGpu(EmulatedGpu):
    """An emulated GPU that records the stamps for which the host waits."""

    def __init__(self) -> None:
        super().__init__()
        self.n_stamps = 0
        self.waited: list[int] = []

    def stamp(self) -> Stamp:
        self.n_stamps += 1
        return OnProgress(self)


@pytest.fixture
def gpu() -> ClockedGpu:
    return ClockedGpu()


def test_cpu_calls_times_and_amounts_add_up():
    began = time.perf_counter()
    here = Profiler(cpu(3))
    for n in (10, 20, 30):
        with here.span("fused", events=n, bytes=2 * n):
            time.sleep(0.01)
    with here.span("read") as amounts:
        time.sleep(0.002)
        amounts.events = 7
    profile = here.snapshot()
    wall = time.perf_counter() - began
    fused, read = profile.stage("fused"), profile.stage("read")
    assert fused is not None and read is not None
    assert (fused.calls, fused.events, fused.bytes) == (3, 60, 120)
    assert (read.calls, read.events, read.bytes) == (1, 7, 0)
    assert fused.seconds >= 0.03 and 0.032 <= profile.seconds <= wall
    assert sum(stage.share for stage in profile.stages) == pytest.approx(1)
    assert fused.events_per_s == pytest.approx(60 / fused.seconds) == profile.events_per_s
    assert read.bytes_per_s is None and fused.peak_share is None
    assert (profile.device.kind, profile.device.threads) == ("cpu", 3)


def test_stages_are_listed_in_the_order_of_a_run():
    here = Profiler(cpu(1))
    for key in reversed(TITLES):
        with here.span(key):
            pass
    assert [stage.key for stage in here.snapshot().stages] == list(TITLES)


def test_new_profiler_is_empty():
    profile = Profiler(cpu(1)).snapshot()
    assert profile.stages == () and profile.kernels == ()
    assert profile.seconds == 0 and profile.events_per_s is None
    assert profile.stage("fused") is None


def test_unknown_and_nested_stages_are_refused_harmlessly():
    here = Profiler(cpu(1))
    with pytest.raises(ValueError, match=r"'fuse'.*one of read, kernels"), here.span("fuse"):
        pass
    with pytest.raises(RuntimeError, match="'filter' cannot begin before stage 'fused' has ended"):  # noqa: SIM117
        with here.span("fused"), here.span("filter"):
            pass
    with here.span("filter"):
        pass
    assert [stage.key for stage in here.snapshot().stages] == ["filter"]


@pytest.mark.parametrize("on_gpu", [False, True], ids=["cpu", "gpu"])
def test_failed_call_is_excluded(gpu, on_gpu):
    here = Profiler(cuda(gpu) if on_gpu else cpu(1))
    with pytest.raises(KeyboardInterrupt), here.span("fused"):
        raise KeyboardInterrupt
    with here.span("fused"):
        pass
    stage = here.snapshot().stage("fused")
    assert stage is not None and stage.calls == 1


def test_gpu_profile_waits_only_when_read(gpu):
    here = Profiler(cuda(gpu))
    for _ in range(5):
        with here.span("upload", events=10, bytes=400):
            pass
        with here.span("fused", events=10, bytes=10**10):
            pass
    assert gpu.waited == []
    profile = here.snapshot()
    assert sorted(gpu.waited) == list(range(2, 22)), (
        "start and end of each stage were not read once"
    )
    assert [(s.key, s.seconds, s.calls) for s in profile.stages] == [
        ("upload", 5.0, 5), ("fused", 5.0, 5),
    ]  # fmt: skip
    here.snapshot()
    assert len(gpu.waited) == 20, "stamps were read twice"


def test_share_of_the_peak_uses_the_memory_bandwidth_of_the_gpu(gpu):
    here = Profiler(cuda(gpu))
    for key in TITLES:
        with here.span(key, bytes=round(1.5 * PEAK)):
            pass
    for stage in here.snapshot().stages:
        assert stage.bytes_per_s == pytest.approx(1.5 * PEAK)
        expected = None if stage.key in ON_THE_BUS else pytest.approx(1.5)
        assert stage.peak_share == expected, stage.key


def test_unread_stamps_do_not_accumulate(gpu, monkeypatch):
    monkeypatch.setattr(profiler, "MAX_PENDING", 8)
    here = Profiler(cuda(gpu))
    n = 100
    for _ in range(n):
        with here.span("fused", events=1):
            pass
        assert (gpu.n_stamps - len(gpu.waited)) // 2 <= 8
        newest = gpu.n_stamps
        assert newest not in gpu.waited, "the host waited for the newest stamp"
    stage = here.snapshot().stage("fused")
    assert stage is not None and (stage.seconds, stage.calls, stage.events) == (n, n, n)


def test_stage_with_a_graph_launch_is_timed():
    card = EmulatedGpu()
    here = Profiler(cuda(card))
    values = card.upload(np.ones(4, np.float32))
    graph = card.record(lambda: card.zero(values))
    for _ in range(3):
        with here.span("fused", events=4):
            graph.launch()
    stage = here.snapshot().stage("fused")
    assert stage is not None and (stage.calls, stage.events) == (3, 12)
    assert stage.seconds > 0
    assert card.download(values).sum() == 0


def test_event_counts_once_for_separate_forward_and_back_projection(gpu):
    here = Profiler(cuda(gpu))
    for key in ("forward", "back", "update"):
        with here.span(key, events=100 if key != "update" else 0):
            pass
    assert here.snapshot().events_per_s == pytest.approx(100 / 2)


def test_compiled_kernel_is_recorded_and_the_newest_wins(gpu):
    here = Profiler(cuda(gpu))
    here.kernel("update", Resources(64, 2048, 0, 0.5), 128)
    here.kernel("back", Resources(32, 0, 8, 1.0), 256)
    here.kernel("update", Resources(40, 1024, 0, 0.75), 64)
    found = {kernel.name: kernel for kernel in here.snapshot().kernels}
    assert list(found) == ["update", "back"]
    update = found["update"]
    assert (update.n_threads, update.registers, update.occupancy) == (64, 40, 0.75)
    assert found["back"].local_bytes == 8


def test_profile_is_transferable_and_plain_json(gpu):
    here = Profiler(cuda(gpu))
    for key in TITLES:
        with here.span(key, events=3, bytes=5):
            pass
    here.kernel("update", Resources(40, 1024, 0, 0.75), 64)
    profile = here.snapshot()
    assert pickle.loads(pickle.dumps(profile)) == profile
    values = profile.as_dict()
    text = json.dumps(values, allow_nan=False)
    assert json.loads(text) == values
    assert len(text) < 8192, "the profile is too long to be stored with every volume"
    assert values["device"]["peak_bytes_per_s"] == PEAK
    assert values["stages"][0]["title"] == TITLES["read"]


def test_stage_may_count_other_units_than_events():
    profiler = Profiler(cpu(1))
    with profiler.span("back", events=6, unit="voxel updates"):
        pass
    with profiler.span("back"):  # no amount
        pass
    profile = profiler.snapshot()
    assert (profile.stage("back").events, profile.stage("back").unit) == (6, "voxel updates")
    assert profile.events_per_s is None  # voxel updates are not events
    with pytest.raises(ValueError, match="voxels"), profiler.span("back", unit="voxels"):
        pass
