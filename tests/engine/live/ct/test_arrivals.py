"""Tests of the buffer of arrivals: bounded memory, and reported losses."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from threading import Event

import numpy as np
import pytest

from engine.core.errors import DataError
from engine.live.core.arrivals import Arrivals
from engine.live.core.frame import Arrival, Ended, Frame, FrameKind, Noticed, Waiting


class Given:
    """A source of given arrivals, which signals when all of them were read."""

    name = "given"
    geometry = None

    def __init__(self, arrivals: Iterable[Arrival], *, can_wait: bool = False) -> None:
        self._arrivals, self.can_wait = arrivals, can_wait
        self.is_read = Event()
        self.is_closed = False

    def frames(self, stop: Event) -> Iterator[Arrival]:
        for arrival in self._arrivals:
            if stop.is_set():
                return
            if isinstance(arrival, Ended):
                self.is_read.set()
            yield arrival
        self.is_read.set()

    def close(self) -> None:
        self.is_closed = True


def frame(index: int, kind: FrameKind = FrameKind.PROJECTION, lost: int = 0) -> Frame:
    return Frame(kind, index, None, np.full((4, 8), index, np.uint16), 0.0, lost)


def all_of(source: Given, **limits: int) -> tuple[list[Arrival], Arrivals]:
    """Return the arrivals of a consumer that starts after everything has been read."""
    with Arrivals(source, **limits) as arrivals:
        assert source.is_read.wait(10)
        return list(arrivals), arrivals


def test_arrivals_keep_their_order_if_read_in_time() -> None:
    given = [frame(0, FrameKind.DARK), Waiting("w"), frame(0), frame(1), Ended("over")]
    actual, arrivals = all_of(Given(given))
    assert actual == given
    assert (arrivals.arrived, arrivals.dropped) == (3, 0)


def test_oldest_projections_are_dropped_and_counted() -> None:
    source = Given([frame(i, lost=1 if i == 3 else 0) for i in range(10)])
    actual, arrivals = all_of(source, max_projections=4)
    frames = [each for each in actual if isinstance(each, Frame)]
    assert [each.index for each in frames] == [6, 7, 8, 9]
    assert [each.lost for each in frames] == [7, 0, 0, 0], (
        "the losses are not six dropped and one missing frame"
    )
    assert arrivals.dropped == 6
    assert isinstance(actual[-1], Ended), (
        "the end of a source without an end message is not reported"
    )


def test_bytes_are_limited_but_one_projection_always_waits() -> None:
    actual, _ = all_of(Given([frame(i) for i in range(3)]), max_bytes=1)
    assert [each.index for each in actual if isinstance(each, Frame)] == [2]


def test_darks_and_flats_outlast_projections_and_drops_are_reported() -> None:
    flats = [frame(i, FrameKind.FLAT) for i in range(3)]
    projections = [frame(i) for i in range(9)]
    actual, _ = all_of(Given(flats + projections), max_projections=1)
    assert actual[:3] == flats
    actual, _ = all_of(Given(flats), max_bytes=flats[0].values.nbytes * 2)
    assert isinstance(actual[0], Noticed)
    assert "1 dark or flat could not be processed in time" in actual[0].text
    assert actual[1:3] == flats[1:]


def test_error_arrives_after_earlier_frames() -> None:
    def broken() -> Iterator[Arrival]:
        yield frame(0)
        raise DataError("given: no more.")

    with Arrivals(Given(broken())) as arrivals:
        first = arrivals.take(10)
        assert isinstance(first, Frame)
        with pytest.raises(DataError, match="no more"):
            arrivals.take(10)


def test_timeout_returns_nothing_and_closing_ends_the_reading() -> None:
    go = Event()

    def slow() -> Iterator[Arrival]:
        while not go.wait(0.01):
            yield Waiting("given: waits.")
        yield frame(0)

    source = Given(slow())
    with Arrivals(source) as arrivals:
        assert isinstance(arrivals.take(10), Waiting)
    assert source.is_closed
    assert not source.is_read.is_set(), "the source was read to its end instead of stopped"
    quiet = Given(iter(lambda: go.wait(10) and frame(0), None))
    with Arrivals(quiet) as arrivals:
        assert arrivals.take(0.01) is None
        go.set()


def test_source_that_can_wait_loses_nothing() -> None:
    given = [frame(i) for i in range(50)]
    with Arrivals(Given(given, can_wait=True), max_projections=2) as arrivals:
        actual = [each for each in arrivals if isinstance(each, Frame)]
        assert actual == given
        assert arrivals.dropped == 0
    with Arrivals(Given(given, can_wait=True), max_projections=2) as arrivals:
        assert arrivals.take(10) == given[0], "the first arrival is wrong"
