"""Tests of a session after the end of its scan: moving slices, and finding the axis."""

from __future__ import annotations

import numpy as np
import pytest

from engine.core import backend
from engine.core.errors import DataError
from engine.corrections.preprocess import FlatField, Logarithm
from engine.geometry.plane import Plane, orthogonal
from engine.live.core.frame import Ended, Noticed
from engine.live.ct.axis_finding import MAX_BYTES, middle_rows
from engine.live.ct.following import LiveChoices, LiveUpdate
from engine.live.ct.session import LiveSession
from engine.live.ct.settings import LiveSettings
from engine.live.ct.slices import LiveSlices
from tests.engine.live.ct.running_scan import MU, Beamline, cone, counts_of, frames_of, references

ON = backend.cpu(2)
PLANES = orthogonal((36, 40), 1.0)
N = 120
TRUE_COLUMN = 26.25
"""True column of the axis; the geometry states the middle, 23.5."""


@pytest.fixture
def session():
    """Return a session that stays after the end of its scan; the detector is off-centre."""
    real, stated = cone(N, axis_column=TRUE_COLUMN), cone(N)
    counts = counts_of(real, centre=(4.0, -2.0))
    arrivals = [*references(stated.shape), *frames_of(stated, counts, range(N))]
    settings = LiveSettings(preview_edge=0)
    choices = LiveChoices(stated, PLANES, (FlatField(), Logarithm()), settings=settings)
    with LiveSession(Beamline(arrivals), choices, on=ON, stays=True) as live_session:
        yield live_session


def until(session, condition):
    """Return the first event that satisfies a condition."""
    for _ in range(500):
        one = session.take(10)
        assert one is not None, "no event in 10 s"
        if condition(one):
            return one
    raise AssertionError("no event satisfied the condition")


def has_axis(one):
    return isinstance(one, LiveUpdate) and abs(one.images.axis_column - TRUE_COLUMN) < 0.1


def test_offset_of_the_detector_is_found(session):
    until(session, lambda one: isinstance(one, Ended))
    session.find_axis()
    text = until(session, lambda one: isinstance(one, Noticed) and "axis" in one.text)
    assert "The rotation axis is at column 26.2" in text.text
    update = until(session, has_axis)
    # Shift of 4 mm to the left and 2 mm to the front
    centre = update.images.values[0][16:20, 22:26]
    np.testing.assert_allclose(centre, MU, rtol=0.01)


def test_slices_can_move_after_the_end_of_the_scan(session):
    until(session, lambda one: isinstance(one, Ended))
    moved = [plane.through((3.0, 5.0, -4.0)) for plane in PLANES]
    session.place(moved)
    until(session, lambda one: isinstance(one, LiveUpdate) and one.images.planes == moved)
    assert session.take(0) is None, "an event follows the end"


def test_plane_through_a_point_moves_only_along_its_normal():
    across, down = (0.6, 0.8, 0.0), (0.0, 0.0, 1.0)
    plane = Plane((5, 7), 0.5, (1.0, 2.0, 3.0), across, down)
    point = np.array([-4.0, 9.0, 2.0])
    moved = plane.through(tuple(point))
    normal = np.cross(across, down)
    shift = np.array(moved.centre_mm) - plane.centre_mm
    np.testing.assert_allclose(np.cross(shift, normal), 0, atol=1e-12)
    assert normal @ (point - moved.centre_mm) == pytest.approx(0, abs=1e-12)


def test_axis_search_without_views_is_refused():
    with pytest.raises(DataError, match="no views yet"):
        LiveSlices(cone(), PLANES, on=ON).stored_views()


@pytest.mark.parametrize("shape", [(10, 32, 48), (720, 2048, 2048), (1, 7, 1), (4000, 2000, 9000)])
def test_copied_rows_are_limited_and_central(shape):
    rows = middle_rows(shape)
    n = rows.stop - rows.start
    assert 1 <= n <= shape[1]
    assert n == 1 or 4 * shape[0] * n * shape[2] <= MAX_BYTES
    assert abs((rows.start + rows.stop) / 2 - shape[1] / 2) <= 0.5
