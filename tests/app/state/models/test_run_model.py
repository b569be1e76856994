"""Tests of the run without a window: states, log levels, stored images, progress, signals."""

from __future__ import annotations

import numpy as np
import pytest

from app.state.models.run_images import StoredImages
from app.state.models.run_model import RunModel
from app.state.models.run_record import RunRecord, RunState
from engine.data.runs.events import (
    Aborted,
    Corrected,
    EarlyPreview,
    Failed,
    Finished,
    Loaded,
    Measured,
    Preview,
    Profiled,
    Progressed,
    StageStarted,
    Warned,
)
from engine.data.runs.history import RunHistory
from engine.data.volume import Volume
from engine.geometry.grid import ImageGrid
from tests.engine.run_records import recorded

GRID = ImageGrid((3, 4, 5), (2.0, 2.0, 2.0))
N_ITERATIONS, N_SUBSETS = 3, 2
RECONSTRUCT = StageStarted("reconstruct", "OSEM")


def volume(value: float = 1.0) -> Volume:
    return Volume(np.full(GRID.shape, value, np.float32), GRID, "counts/mm")


def preview(iteration: int, subset: int, seconds: float = 1.0, residuals=()) -> Preview:
    history = RunHistory(residuals=tuple(residuals))
    value = iteration + subset / 10
    return Preview(
        volume(value), iteration, N_ITERATIONS, subset, N_SUBSETS, seconds, history=history
    )


class Watch:
    """Record the signals of a run in order."""

    def __init__(self, run: RunModel) -> None:
        self.signals: list[str] = []
        self.lines: list[tuple[str, str]] = []
        self.shown: list[tuple[float | None, bool]] = []
        for name in ("state", "progress", "record", "images"):
            signal = getattr(run, f"{name}_changed")
            signal.connect(lambda name=name: self.signals.append(name))
        run.begun.connect(lambda: self.signals.append("begun"))
        run.reported.connect(lambda level, text: self.lines.append((level, text)))
        run.image_selected.connect(self._show)

    def _show(self, volume: Volume | None, refit: bool) -> None:
        self.shown.append((None if volume is None else float(volume.values.max()), refit))

    def since(self) -> list[str]:
        """Return the signals since the last call."""
        reported, self.signals = self.signals, []
        return reported


@pytest.fixture
def run(qapp) -> RunModel:
    return RunModel()


@pytest.fixture
def watch(run) -> Watch:
    return Watch(run)


@pytest.fixture
def running(run, watch) -> RunModel:
    run.begin("scan")
    run.take(RECONSTRUCT)
    watch.since()
    watch.lines.clear()
    return run


# states


@pytest.mark.parametrize(
    ("state", "active"),
    [("idle", False), ("preparing", True), ("running", True), ("paused", True),
     ("finishing", True), ("finished", False), ("failed", False), ("aborted", False)],
)  # fmt: skip
def test_engine_is_active_in_these_states(state, active):
    assert RunState(state).is_active is active


def test_new_run_clears_the_last_one(running, watch):
    running.show_preview(preview(1, 1))
    running.take(Finished(volume(), {}))
    running.select(0)
    before = running.record
    watch.since()
    running.begin("next")
    assert running.record is not before and running.record.title == "next"
    assert running.selected is None and running.images == []
    assert running.state is RunState.PREPARING
    assert watch.since() == ["begun", "state", "record", "images", "progress"]


def test_cleared_run_shows_no_image(running, watch):
    running.show_preview(preview(1, 1))
    running.forget()
    assert running.state is RunState.IDLE
    assert running.record.title == "" and running.record.latest is None
    assert watch.shown[-1] == (None, False)


def test_state_is_reported_once(running, watch):
    running.set_state(RunState.RUNNING)
    assert watch.since() == []
    running.set_state(RunState.PAUSED)
    assert watch.since() == ["state"]


def test_stage_that_starts_while_paused_does_not_end_the_pause(running):
    running.set_state(RunState.PAUSED)
    running.take(StageStarted("finish", "Filtering"))
    assert running.state is RunState.PAUSED
    assert running.record.state_of_stage is RunState.FINISHING


@pytest.mark.parametrize(
    ("event", "state", "level", "signals"),
    [
        (StageStarted("finish", "Filtering"), RunState.FINISHING, "info", ["state", "progress"]),
        (StageStarted("read", "Reading"), RunState.PREPARING, "info", ["state", "progress"]),
        (Loaded("20 events", {"events": 20}), RunState.RUNNING, "info", ["record", "progress"]),
        (Warned("Look."), RunState.RUNNING, "warning", ["record", "progress"]),
        (Aborted("Stopped."), RunState.ABORTED, "warning", ["state", "progress"]),
        (Failed("The engine stopped.", False), RunState.FAILED, "error", ["state", "progress"]),
    ],
    ids=lambda value: type(value).__name__,
)
def test_event_sets_state_log_line_and_signals(running, watch, event, state, level, signals):
    running.take(event)
    assert running.state is state
    assert watch.lines == [(level, event.text)]
    assert watch.since() == signals


def test_early_image_is_shown_with_its_text_but_not_stored(running, watch):
    running.take(EarlyPreview(volume(0.5), "one step", recorded(0, N_ITERATIONS)))
    assert watch.shown == [(0.5, True)] and running.record.early == "one step"
    assert watch.since() == ["images", "progress"]
    assert running.record.latest is None and running.images == []
    running.take(Aborted("Stopped."))
    assert running.images == [] and running.record.result_id == ""
    running.begin("next")
    assert running.record.early == ""


def test_correction_is_logged_by_name_and_recorded(running, watch):
    running.take(Corrected("randoms", "applied", "35,320 delayeds"))
    assert watch.lines == [("info", "Randoms: 35,320 delayeds")]
    assert running.record.ledger["randoms"].text == "35,320 delayeds"
    assert watch.since() == ["record", "progress"]


def test_times_and_warnings_are_recorded_in_order(running, watch):
    first, second = Measured("read", 0.5), Measured("sort", 1.5)
    running.take(first)
    assert watch.since() == ["record", "progress"]
    for event in (second, Warned("Look."), Warned("Here.")):
        running.take(event)
    assert running.record.timings == [first, second]
    assert running.record.warnings == ["Look.", "Here."]


def test_final_image_is_stored_and_shown(running, watch):
    running.show_preview(preview(1, 1))
    running.select(0)
    running.take(Finished(volume(9.0), {"iterations_done": 3}))
    assert running.state is RunState.FINISHED
    assert running.images == ["final"] and running.selected is None
    assert watch.shown[-1] == (9.0, True)
    assert watch.lines == [("info", "Finished.")]
    assert running.record.result is running.record.images.items[-1].volume
    assert running.record.provenance == {"iterations_done": 3}


# images


@pytest.mark.parametrize("end", [Aborted("Stopped."), Failed("Out of memory.", True)])
@pytest.mark.parametrize(
    ("last", "stored"),
    [((2, 1), ["iteration 1", "iteration 2, subset 1"]), ((2, 2), ["iteration 1", "iteration 2"])],
)
def test_run_that_ends_early_stores_its_last_image_once(running, end, last, stored):
    running.keep(preview(1, 2))
    running.show_preview(preview(*last))
    if last[1] == N_SUBSETS:
        running.keep(preview(*last))
    running.take(end)
    assert running.images == stored


def test_run_that_ends_before_its_first_image_stores_none(running):
    running.take(Failed("No memory.", True))
    assert running.images == []


def test_first_iteration_sets_the_window_and_later_ones_do_not(running, watch):
    for place in ((1, 1), (1, 2), (2, 1)):
        running.show_preview(preview(*place))
    assert [refit for _, refit in watch.shown] == [True, True, False]
    assert running.record.latest.iteration == 2


def test_image_that_arrives_after_the_run_is_not_shown(running, watch):
    running.take(Aborted("Stopped."))
    watch.since()
    running.show_preview(preview(1, 1))
    assert watch.shown == [] and watch.since() == []
    assert running.record.latest is None


def test_selected_image_stays_until_the_newest_is_selected(running, watch):
    for i in (1, 2, 3):
        running.keep(preview(i, 2))
    running.select(1)
    assert running.selected == 1 and watch.shown[-1] == (pytest.approx(2.2), False)
    running.show_preview(preview(3, 1))
    assert len(watch.shown) == 1, "the newest image replaced the selected one"
    for newest in (2, None, 7):
        running.select(0)
        running.select(newest)
        assert running.selected is None
        assert watch.shown[-1] == (pytest.approx(3.2), True)


def test_selecting_without_images_shows_nothing(running, watch):
    running.select(0)
    assert watch.shown == [] and running.selected is None


def test_volume_of_a_file_counts_as_exported_and_is_not_a_run(run, watch):
    run.begin("mu.nii")
    run.show_stored(volume(4.0), "mu.nii")
    assert run.record.exported and run.state is RunState.IDLE
    assert run.images == ["mu.nii"] and watch.shown[-1] == (4.0, True)
    assert not RunRecord().exported


def test_every_other_image_but_the_newest_is_dropped_beyond_the_limit():
    n_bytes = volume().values.nbytes
    stored = StoredImages(limit_bytes=4 * n_bytes)
    assert [stored.add(str(i), volume()) for i in range(4)] == [False] * 4
    assert stored.add("4", volume()) is True
    assert stored.labels == ["0", "2", "4"]


def test_newest_image_is_shown_after_images_were_dropped(running, watch, monkeypatch):
    running.record.images = StoredImages(limit_bytes=2 * volume().values.nbytes)
    for i in (1, 2):
        running.keep(preview(i, 2))
    running.select(0)
    watch.since()
    running.keep(preview(3, 2))
    assert running.selected is None and "images" in watch.since()


def test_images_of_a_long_run_can_use_one_gibibyte():
    stored = StoredImages()
    grid = ImageGrid((64, 1024, 1024), (1.0, 1.0, 1.0))
    # 256 MiB of untouched memory
    large = Volume(np.zeros(grid.shape, np.float32), grid, "counts/mm")
    assert [stored.add(str(i), large) for i in range(5)] == [False] * 4 + [True]


# progress


def test_progress_never_decreases_during_a_run():
    record = RunRecord()
    record.take(RECONSTRUCT)
    shares = []
    for update in range(1, N_ITERATIONS * N_SUBSETS + 1):
        iteration, subset = divmod(update - 1, N_SUBSETS)
        for done in (8 * update - 6, 8 * update - 2, 8 * update):
            record.take(Progressed("reconstruct", done, 8 * N_ITERATIONS * N_SUBSETS))
            shares.append(record.fraction)
        # Arrives late
        record.take(Progressed("reconstruct", 8 * update - 7, 8 * N_ITERATIONS * N_SUBSETS))
        record.take(preview(iteration + 1, subset + 1))
        shares.append(record.fraction)
    assert shares == sorted(shares)
    assert shares[0] == pytest.approx(0.25 / 6) and shares[-1] == 1


def test_each_stage_has_its_own_progress():
    record = RunRecord()
    assert record.fraction is None, "a run that has not started has a progress"
    assert (record.stage, record.stage_text, record.done, record.total) == ("", "", 0, 0)
    record.take(StageStarted("sensitivity", "Computing"))
    assert record.fraction is None, "a stage without known total has a progress"
    record.take(Progressed("sensitivity", 30, 120))
    assert record.fraction == 0.25
    record.take(RECONSTRUCT)
    assert (record.stage, record.stage_text) == ("reconstruct", "OSEM")
    assert record.fraction is None and (record.done, record.total) == (0, 0)
    record.take(preview(1, 2))
    assert record.fraction == pytest.approx(2 / 6)
    record.take(StageStarted("finish", "Filtering"))
    record.take(Progressed("finish", 1, 2))
    assert record.fraction == 0.5


def test_remaining_time_follows_the_last_twelve_updates():
    record = RunRecord()
    assert record.seconds_left is None
    for _ in range(5):
        record.take(preview(1, 1, seconds=100.0))
    for _ in range(12):
        record.take(preview(1, 1, seconds=2.0))
    assert record.seconds_left == pytest.approx(5 * 2.0)
    record.take(preview(1, 1, seconds=14.0))
    assert record.seconds_left == pytest.approx(5 * 3.0)


@pytest.mark.parametrize(("done", "early"), [(0, True), (2, True), (3, False), (None, False)])
def test_run_with_iterations_left_ended_early(done, early):
    record = RunRecord()
    record.take(preview(2, 2))
    assert not record.ended_early, "a run in progress counts as ended early"
    provenance = {} if done is None else {"run": recorded(done, 3).model_dump(mode="json")}
    record.take(Finished(volume(), provenance))
    assert record.ended_early is early


def test_residuals_are_in_per_cent_and_reported_only_when_new(running, watch):
    running.keep(preview(1, 2, residuals=[0.5]))
    assert running.record.curve == [(1, 50.0)]
    assert watch.since() == ["record", "images"]
    running.show_preview(preview(2, 1, residuals=[0.5]))
    assert watch.since() == ["progress"], "an unchanged curve was reported"
    running.show_preview(preview(2, 2, residuals=[0.5, 0.25]))
    assert running.record.curve == [(1, 50.0), (2, 25.0)]
    assert watch.since() == ["record", "progress"]


def test_newest_profile_is_stored(running):
    from engine.core.backend import cpu
    from engine.core.profiling.profiler import Profiler

    profiler = Profiler(cpu(1))
    first, second = profiler.snapshot(), profiler.snapshot()
    for profile in (first, second):
        running.take(Profiled(profile))
    assert running.record.profile is second


def test_facts_of_the_scan_are_stored(running):
    running.take(Loaded("20 events", {"events": 20}))
    assert running.record.facts == {"events": 20}
