"""Tests of the comparison with parallelproj 2 in list mode: same rays, rows of both devices."""

from __future__ import annotations

import os
from ctypes import CDLL

import numpy as np
import pytest

from engine.core.backend import cpu, cuda
from engine.core.errors import ResourceError
from engine.operators.rays import RayProjector
from engine.tools.benchmark import crossing, tables
from engine.tools.benchmark.peers import cases, list_mode
from engine.tools.benchmark.peers.parallelproj_2 import ListModePeer
from engine.tools.benchmark.peers.parallelproj_library import VARIABLE, ParallelprojLibrary
from tests.emulator import EmulatedGpu
from tests.peers import parallelproj

pytestmark = pytest.mark.slow

WORK = (300, (16, 32))
"""Number of events, and edges of the cubes."""


@pytest.fixture
def builds(monkeypatch):
    """Return two CPU builds."""
    found = [parallelproj.library("CUDA_ENABLED=0", *more) for more in ((), ("ANOTHER",))]
    monkeypatch.setenv(VARIABLE, os.pathsep.join(map(str, found)))
    return found


def rows_of(on):
    return [cases.row(case, 1) for case in list_mode.cases(on, *WORK)]


@pytest.mark.parametrize("is_timed", [False, True])
@pytest.mark.parametrize("has_card", [False, True])
def test_library_integrates_along_our_rays(rng, has_card, is_timed):
    on = cuda(EmulatedGpu()) if has_card else cpu(2)
    path = parallelproj.library() if has_card else parallelproj.library("CUDA_ENABLED=0")
    tof, grid = crossing.timing(385.0), crossing.cube(32)
    untimed, timed = crossing.sorted_crystals(300, tof, rng)
    rays, tof = (timed, tof) if is_timed else (untimed, None)
    # a ramp along every axis, so that swapped axes are detected
    z, y, x = np.indices(grid.shape, np.float32)
    image = 1 + x + 3 * y + 7 * z
    peer_run = ListModePeer(on, rays, grid, image, tof, path=str(path)).peer_run()

    theirs = on.to_host(peer_run.result())
    ours = on.to_host(RayProjector(rays, grid, on=on, tof=tof).forward(on.to_device(image)))

    # the stand-in samples points instead of Joseph's planes, and voxels without interpolation
    assert theirs.mean() == pytest.approx(ours.mean(), rel=0.01)
    assert np.corrcoef(ours, theirs)[0, 1] > 0.995
    assert peer_run.build == f"libparallelproj 2.0-stand-in, {path.name}"


def test_each_build_has_a_row_for_each_work(builds):
    rows = rows_of(cpu(2))[1:]
    works = list(dict.fromkeys(row["work"] for row in rows))
    name = "list mode, EM numerator, 300 events"
    assert works == [
        f"{name} unsorted, 16³", f"{name} sorted, 16³", f"{name} sorted, 16³, 385 ps",
        f"{name} sorted, 16³, 200 ps", f"{name} sorted, 32³",
    ]  # fmt: skip
    names = [f"libparallelproj 2.0-stand-in, {path.name}" for path in builds]
    assert [(row["work"], row["build"]) for row in rows] == [(w, b) for w in works for b in names]
    for row in rows:
        assert row["why_not"] == ""
        assert row["ratio"] == pytest.approx(row["peer_cpu_s"] / row["ours_cpu_s"])
        assert row["agreement"]["of"] == "forward sums"
        assert row["agreement"]["correlation"] > 0.95


def test_without_the_library_each_work_has_one_row(without_parallelproj):
    rows = rows_of(cpu(2))[1:]
    assert len(rows) == 5
    for row in rows:
        assert row["ours_s"] > 0
        assert (row["build"], row["ratio"], row["why_not"]) == (None, None, "")


def test_plane_time_of_the_larger_image_is_compared_with_the_smaller():
    def row(edge, seconds):
        work = f"list mode, EM numerator, 300 events sorted, {edge}³"
        return {"work": work, "ours_cpu_s": seconds}

    (bar,) = list_mode.bars([row(16, 1.0), row(16, 3.0), row(32, 5.0)], *WORK)
    assert bar.value == pytest.approx(5 / 32 / (2 / 16))
    assert bar.passed


def test_build_with_cuda_costs_its_cpu_rows(monkeypatch):
    path = parallelproj.library()
    monkeypatch.setenv(VARIABLE, str(path))
    reason = rf"{path.name}: this library was built with CUDA .* Install .* without CUDA"
    with pytest.raises(ResourceError, match=reason):
        ParallelprojLibrary(cpu(1))
    rows = rows_of(cpu(1))
    assert ["built with CUDA" in row["why_not"] for row in rows[1:]] == [True] * 5
    part = {"workload": "", "threads": 1, "repeats": 1, "limits": {}, "rows": rows, "bars": []}
    text = "".join(table.markdown() for table in tables.of("peers", part))
    assert "libparallelproj, not measured" in text
    assert text.count("built with CUDA") == 1


def test_build_for_another_processor_is_refused():
    path = str(parallelproj.library("CUDA_ENABLED=0", "THROWS"))
    with pytest.raises(ResourceError, match=r"CPU, 1 thread: .* length of a test ray"):
        ParallelprojLibrary(cpu(1), path)


def test_library_uses_our_number_of_threads(builds, rng):
    rays, _ = crossing.sorted_crystals(10, crossing.timing(385.0), rng)
    grid, path = crossing.cube(16), str(builds[0])
    image = np.ones(grid.shape, np.float32)
    ListModePeer(cpu(3), rays, grid, image, None, path=path).numerator()
    assert CDLL(path).omp_get_max_threads() == 3


def test_rays_that_miss_the_image_have_no_sum(builds):
    grid = crossing.cube(16)
    rays = crossing.events(3, np.random.default_rng(1))
    # far outside the cube
    rays.points_mm[:2] += 1000
    image = np.ones(grid.shape, np.float32)
    peer = ListModePeer(cpu(1), rays, grid, image, None)
    shares = peer.numerator()
    # the two other events
    assert shares.sum(dtype=np.float64) == pytest.approx(2, rel=1e-5)
