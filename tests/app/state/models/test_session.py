"""Tests of the session without a window: study, protocol history, run, and images."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from app.state.models.device_choice import DeviceChoice
from app.state.models.inputs import Input, Inputs
from app.state.models.messages import MAX_LOG_LINES
from app.state.models.quality import QUALITIES, at_quality, caption_of, quality_of, tip_of
from app.state.models.run_images import StoredImages
from app.state.models.run_record import RunRecord, RunState
from app.state.models.session import Session
from app.state.models.speeds import once_key
from app.state.models.undo_history import UndoHistory
from engine.core.backend.devices import cpu_device
from engine.core.errors import EngineError
from engine.corrections import CORRECTIONS
from engine.data.listmode import ListMode
from engine.data.runs.events import (
    Aborted,
    Corrected,
    Failed,
    Finished,
    Measured,
    Preview,
    Progressed,
    StageStarted,
    Warned,
)
from engine.data.runs.history import RunHistory
from engine.data.volume import Volume
from engine.geometry.grid import ImageGrid
from engine.modalities import digest_of
from engine.modalities.listmode_pet.event_summary import EventSummary
from engine.modalities.listmode_pet.modality import ListModePet
from engine.modalities.listmode_pet.protocol import ListModeGrid, ListModeProtocol
from engine.modalities.xray_ct.protocol import CtProtocol
from engine.recon.algorithms import Osem
from tests.app.conftest import read_input
from tests.engine.run_records import recorded

GRID = ImageGrid((3, 4, 5), (2.0, 2.0, 2.0))


def volume(value: float = 1.0) -> Volume:
    return Volume(np.full(GRID.shape, value, np.float32), GRID, "counts/mm")


def preview(iteration: int, subset: int, *, value: float = 1.0, seconds: float = 0.5) -> Preview:
    logs = tuple(-100.0 / i for i in range(1, iteration + (subset == 2)))
    log = logs[-1] if subset == 2 else None
    history = RunHistory(log_likelihoods=logs)
    return Preview(volume(value), iteration, 3, subset, 2, seconds, log, history=history)


@pytest.fixture
def session(qapp) -> Session:
    return Session(DeviceChoice("auto", (cpu_device(2),)))


@pytest.fixture
def scan(tiny_ring) -> EventSummary:
    crystals = np.array([[1, 25]], np.int32)
    return replace(EventSummary.of(ListMode(tiny_ring, crystals)), n_events=1000)


@pytest.fixture
def ready(session, scan) -> Session:
    session.study.set_input("data", Input("/data/scan.l", "1,000 prompts", content=scan))
    return session


# history and quality


def test_undo_and_redo_step_through_every_protocol():
    values = [ListModeProtocol(name=name) for name in "abc"]
    history = UndoHistory(values[0])
    for value in values[1:]:
        history.push(value)
    restored = []
    while history.can_undo:
        history.undo()
        restored.append(history.current)
    assert restored == [values[1], values[0]]
    history.redo()
    assert history.current == values[1]
    history.push(ListModeProtocol(name="d"))
    assert not history.can_redo
    history.undo()
    assert history.current == values[1]


def test_choosing_the_same_protocol_is_not_a_change():
    history = UndoHistory(ListModeProtocol())
    history.push(ListModeProtocol())
    assert not history.can_undo


def test_values_of_a_group_are_one_step():
    history = UndoHistory(0)
    history.push(1)
    history.begin_group()
    for value in (2, 3, 4):
        history.push(value)
    history.end_group()
    history.push(5)
    seen = []
    while history.can_undo:
        history.undo()
        seen.append(history.current)
    assert seen == [4, 1, 0]


def test_group_that_returns_to_its_first_value_is_not_a_step():
    history = UndoHistory(0)
    history.push(1)
    history.begin_group()
    history.push(2)
    history.push(1)
    history.end_group()
    history.undo()
    assert history.current == 0 and not history.can_undo


@pytest.mark.parametrize("quality", QUALITIES)
def test_quality_is_recognised(quality, tiny_ring):
    base, default_mm = ListModeProtocol(), tiny_ring.default_voxel_mm
    assert quality_of(at_quality(base, quality, default_mm), base, default_mm) == quality


def test_fast_has_eight_times_fewer_voxels_and_half_the_iterations(tiny_ring):
    base = ListModeProtocol(algorithm=Osem(iterations=6))
    fast = at_quality(base, "fast", tiny_ring.default_voxel_mm)
    default_mm, coarse = (p.grid.grid_for(tiny_ring).n_voxels for p in (base, fast))
    assert default_mm == 8 * coarse
    assert fast.algorithm.n_iterations == 3


@pytest.mark.parametrize("quality", QUALITIES)
def test_caption_of_a_quality_states_its_changes(quality, tiny_ring):
    default_mm, base = tiny_ring.default_voxel_mm, ListModeProtocol()
    changed, caption = at_quality(base, quality, default_mm), caption_of(quality, base)
    assert ("voxel" in caption) == (changed.grid != base.grid)
    assert ("iterations" in caption) == (changed.algorithm != base.algorithm)
    assert "iterations" not in caption_of(quality, CtProtocol()), (
        "a direct algorithm has no iterations"
    )
    assert caption_of(None, base) == ""


def test_manual_change_is_not_a_quality(session):
    session.study.use_quality("fast")
    assert session.study.quality == "fast"
    session.study.set_protocol(
        session.study.protocol.model_copy(update={"algorithm": Osem(iterations=99)})
    )
    assert session.study.quality is None
    session.study.undo()
    assert session.study.quality == "fast"


def test_fast_scales_the_voxels_once_the_scanner_is_known(session, scan, tiny_ring):
    session.study.use_quality("fast")
    assert session.study.protocol.grid.voxel_mm is None
    session.study.set_input("data", Input("/data/scan.l", "1,000 prompts", content=scan))
    assert session.study.quality == "standard", "the scan took over the quality level"
    session.study.use_quality("fast")
    assert session.study.protocol.grid.voxel_mm == (12.0, 12.0, 12.0)


# study


def test_start_is_refused_with_the_missing_input(session, scan):
    assert session.obstacle() == "Open a scan first."
    session.study.show_reading({"data": "scan.l"})
    assert session.obstacle() == "scan.l is still being read."
    session.study.set_input("data", Input("/data/scan.l", "1,000 prompts", content=scan))
    assert session.obstacle() == "scan.l is still being read."
    session.study.show_reading({})
    assert session.obstacle() == ""


def test_grid_too_large_for_memory_is_refused_with_numbers(ready):
    grid = ListModeGrid(voxel_mm=(0.05, 0.05, 0.05), length_mm=100)
    ready.study.set_protocol(ListModeProtocol(grid=grid))
    obstacle = ready.obstacle()
    assert "GiB of memory" in obstacle
    assert "larger voxels" in obstacle


def test_grid_with_too_many_voxels_along_an_axis_is_refused(ready):
    ready.study.set_protocol(
        ListModeProtocol(grid=ListModeGrid(voxel_mm=(0.05, 6, 6), diameter_mm=500))
    )
    assert "at most 2000" in ready.obstacle()


def test_study_contains_the_chosen_inputs(ready):
    ready.study.set_input("scanner", Input("siemens-mmr", "mMR"))
    study = ready.study.to_study()
    assert study.data == Path("/data/scan.l")
    assert study.scanner == "siemens-mmr"
    assert digest_of(study.protocol) == digest_of(ready.study.protocol)
    assert study.protocol.saved.origin == "program" and study.protocol.saved.changed == ()


def test_unavailable_corrections_state_the_reason(scan, tiny_ring):
    inputs = Inputs(data=Input("/data/scan.l", "ok", content=scan))
    obstacles = ListModePet().obstacles(ListModeProtocol(), inputs.open_study)
    assert sorted(obstacles) == sorted(kind.kind for kind in CORRECTIONS)
    assert not obstacles.pop("line_geometry"), "the scanner is the only requirement"
    assert not obstacles.pop("resolution"), "the scanner is the only requirement"
    assert all(obstacles.values())
    mu = Volume(np.full(GRID.shape, 0.0096, np.float32), GRID, "1/mm")
    inputs["attenuation"] = Input("/data/mu.nii", "ok", content=mu)
    assert ListModePet().obstacles(ListModeProtocol(), inputs.open_study)["attenuation"] is None


def test_chosen_scanner_has_priority_over_that_of_the_scan(ready, tiny_ring):
    other = type(tiny_ring)(tiny_ring.settings.model_copy(update={"name": "Other"}))
    ready.study.set_input("scanner", Input("other.toml", "Other", content=other))
    assert ready.study.scanner is other
    ready.study.set_input("scanner", None)
    assert ready.study.scanner is tiny_ring


def test_opened_scan_holds_few_events_and_all_facts(small_study):
    found = read_input("data", str(small_study.data), None, None)
    assert found.content.n_events > 20_000
    assert found.content.sample.n_events <= 128
    assert found.content.sample.n_delayed > 0
    assert dict(found.content.facts)["Scanner"] == "Tiny ring"


@pytest.mark.parametrize("role", ["data", "scanner", "attenuation", "normalisation"])
def test_missing_file_gives_one_sentence(role, tmp_path, tiny_ring):
    with pytest.raises(EngineError, match=r"no\.such"):
        read_input(role, str(tmp_path / "no.such"), None, tiny_ring)


# run


def test_states_follow_the_stages(session):
    session.run.begin("scan")
    assert session.run.state is RunState.PREPARING
    session.run.take(StageStarted("sensitivity", "Computing"))
    assert session.run.state is RunState.PREPARING
    session.run.take(StageStarted("reconstruct", "OSEM"))
    assert session.run.state is RunState.RUNNING
    session.run.take(StageStarted("finish", "Filtering"))
    assert session.run.state is RunState.FINISHING
    session.run.take(Finished(volume(2.0), {"format": "x"}))
    assert session.run.state is RunState.FINISHED
    assert session.run.record.images.labels == ["final"]
    assert session.view.volume.values.max() == 2.0


def test_progress_and_remaining_time_come_from_the_updates():
    record = RunRecord()
    record.take(StageStarted("sensitivity", "Computing"))
    assert record.fraction is None
    record.take(Progressed("sensitivity", 25, 100))
    assert record.fraction == 0.25
    record.take(StageStarted("reconstruct", "OSEM"))
    for subset, seconds in ((1, 1.0), (2, 3.0)):
        record.take(preview(1, subset, seconds=seconds))
    assert record.fraction == pytest.approx(2 / 6)
    assert record.seconds_left == pytest.approx(4 * 2.0)


@pytest.mark.parametrize(("done", "early"), [(2, True), (3, False)])
def test_run_with_iterations_left_ended_early(done, early):
    record = RunRecord()
    record.take(preview(2, 2))
    assert not record.ended_early
    record.take(Finished(volume(2.0), {"run": recorded(done, 3).model_dump(mode="json")}))
    assert record.ended_early is early


def test_view_follows_the_newest_image_unless_an_older_one_is_selected(session):
    session.run.begin("scan")
    session.run.take(StageStarted("reconstruct", "OSEM"))
    for iteration in (1, 2):
        last = preview(iteration, 2, value=iteration)
        session.run.keep(last)
        session.run.show_preview(last)
    session.run.select(0)
    session.run.show_preview(preview(3, 1, value=9.0))
    assert session.view.volume.values.max() == 1.0
    session.run.select(1)
    session.run.show_preview(preview(3, 1, value=9.0))
    assert session.view.volume.values.max() == 9.0


def test_manual_window_stays(session):
    session.run.begin("scan")
    session.run.take(StageStarted("reconstruct", "OSEM"))
    session.run.show_preview(preview(1, 1, value=1.0))
    fitted = session.view.window
    session.run.show_preview(preview(1, 2, value=5.0))
    assert session.view.window[1] > fitted[1]
    session.view.set_window(0.0, 0.25)
    session.run.show_preview(preview(1, 2, value=50.0))
    assert session.view.window == (0.0, 0.25)


def test_cursor_follows_the_forming_object_until_the_user_moves_it(session):
    def formed(place: tuple[int, int, int], iteration: int) -> Preview:
        event = preview(iteration, 1, value=0.0)
        event.volume.values[place] = 5.0
        return event

    session.run.begin("scan")
    session.run.take(StageStarted("reconstruct", "OSEM"))
    session.run.show_preview(preview(1, 1))
    for place in ((0, 3, 4), (2, 0, 0)):
        session.run.show_preview(formed(place, 1))
        assert session.view.value_at_cursor() == 5.0
    session.view.set_cursor((0.0, 0.0, 0.0))
    session.run.show_preview(formed((0, 3, 4), 1))
    assert session.view.cursor_mm == (0.0, 0.0, 0.0)


def test_curve_has_each_iteration_once(session):
    session.run.begin("scan")
    session.run.take(StageStarted("reconstruct", "OSEM"))
    for iteration in (1, 2):
        last = preview(iteration, 2)
        session.run.show_preview(last)
        session.run.keep(last)
    assert session.run.record.curve == [(1, -100.0), (2, -50.0)]


def test_curve_of_a_resumed_run_includes_earlier_images(session):
    session.run.begin("scan")
    session.run.take(StageStarted("reconstruct", "OSEM"))
    session.run.show_preview(preview(3, 1))
    assert session.run.record.curve == [(1, -100.0), (2, -50.0)]
    session.run.keep(preview(1, 2))  # stored first, but arrives last
    assert session.run.record.curve == [(1, -100.0), (2, -50.0)]


@pytest.mark.parametrize("end", [Aborted("Aborted."), Failed("The engine stopped.", False)])
def test_last_image_of_an_interrupted_run_stays(session, end):
    session.run.begin("scan")
    session.run.take(StageStarted("reconstruct", "OSEM"))
    session.run.keep(preview(1, 2))
    session.run.show_preview(preview(2, 1, value=7.0))
    session.run.take(end)
    assert session.run.record.images.labels == ["iteration 1", "iteration 2, subset 1"]
    assert session.view.volume.values.max() == 7.0
    assert not session.run.state.is_active


def test_late_preview_does_not_replace_the_final_image(session):
    session.run.begin("scan")
    session.run.take(Finished(volume(2.0), {}))
    session.run.show_preview(preview(1, 1, value=9.0))
    assert session.view.volume.values.max() == 2.0


def test_ledger_timings_and_warnings_are_stored(session):
    session.run.begin("scan")
    corrected = Corrected("randoms", "applied", "35,320 delayeds")
    measured = Measured("read", 0.5)
    for event in (corrected, measured, Warned("Look.")):
        session.run.take(event)
    assert session.run.record.ledger == {"randoms": corrected}
    assert session.run.record.timings == [measured]
    assert session.run.record.warnings == ["Look."]
    assert [line.level for line in session.log] == ["info", "warning"]


def test_stored_images_stay_within_their_memory_limit():
    one = volume().values.nbytes
    images = StoredImages(limit_bytes=4 * one)
    for i in range(1, 40):
        images.add(f"iteration {i}", volume(i))
        assert sum(item.volume.values.nbytes for item in images.items) <= 4 * one
    assert images.labels[0] == "iteration 1"
    assert images.labels[-1] == "iteration 39"


def test_new_scan_removes_the_old_image(ready, scan):
    ready.run.begin("scan")
    ready.run.take(Finished(volume(2.0), {}))
    same = Input("/data/scan.l", "read again", content=scan)
    ready.study.revise(Inputs(data=same))
    assert ready.view.volume is not None
    ready.study.set_input("data", Input("/data/other.l"))
    assert ready.view.volume is None
    assert ready.run.record.images.items == []
    assert ready.run.state is RunState.IDLE


def test_forecast_scales_the_engines_times_with_the_measured_speed(ready, scan):
    from engine.modalities.listmode_pet.requirements import estimate

    n_lors = ready.study.scanner.n_lors
    data = scan.with_contents([])
    requirements = estimate(
        ready.study.protocol, ready.study.grid(), 1000, on=cpu_device(2), n_lors=n_lors, scan=data
    )
    assert replace(ready.study.requirements(), free_bytes=0) == replace(requirements, free_bytes=0)
    ready.device.speed_ratios["pet_cpu_reconstruct"] = 3.0
    ready.device.speed_ratios["ct_cpu_reconstruct"] = 7.0
    more = ready.study.requirements().seconds - requirements.seconds
    assert more == pytest.approx(2 * requirements.stages["reconstruct"])
    study = ready.study
    study.done_once.add(once_key(study.inputs, study.protocol, ready.device.in_use))
    less = requirements.seconds + more - ready.study.requirements().seconds
    assert less == pytest.approx(requirements.stages["sensitivity"])


def test_only_the_newest_log_lines_stay(session):
    for n in range(MAX_LOG_LINES + 3):
        session.add_log("info", f"line {n}")
    assert len(session.log) == MAX_LOG_LINES
    assert session.log[-1].text == f"line {MAX_LOG_LINES + 2}" and session.log[0].text == "line 3"


def test_quality_changes_only_the_voxels_of_self_stopping_algorithms():
    base = ListModeProtocol.model_validate(
        {"algorithm": {"kind": "map"}, "grid": {"voxel_mm": (2, 2, 2)}}
    )
    fine = at_quality(base, "fine", None)
    assert fine.algorithm == base.algorithm and fine.grid != base.grid
    assert "iterations" not in caption_of("fine", base) + tip_of("fine", base)
