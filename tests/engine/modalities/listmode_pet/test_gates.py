"""Gates of a cycle in one run: each is a separate image, and files state the gate."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import nibabel
import numpy as np
import pytest

from engine.cli.exit_codes import DONE
from engine.cli.main import main
from engine.core.backend import cpu
from engine.core.errors import FileFormatError, UnknownFormatError
from engine.data.calibration import Calibration, scanner_digest
from engine.data.listmode import ListMode
from engine.data.runs.events import Corrected, Finished, Preview, Warned
from engine.data.timing.gating import GateRequest
from engine.data.timing.time_frames import FrameVolume, Gate, TimeFrame
from engine.data.timing.triggers import Triggers
from engine.data.volume import Volume
from engine.geometry.grid import ImageGrid
from engine.geometry.ring import RingScanner, RingSettings
from engine.io import read_frames, read_listmode, save_frames, write_listmode
from engine.io.auxiliary.calibration_file import write_calibration
from engine.io.auxiliary.provenance_file import sidecar_path
from engine.jobs.checkpoint import Job, keep
from engine.jobs.reconstruction import run
from engine.modalities.listmode_pet.protocol import ListModeProtocol
from engine.modalities.studies import Study
from engine.results import Results
from engine.simulate import ShapePhantom, simulate_listmode
from engine.simulate.shapes import Cylinder

ON = cpu(2)
RING = RingScanner(
    RingSettings(
        name="tiny", n_rings=6, n_crystals_per_ring=48, radius_mm=80, ring_pitch_mm=6,
        max_ring_difference=5, n_tangential=24, voxel_mm=(6, 6, 6), fov_mm=(96, 36),
    )
)  # fmt: skip
CYCLE_MS, LENGTH_MS, SHIFT_MM = 200, 4000, 24.0
BEATS = Triggers.at("ecg", np.arange(100, LENGTH_MS, CYCLE_MS))
GRID = ImageGrid((2, 3, 4), (6.0, 6.0, 6.0))


def cylinder(x_mm: float) -> ShapePhantom:
    shape = Cylinder((x_mm, 0.0, 0.0), (12.0, 12.0, 15.0), activity=1.0, mu_per_mm=0.0)
    return ShapePhantom("cylinder", (shape,))


@pytest.fixture(scope="module")
def beating() -> ListMode:
    """Return a cylinder that moves: it is at +x in the first half of each cycle."""
    rng, parts = np.random.default_rng(4), []
    for half, x_mm in enumerate((SHIFT_MM, -SHIFT_MM)):
        part = simulate_listmode(
            cylinder(x_mm), RING, n_prompts=15_000, seed=5 + half, randoms_fraction=0,
            attenuation=False, duration_s=LENGTH_MS / 1000,
        )  # fmt: skip
        beat = rng.integers(0, LENGTH_MS // CYCLE_MS, part.n_events)
        within = rng.integers(0, CYCLE_MS // 2, part.n_events)
        at = (100 + beat * CYCLE_MS + half * CYCLE_MS // 2 + within) % LENGTH_MS
        parts.append(replace(part, time_ms=at.astype(np.uint32)))
    one, other = parts
    return replace(
        one,
        crystals=np.concatenate([one.crystals, other.crystals]),
        time_ms=np.concatenate([one.time_ms, other.time_ms]),
        delayed=None,
        additive=None,
        triggers=(BEATS,),
    )


def study_of(data: ListMode, folder: Path, frames: str, **how: object) -> Study:
    path = folder / "scan.h5"
    if not path.exists():
        write_listmode(data, path)
    protocol = {
        "algorithm": {"kind": "mlem", "iterations": 1},
        "reproducible": True,
        "finishing": [],
        "frames": frames,
    }
    return Study(data=path, protocol=ListModeProtocol.model_validate({**protocol, **how}))


def finished(study: Study) -> Finished:
    last = list(run(study, on=ON))[-1]
    assert isinstance(last, Finished)
    return last


def middle_x(volume: Volume) -> float:
    along = volume.values.sum(axis=(0, 1), dtype=float)
    return float(along @ volume.grid.centres_mm(0) / along.sum())


def test_gates_separate_the_positions_of_a_moving_object(beating, tmp_path):
    how = {"algorithm": {"kind": "mlem", "iterations": 12}}
    last = finished(study_of(beating, tmp_path, "gates=2", **how))
    places = [middle_x(each.volume) for each in last.frames]
    assert places == pytest.approx([SHIFT_MM, -SHIFT_MM], abs=1.5)
    assert abs(middle_x(last.volume)) < 1.5


def test_one_update_of_the_gates_adds_up_to_that_of_their_cycles(beating, tmp_path):
    events = list(run(study_of(beating, tmp_path, "gates=8"), on=ON))
    last = events[-1]
    inside = (beating.time_ms >= 100) & (beating.time_ms < BEATS.time_ms[-1])
    (tmp_path / "part").mkdir()
    expected = finished(study_of(beating.select(inside), tmp_path / "part", "")).volume.values
    np.testing.assert_allclose(last.volume.values, expected, rtol=0, atol=1e-6 * expected.max())
    total = np.sum([each.volume.values for each in last.frames], axis=0, dtype=np.float64)
    np.testing.assert_array_equal(last.volume.values, total.astype(np.float32))
    messages = [event.text for event in events if isinstance(event, Warned)]
    n_out = np.count_nonzero(~inside)
    start = f"{n_out:,} of {beating.n_events:,} prompts are outside the accepted cycles"
    assert any(text.startswith(start) for text in messages)
    (gated,) = [e.text for e in events if isinstance(e, Corrected) and e.kind == "gates"]
    assert gated.startswith("Gated by ecg: 19 cycles of 0.2 s")
    stored = last.provenance["scan"]["frames"][2]
    assert (stored["gate"], stored["n_gates"], stored["duration_s"]) == (3, 8, 0.475)


def test_run_resumed_within_a_gate_gives_the_same_bits(beating, tmp_path):
    study = study_of(beating, tmp_path, "gates=3")
    expected = finished(study)
    job = Job.create(study, tmp_path / "job")
    events = keep(run(study, on=ON), job)
    for event in events:
        if isinstance(event, Preview) and event.iteration == 2:
            break
    events.close()
    resume = job.latest()
    found = [each.frame for each in resume.frames]
    assert found and found == [each.frame for each in expected.frames[: len(found)]]
    again = list(keep(run(study, on=ON, resume=resume), job))
    assert again[-1].volume.values.tobytes() == expected.volume.values.tobytes()
    stored = Results().open(job.record.result).frames()
    assert [each.frame for each in stored] == [each.frame for each in expected.frames]
    assert stored[1].frame.gate == Gate(2, 3, expected.frames[1].frame.gate.used_ms)


def test_trigger_file_gates_a_scan_without_triggers(beating, tmp_path):
    study = study_of(replace(beating, triggers=()), tmp_path, "")
    times = tmp_path / "beats.csv"
    lines = "\n".join(f"{each / 1000:.3f}" for each in BEATS.time_ms)
    times.write_text(f"trigger time [s]\n{lines}\n")
    command = [
        *("reconstruct", str(study.data), "--frames", "gates=2", "--triggers", str(times)),
        *("-o", str(tmp_path / "gates.h5"), "--set", "algorithm.iterations=1"),
        *("--set", "algorithm.subsets=1", "--set", "grid.voxel_mm=[12,12,12]"),
    ]
    assert main(command) == DONE
    found = read_frames(tmp_path / "gates.h5")
    assert [each.frame.gate.number for each in found] == [1, 2]
    right, left = (middle_x(each.volume) for each in found)
    assert right > 5 > -5 > left


def test_gates_in_becquerel_refer_to_the_start_of_the_scan(tmp_path):
    """Gates of the first and the last half of the scan; the half-life is half the scan duration."""
    half_life_s = 2.0
    data = simulate_listmode(
        cylinder(0), RING, n_prompts=60_000, seed=8, randoms_fraction=0, attenuation=False,
        duration_s=LENGTH_MS / 1000,
    )  # fmt: skip
    chance = np.random.default_rng(2).random(data.n_events)
    data = data.select(chance < np.exp2(-data.time_ms.astype(float) / 1000 / half_life_s))
    early = Triggers.at("ecg", np.arange(0, 2001, CYCLE_MS))
    late = Triggers.at("respiration", np.arange(2000, 4001, CYCLE_MS))
    data = replace(data, triggers=(early, late))
    known = Calibration(1.0, 0.5, RING.name, scanner_digest(RING), ("line_geometry",))
    write_calibration(known, tmp_path / "known.json", {})
    (tmp_path / "tracer.toml").write_text(
        f"[tracer]\nhalf_life_s = {half_life_s}\nbranching = 1.0\n"
    )
    given = {"calibration": tmp_path / "known.json", "tracer": tmp_path / "tracer.toml"}
    sums = []
    for frames in ("4", "gates=2 of ecg", "gates=2 of respiration"):
        study = study_of(data, tmp_path, frames).model_copy(update={"inputs": given})
        sums += [float(each.volume.values.sum(dtype=float)) for each in finished(study).frames]
    assert sums / np.mean(sums) == pytest.approx(np.ones(5), abs=0.03)


def test_scan_keeps_its_triggers_in_our_format(beating, tmp_path):
    two = (BEATS, Triggers.at("respiration", np.array([-20, 1500, 3100])))
    path = tmp_path / "scan.h5"
    write_listmode(replace(beating, triggers=two), path)
    found = read_listmode(path).triggers
    assert [(each.name, each.time_ms.tolist()) for each in found] == [
        (each.name, each.time_ms.tolist()) for each in two
    ]
    content = bytearray(path.read_bytes())
    place = content.index(two[1].time_ms.astype("<i8").tobytes())
    content[place + 8] ^= 1
    path.write_bytes(content)
    with pytest.raises(FileFormatError, match="changed"):
        read_listmode(path)


def test_every_format_stores_the_gate(tmp_path):
    image = Volume(np.ones(GRID.shape, np.float32), GRID, "Bq/mL")
    division = GateRequest(3).divide([BEATS], LENGTH_MS)
    frames = [FrameVolume(frame, image) for frame in division.frames]
    save_frames(image, frames, tmp_path / "a.h5", {})
    assert [each.frame for each in read_frames(tmp_path / "a.h5")] == list(division.frames)
    save_frames(image, frames, tmp_path / "a.nii", {})
    header = nibabel.load(tmp_path / "a.nii").header
    assert (float(header["pixdim"][4]), float(header["toffset"])) == (1.0, 0.0)
    text = json.loads(sidecar_path(tmp_path / "a.nii").read_text())["provenance"]
    assert text["GateDuration"] == [frame.duration_s for frame in division.frames]
    assert "FrameTimesStart" not in text
    with pytest.raises(UnknownFormatError, match=r"gates.* can only be saved with the suffixes"):
        save_frames(image, frames, tmp_path / "a.dicom", {})
    assert ListModeProtocol(frames="gates=3").has_gates
    assert frames[0].frame == TimeFrame(100, 3766, Gate(1, 3, 19 * 66))
