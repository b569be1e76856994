"""Test that the first image of a run is drawn without waiting for the timer."""

from __future__ import annotations

from fractions import Fraction
from threading import Event

import numpy as np

from app.state.services import threads
from app.state.services.threads import EngineThread
from engine.data.runs.events import Preview
from engine.data.volume import Volume
from engine.geometry.grid import ImageGrid
from tests.app.conftest import PATIENCE_MS

VOLUME = Volume(np.ones((2, 2, 2), np.float32), ImageGrid((2, 2, 2), (1, 1, 1), (0, 0, 0)), "")


class TwoUpdates:
    """A process that ends after the test has received the first of two images."""

    def __init__(self) -> None:
        self.received = Event()

    def events(self):
        yield Preview(VOLUME, 1, 2, 1, 1, 0.1)
        yield Preview(VOLUME, 2, 2, 1, 1, 0.1)
        self.received.wait(PATIENCE_MS / 1000)


def test_first_image_does_not_wait_for_the_timer(qtbot, monkeypatch):
    monkeypatch.setattr(threads, "DRAWINGS_PER_SECOND", Fraction(1, 3600))
    process, drawn = TwoUpdates(), []
    thread = EngineThread(process)
    thread.preview.connect(lambda image: drawn.append(image.iteration))
    with qtbot.waitSignal(thread.preview, timeout=PATIENCE_MS):
        thread.start()
    process.received.set()
    thread.wait()
    assert drawn == [1]
