"""Tests that killed and resumed engines give the bits of an undisturbed run."""

from __future__ import annotations

import math
import os
import signal

import numpy as np
import pytest

from engine.core.backend import cpu
from engine.data.runs.events import Checkpointed, Failed, Finished, Loaded, Measured, Preview
from engine.geometry.ring import RingScanner, RingSettings
from engine.io import write_listmode
from engine.jobs.checkpoint import Job
from engine.jobs.process import EngineProcess, run_isolated
from engine.jobs.reconstruction import run
from engine.modalities.listmode_pet.protocol import ListModeProtocol
from engine.modalities.studies import Study
from engine.protocols.run_context.provenance import hash_array
from engine.simulate.listmode import simulate_listmode
from engine.simulate.phantoms import uniform_cylinder

pytestmark = pytest.mark.skipif(os.name != "posix", reason="needs POSIX signals")

RING = RingSettings(
    name="tiny", n_rings=6, n_crystals_per_ring=32, radius_mm=60, ring_pitch_mm=5,
    max_ring_difference=5, n_tangential=24, fov_mm=(60, 30), voxel_mm=(3, 3, 3),
)  # fmt: skip

ITERATIONS = 24


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    """Return a tiny scan with many short updates and reproducible sums."""
    path = tmp_path_factory.mktemp("scan") / "cylinder.h5"
    phantom = uniform_cylinder(diameter_mm=40, length_mm=25)
    write_listmode(simulate_listmode(phantom, RingScanner(RING), n_prompts=4e4, seed=1), path)
    algorithm = {"kind": "osem", "iterations": ITERATIONS, "subsets": 8}
    protocol = ListModeProtocol.model_validate({"algorithm": algorithm, "reproducible": True})
    return Study(data=path, protocol=protocol)


@pytest.fixture(scope="module")
def undisturbed(study):
    """Return the volume of an undisturbed run in this process; its `info` is the provenance."""
    return list(run(study, on=cpu(1)))[-1].volume


def test_separate_process_gives_the_same_bits(study, undisturbed):
    events = list(run_isolated(study, threads=2))
    last = events[-1]
    assert isinstance(last, Finished)
    np.testing.assert_array_equal(last.volume.values, undisturbed.values)
    assert last.provenance["output"]["sha256"] == hash_array(undisturbed.values)
    kinds = [type(event) for event in events]
    assert kinds.index(Loaded) < kinds.index(Preview) < kinds.index(Finished)
    stages = [event.stage for event in events if isinstance(event, Measured)]
    assert stages == ["read", "kernels", "correct", "sensitivity", "reconstruct", "finish"]


@pytest.mark.parametrize("n_kills", [2, pytest.param(10, marks=pytest.mark.slow)])
def test_randomly_killed_and_resumed_run_gives_the_same_bits(study, undisturbed, rng, n_kills):
    job = Job.create(study)
    done = 0
    for _ in range(n_kills):
        last = _killed(study, job, after_images=rng.integers(0, 80 // n_kills))
        assert isinstance(last, Failed)
        assert job.info.interrupted
        resume = job.latest()
        assert resume.done > done
        done = resume.done
    last = list(EngineProcess(study, job=job, resume=True).events())[-1]
    assert isinstance(last, Finished)
    np.testing.assert_array_equal(last.volume.values, undisturbed.values)
    message, expected = last.provenance, undisturbed.info
    assert len(message["log_likelihoods"]) == ITERATIONS
    for key in ("log_likelihoods", "warnings", "iterations_done"):
        assert message[key] == expected[key], key
    assert list(message["timings_s"]) == list(expected["timings_s"])
    assert message["started_utc"] < min(message["resumed_utc"])
    assert len(message["resumed_utc"]) == n_kills


def _killed(study, job, *, after_images):
    """Resume the job and kill its process after the next checkpoint; return the last event."""
    engine = EngineProcess(study, job=job, resume=True, threads=2)
    left = None
    for event in engine.events():
        if left is None and isinstance(event, Checkpointed):
            left = after_images
        elif left is not None and isinstance(event, Preview):
            left -= 1
        if left is not None and left <= 0:
            os.kill(engine.pid, signal.SIGKILL)
            left = math.inf
    return event
