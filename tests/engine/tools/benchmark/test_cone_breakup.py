"""Tests of the time of a back projection, split into the parts of Figure 6 of the paper."""

from __future__ import annotations

from time import perf_counter, sleep

import pytest

from engine.core.backend import Backend, cpu, cuda
from engine.tools.benchmark import tables
from engine.tools.benchmark.cone import breakup
from engine.tools.benchmark.cone.breakup import DIVISORS, PROBLEMS, STEPS, Clock, Problem
from tests.emulator import EmulatedGpu

SMALL = (Problem("b", "small cube", (6, 7, 8), 5, (9, 8)),)


def test_problems_equal_those_of_the_paper() -> None:
    a, b, c, d = PROBLEMS
    assert (a.n_updates, b.n_updates) == (1000**4, 50**4)
    assert (c.volume, c.n_views, c.detector) == ((1200, 300, 300), 3, (1200, 300))
    assert (d.volume, d.n_views, d.detector) == ((1, 2000, 2000), 1000, (1, 2000))
    on_cpu = breakup.on_cpu()
    assert on_cpu[0].volume == (250, 250, 250) and on_cpu[0].n_views == 250
    assert on_cpu[1] == b and on_cpu[2].n_views == 3 and on_cpu[3].volume == (1, 1000, 1000)
    assert set(DIVISORS) == {problem.key for problem in PROBLEMS}


@pytest.mark.slow
def test_each_part_is_measured(device: Backend) -> None:
    part = breakup.run(device, problems=SMALL, samples=2)
    (row,) = part["rows"]
    assert list(row["seconds"]) == list(STEPS) and all(row["seconds"].values())
    assert row["gups"] == pytest.approx(6 * 7 * 8 * 5 / row["seconds"]["kernel"] / 1e9)
    assert part["device"] == device.label
    assert (row["threads"] is None) is device.is_cuda


@pytest.mark.slow
def test_parts_add_up_to_the_whole(device: Backend) -> None:
    if not isinstance(device.gpu, EmulatedGpu):
        pytest.skip("a real card starts with its first work")
    breakup.run(device, problems=SMALL, samples=2)
    begin = perf_counter()
    part = breakup.run(device, problems=SMALL, samples=2)
    total = perf_counter() - begin
    # two samples, and medians of the second
    assert sum(part["rows"][0]["seconds"].values()) < total


def test_each_step_has_its_own_time() -> None:
    clock = Clock(cpu(1))
    assert clock.step("kernel", lambda: sleep(0.02) or 3) == 3
    clock.step("start", lambda: None)
    assert clock.seconds["kernel"] > 0.015 > clock.seconds["start"] >= 0
    assert clock.seconds["copy in"] == 0


@pytest.mark.slow
def test_table_names_problems_and_parts() -> None:
    part = breakup.run(cpu(1), problems=SMALL, samples=2)
    text = tables.of("cone_breakup", part)[0].markdown()
    assert "(b) small cube" in text and "8 × 7 × 6, 5, 9 × 8" in text
    assert all(f"{name} [ms]" in text for name in STEPS)
    assert "loaded from the cache" in text


@pytest.mark.slow
def test_problem_larger_than_the_memory_is_reported() -> None:
    on = cuda(EmulatedGpu(memory_limit=2000))
    part = breakup.run(on, problems=SMALL, samples=2)
    (row,) = part["rows"]
    assert row["seconds"] is None and "memory" in row["fault"]
    text = tables.of("cone_breakup", part)[0].markdown()
    assert "| -" in text and "(b) small cube: " in text
