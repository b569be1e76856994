"""Tests of live sessions without a window: images, rates, and the recorded scan."""

from __future__ import annotations

from threading import Event

import numpy as np
import pytest

from engine.core import backend
from engine.core.errors import DataError
from engine.corrections.preprocess import FlatField, Logarithm, Rings
from engine.geometry.plane import orthogonal
from engine.live.core.frame import Ended, Frame, FrameKind, Noticed, Resumed, ShapeChanged
from engine.live.ct.following import LiveChoices, LiveUpdate, LiveWork
from engine.live.ct.recording import Recording
from engine.live.ct.session import LiveSession
from engine.live.ct.settings import LiveSettings
from tests.engine.live.ct.running_scan import (
    MU,
    Beamline,
    N,
    cone,
    counts_of,
    frames_of,
    references,
)

ON = backend.cpu(2)
PLANES = orthogonal((36, 40), 1.0)
STEPS = (FlatField(), Logarithm())
SCAN = cone()
COUNTS = counts_of(SCAN)
INSIDE = slice(14, 22)


def choices(*, mode="growing", steps=STEPS, geometry=SCAN, preview=0):
    settings = LiveSettings(mode=mode, preview_edge=preview)
    return LiveChoices(geometry, PLANES, steps, settings=settings)


def expected_scan():
    return [*references(SCAN.shape), *frames_of(SCAN, COUNTS, range(N))]


def followed(session):
    """Return all events of a session until its end."""
    reported = []
    while not reported or not isinstance(reported[-1], Ended):
        one = session.take(20)
        assert one is not None, "no event in 20 s"
        reported.append(one)
    return reported


def test_growing_scan_ends_with_its_slices_and_is_stored_unchanged():
    with LiveSession(Beamline(expected_scan()), choices(preview=16), on=ON) as session:
        reported = followed(session)

    update = session.newest
    assert isinstance(reported[0], LiveUpdate)
    middle = [values[INSIDE, 16:24].mean() for values in update.images.values]
    np.testing.assert_allclose(middle, MU, rtol=2e-3)
    np.testing.assert_allclose(update.preview.values[6:10, 7:9, 7:9].mean(), MU, rtol=1e-2)
    figures = update.statistics
    assert (figures.frames, figures.used, figures.views, figures.dropped) == (N, N, N, 0)
    assert figures.latency_ms_median <= figures.latency_ms_p99
    assert figures.memory_mib > COUNTS.nbytes / 2**20

    scan = session.scan()
    np.testing.assert_array_equal(scan.values, COUNTS)
    np.testing.assert_array_equal(scan.geometry.source_mm, SCAN.source_mm)
    assert scan.kind == "counts" and scan.values.dtype == np.uint16
    assert (len(scan.flats), len(scan.darks), scan.info["flat_views"]) == (1, 1, [0])


def test_views_that_were_not_used_in_time_are_stored_and_added_later():
    recording = Recording(Beamline(expected_scan(), SCAN))
    everything = list(recording.frames(Event()))
    work = LiveWork(recording, choices(), on=ON, report=lambda event: None)
    work.handle([*everything[:2], *everything[9::3]])

    assert work.catch_up(recording) == len(everything[2:-1]) - len(everything[9:-1:3])
    work.refresh(is_idle=True, is_late=False)
    assert work.update.images.n_views == N
    assert recording.scan(SCAN).n_views == N


def test_late_sliding_image_has_views_from_all_angles():
    work = LiveWork(Beamline([]), choices(mode="sliding"), on=ON, report=lambda event: None)
    work.handle([*references(SCAN.shape), *frames_of(SCAN, COUNTS, range(4 * N))])
    work.refresh(is_idle=False, is_late=True)

    update = work.update
    assert update.statistics.used + update.statistics.dropped == 4 * N
    assert update.images.n_views < N
    assert update.images.covered_rad == pytest.approx(2 * np.pi)
    np.testing.assert_allclose(update.images.values[0][INSIDE, 16:24].mean(), MU, rtol=1e-2)


def test_changes_during_the_scan_are_applied():
    moved = orthogonal((20, 24), 1.5, (2.0, 0.0, 0.0))
    with LiveSession(Beamline(expected_scan()), choices(mode="sliding"), on=ON) as session:
        session.place(moved)
        session.set_axis(22.0)
        followed(session)

    images = session.newest.images
    assert images.planes == list(moved)
    assert images.axis_column == pytest.approx(22.0)


def test_frames_wait_for_late_flats():
    dark, flat = references(SCAN.shape)
    some = frames_of(SCAN, COUNTS, range(N))
    beamline = Beamline([dark, *some[:5], flat, *some[5:]])
    with LiveSession(beamline, choices(), on=ON) as session:
        followed(session)

    assert session.newest.images.n_views == N
    assert session.scan().info["flat_views"] == [5]


def test_state_names_the_missing_references():
    some = frames_of(SCAN, COUNTS, range(3))
    with LiveSession(Beamline(some), choices(), on=ON) as session:
        followed(session)
    assert "no flat fields" in session.newest.state

    with LiveSession(Beamline(some), choices(geometry=None), on=ON) as session:
        followed(session)
    assert "geometry" in session.newest.state
    with pytest.raises(DataError, match="geometry"):
        session.scan()


def test_restarted_scan_contains_nothing_of_the_earlier_one():
    other = counts_of(SCAN, (8.0, 0.0))
    arrivals = [*expected_scan()[: 2 + 25], *frames_of(SCAN, other, range(N))]
    with LiveSession(Beamline(arrivals), choices(), on=ON) as session:
        reported = followed(session)

    assert any(isinstance(one, Resumed) for one in reported)
    np.testing.assert_array_equal(session.scan().values, other)


def test_detector_of_another_size_ends_the_session_with_one_sentence():
    small = cone().binned(2)
    frame = Frame(FrameKind.PROJECTION, 0, 0.0, np.ones(small.shape, np.uint16), 0.0)
    arrivals = [*expected_scan(), ShapeChanged("other", small.shape), frame]
    session = LiveSession(Beamline(arrivals), choices(), on=ON)
    with session, pytest.raises(DataError, match="16 × 24"):
        followed(session)


def test_error_of_the_source_comes_after_earlier_frames():
    arrivals = [*expected_scan(), DataError("the cable is cut.")]
    session = LiveSession(Beamline(arrivals), choices(), on=ON)
    with session, pytest.raises(DataError, match="cable"):
        followed(session)
    assert session.scan().n_views == N


def test_unsupported_steps_and_extra_views_are_reported():
    arrivals = [*expected_scan(), *frames_of(SCAN, COUNTS, range(N, N + 9))]
    with LiveSession(Beamline(arrivals), choices(steps=(*STEPS, Rings())), on=ON) as session:
        reported = followed(session)

    messages = [one.text for one in reported if isinstance(one, Noticed)]
    assert any(text.startswith(Rings.title) for text in messages)
    assert len([text for text in messages if "views of the scan" in text]) == 1
    assert session.scan().n_views == N


def test_sliding_views_are_not_stored():
    with LiveSession(Beamline(expected_scan()), choices(mode="sliding"), on=ON) as session:
        followed(session)
    with pytest.raises(DataError, match="sliding mode does not record it"):
        session.scan()
