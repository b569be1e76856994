"""Throughput of a live stream with and without a recording.

Another process sends frames over ZeroMQ as fast as the receiver reads them. Their size is known in
advance, as from the geometry of a stored scan. Runs with and without a recording alternate, so that
other load on the machine affects both. The recording must not reduce the median by more than 5 %.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from statistics import median
from threading import Event
from time import perf_counter, sleep

import numpy as np

from engine.core.json_types import Plain
from engine.geometry.orbits import circular_cone
from engine.geometry.xray import XrayGeometry
from engine.jobs.process.starting import new_process, process_context
from engine.live.core.frame import Ended, Frame, FrameKind
from engine.live.core.message import message_of, message_of_end, message_of_geometry
from engine.live.core.zeromq import opened
from engine.live.ct.playing import Played
from engine.live.ct.recording import Recording
from engine.live.ct.sources.stream import StreamSource
from engine.live.recording.recorder import LiveRecorder
from engine.tools.benchmark.bars import Bar, at_least

SHAPES = ((256, 256), (1024, 1024), (2048, 2048))
RUN_BYTES = 2**29
"""Data of a run."""
N_RUNS = 7
"""Runs of each kind."""
START_S = 4.0
MIN_SHARE = 0.95
DRAWN = 4


@dataclass(frozen=True)
class Stream:
    """Frames that are sent as fast as possible."""

    shape: tuple[int, int]
    n_frames: int

    @property
    def n_bytes(self) -> int:
        """Size of all frames."""
        return 2 * self.n_frames * self.shape[0] * self.shape[1]

    @property
    def geometry(self) -> XrayGeometry:
        """Geometry of the frames."""
        return circular_cone(
            np.linspace(0, 2 * np.pi, self.n_frames, endpoint=False),
            source_axis_mm=500, source_detector_mm=800, shape=self.shape, pixel_mm=0.1,
        )  # fmt: skip


def run(
    *,
    shapes: Sequence[tuple[int, int]] = SHAPES,
    n_runs: int = N_RUNS,
    n_bytes: int = RUN_BYTES,
) -> Plain:
    """Measure all frame sizes.

    Parameters
    ----------
    shapes
        (n_rows, n_columns) of each detector
    n_runs
        runs with and without a recording
    n_bytes
        data of each run

    Returns
    -------
    part
        JSON values for the report
    """
    rows = []
    for shape in shapes:
        stream = Stream(shape, max(8, n_bytes // (2 * shape[0] * shape[1])))
        rows.append(_row(stream, n_runs))
    return {
        "workload": "Frames of uint16 from another process over ZeroMQ, "
        f"{n_bytes / 2**20:,.0f} MiB in each of {n_runs} alternating runs with and without a "
        "recording; medians",
        "rows": rows,
        "bars": [bar.as_row() for bar in map(_bar, rows)],
    }


def _row(stream: Stream, n_runs: int) -> Plain:
    seconds: dict[bool, list[float]] = {False: [], True: []}
    with tempfile.TemporaryDirectory(prefix="isocenter-") as folder:
        _seconds(stream, None)  # imports and caches
        for k in range(2 * n_runs):
            is_on = k % 4 in (1, 2)  # off, on, on, off: a drift affects both
            seconds[is_on].append(_seconds(stream, Path(folder) if is_on else None))
    rates = {is_on: stream.n_bytes / 1e6 / median(each) for is_on, each in seconds.items()}
    return {
        "shape": list(stream.shape), "frames": stream.n_frames,
        "off_mb_per_s": rates[False], "on_mb_per_s": rates[True],
        "share": rates[True] / rates[False],
        "off_s": seconds[False], "on_s": seconds[True],
    }  # fmt: skip


def _seconds(stream: Stream, folder: Path | None) -> float:
    """Receive all frames; return the time from the first to the last."""
    recorder = None if folder is None else LiveRecorder("frames", "bench", folder / "scan.h5")
    if recorder is not None:
        sleep(START_S)  # the process of the recording loads its libraries before a real scan
    try:
        with _sending(stream) as address:
            recording = Recording(StreamSource(address, frame_shape=stream.shape), None, recorder)
            begun, n = 0.0, 0
            for arrival in recording.frames(Event()):
                if isinstance(arrival, Frame):
                    n += 1
                    begun = begun or perf_counter()
                    if n == stream.n_frames:
                        break
                elif isinstance(arrival, Ended):
                    break
            return perf_counter() - begun
    finally:
        if recorder is not None:
            recorder.close()
            recorder.discard()


@contextmanager
def _sending(stream: Stream) -> Iterator[str]:
    line, far_line = process_context().Pipe()
    process = new_process(_send, stream, far_line, name="sender")
    process.start()
    far_line.close()
    try:
        yield line.recv()
    finally:
        line.close()
        process.join()


def _send(stream: Stream, line: Connection) -> None:
    """Send everything, then wait until the other process closes the pipe."""
    import zmq

    rng = np.random.default_rng(1)
    drawn = rng.integers(0, 60_000, (DRAWN, *stream.shape), np.uint16)
    with opened(zmq.PUSH, "tcp://127.0.0.1:*", {int(zmq.IMMEDIATE): 1}) as socket:
        line.send(socket.getsockopt_string(zmq.LAST_ENDPOINT))
        socket.send_multipart(message_of_geometry(stream.geometry))
        for k in range(stream.n_frames):
            played = Played(FrameKind.PROJECTION, k, None, drawn[k % DRAWN])
            socket.send_multipart(message_of(played), copy=False)
        socket.send_multipart(message_of_end(stream.n_frames))
        line.poll(None)


def _bar(row: Plain) -> Bar:
    rows, columns = row["shape"]
    return at_least(f"rate with a recording, {rows} x {columns}", row["share"], MIN_SHARE)
