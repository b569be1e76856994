"""Volumes larger than the memory are computed in slabs, in files, with the same bits."""

from __future__ import annotations

import gc
import weakref
from pathlib import Path

import numpy as np
import pytest

from engine.core.backend import cpu
from engine.core.errors import ResourceError
from engine.data.runs.events import Checkpointed, Corrected, Event, Finished, Planned, Preview
from engine.data.storage.volume_file import NAME
from engine.geometry.grid import ImageGrid
from engine.geometry.orbits import circle, circular_cone
from engine.io import read_projections, write_projections
from engine.jobs.checkpoint import Job, keep
from engine.jobs.reconstruction import run
from engine.modalities.studies import Study
from engine.modalities.xray_ct.protocol import CtProtocol
from engine.modalities.xray_ct.slab_fdk import SlabFdk
from engine.modalities.xray_ct.slab_sizes import slab_needs
from engine.protocols.study.assignments import with_settings
from engine.recon.algorithms.base import WorkingMemory
from engine.results import Results
from engine.simulate.phantom import ShapePhantom
from engine.simulate.shapes import Cylinder
from engine.simulate.xray import simulate_xray

ON = cpu(2)
SETTINGS = ("grid.voxel_mm=[2, 2, 2]", "grid.diameter_mm=44", "grid.length_mm=36")


@pytest.fixture(scope="module")
def scan(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write counts of a cylinder in a cone beam, with flats, darks and noise."""
    geometry = circular_cone(
        circle(36), source_axis_mm=120.0, source_detector_mm=180.0, shape=(24, 40), pixel_mm=3.0
    )
    body = Cylinder((4.0, -3.0, 0.0), (14.0, 14.0, 15.0), mu_per_mm=0.0193)
    path = tmp_path_factory.mktemp("scan") / "scan.h5"
    phantom = ShapePhantom("of a test", (body,))
    write_projections(simulate_xray(phantom, geometry, seed=5), path)
    return path


@pytest.fixture
def little_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make volumes so large that only a few of their slices fit into memory."""
    needs = "engine.modalities.xray_ct.slab_sizes"
    monkeypatch.setattr(f"{needs}.PART_OF_FREE", 1e-9)
    monkeypatch.setattr("engine.modalities.xray_ct.iteration_sizes.MAX_BYTES", 120_000)
    monkeypatch.setattr(f"{needs}.MIN_SLICES", 5)
    monkeypatch.setattr(f"{needs}.CHUNK_BYTES", 0)
    monkeypatch.setattr("engine.modalities.xray_ct.requirements.HOST", WorkingMemory(1 << 30, 0))
    monkeypatch.setattr("engine.io.xray.frames.SMALL_BYTES", 0)
    monkeypatch.setattr("engine.io.xray.frames.WHOLE_SETS", 1 << 40)


def study_of(path: Path, *settings: str) -> Study:
    return Study(data=path, protocol=with_settings(CtProtocol(), (*SETTINGS, *settings)))


def finished(events: list[Event]) -> Finished:
    return next(each for each in events if isinstance(each, Finished))


def test_scan_in_memory_has_the_same_bits_and_is_not_changed(
    scan: Path, request: pytest.FixtureRequest
) -> None:
    study, data = study_of(scan), read_projections(scan)
    data.values.flags.writeable = False  # a step that changed the caller's array would fail
    whole = finished(list(run(data, study.protocol, on=ON)))
    request.getfixturevalue("little_memory")

    events = list(run(data, study.protocol, on=ON))

    np.testing.assert_array_equal(finished(events).volume.values, whole.volume.values)
    assert any(isinstance(each, Corrected) and "slabs" in each.text for each in events)


@pytest.mark.parametrize("settings", [(), ("hounsfield={}",)])
def test_volume_has_the_same_bits(
    scan: Path, settings: tuple[str, ...], request: pytest.FixtureRequest
) -> None:
    study = study_of(scan, *settings)
    in_memory = finished(list(run(study, on=ON)))
    request.getfixturevalue("little_memory")

    events = list(run(study, on=ON))

    np.testing.assert_array_equal(finished(events).volume.values, in_memory.volume.values)
    messages = [
        each.text for each in events if isinstance(each, Corrected) and each.kind == "volume"
    ]
    assert "in slabs: 4, each of up to 5 slices, with 16 views at a time" in messages[0]
    assert all(
        "Disk space needed for projections and volume: up to " in text for text in planned(events)
    )
    shown = [
        (each.slices, each.subset, each.subsets) for each in events if isinstance(each, Preview)
    ]
    assert shown == [(4, 1, 4), (9, 2, 4), (13, 3, 4), (18, 4, 4)]


@pytest.mark.usefixtures("little_memory")
def test_no_slab_stays_in_memory_while_the_next_is_computed(
    scan: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    slabs: list[weakref.ref[np.ndarray]] = []
    n_alive, make = [], SlabFdk.slab

    def watched(self: SlabFdk, slices: range) -> np.ndarray:
        n_alive.append(sum(each() is not None for each in slabs))
        slab = make(self, slices)
        slabs.append(weakref.ref(slab))
        return slab

    monkeypatch.setattr(SlabFdk, "slab", watched)
    gc.disable()  # without garbage collection, waiting slabs count as well
    try:
        finished(list(run(study_of(scan), on=ON)))
    finally:
        gc.enable()
    assert n_alive == [0, 0, 0, 0]


def planned(events: list[Event]) -> list[str]:
    return [each.text for each in events if isinstance(each, Planned)]


def interrupt(job: Job, n_slabs: int) -> None:
    """Run a job until `n_slabs` are stored, and leave it as if it had been killed."""
    events = keep(run(job.study, on=ON, folder=job.folder), job)
    for event in events:
        n_slabs -= isinstance(event, Checkpointed)
        if not n_slabs:
            break
    events.close()


@pytest.mark.parametrize("damaged", [False, True])
def test_run_continues_after_the_last_complete_slab(
    scan: Path, tmp_path: Path, damaged: bool, request: pytest.FixtureRequest
) -> None:
    expected = finished(list(run(study_of(scan), on=ON))).volume.values
    request.getfixturevalue("little_memory")
    job = Job.create(study_of(scan), tmp_path / "job")
    interrupt(job, 2)
    assert (job.info.done, job.info.updates, job.info.resumable) == (9, 18, True)
    file = tmp_path / "job" / NAME
    if damaged:
        values = np.memmap(file, np.float32, "r+", shape=expected.shape)
        values[5, 3, 3] += 1
        values.flush()

    again = Job.open(tmp_path / "job")
    events = list(keep(run(again.study, on=ON, resume=again.latest(), folder=again.folder), again))

    shown = [each.slices for each in events if isinstance(each, Preview)]
    assert shown == ([8, 13, 18] if damaged else [13, 18])
    np.testing.assert_array_equal(finished(events).volume.values, expected)
    result = Results().newest_first()[0]
    np.testing.assert_array_equal(result.volume().values, expected)
    assert not file.exists()


@pytest.mark.parametrize(
    ("settings", "remedy"),
    [
        (('finishing=[{kind="median"}]',), "remove the filters of step 5"),
        (("algorithm.kind=sirt", "adjoint=voxel"), "choose the matched back projection"),
        (
            ("algorithm.kind=cgls", 'between=[{kind="median"}]'),
            "remove the filters between iterations",
        ),
    ],
)
def test_setting_that_needs_the_whole_volume_is_refused_with_alternatives(
    scan: Path, settings: tuple[str, ...], remedy: str, request: pytest.FixtureRequest
) -> None:
    request.getfixturevalue("little_memory")
    with pytest.raises(ResourceError, match=f"the run needs .* of memory, .*{remedy}"):
        list(run(study_of(scan, *settings), on=ON))


def test_slab_takes_the_stated_memory() -> None:
    grid = ImageGrid((1024, 1024, 1024), (0.25, 0.25, 0.25))
    shape = (720, 1024, 1024)
    for free in (1 << 30, 2 << 30, 4 << 30):
        needs = slab_needs(shape, grid, free_bytes=free, threads=2)
        assert needs.memory_bytes <= 0.81 * free
        assert needs.n_slabs * needs.sizes.slices >= 1024
        assert needs.disk_bytes >= 2 * 4 * grid.n_voxels
    few = slab_needs(shape, grid, free_bytes=0, threads=2)
    assert (few.sizes.slices, few.n_slabs) == (1, 1024)
