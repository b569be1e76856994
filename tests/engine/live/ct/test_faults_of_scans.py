"""Tests of faults of a running scan: each gives one sentence, and the slices stay correct."""

from __future__ import annotations

import threading
from dataclasses import replace
from threading import Event

import numpy as np
import pytest
import zmq

from engine.core import backend
from engine.core.errors import DeviceError
from engine.corrections.preprocess import FlatField, Logarithm
from engine.live.core.frame import Announced, Ended, Frame, FrameKind, ShapeChanged, Waiting
from engine.live.core.message import message_of, message_of_end, message_of_geometry
from engine.live.core.zeromq import sent
from engine.live.ct.following import LiveChoices, LiveUpdate, LiveWork
from engine.live.ct.playing import Played
from engine.live.ct.session import LiveSession
from engine.live.ct.settings import LiveSettings
from engine.live.ct.sources.stream import StreamSource
from tests.engine.live.ct.live_scans import free_address, opened_here
from tests.engine.live.ct.running_scan import (
    MU,
    Beamline,
    N,
    cone,
    counts_of,
    frames_of,
    references,
)
from tests.engine.live.ct.test_live_slices import PLANES, expect_equal, expect_near, stored

ON = backend.cpu(2)
STEPS = (FlatField(), Logarithm())
SCAN, CENTRE = cone(), (6.0, -4.0)
COUNTS = counts_of(SCAN, CENTRE)
DARK, FLAT = references(SCAN.shape)
FRAMES = frames_of(SCAN, COUNTS, range(N))


def choices(*, mode="growing", steps=STEPS, geometry=SCAN):
    settings = LiveSettings(mode=mode, preview_edge=0)
    return LiveChoices(geometry, PLANES, steps, settings=settings)


def followed(arrivals, **how):
    """Follow arrivals to their end; return the session and the notices."""
    with LiveSession(Beamline(arrivals), choices(**how), on=ON) as session:
        return session, notices_of(session)


def notices_of(session):
    messages = []
    while True:
        one = session.take(20)
        assert one is not None, "no event in 20 s"
        if isinstance(one, Ended):
            return messages
        if not isinstance(one, LiveUpdate):
            messages.append(one)


def texts(notices):
    return "\n".join(one.text for one in notices)


def with_values(frame, values):
    return replace(frame, values=values)


def test_repeated_and_reordered_frames_give_the_same_slices():
    order = [*range(12), 5, 5, 20, 19, 12, 18, *range(13, 20), *range(20, N), 3, N - 1]
    session, _ = followed([DARK, FLAT, *(FRAMES[k] for k in order)])
    expect_equal(session.newest.images.values, stored(SCAN, COUNTS))
    np.testing.assert_array_equal(session.scan().values, COUNTS)


def test_backward_or_repeated_angles_are_used_as_stated():
    back = [replace(FRAMES[-k % N], index=k) for k in range(N)]
    session, _ = followed([DARK, FLAT, *back])
    expect_near(session.newest.images.values, stored(SCAN, COUNTS), 1e-5)
    back_and_forth = [FRAMES[k] for k in range(N // 2)]
    back_and_forth += [replace(FRAMES[N - 1 - k], index=k) for k in range(N // 2, N)]
    session, _ = followed([DARK, FLAT, *back_and_forth])
    assert session.newest.images.covered_rad == pytest.approx(np.pi)


@pytest.mark.parametrize("level", [0.0, -500.0])
def test_dark_flats_are_reported_and_later_good_ones_are_used(level):
    dark_flat = with_values(FLAT, np.full(SCAN.shape, level, np.float32))
    session, _ = followed([DARK, dark_flat, *FRAMES[:5]])
    assert session.newest.images is None
    assert "has more counts than the dark fields" in session.newest.state

    session, _ = followed([DARK, dark_flat, *FRAMES[:5], FLAT, *FRAMES[5:]])
    expect_equal(session.newest.images.values, stored(SCAN, COUNTS))


@pytest.mark.parametrize("level", [0.0, -500.0])
def test_flat_with_a_dark_pixel_ends_with_one_sentence(level):
    values = FLAT.values.astype(np.float32)
    values[3, 4] = level
    session, notices = followed([DARK, with_values(FLAT, values), *FRAMES])
    assert session.newest.images is None
    assert len(notices) == 1
    assert "switch on the bad-pixel correction; projection 0 is not used" in notices[0].text
    assert session.scan().n_views == N


def test_flats_during_the_scan_apply_from_there_and_all_are_stored():
    half = N // 2
    light = FLAT.values.astype(float) - DARK.values
    dimmed = [
        with_values(f, np.rint((f.values.astype(float) - DARK.values) / 2 + DARK.values))
        for f in FRAMES[half:]
    ]
    again = with_values(FLAT, (light / 2 + DARK.values).astype(np.float32))
    session, _ = followed([DARK, FLAT, *FRAMES[:half], again, *dimmed])
    expect_near(session.newest.images.values, stored(SCAN, COUNTS), 2e-3)
    scan = session.scan()
    assert scan.info["flat_views"] == [0, half]
    np.testing.assert_array_equal(scan.flats, [FLAT.values, again.values])


def test_darks_and_flats_of_a_restarted_sender_replace_the_earlier_ones():
    old = with_values(FLAT, FLAT.values // 2)
    frames = [DARK, old, *FRAMES[:9], DARK, FLAT, *FRAMES]
    session, _ = followed(frames)
    expect_equal(session.newest.images.values, stored(SCAN, COUNTS))
    scan = session.scan()
    assert scan.info["flat_views"] == [0]
    np.testing.assert_array_equal(scan.flats, [FLAT.values])
    np.testing.assert_array_equal(scan.darks, [DARK.values])


def test_memory_is_limited_and_frames_beyond_it_are_reported(monkeypatch):
    monkeypatch.setattr("engine.live.ct.recording.SPARE_SHARE", 0.0)
    session, notices = followed([DARK, FLAT, *FRAMES])
    assert "Further frames are not recorded. Use sliding views" in texts(notices)
    assert session.newest.images.n_views == N, "the slices stopped at the memory limit"


def test_endless_scan_is_stored_only_up_to_its_geometry():
    session, _ = followed([DARK, FLAT, *frames_of(SCAN, COUNTS, range(3 * N))])
    assert session.scan().n_views == N
    assert session._recording.n_views == N


class Broken(Logarithm):
    """A step with an internal error."""

    def view_by_view(self, scan, *, on):
        done = super().view_by_view(scan, on=on)
        views = []

        def work(one):
            views.append(one)
            if len(views) > 9:
                raise RuntimeError("planted")
            return done(one)

        return work


def test_internal_error_of_the_slices_does_not_lose_the_scan():
    steps = (FlatField(), Broken())
    session = LiveSession(Beamline([DARK, FLAT, *FRAMES]), choices(steps=steps), on=ON)
    with session:
        messages = []
        with pytest.raises(RuntimeError, match="planted"):
            while True:
                messages.append(session.take(20))
    texts_shown = [one.text for one in messages if not isinstance(one, LiveUpdate)]
    assert "internal error in the slices (RuntimeError: planted). They stop" in texts_shown[-1]
    np.testing.assert_array_equal(session.scan().values, COUNTS)


class Halting(Beamline):
    """A source that waits for the end of the slices before its last projections."""

    def __init__(self, arrivals):
        super().__init__(arrivals)
        self.slices_ended = Event()

    def frames(self, stop):
        for k, each in enumerate(super().frames(stop)):
            if k == 6:
                assert self.slices_ended.wait(60)
            yield each


def test_failing_gpu_does_not_end_the_recording(monkeypatch):
    def fail(self, **_):
        raise DeviceError("The GPU has failed.")

    monkeypatch.setattr(LiveWork, "refresh", fail)
    source = Halting([DARK, FLAT, *FRAMES])
    with LiveSession(source, choices(), on=ON) as session:
        with pytest.raises(DeviceError, match=r"The GPU has failed\."):
            while True:
                if "slices stop. The GPU has failed." in getattr(session.take(20), "text", ""):
                    source.slices_ended.set()
        np.testing.assert_array_equal(session.scan().values, COUNTS)


class Sender:
    """A detector's socket, controlled by the test."""

    def __init__(self):
        self.address = free_address()
        self._context = zmq.Context()
        self._socket = self._context.socket(zmq.PUSH)
        self._socket.setsockopt(zmq.LINGER, 2000)
        self._socket.bind(opened_here(self.address))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._context.destroy()

    def send(self, *frames):
        for each in frames:
            self._socket.send_multipart(self._message(each))

    def send_until(self, stop, frame):
        """Send a frame, or give up when `stop` is set, for example if the receiver has closed."""
        while not stop.is_set() and not sent(self._socket, self._message(frame), wait_ms=50):
            pass

    @staticmethod
    def _message(frame):
        return message_of(Played(frame.kind, frame.index, frame.angle_rad, frame.values))

    def announce(self, geometry):
        self._socket.send_multipart(message_of_geometry(geometry))

    def end(self):
        self._socket.send_multipart(message_of_end(N))


@pytest.mark.parametrize("shape", [(32, 48), (24, 40)])
def test_new_geometry_between_scans_is_used_with_its_scan(shape):
    other = replace(cone(axis_column=20.0), shape=shape)
    counts = counts_of(other, CENTRE)
    with Sender() as sender:
        session = LiveSession(StreamSource(sender.address), choices(geometry=None), on=ON)
        with session:
            sender.announce(SCAN)
            sender.send(DARK, FLAT, *FRAMES[:30])
            sender.announce(SCAN)  # senders repeat the announcement
            sender.send(*FRAMES[30:33])
            sender.announce(other)
            sender.send(*references(shape), *frames_of(other, counts, range(N)))
            sender.end()
            notices = notices_of(session)
    rows, columns = shape
    another = f"geometry of 40 projections of {rows} × {columns} pixels. It differs"
    assert another in texts(notices)
    assert sum(isinstance(one, Announced) for one in notices) == 2
    expect_equal(session.newest.images.values, stored(other, counts))
    scan = session.scan()
    np.testing.assert_array_equal(scan.values, counts)
    np.testing.assert_array_equal(scan.geometry.detector_mm, other.detector_mm)
    assert (len(scan.flats), len(scan.darks)) == (1, 1)


def test_two_scans_that_arrive_together_are_not_mixed():
    other = replace(cone(axis_column=20.0), shape=(24, 40))
    counts = counts_of(other, CENTRE)
    source = Beamline([], other)  # the second scan has already been announced
    work = LiveWork(source, choices(geometry=None), on=ON, report=lambda event: None)
    work.handle([Waiting("waits")])
    first = [Announced("a scan", SCAN), DARK, FLAT, *FRAMES[:9]]
    second = [Announced("another", other), *references(other.shape)]
    work.handle([*first, *second, *frames_of(other, counts, range(N))])
    work.refresh(is_idle=True, is_late=False)
    expect_equal(work.update.images.values, stored(other, counts))


def test_closing_during_a_scan_ends_the_session_and_stores_the_frames():
    with Sender() as sender:
        session = LiveSession(StreamSource(sender.address), choices(), on=ON)
        stop = Event()

        def stream():
            sender.send(DARK, FLAT)
            for frame in FRAMES:
                sender.send_until(stop, frame)
                if stop.wait(0.005):
                    return

        thread = threading.Thread(target=stream)
        thread.start()
        while (images := session.newest.images) is None or images.n_views < 5:
            session.take(20)
        session.close()
        stop.set()
        thread.join()
    scan = session.scan()
    assert 5 <= scan.n_views <= N
    np.testing.assert_array_equal(scan.values, COUNTS[: scan.n_views])
    assert not [t for t in threading.enumerate() if sender.address in t.name]


def test_other_bit_depth_is_reported_and_waits_for_its_own_flats():
    with Sender() as sender:
        session = LiveSession(StreamSource(sender.address), choices(), on=ON)
        with session:
            narrow = [with_values(f, (f.values // 256).astype(np.uint8)) for f in FRAMES]
            sender.send(DARK, FLAT, *FRAMES[:9], narrow[9], *FRAMES[10:20], *narrow[20:])
            sender.end()
            notices = notices_of(session)
    assert (
        "projection 9 has the type uint8, but earlier projections have uint16. It is not used"
        in texts(notices)
    )
    assert "projections are now uint8, before uint16" in texts(notices)
    assert sum(isinstance(one, ShapeChanged) for one in notices) == 1
    assert "no flat fields" in session.newest.state


def test_frames_of_zeros_are_not_used():
    zeros = FRAMES[7].values * 0
    with Sender() as sender:
        session = LiveSession(StreamSource(sender.address), choices(), on=ON)
        with session:
            sender.send(DARK, with_values(FLAT, zeros), FLAT, *FRAMES[:7])
            sender.send(with_values(FRAMES[7], zeros), with_values(FRAMES[7], zeros), *FRAMES[8:])
            sender.end()
            notices = notices_of(session)
    text = texts(notices)
    assert "flat 0 has only zeros. It is not used. Check the beam" in text
    assert "projection 7 has only zeros" in text
    assert "2 frames with invalid values or only zeros were not used" in text
    assert session.newest.images.n_views == N - 1
    middle = session.newest.images.values[0][14:22, 20:26].mean()
    np.testing.assert_allclose(middle, MU, rtol=2e-2)


def test_missing_sender_is_waited_for_and_can_be_cancelled():
    with LiveSession(StreamSource(free_address()), choices(), on=ON) as session:
        first = session.take(20)
        while not isinstance(first, Waiting):
            first = session.take(20)
        assert "waits for frames" in first.text
    assert session.newest.images is None
    assert notices_of(session) == []


def test_dark_after_the_last_view_changes_nothing():
    late_dark = Frame(FrameKind.DARK, 1, None, DARK.values, 0.0)
    session, _ = followed([DARK, FLAT, *FRAMES, late_dark])
    expect_equal(session.newest.images.values, stored(SCAN, COUNTS))
