"""Tests of time frames as images of a run: names, storage, curves, and export."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from app.output.export.writing import provenance_of, write
from app.state.models.run_images import ALL_FRAMES
from app.state.models.run_model import RunModel
from app.state.models.run_record import RunRecord
from app.state.services.written_frames import frames_of
from app.views.text import image_title
from engine.core.errors import DataError
from engine.data import FrameVolume, TimeFrame, Volume
from engine.data.runs.events import Finished, Preview, StageStarted
from engine.data.runs.history import RunHistory
from engine.geometry import ImageGrid
from engine.io import read_frames
from engine.io.dicom.emission import series_attributes

GRID = ImageGrid((3, 4, 5), (2.0, 2.0, 2.0))
FRAMES = tuple(TimeFrame(1000 * k, 1000 * k + 1000) for k in range(3))


def volume(value: float) -> Volume:
    return Volume(np.full(GRID.shape, value, np.float32), GRID, "counts/mm")


def preview(k: int, update: int, likelihoods: tuple[float, ...] = ()) -> Preview:
    history = RunHistory(log_likelihoods=likelihoods)
    return Preview(volume(k + 1), k + 1, 3, update, 4, 0.1, history=history, frame=FRAMES[k])


@pytest.fixture
def run(qapp) -> RunModel:
    model = RunModel()
    model.begin("scan")
    model.take(StageStarted("reconstruct", "OSEM"))
    return model


def test_each_frame_is_an_image_and_the_last_shows_all_frames(run: RunModel):
    for k in range(3):
        run.show_preview(preview(k, 2, (-5.0,)))
        run.keep(preview(k, 4, (-5.0, -4.0 + k)))
        assert run.record.curve == [(1, -5.0), (2, -4.0 + k)], (
            "the curve is not that of the current frame"
        )
    combined, provenance = volume(6), {"scan": {"frames": [{}] * 3}}
    run.take(Finished(combined, provenance))
    assert run.images == ["frame 1, 0 to 1 s", "frame 2, 1 to 2 s", "frame 3, 2 to 3 s", ALL_FRAMES]
    items = run.record.images.items
    assert items[1].caption == "frame 2 of 3, 1 to 2 s"
    assert [image_title(item.caption) for item in items[2:]] == [
        "Frame 3 of 3, 2 to 3 s",
        "All frames",
    ]
    assert [found.frame for found in run.record.images.frames] == list(FRAMES)


def test_frames_are_exported_only_with_the_image_of_all_frames(run: RunModel, tmp_path: Path):
    frames = [FrameVolume(frame, volume(k)) for k, frame in enumerate(FRAMES)]
    run.show_result(RunRecord("a"), ALL_FRAMES, volume(3), frames)
    record, items = run.record, run.record.images.items
    target = tmp_path / "frames.h5"
    assert frames_of(record, items[0], target) == ()
    assert frames_of(record, items[-1], tmp_path / "frames.png") == ()
    found = frames_of(record, items[-1], target)
    write(items[-1].volume, target, {}, found)
    assert [each.frame for each in read_frames(target)] == list(FRAMES)


def test_frames_of_a_file_are_exported_completely_or_refused(run: RunModel, tmp_path: Path):
    frames = [FrameVolume(frame, volume(k)) for k, frame in enumerate(FRAMES)]
    run.show_stored(volume(3), "frames.dicom", frames)
    record, items = run.record, run.record.images.items
    target = tmp_path / "frames.h5"
    assert [each.frame for each in frames_of(record, items[-1], target)] == list(FRAMES)
    del items[1]  # as if memory was insufficient
    with pytest.raises(DataError, match="only 2 of 3 frames"):
        frames_of(record, items[-1], target)


def test_single_frame_states_its_times_and_is_finished(run: RunModel, tmp_path: Path):
    times = [{"start_s": frame.start_s, "duration_s": frame.duration_s} for frame in FRAMES]
    scan = {"duration_s": 3.0, "half_life_s": 2.0, "concentration": {"decay": "start"}}
    attributes_of_frames = {"scan": {**scan, "frames": times}, "FrameDuration": [1.0, 1.0, 1.0]}
    frames = [
        FrameVolume(frame, replace(volume(k), unit="Bq/mL")) for k, frame in enumerate(FRAMES)
    ]
    run.show_result(RunRecord("a", provenance=attributes_of_frames), ALL_FRAMES, volume(3), frames)
    record, items = run.record, run.record.images.items
    own = provenance_of(record, items[1])
    assert own["scan"] == {**scan, "frames": [times[1]]}
    assert (own["FrameTimesStart"], own["FrameDuration"]) == ([1.0], [1.0])
    assert own["image"] == "frame 2, 1 to 2 s"
    assert provenance_of(record, items[-1])["scan"]["frames"] == times
    attributes = series_attributes(own, "Bq/mL", 3)
    assert attributes["ActualFrameDuration"] == "1000"
    left = (2**-0.5 - 2**-1) * 2.0 / np.log(2)  # the activity is 1 at the start of the scan
    assert float(attributes["DecayFactor"]) == pytest.approx(1 / left, rel=1e-6)


def test_abort_within_a_frame_keeps_its_image(run: RunModel):
    from engine.data.runs.events import Aborted

    run.keep(preview(0, 4))
    run.show_preview(preview(1, 2))
    run.take(Aborted("Aborted."))
    assert run.images == ["frame 1, 0 to 1 s", "frame 2, subset 2"]
    assert image_title(run.images[1]) == "Frame 2, subset 2"
