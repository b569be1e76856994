"""Tests of the software GPU: order of streams and graphs, and CuPy on it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests import tiers
from tests.emulator.card import lines
from tests.emulator.card.errors import CudaError, Status
from tests.emulator.card.machine import Machine
from tests.emulator.card.memory import Memory
from tests.emulator.card.running import call, obstacle
from tests.emulator.card.work import ORDERS, Event, Stream, Work

ROOT = Path(__file__).resolve().parents[4]
ON_CARD = (
    *(
        "tests/engine/core/backend/test_cupy_gpu.py",
        "tests/engine/core/backend/test_cupy_compiling.py",
    ),
    *(
        "tests/engine/core/backend/test_cupy_textures.py",
        "tests/engine/core/backend/test_cupy_ring.py",
    ),
    "tests/engine/kernels/test_constants_and_grids.py",
    "tests/engine/recon/filtering/test_filter_on_gpu.py",
    *("tests/engine/operators/test_slices.py", "tests/engine/kernels/test_point_spread_cuda.py"),
)
ON_EMULATED = tuple(
    f"tests/engine/{name}.py"
    for name in (
        *("recon/algorithms/test_em_on_gpu", "recon/algorithms/test_linear_on_gpu"),
        *("kernels/test_cone_back_cuda", "kernels/test_cuda_twins", "kernels/test_gaussian_cuda"),
        *("kernels/test_joseph_cuda", "kernels/matrix/test_matrix_cuda"),
        *("kernels/scatter/test_scatter_cuda", "live/ct/test_live_slices_on_gpu"),
        *("modalities/listmode_pet/test_run_on_gpu", "kernels/test_joseph_gather_cuda"),
        *("operators/test_device_slice_sums", "operators/test_histogram_model_on_gpu"),
        *("operators/test_patches", "operators/test_rays_on_gpu", "operators/test_slices"),
        *("operators/test_xray_transfers", "operators/test_xray_on_gpu"),
        "modalities/xray_ct/test_run_ct_on_gpu",
    )
)
"""Operator tests with kernels that the emulator can run."""


def work_of(order: str) -> tuple[Work, Stream, Stream]:
    work = Work(order, seed=1)
    main, copies = work.stream(0), Stream(0, is_blocking=False)
    copies.handle = work.new(work.streams, copies)
    return work, main, copies


@pytest.mark.parametrize("order", ORDERS)
def test_stream_keeps_its_order_and_finishes_when_waited_for(order):
    work, main, _ = work_of(order)
    done: list[int] = []
    for i in range(20):
        work.put(main, lambda i=i: done.append(i))
    work.synchronize(main)
    assert done == list(range(20))


@pytest.mark.parametrize("order", ORDERS)
def test_event_makes_one_stream_wait_for_another(order):
    work, main, copies = work_of(order)
    done: list[str] = []
    event = Event()
    work.put(main, lambda: done.append("kernel"))
    work.record(event, main)
    work.wait(copies, event)
    work.put(copies, lambda: done.append("copy"))
    work.synchronize(copies)
    assert done == ["kernel", "copy"]


def test_without_events_late_work_stays_and_copies_run_first():
    for order, expected in (("late", ["copy"]), ("copies first", ["copy"]), ("early", ["kernel"])):
        work, main, copies = work_of(order)
        done: list[str] = []
        work.put(main, lambda done=done: done.append("kernel"))
        work.put(copies, lambda done=done: done.append("copy"))
        work.synchronize(copies)
        assert done[:1] == expected, order


def test_default_stream_and_blocking_streams_wait_for_each_other():
    work, main, copies = work_of("late")
    blocking = Stream(0)
    blocking.handle = work.new(work.streams, blocking)
    done: list[str] = []
    work.put(copies, lambda: done.append("copy"))
    work.put(blocking, lambda: done.append("blocking"))
    work.put(main, lambda: done.append("main"))
    work.put(blocking, lambda: done.append("again"))
    work.synchronize(blocking)
    assert done == ["blocking", "main", "again"]
    work.finish_all()
    assert done[-1] == "copy"


def recorded(work: Work, stream: Stream, done: list[int]) -> None:
    work.begin(stream)
    work.put(stream, lambda: done.append(1))
    work.put(stream, lambda: done.append(2))


@pytest.mark.parametrize("order", ORDERS)
def test_graph_runs_at_each_launch_and_not_before(order):
    work, main, stream = work_of(order)
    done: list[int] = []
    work.put(stream, lambda: done.append(0))
    recorded(work, stream, done)
    graph = work.end(stream)
    work.finish_all()
    assert done == [0]
    work.launch(graph, stream)
    work.launch(graph, main)
    work.finish_all()
    assert done == [0, 1, 2, 1, 2]


@pytest.mark.parametrize(
    ("spoil", "status"),
    [
        (lambda work, stream: work.synchronize(stream), Status.CAPTURE_UNSUPPORTED),
        (lambda work, stream: work.finish_all(), Status.CAPTURE_UNSUPPORTED),
        (lambda work, stream: work.begin(stream), Status.INVALID_VALUE),
        (lambda work, stream: work.begin(work.stream(0)), Status.CAPTURE_UNSUPPORTED),
        (lambda work, stream: work.stream(7), Status.INVALID_HANDLE),
    ],
)
def test_operations_that_cuda_forbids_while_recording_are_refused(spoil, status):
    work, _, stream = work_of("early")
    recorded(work, stream, [])
    with pytest.raises(CudaError) as refused:
        spoil(work, stream)
    assert refused.value.status is status
    if status is Status.CAPTURE_UNSUPPORTED and not work.stream(0).graph:
        broken = stream.graph.is_broken
        with pytest.raises(CudaError) if broken else pytest.MonkeyPatch.context():
            work.end(stream)


def test_graph_ignores_outside_events_and_includes_other_streams():
    work, main, stream = work_of("late")
    outside, inside, back = Event(), Event(), Event()
    other = Stream(0, is_blocking=False)
    other.handle = work.new(work.streams, other)
    done: list[int] = []
    work.put(main, lambda: None)
    work.record(outside, main)
    recorded(work, stream, done)
    work.record(inside, stream)
    work.wait(other, inside)
    work.put(other, lambda: done.append(3))
    work.record(back, other)
    work.wait(stream, back)
    graph = work.end(stream)
    work.launch(graph, main)
    work.finish_all()
    assert done == [1, 2, 3]
    recorded(work, stream, done)
    with pytest.raises(CudaError, match="outside"):
        work.wait(stream, outside)


def test_memory_allocations_are_distinguished_and_counted():
    memory = Memory(1000)
    first, second = memory.take(100), memory.take(300)
    assert memory.used == 400
    assert memory.at(first.at + 99) is first
    assert memory.at(first.at + 100) is not first
    assert second.holds(second.at + 200, 100)
    assert not second.holds(second.at + 201, 100)
    with pytest.raises(CudaError, match="taken"):
        memory.take(601)
    memory.give(first.at, "device")
    with pytest.raises(CudaError, match="no address"):
        memory.give(first.at, "device")
    assert (memory.used, memory.at(first.at)) == (300, None)


@pytest.mark.parametrize("name", [*ON_CARD, *ON_EMULATED])
def test_each_listed_gpu_test_file_exists(name):
    assert (ROOT / name).is_file()


@pytest.mark.slow
@pytest.mark.skipif(bool(obstacle()), reason=obstacle() or "a real GPU is available")
def test_engine_calls_of_cupy_run_on_the_software_gpu_and_cover_the_lines(tmp_path):
    out = tmp_path / "lines.json"
    words = ["pytest", "-p", "tests.emulator.card.lines", "-p", "no:cacheprovider", "-m", "gpu"]
    done = call(Machine(), "-m", *words, *ON_CARD, **{lines.OUT: str(out)})
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]
    part, left = lines.share(json.loads(out.read_text("utf-8")), lines.OF_CUPY)
    assert part >= 0.95, left


@pytest.mark.slow
def test_operator_lines_for_devices_are_covered_by_the_suite(tmp_path):
    out = tmp_path / "lines.json"
    words = ["-m", "pytest", "-q", "-n0", "-p", "tests.emulator.card.lines", *ON_EMULATED]
    done = subprocess.run(
        [sys.executable, *words],
        # the tests that are in the long tier for their time alone belong to the suite
        env=os.environ | {lines.OUT: str(out), tiers.UNLISTED: "0"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]
    part, left = lines.share(json.loads(out.read_text("utf-8")), lines.OF_DEVICE)
    assert part >= 0.95, left


@pytest.mark.slow
def test_gpu_self_test_passes_as_users_call_it(tmp_path):
    done = call(Machine(), "-m", "app", "doctor", "--gpu", ISOCENTER_HOME=str(tmp_path))
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.endswith("All checks passed.\n")
