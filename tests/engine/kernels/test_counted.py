"""Counted instructions and memory accesses of warps: closed forms, and limits of our kernels."""

import json
from dataclasses import replace

import numpy as np
import pytest

from engine.tools.benchmark import counted as shipped
from engine.tools.benchmark.cone import whole_fdk
from engine.tools.benchmark.cone.steps import n_steps
from engine.tools.benchmark.cone.suite import ConeWork
from engine.tools.benchmark.cone.variants import FormsWork
from engine.tools.benchmark.counted import UnitCost
from tests.emulator import EmulatedGpu, counted, nvrtc
from tests.emulator.registers import digests
from tests.emulator.sass import MachineCode

pytestmark = pytest.mark.skipif(
    not nvrtc.is_installed(),
    reason="the wheel nvidia-cuda-nvrtc, which compiles for a GPU, is not installed",
)
SOURCE = r"""
extern "C" __global__ void __launch_bounds__(64) strided(const float* x, float* out, int step) {
  out[threadIdx.x] = x[threadIdx.x * step];
}
extern "C" __global__ void __launch_bounds__(64) conflicting(float* out, int step) {
  __shared__ float kept[32 * 32];
  kept[threadIdx.x * step] = threadIdx.x;
  __syncwarp();
  out[threadIdx.x] = kept[threadIdx.x * step];
}
extern "C" __global__ void __launch_bounds__(64) parting(const float* x, float* out) {
  const int n = threadIdx.x % 32 < 16 ? 3 : 5;
  float sum = 0;
#pragma unroll 1
  for (int i = 0; i < n; ++i) sum += x[i];
  atomicAdd(out, sum);
}
"""


@pytest.fixture
def card():
    return EmulatedGpu(ptx=90, counted=True)


def sums(card, kernel, what, *kinds):
    for (_, _, name), counters in card.counters().items():
        if name == kernel:
            return counters.sum_of(what, *kinds)
    raise AssertionError(kernel)


@pytest.mark.parametrize(
    ("step", "lines", "sectors"), [(0, 1, 1), (1, 1, 4), (2, 2, 8), (8, 8, 32), (32, 32, 32)]
)
def test_lines_and_sectors_of_a_stride_are_counted(card, step, lines, sectors):
    x = card.upload(np.zeros(64 * 32, np.float32))
    card.load(SOURCE, ()).function("strided")(
        1, 64, x, card.empty((64,), np.float32), np.int32(step)
    )
    assert sums(card, "strided", "issued", "load") == 2
    assert sums(card, "strided", "lanes", "load") == 64
    # Two warps read; their first elements are multiples of 32 steps.
    assert sums(card, "strided", "lines", "load") == 2 * lines
    assert sums(card, "strided", "sectors", "load") == 2 * sectors
    assert sums(card, "strided", "lines", "store") == 2


@pytest.mark.parametrize(("step", "wavefronts"), [(1, 1), (2, 2), (3, 1), (32, 32)])
def test_conflicts_of_shared_memory_are_counted(card, step, wavefronts):
    conflicting = card.load(SOURCE, ()).function("conflicting")
    conflicting(1, 32, card.empty((64,), np.float32), np.int32(step))
    # once written and once read
    assert sums(card, "conflicting", "wavefronts", "shared") == 2 * wavefronts


def test_divergent_paths_are_issued_once_each(card):
    x, out = card.upload(np.arange(8, dtype=np.float32)), card.upload(np.zeros(1, np.float32))
    card.load(SOURCE, ()).function("parting")(1, 64, x, out)
    assert card.download(out)[0] == 2 * 16 * (0 + 1 + 2) + 2 * 16 * (0 + 1 + 2 + 3 + 4)
    # All lanes iterate three times together and half of them twice more. Then all add together.
    assert sums(card, "parting", "issued", "load") == 2 * 5
    assert sums(card, "parting", "lanes", "load") == 2 * (16 * 3 + 16 * 5)
    assert sums(card, "parting", "issued", "atomic") == 2
    assert sums(card, "parting", "lines", "atomic") == 2


@pytest.mark.parametrize("arch", [75, 90, 120])
def test_loops_of_machine_code_are_found(arch):
    cubin = nvrtc.compile_for(SOURCE, arch).cubin
    (loop,) = [part for part in MachineCode(cubin, "parting", arch).loops if part.kinds]
    assert loop.kinds == {"load": 1}
    assert 4 <= loop.n <= 16
    assert not [part for part in MachineCode(cubin, "strided", arch).loops if part.kinds]
    with pytest.raises(ValueError, match="no kernel"):
        MachineCode(cubin, "other", arch)


def test_record_belongs_to_these_sources():
    record = json.loads(counted.RECORD.read_text(encoding="utf-8"))
    assert record["sources"] == digests(counted.SOURCES), (
        "the kernels changed; run python -m tests.emulator.counted"
    )
    assert [(row["work"], row["kernel"]) for row in record["counts"]] == [
        (one.work, one.kernel) for one in shipped.recorded()
    ]


def found(name, rtol=None, atol=None):
    (work,) = (work for work in counted.WORKS if work.name == name)
    rows = counted.counts(work)
    record = json.loads(counted.RECORD.read_text(encoding="utf-8"))
    if record["nvrtc"] == nvrtc.version():
        retained = {row["kernel"]: row for row in record["counts"] if row["work"] == name}
        for kernel, row in rows.items():
            expected = {key: retained[kernel][key] for key in row}
            assert row == pytest.approx(expected, rel=rtol, abs=atol), kernel
    return rows


def test_event_takes_at_most_175_lines_and_600_slots():
    row = found("list mode, tiles")["update"]
    assert sum(row[f"lines of {kind}"] for kind in ("loads", "atomics", "stores")) <= 175
    assert row["slots"] <= 600


def test_slice_takes_at_most_26_slots_for_32_updates():
    assert found("slice of CT")["back"]["slots"] <= 26


def test_columns_take_at_most_22_slots_for_32_updates():
    assert found("volume of CT, columns")["back"]["slots"] <= 22


def test_gathering_takes_less_than_half_of_the_clocks_of_adding_by_rays():
    (by_rays,) = (one for one in shipped.recorded() if one.work == "exact adjoint of CT, by rays")
    rows = found("exact adjoint of CT, by voxels").values()
    costs = [UnitCost.of({"work": "", "kernel": "", "unit": ""} | row) for row in rows]
    both = sum(max(cost.clocks.values()) for cost in costs)
    assert both <= 0.5 * max(by_rays.clocks.values())


@pytest.mark.parametrize(
    ("scan", "measured_s", "work"),
    [("256³", 14.4e-3, ConeWork(256)), ("512³", 0.484, FormsWork())],
)
def test_no_measured_line_integral_exceeds_its_limit(scan, measured_s, work):
    (one,) = (one for one in shipped.recorded() if one.work == f"line integrals of CT, {scan}")
    (h100,) = (card for card in shipped.CARDS if card.name == "H100")
    # Measured on 2026-11-27, docs/benchmarks/gpu.md.
    steps_per_s = n_steps(work.geometry, work.grid, 100_000) / measured_s
    assert 0.3 < steps_per_s / one.limit(h100) < 0.6


def test_step_of_line_integrals_reads_four_voxels():
    # Every counted step reads its four voxels, except at the faces of the volume. The views of a
    # launch are read as well; they can begin anywhere in a line, which adds up to one line in
    # 2,000.
    row = found("line integrals of CT, 256³", rtol=1e-3, atol=2e-3)["forward"]
    assert 3.9 < row["loads of threads"] <= 4 + 0.01


def test_product_of_two_panels_takes_at_most_six_tenths_of_a_load():
    for kernel, row in found("two panels").items():
        assert row["loads of threads"] <= 0.6, kernel


def test_page_of_limits_equals_the_output_of_the_command():
    page = counted.RECORD.parents[2] / "docs" / "benchmarks" / "roofline.md"
    assert page.read_text(encoding="utf-8") == whole_fdk.page(shipped.recorded()), (
        "run isocenter bench kernels --counted -o docs/benchmarks/roofline.md --force"
    )


def test_limit_is_the_clock_over_the_bottleneck():
    card = shipped.PublishedCard("a card", 100, 2.0)
    event = UnitCost("w", "k", "event", 400.0, 40.0, 10.0, 0.0, 1.0, 32.0, 6.0)
    assert (event.binding, event.limit(card)) == ("issue", 100 * 2e9 / 100)
    # Reading 32 lines takes 8 clocks, and each of the other 8 accesses takes a clock.
    assert event.clocks["memory"] == 8 + 8 + 10
    # A load takes at least a clock, even if it reads few lines.
    assert replace(event, requests=12.0).clocks["memory"] == 12 + 8 + 10
    update = UnitCost("w", "k", "32 updates", 16.0, 1.0, 0.0, 1.0, 0.0, 0.0, 0.0)
    assert (update.binding, update.limit(card)) == ("textures", 32 * 100 * 2e9 / 8)
