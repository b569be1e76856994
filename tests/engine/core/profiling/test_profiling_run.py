"""Tests of the profile of a run: updates, completeness, and storage with the volume."""

from __future__ import annotations

import json
import time

import pytest

from engine.cli import main
from engine.core.backend import cpu, cuda
from engine.corrections import CORRECTIONS
from engine.data.runs.events import Finished, Measured, Profiled
from engine.geometry.ring import RingScanner, RingSettings
from engine.io import write_listmode
from engine.jobs.process import EngineProcess
from engine.jobs.reconstruction import run
from engine.modalities.listmode_pet.protocol import ListModeProtocol
from engine.modalities.studies import Study
from engine.protocols.run_context import context as record
from engine.protocols.study.assignments import with_settings
from engine.simulate import simulate_listmode, uniform_cylinder
from tests.emulator import EmulatedGpu

N_PROMPTS, N_ITERATIONS = 3000, 3
RING = RingSettings(
    name="tiny", n_rings=4, n_crystals_per_ring=32, radius_mm=60, ring_pitch_mm=5,
    max_ring_difference=3, n_tangential=24, fov_mm=(60, 20), voxel_mm=(5, 5, 5),
)  # fmt: skip
SETTINGS = (
    f"algorithm.iterations={N_ITERATIONS}",
    "algorithm.subsets=2",
    'between=[{kind="median"}]',
    'finishing=[{kind="gaussian", fwhm_mm=6.0}]',
)


@pytest.fixture(scope="module")
def study(tmp_path_factory) -> Study:
    scan = tmp_path_factory.mktemp("profiled") / "scan.h5"
    phantom = uniform_cylinder(diameter_mm=40, length_mm=25)
    write_listmode(simulate_listmode(phantom, RingScanner(RING), n_prompts=N_PROMPTS, seed=1), scan)
    return Study(data=scan, protocol=with_settings(ListModeProtocol(), SETTINGS))


def profiles(events):
    return [event.profile for event in events if isinstance(event, Profiled)]


def test_last_profile_covers_every_stage_and_is_stored_with_the_volume(study):
    began = time.perf_counter()
    events = list(run(study, on=cpu(2)))
    wall = time.perf_counter() - began
    last = profiles(events)[-1]
    calls = {stage.key: stage.calls for stage in last.stages}
    # the scan has no scatter, so that the stage is absent
    assert calls == {
        "read": 1, "kernels": 1, "correct": len(CORRECTIONS) - 1, "sort": 1,
        "sensitivity": 1, "fused": 2 * N_ITERATIONS, "filter": N_ITERATIONS + 1,
        "forward": 1,  # one call more, for the sum of the final image
    }  # fmt: skip
    fused, sort = last.stage("fused"), last.stage("sort")
    traced = next(e for e in events if isinstance(e, Measured) and e.stage == "reconstruct")
    assert fused.events == N_ITERATIONS * traced.figures["events"]
    assert sort.events >= traced.figures["events"] > 0.9 * N_PROMPTS
    assert 0 < last.seconds < wall
    done = events[-1]
    assert isinstance(done, Finished)
    assert done.provenance["profile"] == json.loads(json.dumps(last.as_dict()))


def test_gpu_run_counts_the_same_events_and_records_its_kernels(study):
    last = profiles(run(study, on=cuda(EmulatedGpu())))[-1]
    upload, fused = last.stage("upload"), last.stage("fused")
    assert upload.calls == 1, "events were uploaded more than once"
    assert fused.events == N_ITERATIONS * upload.events
    assert upload.bytes > 0 and fused.peak_share > 0 and upload.peak_share is None
    assert last.stage("preview").calls >= N_ITERATIONS
    assert "update" in {kernel.name for kernel in last.kernels}
    assert last.device.kind == "cuda" and last.device.peak_bytes_per_s > 0
    assert last.counters.gpu is None and last.counters.gpu_reason


def test_profile_is_reported_during_a_run_but_not_at_every_update(study, monkeypatch):
    monkeypatch.setattr(record, "PROFILE_S", 0.0)
    message = profiles(run(study, on=cpu(2)))
    traced = [p.stage("fused").calls for p in message if p.stage("fused")]
    assert len(traced) > N_ITERATIONS, "there are fewer profiles than iterations"
    assert traced == sorted(traced) and traced[-1] == 2 * N_ITERATIONS
    monkeypatch.setattr(record, "PROFILE_S", 1e9)
    assert len(profiles(run(study, on=cpu(2)))) <= 2, (
        "there are profiles besides the first and the last"
    )


def test_profile_is_transferred_from_the_engine_process(study):
    events = list(EngineProcess(study, device="cpu", threads=2).events())
    assert isinstance(events[-1], Finished)
    assert events[-1].provenance["profile"] == profiles(events)[-1].as_dict()


def test_command_line_writes_the_profile_as_plain_json(study, tmp_path):
    log = tmp_path / "events.jsonl"
    words = ["--device", "cpu", "--json", str(log), "-o", str(tmp_path / "image.nii.gz")]
    assert main(["reconstruct", str(study.data), *words, "--set", "algorithm.iterations=1"]) == 0
    message = [json.loads(line) for line in log.read_text().splitlines()]
    found = [each["profile"] for each in message if each["event"] == "Profiled"]
    assert found[-1]["format"] == "isocenter-profile-1"
    assert found[-1] == message[-1]["provenance"]["profile"]
