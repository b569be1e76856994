"""Tests of the timeline of a run and its trace file."""

from __future__ import annotations

import json
import threading
import time

import pytest

from engine.core.backend import cpu, cuda
from engine.core.profiling import COMPUTING, COPYING, HOST, Profiler, lane_of, profiler, trace_of
from tests.engine.core.profiling.test_profiling import ClockedGpu


def test_gpu_calls_are_placed_by_the_clock_of_the_gpu() -> None:
    """Each stamp advances the clock by one second; the profiler takes the first one."""
    here = Profiler(cuda(ClockedGpu()))
    for name in ("upload", "fused", "preview", "read"):
        with here.span(name, events=5, bytes=100):
            pass
    profile = here.snapshot()
    assert [(s.key, s.start_s, s.seconds) for s in profile.timeline] == [
        ("upload", 1, 1), ("fused", 3, 1), ("preview", 5, 1), ("read", 7, 1),
    ]  # fmt: skip
    assert [lane_of(s, profile) for s in profile.timeline] == [
        COPYING, COMPUTING, COPYING, HOST,
    ]  # fmt: skip
    assert profile.timeline[0].bytes_per_s == 100
    assert profile.n_calls == 4


def test_each_cpu_thread_has_a_lane() -> None:
    here = Profiler(cpu(2))

    def work() -> None:
        with here.span("sort", events=1):
            time.sleep(0.02)

    threads = [threading.Thread(target=work) for _ in range(2)]
    started = time.perf_counter()
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    profile = here.snapshot()
    assert sorted(lane_of(s, profile) for s in profile.timeline) == ["Thread 1", "Thread 2"]
    assert all(s.seconds >= 0.02 for s in profile.timeline)
    assert all(0 <= s.start_s <= time.perf_counter() - started for s in profile.timeline)
    first, second = profile.timeline
    assert second.start_s < first.start_s + first.seconds, (
        "the threads did not run at the same time"
    )


def test_only_the_newest_calls_are_retained(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(profiler, "MAX_SPANS", 4)
    here = Profiler(cpu(1))
    for n in range(10):
        with here.span("update", events=n + 1):
            pass
    profile = here.snapshot()
    assert [s.events for s in profile.timeline] == [7, 8, 9, 10]
    assert profile.n_calls == 10
    stage = profile.stage("update")
    assert stage is not None and stage.calls == 10, "the sums do not contain all calls"
    assert trace_of(profile)["otherData"]["calls_left_out"] == 6


def test_record_of_an_image_has_no_timeline() -> None:
    here = Profiler(cpu(1))
    with here.span("update"):
        pass
    assert here.snapshot().timeline
    assert not {"timeline", "n_calls"} & set(here.snapshot().as_dict())


def test_trace_has_the_fields_of_the_format() -> None:
    """Complete events ("X") in microseconds, and a name ("M") for each lane."""
    here = Profiler(cuda(ClockedGpu()))
    with here.span("upload", bytes=100):
        pass
    with here.span("fused", events=5):
        pass
    trace = json.loads(json.dumps(trace_of(here.snapshot(), "scan, Brain FDG")))
    names = {e["tid"]: e["args"]["name"] for e in trace["traceEvents"] if e["ph"] == "M"}
    assert names[0].endswith(": scan, Brain FDG")
    calls = [e for e in trace["traceEvents"] if e["ph"] == "X"]
    assert [(e["name"], names[e["tid"]], e["ts"], e["dur"]) for e in calls] == [
        ("Upload", COPYING, 1e6, 1e6), ("Forward/back", COMPUTING, 3e6, 1e6),
    ]  # fmt: skip
    assert [e["args"] for e in calls] == [{"bytes": 100, "bytes_per_s": 100.0}, {"events": 5}]
    assert all(isinstance(e[key], int) for e in calls for key in ("pid", "tid"))
