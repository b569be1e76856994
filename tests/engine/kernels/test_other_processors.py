"""LLVM intrinsics of one processor give the same results on other supported processors."""

import os
import subprocess
import sys
from collections.abc import Mapping

import pytest

from engine.kernels.processor import FEATURES

pytestmark = pytest.mark.slow

AVX2 = "+64bit,+avx,+avx2,+bmi,+bmi2,+cmov,+cx16,+f16c,+fma,+lzcnt,+mmx,+movbe,+popcnt,+sse4.2"
PROCESSORS = {
    "the least": ({"NUMBA_CPU_NAME": "generic", "NUMBA_CPU_FEATURES": ""}, set()),
    "AVX2": ({"NUMBA_CPU_NAME": "haswell", "NUMBA_CPU_FEATURES": AVX2}, {"avx2", "fma"}),
}
"""By name: compile target of Numba, and the required features of this processor."""
PROGRAM = """
import numpy as np
from numba import njit
from engine.kernels.processor import HAS_AVX512, HAS_LANES
from engine.kernels.vectors.pack import pack_row
from engine.kernels.vectors.window import MARGIN, add_between, can_collect

@njit
def packed(values, places, n, kept, kept_places, end):
    return pack_row(values, places, n, kept, kept_places, end)

@njit
def read(target, row, begin, step):
    add_between(target, 2, (5, 32), row, 0, begin, step)

assert not HAS_AVX512 and not can_collect(1.0)
print(HAS_LANES)

values, places = np.float32([0, 2, 0, 0, 3] * 9), np.arange(45, dtype=np.uint32)
kept, kept_places = np.zeros(61, np.float32), np.zeros(61, np.uint32)
n = packed(values, places, 43, kept, kept_places, 2)
assert n == 19 and kept_places[2:n].tolist() == np.flatnonzero(values[:43]).tolist()
assert kept[2:n].tolist() == [2, 3] * 8 + [2]

for begin, step in ((2.3, 0.7), (57.9, -1.8)):
    row, target = np.random.default_rng(1).random(60), np.zeros(40, np.float32)
    read(target, np.pad(row, MARGIN).astype(np.float32), begin, step)
    truth = np.interp(begin + step * np.arange(5, 32), np.arange(60), row)
    assert np.abs(target[3:30] - truth).max() < 1e-5 and not target[30:].any()
"""
TRACED = """
import numpy as np
from numba import njit
from engine.kernels.rays.bricks import steps
from engine.kernels.rays.tof import chord_table
from engine.kernels.vectors.slabs import trace_lanes, trace_timed_lanes

@njit
def traced(line, layout, n, kept, places):
    return trace_lanes(line, layout, n, kept, places)

@njit
def traced_timed(line, layout, n, kept, places, curve):
    return trace_timed_lanes(line, layout, n, kept, places, curve)

f, i = np.float32, np.int32
su, sv = f(0.31), f(-0.17)
line = (f(3.3), su, f(1) / su, f(17.2), sv, f(1) / sv, f(0.2), f(36.7), f(30), f(30))
layout = tuple(i(n) for n in (1, *np.ravel(steps((40, 40, 40), 1))))
curve = chord_table(25.0, 40.0, "float32").in_lanes()
timed = tuple(f(x) for x in (-9.5, 0.45, 2.2))
for found in (
    lambda *out: traced(line, layout, 37, *out),
    lambda *out: traced_timed((*line, *timed), layout, 37, *out, curve),
):
    kept, places = np.zeros(160, np.float32), np.zeros(160, np.uint32)
    n = found(kept, places)
    order = np.argsort(places[:n])
    print(*places[order], *(round(float(each), 4) for each in kept[order]))
"""
GRIDDED = """
from hashlib import sha256

import numpy as np

from engine.core.backend import cpu
from engine.geometry.grid import ImageGrid
from engine.geometry.orbits import circle, parallel
from engine.recon.filtering.fdk import fdk
from engine.recon.filtering.settings import FilterSettings

geometry = parallel(circle(40, range_rad=np.pi), shape=(12, 48), pixel_mm=1.0)
values = np.random.default_rng(1).random((40, 12, 48), np.float32)
grid, settings = ImageGrid((12, 40, 44), (1.0, 1.1, 1.0)), FilterSettings(method="gridding")
image = fdk(values, geometry, grid, settings=settings, on=cpu(2))
alone = fdk(values, geometry, grid, settings=settings, on=cpu(1), region=np.s_[5:6, :, :])
print(*(sha256(each.tobytes()).hexdigest() for each in (image, alone)))
"""
FEW_SLICES = """
import numpy as np
from engine.core.backend import cpu
from engine.geometry.grid import ImageGrid
from engine.geometry.orbits import circle, circular_cone
from engine.operators.xray.transform import XrayTransform

scan = circular_cone(
    circle(5), source_axis_mm=90.0, source_detector_mm=130.0, shape=(9, 40), pixel_mm=1.6
)
rng = np.random.default_rng(2)
for shape, voxel_mm, kernel in (
    ((2, 30, 33), 1.0, "few slices"),
    ((7, 20, 16), 1.2, "few slices"),
    ((1, 30, 33), 1.0, "strips"),
    ((2, 7, 8), 12.0, "strips"),  # one by one
):
    A = XrayTransform(scan, ImageGrid(shape, (voxel_mm,) * 3), on=cpu(1))
    assert A._projector._few and A._projector._kernel == kernel
    x, y = rng.random(A.in_shape, np.float32), rng.random(A.out_shape, np.float32)
    for found in (A(x), A.T(y), A.back_project(y, weighting="fdk")):
        print(*(found.ravel() / found.max()).round(6))
"""


def output_of(program: str, environment: Mapping[str, str] = {}) -> str:
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, env=os.environ | environment, stdout=subprocess.PIPE, check=True)
    return done.stdout.decode()


@pytest.mark.parametrize("processor", PROCESSORS)
def test_rows_are_packed_and_read_the_same(processor):
    environment, needed = PROCESSORS[processor]
    if not needed <= FEATURES:
        pytest.skip(f"the processor does not have the features of {processor}")
    assert output_of(PROGRAM, environment).split() == [str(bool(needed))]


def test_taps_with_avx2_equal_those_of_this_processor():
    environment, needed = PROCESSORS["AVX2"]
    if not needed <= FEATURES:
        pytest.skip("the processor does not have AVX2")
    ours, theirs = (output_of(TRACED, where).splitlines() for where in ({}, environment))
    for one, other in zip(ours, theirs, strict=True):
        one, other = ([float(word) for word in text.split()] for text in (one, other))
        assert len(one) > 100
        assert one == pytest.approx(other, abs=2e-4)


@pytest.mark.parametrize("processor", PROCESSORS)
def test_gridding_has_the_same_bits(processor):
    environment, needed = PROCESSORS[processor]
    if not needed <= FEATURES:
        pytest.skip(f"the processor does not have the features of {processor}")
    assert output_of(GRIDDED, environment) == output_of(GRIDDED)


@pytest.mark.parametrize("processor", PROCESSORS)
def test_few_slices_equal_those_of_this_processor(processor):
    environment, needed = PROCESSORS[processor]
    if not needed <= FEATURES:
        pytest.skip(f"the processor does not have the features of {processor}")
    ours, theirs = (output_of(FEW_SLICES, where).splitlines() for where in ({}, environment))
    for one, other in zip(ours, theirs, strict=True):
        one, other = ([float(word) for word in text.split()] for text in (one, other))
        assert len(one) > 100
        assert one == pytest.approx(other, abs=5e-6)  # float32, relative to the maximum
