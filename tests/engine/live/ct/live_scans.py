"""Small scans and helper functions for tests of sources."""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterator
from threading import Event, Timer

import numpy as np

from engine.data.projections import Projections
from engine.geometry.orbits import circular_cone
from engine.live.core.frame import Arrival, Frame, FrameKind
from engine.live.core.source import FrameSource

N, ROWS, COLUMNS = 24, 6, 10
PATIENCE_S = 60.0
"""Limit for an arrival; processes start slowly on a busy machine."""


def scan(n: int = N, rows: int = ROWS, columns: int = COLUMNS) -> Projections:
    """Return counts with distinct values, two darks, and flats before and after the views."""
    shape = (rows, columns)
    geometry = circular_cone(
        np.arange(n) * 2 * np.pi / n,
        source_axis_mm=100,
        source_detector_mm=200,
        shape=shape,
        pixel_mm=1.5,
    )
    counts = 1000.0 + np.arange(n * rows * columns).reshape(n, rows, columns) % 50_000
    return Projections(
        counts.astype(np.float32),
        geometry,
        kind="counts",
        flats=np.stack([np.full(shape, v, np.float32) for v in (60_000, 60_001, 60_002)]),
        darks=np.full((2, *shape), 100, np.float32),
        info={"flat_views": [0, 0, n]},
    )


def collected(source: FrameSource, seconds: float = 20.0) -> list[Arrival]:
    """Return all arrivals of a source until it ends or the time limit is reached."""
    stop = Event()
    timer = Timer(seconds, stop.set)
    timer.start()
    try:
        return list(source.frames(stop))
    finally:
        timer.cancel()
        source.close()


def frames_of(arrivals: list[Arrival], kind: FrameKind = FrameKind.PROJECTION) -> list[Frame]:
    """Return the frames of a kind."""
    return [each for each in arrivals if isinstance(each, Frame) and each.kind == kind]


def texts_of(arrivals: list[Arrival]) -> str:
    """Return all notices as one text."""
    return "\n".join(each.text for each in arrivals if not isinstance(each, Frame))


def assert_frames_of(arrivals: list[Arrival], data: Projections, *, exact: bool = True) -> None:
    """Check that every frame of a scan arrived, with its angle and values."""
    projections = frames_of(arrivals)
    assert [each.index for each in projections] == list(range(data.n_views))
    for each in projections:
        np.testing.assert_array_equal(each.values, data.values[each.index])
    if exact:
        angles = [each.angle_rad for each in projections]
        np.testing.assert_allclose(angles, data.geometry.angles_rad, atol=1e-9)
    for kind, images in ((FrameKind.DARK, data.darks), (FrameKind.FLAT, data.flats)):
        actual = frames_of(arrivals, kind)
        np.testing.assert_array_equal([each.values for each in actual], images)


def until(
    source: FrameSource, is_last: Callable[[Arrival], bool], seconds: float = PATIENCE_S
) -> Iterator[Arrival]:
    """Yield arrivals up to the first that satisfies `is_last`; raise an error if none does."""
    stop = Event()
    timer = Timer(seconds, stop.set)
    timer.start()
    try:
        for arrival in source.frames(stop):
            yield arrival
            if is_last(arrival):
                return
        raise AssertionError("no arrival satisfied the condition in time")
    finally:
        timer.cancel()
        source.close()


def free_address() -> str:
    """Return an unused address of this machine."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return f"tcp://127.0.0.1:{probe.getsockname()[1]}"


def opened_here(address: str) -> str:
    """Return the same address in the form that listens for connections."""
    return address.replace("127.0.0.1", "*")
