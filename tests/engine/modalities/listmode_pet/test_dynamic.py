"""Time frames in one run: they add up to the whole scan, and each is a separate image."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from engine.cli.exit_codes import DONE, USER_FAULT
from engine.cli.main import main
from engine.core.backend import cpu
from engine.core.errors import DataError, FileFormatError
from engine.corrections.calibration import efficiencies_digest
from engine.data.calibration import Calibration, scanner_digest
from engine.data.runs.events import Finished, Preview, Warned
from engine.data.timing.live_time import LiveTimes
from engine.data.timing.time_frames import FrameVolume, TimeFrame
from engine.data.volume import Volume
from engine.geometry.grid import ImageGrid
from engine.geometry.ring import RingScanner, RingSettings
from engine.io import read_frames, read_volume, save_frames, write_listmode
from engine.io.auxiliary.calibration_file import write_calibration
from engine.io.auxiliary.provenance_file import sidecar_path
from engine.jobs.checkpoint import Job, keep
from engine.jobs.reconstruction import run
from engine.modalities.listmode_pet.protocol import ListModeProtocol
from engine.modalities.studies import Study
from engine.results import Results
from engine.simulate import simulate_listmode, uniform_cylinder

ON = cpu(2)
RING = RingScanner(
    RingSettings(
        name="tiny", n_rings=6, n_crystals_per_ring=48, radius_mm=80, ring_pitch_mm=6,
        max_ring_difference=5, n_tangential=24, voxel_mm=(6, 6, 6), fov_mm=(96, 36),
    )
)  # fmt: skip
BODY = uniform_cylinder(diameter_mm=60, length_mm=30)
ONE_UPDATE = {"kind": "mlem", "iterations": 1}
HALF_LIFE_S = 2.0
GRID = ImageGrid((2, 3, 4), (6.0, 6.0, 6.0))


def study_of(data, folder: Path, frames: str = "", **how) -> Study:
    path = folder / "scan.h5"
    if not path.exists():
        write_listmode(data, path)
    protocol = {"algorithm": ONE_UPDATE, "reproducible": True, "finishing": [], "frames": frames}
    return Study(data=path, protocol=ListModeProtocol.model_validate({**protocol, **how}))


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    return tmp_path_factory.mktemp("scan")


@pytest.fixture(scope="module")
def bare(folder):
    """Return a scan of two seconds without background."""
    return simulate_listmode(
        BODY, RING, n_prompts=30_000, seed=5, randoms_fraction=0, attenuation=False, duration_s=2
    )


def finished(study, **how) -> Finished:
    return list(run(study, on=ON, **how))[-1]


def test_frame_of_the_whole_scan_has_the_bits_of_the_scan(bare, folder):
    whole, framed = finished(study_of(bare, folder)), finished(study_of(bare, folder, "2"))
    assert framed.volume.values.tobytes() == whole.volume.values.tobytes()
    assert [each.frame for each in framed.frames] == [TimeFrame(0, 2000)]


def test_frames_add_up_to_the_image_of_their_events(bare, folder, tmp_path):
    """One update of a uniform image is a sum over events: x = Σ_i 1 / (A 1)_i A_i / s."""
    last = finished(study_of(bare, folder, "33x0.05"))
    assert len(last.frames) == 33
    part = bare.select(bare.time_ms < 1650)
    expected = finished(study_of(part, tmp_path)).volume.values
    np.testing.assert_allclose(last.volume.values, expected, rtol=0, atol=1e-6 * expected.max())
    total = np.sum([each.volume.values for each in last.frames], axis=0, dtype=np.float64)
    np.testing.assert_array_equal(last.volume.values, total.astype(np.float32))


def test_events_after_the_last_frame_are_reported_and_an_empty_frame_is_empty(bare, folder):
    late = replace(bare, time_ms=bare.time_ms + np.uint32(500))
    events = list(run(study_of(late, folder.parent, "2x0.25,1"), on=ON))
    warned = [event.text for event in events if isinstance(event, Warned)]
    n_after = np.count_nonzero(late.time_ms >= 1500)
    assert any(text.startswith(f"{n_after:,} of ") for text in warned)
    assert sum("its image is empty" in text for text in warned) == 2
    frames = events[-1].frames
    assert not frames[0].volume.values.any() and frames[2].volume.values.any()


def test_time_between_frames_is_excluded_from_the_image_of_all_frames(bare, folder, tmp_path):
    events = list(run(study_of(bare, folder, "0.25-0.5, 1-1.75"), on=ON))
    last, times = events[-1], bare.time_ms
    retained = ((times >= 250) & (times < 500)) | ((times >= 1000) & (times < 1750))
    expected = finished(study_of(bare.select(retained), tmp_path)).volume.values
    np.testing.assert_allclose(last.volume.values, expected, rtol=0, atol=1e-6 * expected.max())
    parts = finished(study_of(bare, folder, "0.25,0.25,0.5,0.75,0.25")).frames
    for found, place in zip(last.frames, (1, 3), strict=True):
        assert found.frame == parts[place].frame
        assert found.volume.values.tobytes() == parts[place].volume.values.tobytes()
    (text,) = [event.text for event in events if isinstance(event, Warned)]
    assert text.endswith(f"of {bare.n_events:,} prompts are outside the 2 frames and are not "
                         "used.")  # fmt: skip
    assert text.startswith(f"{np.count_nonzero(~retained):,} ")
    assert last.provenance["scan"]["frames"][1] == {"start_s": 1.0, "duration_s": 0.75}


def test_previews_count_frames_and_each_frame_ends_with_a_finished_image(bare, folder):
    how = {"algorithm": {"kind": "osem", "iterations": 2, "subsets": 3},
           "finishing": [{"kind": "gaussian", "fwhm_mm": 9}]}  # fmt: skip
    events = list(run(study_of(bare, folder, "2x1", **how), on=ON))
    shown = [event for event in events if isinstance(event, Preview)]
    assert {(event.iterations, event.subsets) for event in shown} == {(2, 6)}
    ends = [event for event in shown if event.ends_iteration]
    assert [event.frame.start_ms for event in ends] == [0, 1000]
    for event, frame in zip(ends, events[-1].frames, strict=True):
        assert event.volume.values.tobytes() == frame.volume.values.tobytes()
    blurred, sharp = ends[0].volume.values, shown[4].volume.values
    assert np.abs(np.diff(blurred, axis=2)).max() < np.abs(np.diff(sharp, axis=2)).max()


def test_background_of_a_frame_is_its_share(folder, tmp_path):
    """Half of the prompts are randoms: without its background a frame would be twice too hot."""
    data = simulate_listmode(
        BODY, RING, n_prompts=60_000, seed=6, randoms_fraction=0.5, attenuation=False, duration_s=4
    )
    how = {"algorithm": {"kind": "mlem", "iterations": 8}}
    whole = finished(study_of(data, tmp_path, **how)).volume.values
    last = finished(study_of(data, tmp_path, "1,3", **how))
    ratio = [float(f.volume.values.sum() / whole.sum()) for f in last.frames]
    assert ratio == pytest.approx([0.25, 0.75], abs=0.02)


def test_run_resumed_within_a_frame_gives_the_same_bits(bare, folder, tmp_path):
    how = {"algorithm": {"kind": "osem", "iterations": 2, "subsets": 2}}
    study = study_of(bare, folder, "4x0.5", **how)
    expected = finished(study)
    job = Job.create(study, tmp_path / "job")
    events = keep(run(study, on=ON), job)
    for event in events:  # stop in the middle of the third frame
        if isinstance(event, Preview) and (event.iteration, event.subset) == (3, 2):
            break
    events.close()
    resume = job.latest()
    assert resume.done == 2 * 4 + 2 and len(resume.frames) == 2
    again = list(keep(run(study, on=ON, resume=resume), job))
    shown = [event.iteration for event in again if isinstance(event, Preview)]
    assert min(shown) == 3
    assert again[-1].volume.values.tobytes() == expected.volume.values.tobytes()
    assert [f.volume.values.tobytes() for f in again[-1].frames] == [
        f.volume.values.tobytes() for f in expected.frames
    ]
    result = Results().open(job.record.result)
    assert [each.frame for each in result.frames()] == [each.frame for each in expected.frames]
    assert not job.frames.folder.exists()


def test_finishing_early_keeps_the_finished_frames(bare, folder):
    last = finished(study_of(bare, folder, "4x0.5"), finish_early=lambda: True)
    assert len(last.frames) == 1
    assert last.run.describe_ending() == "stopped by the user after frame 1 of 4"
    # iterations of each finished frame
    assert last.run.iterations_done == last.run.iterations_planned == 1
    assert last.provenance["scan"]["frames"] == [{"start_s": 0.0, "duration_s": 0.5}]


@pytest.mark.parametrize("name", ["frames.h5", "frames.nii.gz"])
def test_frames_are_written_by_the_command_and_read_back(bare, folder, tmp_path, name, capsys):
    path = tmp_path / name
    study_of(bare, folder)
    command = ["reconstruct", str(folder / "scan.h5"), "--frames", "0.5,1.5", "-o", str(path),
               "--set", "algorithm.iterations=1", "--set", "algorithm.subsets=1",
               "--set", "grid.voxel_mm=[12,12,12]"]  # fmt: skip
    assert main(command) == DONE
    if name.endswith(".h5"):
        found = read_frames(path)
        assert [each.frame for each in found] == [TimeFrame(0, 500), TimeFrame(500, 2000)]
        total = np.sum([each.volume.values for each in found], axis=0, dtype=np.float64)
        np.testing.assert_array_equal(read_volume(path).values, total.astype(np.float32))
        return
    import nibabel

    image = nibabel.load(path)
    assert image.shape[3] == 2
    text = (tmp_path / "frames.provenance.json").read_text()
    assert '"FrameDuration": [' in text and '"FrameTimesStart": [' in text


def test_format_without_frames_is_refused_before_the_run(bare, folder, tmp_path, capsys):
    study_of(bare, folder)
    out = tmp_path / "frames.png"
    command = ["reconstruct", str(folder / "scan.h5"), "--frames", "2x1", "-o", str(out)]
    assert main(command) == USER_FAULT
    assert (
        "frames or gates, which can only be saved with the suffixes .nii.gz, .nii, .h5, .hdf5"
        in capsys.readouterr().err
    )


@pytest.mark.parametrize("weighted", [True, False])
def test_changing_dead_time_is_corrected_per_frame(tmp_path, weighted):
    """The crystals are live for 1, then 0.8 of the time: 0.64 of the pairs at the same activity."""
    data = simulate_listmode(
        BODY, RING, n_prompts=80_000, seed=9, randoms_fraction=0, attenuation=False, duration_s=4
    )
    pairs = np.array([1.0, 0.64])
    chance = np.random.default_rng(3).random(data.n_events)
    data = data.select(chance < pairs[(data.time_ms >= 1000).astype(int)])
    live = LiveTimes(np.array([0, 1000]), pairs)
    even = np.ones(RING.n_crystals, np.float32)
    data = replace(data, efficiencies=even, live_times=live)
    digest = efficiencies_digest(data) if weighted else ""
    kinds = ("normalisation", "line_geometry") if weighted else ("line_geometry",)
    known = Calibration(1.0, 0.5, RING.name, scanner_digest(RING), kinds, digest)
    write_calibration(known, tmp_path / "known.json", {})
    (tmp_path / "tracer.toml").write_text("[tracer]\nhalf_life_s = 1e6\nbranching = 1.0\n")
    how = {} if weighted else {"corrections": {"normalisation": {"use": "off"}}}
    given = {"calibration": tmp_path / "known.json", "tracer": tmp_path / "tracer.toml"}
    study = study_of(data, tmp_path, "0-1,1-2,2-4", **how).model_copy(update={"inputs": given})
    last = finished(study)
    if weighted:
        dead = replace(data, live_times=LiveTimes(live.starts_ms, np.array([1.0, 0.0])))
        write_listmode(dead, tmp_path / "scan.h5")
        with pytest.raises(DataError, match=r"no live time in the frame \(1 to 2 s\)"):
            finished(study)
    values = np.array([each.volume.values.sum() for each in last.frames], float)
    assert {each.volume.unit for each in last.frames} == {"Bq/mL"}
    expected = [1, 1, 1] if weighted else [1, 0.64, 0.64]
    assert values / values[0] == pytest.approx(expected, abs=0.03)


@pytest.mark.parametrize(
    ("spans_ms", "step_s"),
    [
        (((0, 50), (50, 100)), 0.05),
        (((20, 50), (120, 150), (220, 250)), 0.1),
        (((20, 50), (60, 100)), 1.0),
    ],
)
def test_every_format_stores_the_frame_times(tmp_path, spans_ms, step_s):
    """NIfTI stores one step between frames, and 1 means unknown. The sidecar stores all times."""
    import nibabel

    image = Volume(np.ones(GRID.shape, np.float32), GRID, "Bq/mL")
    frames = [FrameVolume(TimeFrame(*span), image) for span in spans_ms]
    save_frames(image, frames, tmp_path / "a.h5", {})
    assert [each.frame for each in read_frames(tmp_path / "a.h5")] == [f.frame for f in frames]
    save_frames(image, frames, tmp_path / "a.nii", {})
    header = nibabel.load(tmp_path / "a.nii").header
    assert float(header["pixdim"][4]) == pytest.approx(step_s)
    text = json.loads(sidecar_path(tmp_path / "a.nii").read_text())["provenance"]
    starts, ends = np.array(spans_ms).T / 1000
    assert np.array(text["FrameTimesStart"]) == pytest.approx(starts)
    assert np.array(text["FrameDuration"]) == pytest.approx(ends - starts)


def test_changed_frame_is_refused(bare, folder, tmp_path):
    last = finished(study_of(bare, folder, "2x1"))
    save_frames(last.volume, last.frames, tmp_path / "frames.h5", {})
    content = bytearray((tmp_path / "frames.h5").read_bytes())
    values = last.frames[1].volume.values.tobytes()
    content[content.rindex(values[4000:4200]) + 7] ^= 4
    (tmp_path / "frames.h5").write_bytes(content)
    with pytest.raises(FileFormatError, match="'frames/values' has changed"):
        read_frames(tmp_path / "frames.h5")
    assert isinstance(last.frames[0], FrameVolume)


def test_frames_in_becquerel_refer_to_the_start_of_the_scan(tmp_path):
    """Counts decay with the nuclide; the activity at the scan start is the same in every frame."""
    data = simulate_listmode(
        BODY, RING, n_prompts=80_000, seed=8, randoms_fraction=0, attenuation=False, duration_s=6
    )
    chance = np.random.default_rng(2).random(data.n_events)
    data = data.select(chance < np.exp2(-data.time_ms.astype(float) / 1000 / HALF_LIFE_S))
    known = Calibration(1.0, 0.5, RING.name, scanner_digest(RING), ("line_geometry",))
    write_calibration(known, tmp_path / "known.json", {})
    (tmp_path / "tracer.toml").write_text(
        f"[tracer]\nhalf_life_s = {HALF_LIFE_S}\nbranching = 1.0\n"
    )
    study, with_gap = (study_of(data, tmp_path, frames) for frames in ("1,2,3", "0-1,3-6"))
    given = {"calibration": tmp_path / "known.json", "tracer": tmp_path / "tracer.toml"}
    last = finished(study.model_copy(update={"inputs": given}))
    values = np.array([each.volume.values.sum() for each in last.frames], float)
    assert {each.volume.unit for each in last.frames} == {last.volume.unit} == {"Bq/mL"}
    assert values / values.mean() == pytest.approx([1, 1, 1], abs=0.03)
    mean = float(values @ [1, 2, 3] / 6)
    assert float(last.volume.values.sum(dtype=float)) == pytest.approx(mean, rel=1e-5)
    last = finished(with_gap.model_copy(update={"inputs": given}))
    found = np.array([each.volume.values.sum() for each in last.frames], float)
    assert found == pytest.approx(values[[0, 2]], rel=1e-5), (
        "a gap between the frames must not change their values"
    )
    mean = float(found @ [1, 3] / 4)
    assert float(last.volume.values.sum(dtype=float)) == pytest.approx(mean, rel=1e-5)
