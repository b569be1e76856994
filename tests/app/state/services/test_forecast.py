"""Tests of the forecast, which learns the speed of each stage from earlier runs."""

from __future__ import annotations

import numpy as np
import pytest

from app.state.models.run_record import RunRecord
from app.state.services.forecast import learnt, learnt_stages
from engine.data.runs.events import Finished, Measured, Preview
from engine.data.volume import Volume
from engine.geometry.grid import ImageGrid
from engine.modalities.requirements import Requirements
from tests.engine.run_records import recorded

GRID = ImageGrid((1, 1, 1), (1.0, 1.0, 1.0))
FORECAST_S = {"read": 1.0, "kernels": 1.0, "sensitivity": 4.0, "reconstruct": 6.0}


def forecast(n_iterations: int = 6) -> Requirements:
    """Return a forecast of one second per iteration, and six seconds for the rest."""
    return Requirements(1, 2, FORECAST_S | {"reconstruct": float(n_iterations)}, once="sensitivity")


def record_of(stages: dict[str, float], *, cached: str = "", done: int = 6) -> RunRecord:
    """Return the record of a run of six iterations with these times."""
    record = RunRecord()
    image = Volume(np.ones(GRID.shape, np.float32), GRID, "counts/mm")
    record.take(Preview(image, done, 6, 1, 1, 0.1))
    for name, seconds in stages.items():
        record.take(Measured(name, seconds, {"from_cache": name == cached}))
    record.take(Finished(image, {"run": recorded(done, 6).model_dump(mode="json")}))
    return record


SLOW = {"read": 2.0, "kernels": 30.0, "sensitivity": 4.0, "reconstruct": 27.0}


def test_forty_iterations_are_forecast_from_six():
    ratios = learnt_stages({}, forecast(), record_of(SLOW))
    assert forecast().scaled(ratios).seconds == 2 + 1 + 4 + 27
    assert forecast(40).scaled(ratios).seconds == 2 + 1 + 4 + 27 * 40 / 6


def test_compile_time_does_not_change_the_forecast():
    assert "kernels" not in learnt_stages({}, forecast(), record_of(SLOW))


def test_cached_or_incomplete_stages_do_not_change_the_forecast():
    assert "sensitivity" not in learnt_stages({}, forecast(), record_of(SLOW, cached="sensitivity"))
    assert "reconstruct" not in learnt_stages({}, forecast(), record_of(SLOW, done=3))


def test_very_short_stage_does_not_change_the_forecast():
    short = Requirements(1, 2, {"read": 0.01, "reconstruct": 5.0})
    assert set(learnt_stages({}, short, record_of(SLOW | {"read": 0.1}))) == {"reconstruct"}


def test_cached_stage_is_not_forecast_again():
    retained = forecast().without_once()
    assert retained.seconds == forecast().seconds - 4 and retained.once_s == 0
    assert "Included in the first run only: 0:04 (sensitivity)." in forecast().describe()
    assert "first run" not in retained.describe()


@pytest.mark.parametrize(
    ("measured_s", "ratio"), [(10, 1.0), (50, 1.0), (5, 0.5), (100, 2.0), (9000, 50.0)]
)
def test_learned_speed_changes_only_outside_the_forecast_range(measured_s, ratio):
    assert learnt(1.0, measured_s, min_s=10.0, max_s=50.0) == ratio
    assert learnt(7.0, 30.0, min_s=10.0, max_s=10.0) == 3.0
