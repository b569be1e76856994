"""Tests of the alignment of the mu-map: automatic, from its file, and manual."""

from __future__ import annotations

import numpy as np
import pytest

from app.state.models.alignment import AlignmentModel, Placing
from engine.analysis.registration.rigid import Registered
from engine.core.errors import DataError
from engine.data import Volume, moved
from engine.data.runs.events import Failed, Finished, StageStarted
from engine.geometry import ImageGrid, RigidMotion

GRID = ImageGrid((8, 10, 12), (4.0, 4.0, 4.0))
MOTION = RigidMotion((5.0, -3.0, 4.0), (0.0, 0.0, 6.0))


def volume(unit: str, axes: str = "LPS") -> Volume:
    values = np.random.default_rng(1).random(GRID.shape, np.float32) * 0.01
    return Volume(values, GRID, unit, {"axes": axes})


def finished(motion: RigidMotion = MOTION, after: float = 0.4, axes: str = "LPS") -> Finished:
    found = Registered(motion, 0.2, after)
    reported = {**found.record(), "text": found.describe()}
    return Finished(volume("counts/mm", axes), {"registration": reported})


@pytest.fixture
def model(qapp) -> AlignmentModel:
    return AlignmentModel(volume("1/mm"))


def test_map_is_moved_when_the_alignment_is_found(model: AlignmentModel):
    model.begin()
    model.take(StageStarted("align", "compare μ-map and image"))
    assert model.work == "Compare μ-map and image …" and model.image is None
    model.take(finished())
    model.end()
    assert (model.placing, model.motion, model.work) == (Placing.FOUND, MOTION, "")
    assert (model.tone, model.words.partition(":")[0]) == ("warning", "Yellow")
    record = model.aligned().info["registration"]
    assert record["by"] == "likeness" and record["shift_mm"] == list(MOTION.shift_mm)


def test_aligned_map_is_green(model: AlignmentModel):
    model.take(finished(RigidMotion((1.0, 0.0, 0.0))))
    assert (model.tone, model.words.partition(":")[0]) == ("ok", "Green")
    model.reset_position()
    assert model.tone == "ok"


def test_unreliable_alignment_does_not_move_the_map(model: AlignmentModel):
    model.take(finished(after=0.01))
    assert (model.placing, model.motion) == (Placing.FILE, RigidMotion())
    assert model.tone == "warning" and "not reliable" in model.words
    model.apply_registration()
    assert (model.motion, model.tone) == (MOTION, "missing")


def test_later_alignment_does_not_override_a_manual_move(model: AlignmentModel):
    model.place((1.0, 2.0, 2.0, 0.0, 0.0, 3.0))
    model.take(finished())
    assert model.words == "The μ-map was moved by hand: 3.0 mm, 3.0°."
    assert model.aligned().info["registration"]["by"] == "hand"
    model.apply_registration()
    assert model.motion == MOTION
    model.reset_position()
    assert model.words.startswith(
        "The μ-map is in its original position. Result of the image registration: yellow"
    )
    with pytest.raises(DataError, match="expected six numbers"):
        model.place((float("nan"),) * 6)
    assert model.motion == RigidMotion()


def test_values_and_saved_map_are_those_of_the_moved_map(model: AlignmentModel):
    model.place((*model.numbers[:3], 4.0, -3.0, 5.0))
    there = model.aligned()
    assert there.values.tobytes() == moved(volume("1/mm"), model.motion).values.tobytes()
    z, y, x = (4, 5, 6), (3, 6, 7), (5, 7, 4)
    centres = [there.grid.centres_mm(axis) for axis in range(3)]
    points = np.stack([centres[0][list(x)], centres[1][list(y)], centres[2][list(z)]], -1)
    np.testing.assert_allclose(model.map_at(points), there.values[z, y, x], rtol=1e-5)
    assert model.map_at(points + 1000).max() == 0


def test_map_is_flipped_for_an_image_with_opposite_z(model):
    before = model.map_at(np.array([[1.0, 2.0, 5.0]]))
    model.take(finished(RigidMotion((0.0, 0.0, 1e-12)), axes="LPI"))
    model.reset_position()
    assert model.map_at(np.array([[1.0, 2.0, -5.0]])) == pytest.approx(before)
    assert model.aligned().axes == "LPI"


def test_failure_and_stop_are_reported_and_leave_the_manual_move(model: AlignmentModel):
    model.take(Failed("The memory is used up.", user_fault=True))
    model.end()
    assert (model.words, model.tone) == ("The memory is used up.", "missing")
    model.begin()
    model.end()
    assert model.words.startswith("Stopped. Search again")
    model.shift(RigidMotion((1.0, 1.0, 1.0)), (2.0, 0.0, 0.0))
    assert model.motion == RigidMotion((3.0, 1.0, 1.0))
