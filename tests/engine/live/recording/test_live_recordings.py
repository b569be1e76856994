"""Tests of recordings of live scans on the disk, and of the scans converted from them.

Cases, listed before the code was written:

- the scan ends; it is interrupted before its first projection; its memory is full;
- the detector restarts at projection 0, with the old darks and flats;
- the geometry changes within the scan; the detector's size changes;
- a source without geometry; a late frame; an individual angle for each frame;
- events with TOF and delayeds; a restarted scanner; a scanner that cannot be sent;
- an internal error or a GPU failure of the images before the scan has ended;
- a replay, which needs no recording.
"""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path
from threading import Event

import numpy as np
import pytest

from engine.core.backend import cpu
from engine.core.errors import DataError, DeviceError
from engine.io import read_listmode, read_projections
from engine.live.conversion import convert_recording
from engine.live.core.frame import Announced, Frame, FrameKind, Resumed, ShapeChanged
from engine.live.core.message import message_of
from engine.live.ct.playing import Played
from engine.live.ct.recording import Recording
from engine.live.ct.view_ring import view_of, views_of
from engine.live.pet.event_batch import EventBatch
from engine.live.pet.following import LivePetWork
from engine.live.pet.recorded import RecordedEvents, recorded_events
from engine.live.pet.session import LivePetSession
from engine.live.recording import writer
from engine.live.recording.recorder import LiveRecorder
from engine.live.recording.recording_list import remove_recording, unfinished_recordings
from engine.live.recording.records import RecordingFile
from tests.engine.live.ct.running_scan import Beamline, cone, counts_of, frames_of, references
from tests.engine.live.pet.running_events import scan


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ISOCENTER_HOME", str(tmp_path / "home"))


GEOMETRY = cone(12)
COUNTS = counts_of(GEOMETRY)


class Never:
    def is_set(self) -> bool:
        return False


def recorded(arrivals: list[object], tmp_path: Path, geometry=GEOMETRY, own=None) -> Recording:
    recorder = LiveRecorder("frames", "beamline", tmp_path / "scan.h5")
    recording = Recording(Beamline(arrivals, geometry), own, recorder)
    recording.events = [each for each in recording.frames(Never()) if not isinstance(each, Frame)]
    recorder.close()
    recording.recorder = recorder
    return recording


def counts_in(path: Path, tmp_path: Path) -> np.ndarray:
    target = tmp_path / f"{path.stem}.h5"
    convert_recording(path, target)
    return read_projections(target).values


def test_recording_contains_the_scan(tmp_path: Path) -> None:
    frames = [*references(GEOMETRY.shape), *frames_of(GEOMETRY, COUNTS, range(12))]
    recording = recorded(frames, tmp_path)
    assert recording.recorder.is_whole
    target = tmp_path / "converted.h5"
    assert convert_recording(recording.recorder.path, target) == ()
    converted, expected = read_projections(target), recording.scan(GEOMETRY)
    for name in ("values", "flats", "darks"):
        np.testing.assert_array_equal(getattr(converted, name), getattr(expected, name))
    np.testing.assert_allclose(converted.geometry.source_mm, expected.geometry.source_mm)
    assert [each.text for each in unfinished_recordings()] == ["14 frames recorded"]
    recording.recorder.discard()
    assert not unfinished_recordings() and not recording.recorder.path.exists()


def test_scan_larger_than_memory_is_recorded(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr("engine.live.ct.recording.SPARE_SHARE", 0)
    monkeypatch.setattr("engine.live.ct.recorded.SHARE", 0)
    recording = recorded(frames_of(GEOMETRY, COUNTS, range(12)), tmp_path)
    assert not recording.n_views and not recording.events[:-1]
    np.testing.assert_array_equal(counts_in(recording.recorder.path, tmp_path), COUNTS)


@pytest.mark.parametrize("change", ["restart", "geometry", "shape"])
def test_new_scan_never_replaces_the_earlier_one(tmp_path: Path, change: str) -> None:
    first = [*references(GEOMETRY.shape), *frames_of(GEOMETRY, COUNTS, range(10))]
    other = cone(12, turn=np.pi)
    between: dict[str, list[object]] = {
        "restart": [Resumed("again", is_new_scan=True)],
        "geometry": [Announced("other", other)],
        "shape": [ShapeChanged("other", (32, 48))],
    }
    again = frames_of(GEOMETRY, COUNTS + 1, range(4))

    class Moving(Beamline):
        def frames(self, stop):
            for each in super().frames(stop):
                if isinstance(each, Announced):
                    self.geometry = each.geometry
                yield each

    recorder = LiveRecorder("frames", "beamline", tmp_path / "scan.h5")
    recording = Recording(Moving([*first, *between[change], *again], GEOMETRY), None, recorder)
    texts = [each.text for each in recording.frames(Never()) if not isinstance(each, Frame)]
    recorder.close()
    texts += recorder.take_notices()
    assert sum("the recording of the earlier scan has ended" in text for text in texts) == 1
    old = next(each.path for each in unfinished_recordings() if each.path != recorder.path)
    np.testing.assert_array_equal(counts_in(old, tmp_path), COUNTS[:10])
    np.testing.assert_array_equal(counts_in(recorder.path, tmp_path), COUNTS[:4] + 1)
    # The flats of the old scan are used for the restarted one, too
    assert RecordingFile(recorder.path).count == (6 if change == "restart" else 4)


def test_scan_without_geometry_needs_one_for_its_conversion(tmp_path: Path) -> None:
    recording = recorded(frames_of(GEOMETRY, COUNTS, range(12)), tmp_path, geometry=None)
    with pytest.raises(DataError, match="--geometry"):
        convert_recording(recording.recorder.path, tmp_path / "a.h5")
    convert_recording(recording.recorder.path, tmp_path / "a.h5", GEOMETRY)
    np.testing.assert_array_equal(read_projections(tmp_path / "a.h5").values, COUNTS)


def test_recording_without_projections_is_not_converted(tmp_path: Path) -> None:
    recording = recorded(references(GEOMETRY.shape), tmp_path)
    with pytest.raises(DataError, match="no projections"):
        convert_recording(recording.recorder.path, tmp_path / "a.h5")


@pytest.mark.parametrize("is_small", [True, False])
def test_frames_of_different_types_keep_their_values(tmp_path: Path, monkeypatch, is_small) -> None:
    monkeypatch.setattr("engine.live.ct.recorded.SHARE", 0.3 * is_small)
    frames = [*references(GEOMETRY.shape), *frames_of(GEOMETRY, COUNTS, range(12))]
    for kind in (FrameKind.FLAT, FrameKind.PROJECTION):
        k = next(k for k, each in enumerate(frames) if each.kind == kind) + (kind == 2)
        wide = frames[k].values.astype(np.uint32) + 70_000
        frames[k] = replace(frames[k], values=wide)
    recording = recorded(frames, tmp_path)
    convert_recording(recording.recorder.path, tmp_path / "a.h5")
    converted, expected = read_projections(tmp_path / "a.h5"), recording.scan(GEOMETRY)
    assert converted.values.max() >= 70_000
    np.testing.assert_array_equal(converted.values, expected.values)
    np.testing.assert_array_equal(converted.flats, expected.flats)


def test_missing_projections_are_reported(tmp_path: Path) -> None:
    recording = recorded(frames_of(GEOMETRY, COUNTS, range(1, 12)), tmp_path)
    notes = convert_recording(recording.recorder.path, tmp_path / "a.h5")
    assert notes == ("1 of 12 projections are missing.",)


def batches(n: int) -> list[EventBatch]:
    events, size = scan(), scan().n_events // n
    return [
        EventBatch(events.select(slice(k * size, (k + 1) * size)), k * size, 0.0) for k in range(n)
    ]


class Scanner:
    name, can_wait, head = "scanner", False, None

    def __init__(self, arrivals: list[object]) -> None:
        self._arrivals = arrivals

    def batches(self, stop: object):
        yield from self._arrivals

    def close(self) -> None:
        """Do nothing: no resource is open."""


def test_recording_contains_all_events(tmp_path: Path) -> None:
    recorder = LiveRecorder("events", "scanner")
    source = RecordedEvents(Scanner(batches(10)), recorder)
    assert len(list(source.batches(Never()))) == 10
    recorder.close()
    assert recorder.is_whole
    convert_recording(recorder.path, tmp_path / "a.h5")
    converted, expected = read_listmode(tmp_path / "a.h5"), scan()
    for name in ("crystals", "delayed", "tof_bins", "time_ms"):
        np.testing.assert_array_equal(getattr(converted, name), getattr(expected, name))
    assert unfinished_recordings()[0].text == f"{expected.n_events:,} events recorded"
    remove_recording(recorder.path)
    assert not unfinished_recordings()


def test_restarted_scanner_starts_a_new_recording() -> None:
    recorder = LiveRecorder("events", "scanner")
    arrivals = [*batches(4)[:2], Resumed("again", is_new_scan=True), *batches(4)[:1]]
    list(RecordedEvents(Scanner(arrivals), recorder).batches(Never()))
    recorder.close()
    part = batches(4)[0].events.n_events
    assert sorted(each.count for each in unfinished_recordings()) == [part, 2 * part]
    assert recorded_events(RecordingFile(recorder.path)).n_events == part


def test_scan_of_an_unsendable_scanner_stays_in_memory(monkeypatch) -> None:
    from engine.core.errors import SettingsError

    def refuse(_: object) -> None:
        raise SettingsError("a crystal map")

    monkeypatch.setattr("engine.live.pet.recorded.message_of_head", refuse)
    recorder = LiveRecorder("events", "scanner")
    arrivals = list(RecordedEvents(Scanner(batches(4)), recorder).batches(Never()))
    recorder.close()
    assert not recorder.is_whole and not unfinished_recordings()
    assert sum(getattr(each, "text", "").count("memory only") for each in arrivals) == 1


def test_late_frames_and_individual_angles_are_recorded(tmp_path: Path) -> None:
    frames = frames_of(GEOMETRY, COUNTS, [0, 1, 3, 2, *range(4, 12)])
    frames[5] = replace(frames[5], angle_rad=frames[5].angle_rad + 0.01)
    recording = recorded(frames, tmp_path)
    convert_recording(recording.recorder.path, tmp_path / "a.h5")
    converted = read_projections(tmp_path / "a.h5")
    np.testing.assert_array_equal(converted.values, COUNTS)
    assert abs(converted.geometry.angles_rad[5] - GEOMETRY.angles_rad[5] - 0.01) < 1e-9


def test_views_of_many_frames_equal_the_views_of_each() -> None:
    turns = {2: 0.0, 3: 0.02, 7: -0.3, 13: 0.01}
    frames = [
        Frame(
            FrameKind.PROJECTION, k, float(GEOMETRY.angles_rad[k % 12] + turns[k]) if k in turns
            else None, COUNTS[0], 0.0,
        )
        for k in (0, 2, 3, 7, 5, 13)
    ]  # fmt: skip
    events = views_of(GEOMETRY, frames)
    for k, frame in enumerate(frames):
        one = view_of(GEOMETRY, frame)
        for name in ("source_mm", "detector_mm", "u_mm", "v_mm"):
            np.testing.assert_array_equal(getattr(events, name)[k], getattr(one, name)[0])


def test_session_saves_the_scan_of_its_recording(tmp_path: Path) -> None:
    from engine.live.ct.session import LiveSession

    frames = [*references(GEOMETRY.shape), *frames_of(GEOMETRY, COUNTS, range(12))]
    recorder = LiveRecorder("frames", "beamline")
    session = LiveSession(Beamline(frames, GEOMETRY), on=cpu(1), recorder=recorder)
    while not (session._thread.join(0.1) or not session._thread.is_alive()):
        pass
    session.close()
    session._recording._views.clear()  # the scan is only on the disk
    np.testing.assert_array_equal(session.scan().values, COUNTS)
    session.scan_saved()
    assert not unfinished_recordings()


class Halting(Scanner):
    """A scanner that waits for the end of the images before its last batches."""

    def __init__(self, arrivals: list[object], n_first: int) -> None:
        super().__init__(arrivals)
        self._n_first, self.goes_on = n_first, Event()

    def batches(self, stop: object):
        yield from self._arrivals[: self._n_first]
        assert self.goes_on.wait(60)
        yield from self._arrivals[self._n_first :]


@pytest.mark.parametrize(
    "fault", [RuntimeError("planted"), DeviceError("The GPU has failed. Use the CPU.")]
)
def test_failing_images_do_not_end_the_recording(monkeypatch, tmp_path: Path, fault) -> None:
    def fail(*_: object) -> None:
        raise fault

    monkeypatch.setattr(LivePetWork, "refresh", fail)
    source, recorder = Halting(batches(10), 4), LiveRecorder("events", "scanner")
    with LivePetSession(source, on=cpu(1), recorder=recorder) as session:
        texts: list[str] = []
        with pytest.raises(type(fault), match=str(fault)):
            while True:
                texts.append(getattr(session.take(60), "text", ""))
                if str(fault) in texts[-1]:
                    source.goes_on.set()
    assert sum("recorded to its end" in text and str(fault) in text for text in texts) == 1
    assert recorder.is_whole
    assert session.scan().n_events == scan().n_events


def test_enough_data_do_not_wait_for_more(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writer, "GATHER_S", 300.0)
    recorder = LiveRecorder("frames", "beamline", tmp_path / "scan.h5")
    image, until_s = np.ones((512, 512), np.uint16), time.monotonic() + 60
    for k in range(5):  # the last batch has too few bytes, and waits until the end
        recorder.put(1, message_of(Played(FrameKind.PROJECTION, k, None, image)))
    while recorder.synced < 4 and time.monotonic() < until_s:
        time.sleep(0.01)
    assert recorder.synced in (4, 5)
    recorder.close()
    assert recorder.is_whole and time.monotonic() < until_s + 60
