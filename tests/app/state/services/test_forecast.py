"""What a run teaches of the next: each stage has a speed, and iterations count as often as run."""

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
FORETOLD = {"read": 1.0, "kernels": 1.0, "sensitivity": 4.0, "reconstruct": 6.0}


def foretold(n_iterations: int = 6) -> Requirements:
    """A run that was foretold to take a second an iteration, and six for the rest."""
    return Requirements(1, 2, FORETOLD | {"reconstruct": float(n_iterations)}, once="sensitivity")


def record_of(stages: dict[str, float], *, cached: str = "", done: int = 6) -> RunRecord:
    """A run of six iterations that took these times."""
    record = RunRecord()
    image = Volume(np.ones(GRID.shape, np.float32), GRID, "counts/mm")
    record.take(Preview(image, done, 6, 1, 1, 0.1))
    for name, seconds in stages.items():
        record.take(Measured(name, seconds, {"from_cache": name == cached}))
    record.take(Finished(image, {"run": recorded(done, 6).model_dump(mode="json")}))
    return record


SLOW = {"read": 2.0, "kernels": 30.0, "sensitivity": 4.0, "reconstruct": 27.0}


def test_forty_iterations_are_foretold_from_six():
    ratios = learnt_stages({}, foretold(), record_of(SLOW))
    assert foretold().scaled(ratios).seconds == 2 + 1 + 4 + 27
    assert foretold(40).scaled(ratios).seconds == 2 + 1 + 4 + 27 * 40 / 6


def test_compiling_once_teaches_nothing_of_the_next_run():
    assert "kernels" not in learnt_stages({}, foretold(), record_of(SLOW))


def test_what_came_from_a_cache_or_ended_early_teaches_nothing():
    assert "sensitivity" not in learnt_stages({}, foretold(), record_of(SLOW, cached="sensitivity"))
    assert "reconstruct" not in learnt_stages({}, foretold(), record_of(SLOW, done=3))


def test_a_moment_teaches_nothing():
    short = Requirements(1, 2, {"read": 0.01, "reconstruct": 5.0})
    assert set(learnt_stages({}, short, record_of(SLOW | {"read": 0.1}))) == {"reconstruct"}


def test_what_is_kept_is_not_foretold_again():
    kept = foretold().without_once()
    assert kept.seconds == foretold().seconds - 4 and kept.once_s == 0
    assert "Included in the first run only: 0:04 (sensitivity)." in foretold().describe()
    assert "first run" not in kept.describe()


@pytest.mark.parametrize(
    ("measured_s", "ratio"), [(10, 1.0), (50, 1.0), (5, 0.5), (100, 2.0), (9000, 50.0)]
)
def test_a_speed_is_learnt_only_as_far_as_the_run_tells_it(measured_s, ratio):
    assert learnt(1.0, measured_s, least_s=10.0, most_s=50.0) == ratio
    assert learnt(7.0, 30.0, least_s=10.0, most_s=10.0) == 3.0
