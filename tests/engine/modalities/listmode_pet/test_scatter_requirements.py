"""Tests of the resource estimate of scatter: close to measurements, and 0 if not simulated."""

from __future__ import annotations

import tracemalloc
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from engine.core import backend
from engine.core.backend import cpu
from engine.core.backend.devices import cpu_device, device_of
from engine.corrections import Attenuation, LineGeometry, Scatter
from engine.corrections.scatter_estimation.samples import DetectorSamples, n_samples
from engine.data.listmode import ListMode
from engine.data.runs.events import Finished, Measured
from engine.data.volume import Volume
from engine.geometry.energy import EnergySettings
from engine.geometry.grid import ImageGrid
from engine.geometry.ring import RingScanner, RingSettings
from engine.geometry.tof import TofSettings
from engine.io import save, write_listmode
from engine.jobs.reconstruction import run
from engine.modalities import MODALITIES
from engine.modalities.base import OpenStudy
from engine.modalities.listmode_pet.event_summary import EventSummary
from engine.modalities.listmode_pet.model import prepare
from engine.modalities.listmode_pet.protocol import ListModeProtocol
from engine.modalities.listmode_pet.requirements import estimate
from engine.modalities.listmode_pet.scatter_counts import CountedEvents, expected_of
from engine.modalities.listmode_pet.scatter_needs import scatter_needs
from engine.modalities.listmode_pet.warm_up import of_events
from engine.modalities.requirements import Requirements
from engine.modalities.ring_scatter.estimate import estimate_scatter
from engine.modalities.studies import Study
from engine.protocols.study.assignments import with_settings
from engine.simulate import ShapePhantom, simulate_listmode
from engine.simulate.shapes import Cylinder
from tests.emulator import EmulatedGpu

pytestmark = pytest.mark.slow

ON = cpu(2)
RING = RingSettings(
    name="tiny", n_rings=10, n_crystals_per_ring=96, radius_mm=120, ring_pitch_mm=6,
    max_ring_difference=9, n_tangential=72, voxel_mm=(6, 6, 6), fov_mm=(150, 60),
    energy=EnergySettings(window_kev=(425, 650), resolution=0.11),
)  # fmt: skip
TINY = RING.model_copy(
    update={"n_rings": 2, "n_crystals_per_ring": 48, "max_ring_difference": 1, "n_tangential": 24}
)
TOF = TofSettings(fwhm_ps=300, bin_ps=100, n_bins=17)
GRID = ImageGrid((10, 25, 25), (6.0, 6.0, 6.0))
SETTINGS = Scatter(points=50, rounds=2)


def scan_of(ring: RingSettings = RING, n_prompts: int = 20_000, voxel_mm: float = 6.0) -> ListMode:
    """Return a scan of a cylinder with a mu-map of this voxel size."""
    shape = Cylinder((0.0, 0.0, 0.0), (45.0, 45.0, 20.0), activity=1.0, mu_per_mm=0.0096)
    phantom = ShapePhantom("cylinder", (shape,))
    scan = simulate_listmode(phantom, RingScanner(ring), n_prompts=n_prompts, seed=5)
    counts = (round(60 / voxel_mm), round(150 / voxel_mm), round(150 / voxel_mm))
    grid = ImageGrid(counts, (voxel_mm,) * 3)
    x, y, _ = (grid.centres_mm(axis=k) for k in range(3))
    mu = np.zeros(grid.shape, np.float32)
    mu[:] = 0.0096 * (np.hypot(x[None, :], y[:, None]) < 45)
    return replace(scan, mu_map=Volume(mu, grid, "1/mm"), additive=None, info={})


@pytest.fixture(scope="module")
def scan() -> ListMode:
    return scan_of()


def protocol(*settings: str) -> ListModeProtocol:
    few = ("corrections.scatter.points=50", "corrections.scatter.rounds=2")
    return with_settings(ListModeProtocol(), (*few, *settings))


def requirements_of(scan: ListMode, *settings: str) -> Requirements:
    n_lors = scan.scanner.n_lors
    on = cpu_device(2)
    chosen = protocol(*settings)
    return estimate(chosen, GRID, scan.n_events, on=on, n_lors=n_lors, scan=scan)


def peak_memory(scan: ListMode) -> int:
    """Return the peak memory of numpy during the scatter estimate of a scan [bytes]."""
    for correction in (LineGeometry(), Attenuation()):
        scan = correction.apply(scan, on=ON)
    prompts = prepare(scan, on=ON).data
    assert scan.mu_map is not None
    tof = scan.scanner.tof
    for compiled in of_events(
        ON, GRID, tof, reproducible=False, mu_map=scan.mu_map.grid, scatter=True
    ):
        compiled()
    few = CountedEvents(prompts.select(slice(500)), on=ON)
    estimate_scatter(few, Scatter(points=50, rounds=1))  # load modules that are still missing
    tracemalloc.start()
    found = estimate_scatter(CountedEvents(prompts, on=ON), SETTINGS)
    expected_of(found.table, prompts, on=ON)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak


@pytest.mark.parametrize(
    ("ring", "n_prompts", "voxel_mm"),
    [
        pytest.param(RING, 20_000, 6.0, marks=pytest.mark.slow),
        (RING.model_copy(update={"tof": TOF}), 20_000, 6.0),
        pytest.param(RING, 20_000, 1.2, marks=pytest.mark.slow),
        pytest.param(RING, 500_000, 6.0, marks=pytest.mark.slow),
    ],
    ids=["small", "bins of time", "fine mu-map", "many events"],
)
def test_scatter_takes_at_most_the_stated_memory_and_not_far_less(
    ring: RingSettings, n_prompts: int, voxel_mm: float
) -> None:
    scan = scan_of(ring, n_prompts, voxel_mm)
    needs = scatter_needs(protocol(), scan, n_prompts, on=cpu_device(2), slabs_per_second=3e8)
    assert needs is not None
    assert needs.memory_bytes / 3 < peak_memory(scan) <= needs.memory_bytes


def test_samples_are_counted_as_they_are_placed(scan: ListMode) -> None:
    samples = DetectorSamples.of(scan.scanner)
    assert n_samples(scan.scanner) == len(samples.places_mm)


def test_needs_of_a_run_are_the_maximum_of_its_parts(scan: ListMode) -> None:
    untimed_needs = requirements_of(scan, "corrections.scatter.use=off")
    whole = requirements_of(scan)
    needs = scatter_needs(protocol(), scan, scan.n_events, on=cpu_device(2), slabs_per_second=3e8)
    assert needs is not None
    assert needs.memory_bytes < whole.memory_bytes
    assert whole.memory_bytes > untimed_needs.memory_bytes
    assert whole.seconds - untimed_needs.seconds == pytest.approx(whole.stages["scatter"])
    assert whole.once_s == untimed_needs.once_s


@pytest.mark.parametrize(
    "off",
    ["corrections.scatter.use=off", "corrections.attenuation.use=off",
     "corrections.scatter.method=supplied"],
)  # fmt: skip
def test_disabled_scatter_needs_nothing(scan: ListMode, off: str) -> None:
    assert "scatter" in requirements_of(scan).stages
    assert "scatter" not in requirements_of(scan, off).stages


def test_impossible_scatter_needs_nothing(scan: ListMode) -> None:
    ring = RingScanner(RING.model_copy(update={"energy": None}))
    for data in (replace(scan, mu_map=None), replace(scan, scanner=ring)):
        assert "scatter" not in requirements_of(data).stages


def test_last_round_counts_all_points_and_earlier_ones_a_fourth(scan: ListMode) -> None:
    def seconds(points: int, rounds: int) -> float:
        settings = (
            f"corrections.scatter.{k}={v}" for k, v in [("points", points), ("rounds", rounds)]
        )
        return requirements_of(scan, *settings).stages["scatter"]

    one = seconds(800, 1) - seconds(400, 1)
    assert one > 0
    assert seconds(800, 2) - seconds(400, 2) == pytest.approx(1.25 * one)


def test_tof_scatter_takes_more_unless_tof_is_disabled(scan: ListMode) -> None:
    timed = scan_of(RING.model_copy(update={"tof": TOF}))
    timed_needs, untimed_needs = (
        requirements_of(timed),
        requirements_of(timed, "time_of_flight=false"),
    )
    assert timed_needs.stages["scatter"] > untimed_needs.stages["scatter"]
    assert timed_needs.memory_bytes > untimed_needs.memory_bytes
    assert untimed_needs.stages["scatter"] == pytest.approx(requirements_of(scan).stages["scatter"])


def test_window_forecasts_scatter_from_a_few_events_and_the_mu_map(scan: ListMode) -> None:
    measured = replace(scan, mu_map=None)
    contents = {"attenuation": scan.mu_map}
    pet = next(modality for modality in MODALITIES if modality.key == "pet")

    def forecast(**given: object) -> Requirements:
        study = OpenStudy(EventSummary.of(measured), measured.scanner, **given)
        found = pet.requirements(protocol(), study, GRID, cpu_device(2), 1.0)
        assert found is not None
        return found

    assert "scatter" not in forecast().stages
    assert forecast(contents=contents).stages == requirements_of(scan).stages


def test_window_states_that_scatter_needs_attenuation_correction(scan: ListMode) -> None:
    study = OpenStudy(EventSummary.of(scan), scan.scanner)
    pet = next(modality for modality in MODALITIES if modality.key == "pet")
    assert pet.obstacles(protocol(), study)["scatter"] is None
    off = protocol("corrections.attenuation.use=off")
    assert "attenuation correction is off" in str(pet.obstacles(off, study)["scatter"])


def test_gpu_run_takes_at_most_the_stated_memory(tmp_path: Path) -> None:
    scan = scan_of(TINY, 1500)
    write_listmode(replace(scan, mu_map=None), tmp_path / "scan.h5")
    assert scan.mu_map is not None
    save(scan.mu_map, tmp_path / "mu.nii.gz", {})
    chosen = protocol("algorithm.iterations=1", "algorithm.subsets=1", "grid.voxel_mm=[30,30,30]")
    study = Study(data=tmp_path / "scan.h5", attenuation=tmp_path / "mu.nii.gz", protocol=chosen)
    gpu = EmulatedGpu()
    on = backend.cuda(gpu)
    device, n_lors = device_of(on), scan.scanner.n_lors
    events = list(run(study, on=on))
    last = events[-1]
    assert isinstance(last, Finished)
    grid = last.volume.grid
    needs = estimate(chosen, grid, scan.n_events, on=device, n_lors=n_lors, scan=scan).gpu
    assert needs is not None
    assert 0 < gpu.memory.reserved_bytes <= needs.images_bytes
    measured = {event.stage for event in events if isinstance(event, Measured)}
    assert "scatter" in measured, "the stage must be named scatter"
