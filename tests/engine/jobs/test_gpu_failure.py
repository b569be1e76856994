"""Tests of failures of a GPU, its driver or its process: messages, saved images, resuming."""

from __future__ import annotations

import argparse
import os
import shutil

import numpy as np
import pytest

from engine.cli import reconstruct
from engine.core.backend import cpu, named
from engine.core.errors import DeviceError, DeviceMemoryError, ResourceError
from engine.data.projections import Projections
from engine.data.runs.events import Failed, Finished, Preview
from engine.geometry.grid import ImageGrid
from engine.geometry.orbits import circle, circular_cone
from engine.geometry.ring import RingScanner, RingSettings
from engine.io import write_listmode, write_projections
from engine.jobs.checkpoint import Job
from engine.jobs.process import EngineProcess
from engine.jobs.reconstruction import run
from engine.modalities.listmode_pet.protocol import ListModeProtocol
from engine.modalities.studies import Study
from engine.modalities.xray_ct.protocol import CtProtocol
from engine.operators.xray.transform import XrayTransform
from engine.simulate import simulate_listmode, uniform_cylinder
from tests.emulator import EmulatedGpu
from tests.engine import engine_sources
from tests.engine.engine_sources import UPDATES_BEFORE_FAULT

RING = RingSettings(
    name="Tiny ring", n_rings=6, n_crystals_per_ring=48, radius_mm=80, ring_pitch_mm=6,
    max_ring_difference=5, n_tangential=24, voxel_mm=(6, 6, 6), fov_mm=(96, 36),
)  # fmt: skip


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    """Return a small scan with a reconstruction that has the same bits on every device."""
    scan = tmp_path_factory.mktemp("scan") / "small.h5"
    phantom = uniform_cylinder(diameter_mm=60, length_mm=30)
    ring = RingScanner(RING)
    data = simulate_listmode(phantom, ring, n_prompts=5000, seed=7, attenuation=False)
    write_listmode(data, scan)
    # Slow enough for every image to arrive
    algorithm = {
        "kind": "osem",
        "iterations": 6,
        "subsets": 1,
    }
    protocol = {"algorithm": algorithm, "reproducible": True, "finishing": [{"kind": "median"}]}
    return Study(data=scan, protocol=ListModeProtocol.model_validate(protocol))


def end_of(study, source, **options):
    """Reconstruct in a process; return the process, its images and its last event."""
    engine = EngineProcess(study, device="cpu", source=source, **options)
    events = list(engine.events())
    return engine, [e for e in events if isinstance(e, Preview)], events[-1]


@pytest.fixture(scope="module")
def undisturbed(study):
    """Return the image of an undisturbed run."""
    *_, last = run(study, on=cpu(2))
    return last.volume.values


@pytest.fixture(scope="module")
def failed_once(study, tmp_path_factory):
    """Return a job after a GPU failure, and the end of its process."""
    EmulatedGpu()  # skips without a compiler for the emulated GPU
    job = Job.create(study, tmp_path_factory.mktemp("failed") / "job")
    return job, end_of(study, engine_sources.gpu_failing_again, job=job)


@pytest.fixture
def copied(failed_once, tmp_path):
    """Return a copy of the failed job."""
    return Job.open(shutil.copytree(failed_once[0].folder, tmp_path / "job"))


def test_broken_driver_saves_the_last_image_and_the_cpu_gives_the_same_bits(
    study, failed_once, copied, undisturbed
):
    job, (engine, images, last) = failed_once
    assert isinstance(last, Failed)
    assert last.on_cpu
    assert not last.user_fault
    assert "cudaErrorLaunchFailure" in last.text
    assert "cudaErrorLaunchFailure" in last.detail
    shown, stored = images[-1], job.latest()
    assert engine.last_preview is shown
    assert shown.update >= UPDATES_BEFORE_FAULT
    assert stored.done == shown.update
    np.testing.assert_array_equal(stored.image, shown.volume.values)
    place = f"iteration {shown.iteration}, subset {shown.subset}"
    assert f"The image of {place} is saved. A checkpoint of {place} is saved on disk" in last.text
    assert "Continue on the CPU" in last.text
    assert job.record.status == "failed"

    _, _, resumed = end_of(study, engine_sources.failing_gpu, job=copied, resume=True)
    assert isinstance(resumed, Finished)
    np.testing.assert_array_equal(resumed.volume.values, undisturbed)


def test_repeated_gpu_failure_stops_again_and_loses_nothing(
    study, failed_once, copied, undisturbed
):
    """Each process resumes from the last image of the previous one."""
    job, (_, first_images, first) = copied, failed_once[1]
    stored = job.latest()
    _, images, second = end_of(study, engine_sources.gpu_failing_again, job=job, resume=True)
    for last in (first, second):
        assert isinstance(last, Failed) and last.on_cpu and not last.user_fault
        assert "cudaErrorLaunchFailure" in last.text and "Continue on the CPU" in last.text
    assert stored.done == first_images[-1].update < images[0].update
    assert job.latest().done == images[-1].update
    np.testing.assert_array_equal(job.latest().image, images[-1].volume.values)
    assert job.record.status == "failed", "the job does not wait for the user"

    _, _, done = end_of(study, engine_sources.failing_gpu, job=job, resume=True)
    assert isinstance(done, Finished)
    np.testing.assert_array_equal(done.volume.values, undisturbed)


@pytest.fixture(scope="module")
def x_rays(tmp_path_factory):
    """Return a small cone-beam scan of a block for SIRT."""
    geometry = circular_cone(
        circle(12), source_axis_mm=100.0, source_detector_mm=150.0, shape=(6, 14), pixel_mm=4.5
    )
    block = np.zeros((4, 10, 10), np.float32)
    block[1:3, 2:6, 3:8] = 0.02
    values = XrayTransform(geometry, ImageGrid(block.shape, (3.0, 3.0, 3.0)), on=cpu(2))(block)
    path = tmp_path_factory.mktemp("scan") / "block.h5"
    write_projections(Projections(values=values, geometry=geometry, kind="integrals"), path)
    algorithm = {"kind": "sirt", "iterations": 6, "subsets": 1}
    grid = {"voxel_mm": (3, 3, 3), "diameter_mm": 30, "length_mm": 12}
    protocol = CtProtocol.model_validate({"algorithm": algorithm, "grid": grid})
    return Study(data=path, protocol=protocol)


def test_xray_run_is_resumed_on_the_cpu(x_rays):
    EmulatedGpu()  # skips without a compiler for the emulated GPU
    job = Job.create(x_rays)
    _, images, last = end_of(x_rays, engine_sources.failing_gpu, job=job)
    assert isinstance(last, Failed)
    assert last.on_cpu
    assert "cudaErrorLaunchFailure" in last.text and "Continue on the CPU" in last.text
    assert job.latest().done == images[-1].update >= UPDATES_BEFORE_FAULT

    _, _, resumed = end_of(x_rays, engine_sources.failing_gpu, job=job, resume=True)
    assert isinstance(resumed, Finished)
    *_, undisturbed = run(x_rays, on=cpu(2))
    expected = undisturbed.volume.values
    np.testing.assert_allclose(resumed.volume.values, expected, rtol=0, atol=1e-4 * expected.max())


@pytest.mark.skipif(os.name != "posix", reason="signals")
def test_process_killed_by_the_driver_offers_the_cpu(study):
    job = Job.create(study)
    _, _, last = end_of(study, engine_sources.killed_gpu, job=job)
    assert isinstance(last, Failed)
    assert last.on_cpu
    assert "SIGSEGV" in last.text
    assert "on the CPU" in last.text
    assert job.info.interrupted


def test_unexpected_gpu_error_offers_the_cpu(study):
    _, _, last = end_of(study, engine_sources.faulty_code_on_gpu)
    assert last.on_cpu
    assert "ZeroDivisionError" in last.text
    assert "No checkpoint was saved" in last.text
    assert "Start on the CPU" in last.text


@pytest.mark.parametrize("source", ["faulty_input_on_gpu", "faulty_input", "faulty_code"])
def test_cpu_is_not_offered_if_it_cannot_help(study, source):
    _, _, last = end_of(study, getattr(engine_sources, source))
    assert isinstance(last, Failed)
    assert not last.on_cpu
    assert "on the CPU" not in last.text


def test_missing_gpu_offers_the_cpu(study):
    try:
        named("cuda")
    except ResourceError:
        pass
    else:
        pytest.skip("this machine has a GPU")
    events = list(EngineProcess(study, device="cuda").events())
    assert [type(event) for event in events] == [Failed]
    assert events[0].on_cpu


@pytest.mark.parametrize("fault", [DeviceError, DeviceMemoryError])
@pytest.mark.parametrize("own_folder", [False, True])
def test_command_line_prints_the_command_that_resumes(study, tmp_path, fault, own_folder):
    folder = tmp_path / "job" if own_folder else None
    job = Job.create(study, folder)
    with (
        pytest.raises(fault) as message,
        reconstruct._resume_hints(job, argparse.Namespace(checkpoint=folder)),
    ):
        raise fault("kernel em: the GPU reports an error.")
    words = str(message.value)
    assert words.startswith("kernel em: the GPU reports an error. ")
    name = words.partition("`isocenter resume ")[2].partition(" --device cpu`")[0]
    assert Job.open(name).folder == job.folder
    assert "to start again on the CPU" in words
