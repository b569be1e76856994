"""Tests that the window offers recordings of interrupted scans at its next start."""

from __future__ import annotations

from contextlib import closing
from datetime import datetime

import numpy as np
from PySide6.QtWidgets import QPushButton

from app.shell import welcome_lists
from engine.io import read_listmode
from engine.live.pet.event_message import message_of_events, message_of_head
from engine.live.recording.recorder import LiveRecorder
from engine.live.recording.recording_list import enter, unfinished_recordings
from tests.engine.live.pet.running_events import scan


def test_interrupted_recording_is_offered_and_saved(qtbot, window, tmp_path, monkeypatch) -> None:
    recorder = LiveRecorder("events", "tcp://*:9668")
    recorder.announce(message_of_head(scan()))
    recorder.put(scan().n_events, message_of_events(scan(), 0))
    recorder.close()

    target = tmp_path / "saved.h5"
    monkeypatch.setattr(welcome_lists, "ask_save", lambda *_: target)
    lists = window.welcome_lists
    lists.refresh()
    qtbot.waitUntil(lambda: len(lists._recordings) == 1, timeout=20_000)
    offer = lists._recordings[0]
    assert offer.text == f"Save recording: {scan().n_events:,} events recorded"

    offer.action()
    qtbot.waitUntil(lambda: not lists._recordings, timeout=20_000)
    np.testing.assert_array_equal(read_listmode(target).crystals, scan().crystals)
    assert not unfinished_recordings() and not recorder.path.exists()


def test_interrupted_recording_is_discarded_after_a_question(qtbot, window, monkeypatch) -> None:
    recorder = LiveRecorder("events", "tcp://*:9668")
    recorder.announce(message_of_head(scan()))
    recorder.put(scan().n_events, message_of_events(scan(), 0))
    recorder.close()
    enter(recorder.path, "/data/scan.h5")

    asked: list[str] = []
    answers = iter([False, True])
    monkeypatch.setattr(
        welcome_lists, "ask", lambda _, title, text, yes: (asked.append(text), next(answers))[1]
    )
    lists = window.welcome_lists
    lists.refresh()
    # an earlier search of the window may have found the recording without its second file
    is_entered = lambda: ["saved as" in each.detail for each in lists._recordings] == [True]  # noqa: E731
    qtbot.waitUntil(is_entered, timeout=20_000)

    def shown() -> list[QPushButton]:
        # a refresh of the list hides its buttons before it deletes them
        buttons = lists._card.findChildren(QPushButton)
        return [each for each in buttons if each.text() == "Discard" and each.isVisible()]

    qtbot.waitUntil(lambda: len(shown()) == 1, timeout=20_000)
    (discard,) = shown()

    discard.click()
    assert recorder.path.exists()
    started = datetime.fromisoformat(unfinished_recordings()[0].begun_utc).astimezone()
    for fact in (f"{scan().n_events:,} events", f"{started:%d %b %Y %H:%M}", "saved as scan.h5"):
        assert fact in asked[0]
    discard.click()
    qtbot.waitUntil(lambda: not lists._recordings, timeout=20_000)
    assert not recorder.path.exists() and not unfinished_recordings()


def test_running_recording_is_not_offered(window) -> None:
    # a process that still wrote would make all later tests fail
    with closing(LiveRecorder("events", "tcp://*:9668")) as recorder:
        recorder.announce(message_of_head(scan()))
        recorder.put(scan().n_events, message_of_events(scan(), 0))
        while not recorder.synced:
            pass
        assert unfinished_recordings() and not welcome_lists.recordings_to_offer()
    assert welcome_lists.recordings_to_offer()
