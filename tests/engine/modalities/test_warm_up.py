"""Kernels are compiled once each, before a run needs them. The stage reports its progress."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from engine.core.backend import cpu, cuda
from engine.data.projections import Projections
from engine.data.runs.events import Measured, Progressed, StageStarted
from engine.geometry.orbits import circle, circular_cone
from engine.geometry.ring import RingScanner, RingSettings
from engine.geometry.tof import TofSettings
from engine.io import read_scanner, save, write_histogram, write_listmode, write_projections
from engine.io.hdf5.response import write_response
from engine.jobs.reconstruction import run
from engine.modalities.dual_head_pet.protocol import DualHeadProtocol
from engine.modalities.dual_head_pet.response.building import build_analytic
from engine.modalities.dual_head_pet.response.settings import AnalyticResponse
from engine.modalities.listmode_pet.protocol import ListModeProtocol
from engine.modalities.studies import Study, write_study
from engine.modalities.xray_ct.protocol import CtProtocol
from engine.protocols.study.assignments import with_settings
from engine.simulate import ShapePhantom, point, simulate_listmode
from engine.simulate.histogram import simulate_histogram
from engine.simulate.shapes import Cylinder
from tests.emulator import EmulatedGpu

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[3]
RING = RingSettings(
    name="tiny", n_rings=4, n_crystals_per_ring=32, radius_mm=60, ring_pitch_mm=6,
    max_ring_difference=3, n_tangential=20, gap_places=(0, 16), block_rings=2, block_places=4,
    tof=TofSettings(fwhm_ps=300, bin_ps=150, n_bins=5), voxel_mm=(6, 6, 6), fov_mm=(60, 24),
)  # fmt: skip
EM = ("algorithm.iterations=2", "algorithm.subsets=2", "finishing=[]")
SIRT = ('algorithm.kind="sirt"', "algorithm.iterations=2", "algorithm.subsets=2")
FEW_ROWS = ('steps.crop.use="on"', "steps.crop.rows=[8, 12]")
ROLL = ('steps.roll.use="on"', "steps.roll.degrees=3")
KINDS = {
    "fdk": (),
    "fdk-slice": ("grid.length_mm=2",),
    "fdk-rolled": ROLL,
    "sirt": SIRT,
    "sirt-voxel": (*SIRT, 'adjoint="voxel"'),
    "sirt-few-rows": (*SIRT, *FEW_ROWS),
    "fista": ('algorithm.kind="fista_tv"', "algorithm.iterations=2", *ROLL),
    "events": EM,
    "events-exact": (*EM, "reproducible=true"),
    "events-smoothed": (*EM[:2], 'finishing=[{kind="gaussian"}]'),
    "events-no-time": (*EM, "time_of_flight=false"),
    "panels": EM,
    "panels-one": ("algorithm.iterations=2", "algorithm.subsets=1"),
}
AXIS_SEARCH = "engine.kernels.opposite_rays.pair_sums"
"""Kernel that finds the rotation axis in the preparation of a scan, before the kernel stage."""


@pytest.fixture(scope="module")
def scans(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write a small scan of each kind."""
    folder = tmp_path_factory.mktemp("scans")
    rng = np.random.default_rng(1)
    geometry = circular_cone(
        circle(16), source_axis_mm=100.0, source_detector_mm=150.0, shape=(24, 20), pixel_mm=3.0
    )
    y = rng.random((16, 24, 20), np.float32)
    write_projections(Projections(y, geometry, "integrals"), folder / "cone.h5")
    ball = (Cylinder((4.0, 0.0, 0.0), (20.0, 20.0, 16.0), activity=1.0, mu_per_mm=0.0096),)
    events = simulate_listmode(
        ShapePhantom("cylinder", ball), RingScanner(RING), n_prompts=4000, seed=3,
        randoms_fraction=0.3,
    )  # fmt: skip
    write_listmode(replace(events, mu_map=None), folder / "events.h5")
    save(events.mu_map, folder / "mu.nii.gz", {})
    response = build_analytic(read_scanner("test-panels"), AnalyticResponse(n_points=512))
    write_response(response, folder / "response.h5")
    counts = simulate_histogram(
        point(1.0, 0.5, -1.0, diameter_mm=3.0), response, n_prompts=4000, seed=2, on=cpu(2)
    )
    write_histogram(counts, folder / "panels.h5")
    return folder


def study(folder: Path, kind: str) -> Study:
    if kind.startswith("events"):
        protocol = with_settings(ListModeProtocol(), KINDS[kind])
        mu = folder / "mu.nii.gz"
        return Study(data=folder / "events.h5", attenuation=mu, protocol=protocol)
    if kind.startswith("panels"):
        panels = with_settings(DualHeadProtocol(), KINDS[kind])
        return Study(
            data=folder / "panels.h5", response=folder / "response.h5", protocol=panels
        )  # fmt: skip
    ct = with_settings(CtProtocol(), KINDS[kind])
    return Study(data=folder / "cone.h5", protocol=ct)


def compiled(folder: Path, kinds: Iterable[str], *words: str) -> dict[str, list[list[str]]]:
    """Return stage, kernel and types that new processes compile or load, by kind of study."""
    files = {kind: folder / f"{kind}.toml" for kind in kinds}
    for kind, file in files.items():
        write_study(study(folder, kind), file)
    command = [sys.executable, "-m", "tests.engine.kernels_of_a_run", *words]
    message = subprocess.run(
        [*command, *map(str, files.values())], cwd=ROOT, check=True, capture_output=True, text=True
    ).stdout
    found: dict[str, list[list[str]]] = {kind: [] for kind in files}
    for kind, *version in json.loads(message):
        found[kind].append(version)
    return found


SEPARATE = ("fdk", "fdk-slice", "sirt-voxel", "sirt-few-rows", "fista", "events", "panels")


@pytest.fixture(scope="module")
def needed_by(scans: Path) -> dict[str, list[list[str]]]:
    """Return stage, kernel and types that a process needs for one kind of study."""
    return compiled(scans, SEPARATE)


@pytest.mark.parametrize("kind", SEPARATE)
def test_nothing_is_compiled_after_the_kernel_stage(
    needed_by: dict[str, list[list[str]]], kind: str
) -> None:
    searched = [] if kind in ("events", "panels") else [AXIS_SEARCH]
    assert [name for stage, name, _ in needed_by[kind] if stage == "correct"] == searched
    assert {stage for stage, _, _ in needed_by[kind]} - {"correct"} == {"kernels"}
    names = [name for _, name, _ in needed_by[kind]]
    assert len(names) == len(set(names))  # each kernel is compiled for one signature


def test_nothing_is_compiled_after_the_set_up(scans: Path) -> None:
    assert not any(compiled(scans, KINDS, "--warm").values())


@pytest.mark.parametrize("kind", ["fdk", "sirt", "events", "panels"])
def test_progress_reaches_the_end_of_every_stage(scans: Path, kind: str) -> None:
    message: list[Progressed | str] = []
    for event in run(study(scans, kind), on=cpu(2), on_progress=message.append):
        if isinstance(event, StageStarted):
            message.append(event.stage)
    numerator: dict[str, list[float]] = {}
    stage = ""
    for each in message:
        if isinstance(each, str):
            stage = each
        else:
            assert each.stage == stage
            numerator.setdefault(stage, []).append(each.done / each.total)
    assert {"kernels", "reconstruct"} <= numerator.keys()
    for values in numerator.values():
        assert all(a <= b for a, b in pairwise(values))
        assert values[-1] == 1
    assert numerator["kernels"][0] == 0


class WatchedGpu(EmulatedGpu):
    """A GPU that records the sources it compiles."""

    def __init__(self) -> None:
        super().__init__()
        self.sources: set[tuple[str, tuple[str, ...]]] = set()

    def load(self, source, options):
        self.sources.add((source, options))
        return super().load(source, options)


@pytest.mark.parametrize("kind", ["fdk", "sirt", "sirt-voxel", "events", "panels"])
def test_gpu_kernels_are_compiled_in_the_kernel_stage(scans: Path, kind: str) -> None:
    gpu = WatchedGpu()
    before, after = set(), set()
    for event in run(study(scans, kind), on=cuda(gpu)):
        if isinstance(event, StageStarted) and event.stage == "kernels":
            before = set(gpu.sources)
        if isinstance(event, Measured) and event.stage == "kernels":
            after = set(gpu.sources)
    assert before == set()
    assert after == gpu.sources != set()
