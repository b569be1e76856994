"""Tests of the images of an interrupted and resumed run: numbers and storage."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from app.state.models.run_images import StoredImage, StoredImages
from app.state.models.run_model import RunModel
from app.state.models.run_record import RunRecord, RunState
from engine.data.error_map import ErrorMap
from engine.data.runs.events import Aborted, Failed, Finished, Preview, ResultSaved
from engine.data.volume import Volume
from engine.geometry.grid import ImageGrid

GRID = ImageGrid((1, 1, 2), (1.0, 1.0, 1.0))
OF, SUBSETS = 40, 2


def volume(value: float = 1.0) -> Volume:
    return Volume(np.full(GRID.shape, value, np.float32), GRID, "counts/mm")


def preview(iteration: int, subset: int = SUBSETS, value: float = 1.0) -> Preview:
    return Preview(volume(value), iteration, OF, subset, SUBSETS, 0.1)


@pytest.fixture
def run(qapp) -> RunModel:
    model = RunModel()
    model.begin("scan", None, "job")
    return model


def at_iteration_22(run: RunModel) -> None:
    for iteration in (20, 21):
        run.keep(preview(iteration))
    run.show_preview(preview(22, 1))
    run.take(Failed("killed.", user_fault=False))


def test_captions_state_the_iteration_and_the_planned_number(run):
    at_iteration_22(run)
    assert run.record.images.captions == [
        "iteration 20 of 40",
        "iteration 21 of 40",
        "iteration 22 of 40, subset 1",
    ]
    run.take(Finished(volume(), {}))
    assert run.record.images.captions[-1] == "final"


def test_resumed_job_keeps_its_images_until_new_ones_replace_them(run):
    at_iteration_22(run)
    before = run.images
    run.begin("scan", None, "job")  # from the checkpoint of iteration 20
    assert run.images == before and run.state is RunState.PREPARING
    run.keep(preview(21, value=7))
    assert run.images == ["iteration 20", "iteration 21"]
    assert run.record.images.items[-1].volume.values.max() == 7
    run.keep(preview(22))
    assert run.images == ["iteration 20", "iteration 21", "iteration 22"]


def test_other_job_starts_without_the_images_of_the_last_one(run):
    at_iteration_22(run)
    run.begin("scan", None, "another")
    assert run.images == []
    run.begin("scan")
    run.keep(preview(1))
    run.begin("scan")
    assert run.images == [], "a run without a job took over the images of the last job"


def test_iterates_from_disk_come_before_new_ones(run):
    earlier = [StoredImage(f"iteration {i}", volume(i), (i, SUBSETS), OF) for i in (5, 10, 20)]
    run.keep(preview(20))
    run.keep(preview(21))
    run.keep_earlier("job", earlier)
    assert run.images == ["iteration 5", "iteration 10", "iteration 20", "iteration 21"]
    run.keep_earlier("another", earlier)
    assert len(run.images) == 4


def test_last_iterate_from_disk_is_shown_while_the_engine_prepares(run):
    shown = []
    run.image_selected.connect(lambda image, _: shown.append(image))
    run.keep_earlier("job", [StoredImage("iteration 5", volume(5), (5, SUBSETS), OF)])
    assert [image.values.max() for image in shown] == [5]
    run.show_preview(preview(6, 1))
    run.keep_earlier("job", [StoredImage("iteration 4", volume(4), (4, SUBSETS), OF)])
    assert len(shown) == 2, "an earlier image replaced a newer one"


def test_earlier_images_count_towards_the_memory():
    images = StoredImages(limit_bytes=4 * volume().values.nbytes)
    images.add("iteration 9", volume(), (9, 1), OF)
    images.add_earlier([StoredImage(f"iteration {i}", volume(), (i, 1), OF) for i in range(1, 6)])
    assert images.labels == ["iteration 1", "iteration 3", "iteration 5", "iteration 9"]


@pytest.mark.parametrize("end", [Finished(volume(), {}), Aborted("Stopped.")])
def test_only_unstored_images_can_be_lost(run, end):
    assert not run.record.is_only_here
    run.show_preview(preview(3, 1))
    run.take(end)
    assert run.record.is_only_here
    run.take_result("another", "20260101")
    assert run.record.is_only_here
    run.take_result("job", "20260101")
    assert not run.record.is_only_here


def test_stored_result_of_the_engine_is_reported(run):
    messages, lines = [], []
    run.result_stored.connect(lambda: messages.append(run.record.result_id))
    run.reported.connect(lambda level, text: lines.append((level, text)))
    run.take(ResultSaved("20260101", "Saved with the results."))
    run.take(Finished(volume(), {}))
    assert messages == ["20260101"] and not run.record.is_only_here
    assert lines[0] == ("info", "Saved with the results.")


def test_opened_file_is_not_an_unsaved_image(run):
    run.begin("mu.nii")
    run.show_stored(volume(), "mu.nii")
    run.record.exported = False
    assert not run.record.is_only_here and not RunRecord().is_only_here


def test_image_without_planned_iterations_has_no_total_in_its_caption():
    assert StoredImage("iteration 3", volume(), (3, 1)).caption == "iteration 3"
    assert StoredImage("iteration 3", volume(), (3, 1), 8).caption == "iteration 3 of 8"


def test_replicates_count_towards_the_memory_of_stored_images():
    image = volume()
    error = ErrorMap.of(image.values, [image.values] * 12, seed=1)
    with_error = replace(image, error=error)
    # 2 voxels: 8 bytes of values, 24 of replicates, 8 of their scale.
    assert StoredImage("frame 1", with_error).n_bytes == 40
    images = StoredImages(limit_bytes=80)
    for k in range(3):
        images.add(f"frame {k}", replace(with_error))
    assert images.labels == ["frame 0", "frame 2"]
