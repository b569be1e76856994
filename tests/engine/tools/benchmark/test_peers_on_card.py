"""Tests of the comparison with other programs on a GPU."""

from __future__ import annotations

import ctypes.util
import os
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest

from engine.core.backend import Backend, cpu, cuda
from engine.core.errors import ResourceError
from engine.geometry.grid import ImageGrid
from engine.geometry.orbits import circular_cone, to_astra_vectors
from engine.operators.xray.transform import XrayTransform
from engine.recon.filtering.fdk import fdk
from engine.tools.benchmark import crossing, report, tables
from engine.tools.benchmark.cone.suite import ConeWork
from engine.tools.benchmark.peers.astra_cuda import AstraCone, beams
from engine.tools.benchmark.peers.on_card import CardWork, measure
from engine.tools.benchmark.peers.parallelproj_2 import ListModePeer
from engine.tools.benchmark.peers.parallelproj_library import VARIABLE, ParallelprojLibrary
from tests.emulator import EmulatedGpu
from tests.peers import astra, parallelproj

TINY = CardWork(events=(300,), size=32, cone=(16, 8), repeats=1)
ROOT = Path(__file__).parents[4]
MEASURED = "docs/benchmarks/peers-h100-2026-11-27.json"


def quiet(_: str) -> None:
    pass


@pytest.fixture
def gpu() -> Backend:
    return cuda(EmulatedGpu())


@pytest.fixture
def with_parallelproj(monkeypatch):
    monkeypatch.setenv(VARIABLE, str(parallelproj.library()))


@pytest.fixture
def install_astra(monkeypatch, tmp_path):
    """Install a stub of ASTRA, with the files of its wheel."""
    facts = tmp_path / "astra_toolbox-9.1.dist-info"
    facts.mkdir()
    (facts / "METADATA").write_text("Metadata-Version: 2.1\nName: astra-toolbox\nVersion: 9.1\n")

    def install(on: Backend, **options) -> astra.StandIn:
        module = astra.StandIn(on, **options)
        monkeypatch.syspath_prepend(tmp_path)
        monkeypatch.setitem(sys.modules, "astra", module)
        return module

    return install


def test_library_without_effect_is_reported(gpu, rng, monkeypatch):
    monkeypatch.setenv(VARIABLE, str(parallelproj.library("IDLE")))
    rays, _ = crossing.sorted_crystals(50, crossing.timing(385.0), rng)
    grid = crossing.cube(16)
    peer_run = ListModePeer(gpu, rays, grid, np.ones(grid.shape, np.float32), None).peer_run()
    with pytest.raises(ResourceError, match="numerator adds up to 0 events, expected 50"):
        peer_run.result()


def test_gpu_uses_the_first_of_several_builds(gpu, monkeypatch):
    first, second = parallelproj.library(), parallelproj.library("CUDA_ENABLED=0")
    monkeypatch.setenv(VARIABLE, os.pathsep.join(map(str, (first, second))))
    assert ParallelprojLibrary(gpu).build == f"libparallelproj 2.0-stand-in, {first.name}"


def test_library_for_host_memory_is_refused(gpu, monkeypatch):
    monkeypatch.setenv(VARIABLE, str(parallelproj.library("CUDA_ENABLED=0")))
    with pytest.raises(
        ResourceError,
        match=r"\.so: this library was built without CUDA .*\. Install libparallelproj",
    ):
        ParallelprojLibrary(gpu)


@pytest.mark.parametrize("fault", ["THROWS", "SUMS_NOTHING"])
def test_library_that_cannot_use_the_gpu_is_refused(gpu, monkeypatch, fault):
    monkeypatch.setenv(VARIABLE, str(parallelproj.library(fault)))
    with pytest.raises(ResourceError, match="length of a test ray"):
        ParallelprojLibrary(gpu)


def test_foreign_library_is_refused(gpu, monkeypatch, tmp_path):
    other = ctypes.util.find_library("c")
    if other is None:
        pytest.skip("this system does not name its C library")
    monkeypatch.setenv(VARIABLE, other)
    with pytest.raises(ResourceError, match="not libparallelproj 2"):
        ParallelprojLibrary(gpu)
    monkeypatch.setenv(VARIABLE, str(tmp_path / "gone.so"))
    with pytest.raises(ResourceError, match=r"gone\.so: the library cannot be loaded"):
        ParallelprojLibrary(gpu)


def test_astra_gets_the_same_scan_in_its_units(gpu, install_astra):
    module = install_astra(gpu)
    rows = measure(gpu, TINY, quiet)["rows"][2:6]
    assert [row["work"].split(",")[0] for row in rows] == [
        "cone back projection", "cone forward projection", "cone forward projection", "cone FDK",
    ]  # fmt: skip
    for row in rows:
        assert row["why_not"] == ""
        assert row["build"] == "astra-toolbox 9.1, as distributed"
        assert row["ratio"] == pytest.approx(row["peer_s"] / row["ours_s"])
        found = row["agreement"]
        # float32 in voxels and in mm; GPU textures have fractions of 8 bits
        assert found["correlation"] == pytest.approx(1, abs=1e-4)
        expected = (1000 / 1500) ** 2 if "back" in row["work"] else 1.0
        assert found["mean_peer"] / found["mean_ours"] == pytest.approx(expected, rel=1e-3)
    assert set(module.held.values()) == {None}, "ASTRA still refers to our arrays"


def test_astra_geometry_equals_ours():
    module = pytest.importorskip("astra", exc_type=ImportError)
    work = ConeWork(32, 12, 48)
    vectors = module.functions.geom_2vec(beams(module, work))["Vectors"]
    ours = to_astra_vectors(work.geometry)
    np.testing.assert_allclose(vectors * work.grid.voxel_mm[0], ours, atol=1e-9)


def install_tigre(monkeypatch, tmp_path, *, angle_rad=0.0):
    """Install a stub of TIGRE, which gets its geometry and computes on the CPU."""
    facts = tmp_path / "tigre-9.2.dist-info"
    facts.mkdir()
    (facts / "METADATA").write_text("Metadata-Version: 2.1\nName: tigre\nVersion: 9.2\n")
    monkeypatch.syspath_prepend(tmp_path)

    def given(geo, angles):
        assert geo.mode == "cone" and not geo.offOrigin.any() and not geo.offDetector.any()
        assert geo.sVoxel == pytest.approx(geo.nVoxel * geo.dVoxel)
        assert geo.sDetector == pytest.approx(geo.nDetector * geo.dDetector)
        scan = circular_cone(
            np.asarray(angles, float) + angle_rad, source_axis_mm=geo.DSO,
            source_detector_mm=geo.DSD, shape=tuple(geo.nDetector), pixel_mm=geo.dDetector[0],
        )  # fmt: skip
        return scan, ImageGrid(tuple(map(int, geo.nVoxel)), tuple(geo.dVoxel[::-1]))

    def project(head, geo, angles):
        return XrayTransform(*given(geo, angles), on=cpu(1)).forward(head)

    module, algorithms = ModuleType("tigre"), ModuleType("tigre.algorithms")
    module.geometry, module.Ax = SimpleNamespace, project
    algorithms.fdk = lambda views, geo, angles: fdk(views, *given(geo, angles), on=cpu(1))
    monkeypatch.setitem(sys.modules, "tigre", module)
    monkeypatch.setitem(sys.modules, "tigre.algorithms", algorithms)


def test_tigre_gets_the_same_scan(gpu, monkeypatch, tmp_path):
    install_tigre(monkeypatch, tmp_path)
    rows = measure(gpu, TINY, quiet)["rows"][6:]
    assert [row["agreement"]["of"] for row in rows] == ["forward sums", "volumes"]
    for row in rows:
        assert (row["why_not"], row["build"]) == ("", "TIGRE 9.2, as installed")
        assert row["work"].endswith("from host to host")
        found = row["agreement"]
        assert found["correlation"] == pytest.approx(1, abs=1e-4)
        assert found["mean_peer"] == pytest.approx(found["mean_ours"], rel=1e-3)


def test_peer_with_another_scan_misses_its_limit(gpu, monkeypatch, tmp_path):
    install_tigre(monkeypatch, tmp_path, angle_rad=np.pi / 2)
    part = measure(gpu, TINY, quiet)
    misses = [bar["name"] for bar in part["bars"] if not bar["passed"]]
    # with few rays, sums from opposite sides are similar
    assert any("FDK" in name and "TIGRE" in name for name in misses)
    assert all("TIGRE" in name for name in misses)


def test_failing_peer_gives_one_sentence_and_the_others_are_measured(
    gpu, install_astra, with_parallelproj
):
    install_astra(gpu, fails_in="BP3D_CUDA")
    messages: list[str] = []
    part = measure(gpu, TINY, messages.append)
    reasons = [row["why_not"] for row in part["rows"]]
    assert reasons[:6] == ["", "", "ASTRA failed: no memory left.", "", "", ""]
    assert reasons[6] == reasons[7] and reasons[6].startswith("TIGRE is not installed. Install ")
    assert "note: ASTRA failed: no memory left." in messages
    assert all(row["ours_s"] > 0 for row in part["rows"])
    assert [row["ratio"] is None for row in part["rows"]] == [bool(reason) for reason in reasons]
    # unmeasured rows have no agreement
    assert len(part["bars"]) == 5


def test_without_peers_only_our_times_are_given(gpu, without_parallelproj, monkeypatch):
    monkeypatch.setitem(sys.modules, "astra", None)
    part = measure(gpu, TINY, quiet)
    reasons = [row["why_not"].split(". ")[0] for row in part["rows"]]
    assert reasons[:2] == ["libparallelproj is not installed"] * 2
    for reason in reasons[2:6]:
        assert "ASTRA is not installed" in reason or "cannot be loaded" in reason
    assert part["bars"] == []
    text = "".join(table.markdown() for table in tables.of("peers", part))
    assert "libparallelproj, CUDA, not measured" in text
    assert text.count("libparallelproj is not installed. Install") == 1


def test_astra_without_cuda_is_reported(gpu, install_astra):
    install_astra(gpu, has_card=False)
    work = ConeWork(16, 8, 16)
    peer = AstraCone(gpu.gpu, work, gpu.gpu.empty((16, 16, 16), np.float32), None)
    with pytest.raises(ResourceError, match=r"9\.1, as distributed: ASTRA finds no GPU"):
        peer.forward()


def test_cpu_has_no_gpu_peers():
    with pytest.raises(ResourceError, match="cannot be measured on it"):
        measure(cpu(2), TINY, quiet)


def test_gpu_figures_become_a_table():
    run = report.read(ROOT / MEASURED)
    part = run["parts"]["peers"]
    for row in part["rows"]:
        ratio = None if row["why_not"] else pytest.approx(row["peer_s"] / row["ours_s"])
        assert row["ratio"] == ratio
    text = report.page([run])
    assert "## NVIDIA H100 80GB HBM3, 2026-11-27" in text
    line = next(line for line in text.splitlines() if "16000000 events sorted, 128³ " in line)
    assert [cell.strip() for cell in line.split("|")][2:] == [
        "37.2 ms", f"libparallelproj, CUDA ({part['rows'][2]['build']})", "86.7 ms", "2.33",
        "0.99898", "0.99515", "",
    ]  # fmt: skip
