"""A detector in another process that does not wait: frames in real time over ZeroMQ.

Frame k is due at k / rate after the first. Frames that are not fetched in time are overwritten: the
detector continues with the newest frame in its buffer, and the numbers in between are missing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from multiprocessing.connection import Connection
from threading import Event
from time import monotonic

import numpy as np

from engine.core.arrays import Array
from engine.core.errors import ResourceError
from engine.geometry.xray import XrayGeometry
from engine.jobs.process.starting import new_process, process_context
from engine.live.core.frame import Arrival, Frame, FrameKind
from engine.live.core.message import message_of
from engine.live.core.zeromq import opened, sent
from engine.live.ct.playing import Played
from engine.live.ct.sources.stream import StreamSource

BUFFER_S = 0.05
"""Time for which the detector itself stores frames."""
POLL_MS = 10
WAITING_MESSAGES = 8
"""Most frames in transit, in addition."""
DRAWN, SEED = 8, 20240612
"""Number of different frames, which are sent in turn, and their random seed."""
OPEN_COUNTS, DARK_COUNTS = 20_000, 100
START_S = 60.0
ANYWHERE = "tcp://127.0.0.1:*"


@dataclass(frozen=True)
class SendingDetector:
    """Frames of a detector.

    Attributes
    ----------
    shape : (n_rows, n_columns)
    frames_per_s : frame rate
    step_rad : angle between two frames
    """

    shape: tuple[int, int]
    frames_per_s: float
    step_rad: float

    def reference(self, kind: FrameKind) -> Played:
        """Return the dark or the flat."""
        counts = DARK_COUNTS if kind == FrameKind.DARK else OPEN_COUNTS
        return Played(kind, 0, None, np.full(self.shape, counts, np.uint16))

    def projection(self, k: int, drawn: Array) -> Played:
        """Return frame `k`.

        Parameters
        ----------
        k
            number of the frame
        drawn
            result of `drawn_of`
        """
        angle = float(k * self.step_rad % (2 * np.pi))
        return Played(FrameKind.PROJECTION, k, angle, drawn[k % DRAWN])


def drawn_of(shape: tuple[int, int]) -> Array:
    """Return noisy counts behind an upright disc of half the width, (DRAWN, n_rows, n_columns).

    Parameters
    ----------
    shape
        (n_rows, n_columns)
    """
    x = np.linspace(-1, 1, shape[1])
    # The chord of a disc times its attenuation
    expected = OPEN_COUNTS * np.exp(-2 * np.sqrt(np.maximum(0.25 - x**2, 0)))
    rng = np.random.default_rng(SEED)
    # One row for all rows: random numbers for large frames would take minutes
    row = rng.poisson(expected, (DRAWN, 1, shape[1])) + DARK_COUNTS
    return np.ascontiguousarray(np.broadcast_to(row, (DRAWN, *shape)), np.uint16)


@contextmanager
def sending(detector: SendingDetector, name: str, geometry: XrayGeometry) -> Iterator[SentFrames]:
    """Start a detector in another process, and yield the source of its frames.

    Parameters
    ----------
    detector
        frames and rate
    name
        name of the source
    geometry
        geometry of the scan

    Raises
    ------
    ResourceError
        if the process does not start in time
    """
    line, far_line = process_context().Pipe()
    process = new_process(_send, detector, far_line, name="sender")
    process.start()
    far_line.close()
    try:
        # Importing in the new process can take seconds on a busy machine
        if not line.poll(START_S):
            raise ResourceError(
                f"{name}: the process that sends the frames did not start within {START_S:g} s; "
                "close other programs and try again."
            )
        yield SentFrames(line.recv(), line, name, geometry, detector.frames_per_s)
    finally:
        line.close()  # ends the sender
        # Before the next case, which would compete with it
        process.join()


class SentFrames:
    """Frames of the other process; their time of arrival is the time at which they were due."""

    can_wait = False

    def __init__(
        self, address: str, line: Connection, name: str, geometry: XrayGeometry, rate: float
    ) -> None:
        self.name, self.geometry = name, geometry
        self._source, self._line, self._rate = StreamSource(address), line, rate

    def frames(self, stop: Event) -> Iterator[Arrival]:
        """Yield dark, flat and projections until it is stopped.

        Parameters
        ----------
        stop
            set by the consumer
        """
        begun: float | None = None
        for each in self._source.frames(stop):
            if isinstance(each, Frame) and each.kind == FrameKind.PROJECTION:
                begun = self._line.recv() if begun is None else begun
                # The time in the pipe and in the queue then counts as latency
                yield replace(each, arrived_s=begun + each.index / self._rate)
            else:
                yield each

    def close(self) -> None:
        """Close the connection."""
        self._source.close()


def _send(detector: SendingDetector, line: Connection) -> None:
    """Send until the other process closes the pipe."""
    import zmq

    drawn, options = drawn_of(detector.shape), {int(zmq.SNDHWM): WAITING_MESSAGES}
    options |= {int(zmq.IMMEDIATE): 1, int(zmq.LINGER): 0}
    with opened(zmq.PUSH, ANYWHERE, options) as socket:
        line.send(socket.getsockopt_string(zmq.LAST_ENDPOINT))
        for kind in (FrameKind.DARK, FrameKind.FLAT):
            reference = message_of(detector.reference(kind))
            # Darks and flats have to arrive, or no frame could be used
            while not sent(socket, reference, POLL_MS):
                if line.poll():
                    return
        begun, last, rate = monotonic(), -1, detector.frames_per_s
        line.send(begun)
        while not line.poll(max(begun + (last + 1) / rate - monotonic(), 0)):
            newest = int((monotonic() - begun) * rate)
            # Older frames have left the detector's buffer
            k = max(newest - int(BUFFER_S * rate), last + 1)
            if sent(socket, message_of(detector.projection(k, drawn)), POLL_MS):
                last = k


def frames_of(detector: SendingDetector, numbers: Sequence[int]) -> list[Frame]:
    """Return frames as they are sent, for comparison.

    Parameters
    ----------
    detector
        frames and rate
    numbers
        numbers of the projections

    Returns
    -------
    frames
        dark, flat and the projections
    """
    drawn = drawn_of(detector.shape)
    sent = [detector.reference(kind) for kind in (FrameKind.DARK, FrameKind.FLAT)]
    sent += [detector.projection(k, drawn) for k in numbers]
    return [Frame(f.kind, f.index, f.angle_rad, f.values, 0.0) for f in sent]
