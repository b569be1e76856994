"""Streams, events and graphs: do work in any order that CUDA allows.

A task waits only for earlier tasks in its stream and for events that the stream waits for. When
the host waits, only these tasks are done.
"""

from __future__ import annotations

import itertools
import random
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from tests.emulator.card.errors import CudaError, Status

ORDERS = ("early", "late", "copies first", "by lot")


@dataclass(eq=False)
class Task:
    """A piece of queued work that runs after other tasks."""

    does: Callable[[], object]
    after: list[Task] = field(default_factory=list)
    is_done: bool = False
    graph: Graph | None = None
    """The graph that recorded the task, or None; a recorded task only runs with its graph."""


@dataclass(eq=False)
class Graph:
    """Recorded tasks, in order."""

    tasks: list[Task] = field(default_factory=list)
    is_broken: bool = False


@dataclass(eq=False)
class Stream:
    """A queue; blocking streams and stream 0 wait for each other."""

    handle: int
    is_blocking: bool = True
    last: Task | None = None
    graph: Graph | None = None
    """The graph in recording, or None."""
    is_origin: bool = False
    outside: Task | None = None
    """The last task before the recording began."""


@dataclass(eq=False)
class Event:
    """A position in a stream, and the time when it was reached."""

    task: Task | None = None
    at_s: float = 0.0


class Work:
    """All streams of a card.

    Parameters
    ----------
    order
        "early": immediately. "late": when the host waits. "copies first": streams that do not wait
        for stream 0 immediately, others late. "by lot": random tasks, at any call.
    seed
        seed of the random order
    """

    def __init__(self, order: str, seed: int) -> None:
        if order not in ORDERS:
            raise ValueError(f"the order {order!r} must be one of {', '.join(ORDERS)}.")
        self.order, self._lots = order, random.Random(seed)
        self._handles = itertools.count(0x1000, 16)
        self.streams: dict[int, Stream] = {0: Stream(0)}
        self.events: dict[int, Event] = {}
        self.graphs: dict[int, Graph] = {}

    def stream(self, handle: int | None) -> Stream:
        """Return a stream; handle 1 also means stream 0."""
        found = self.streams.get(0 if handle in (None, 1) else int(handle or 0))
        if found is None:
            raise CudaError(Status.INVALID_HANDLE, f"{handle} is no stream.")
        return found

    def _all(self) -> list[Stream]:
        """Return all present streams; the garbage collector may remove some at any moment."""
        return list(self.streams.values())

    def event(self, handle: int | None) -> Event:
        """Return an event."""
        if handle not in self.events:
            raise CudaError(Status.INVALID_HANDLE, f"{handle} is no event.")
        return self.events[handle]

    def new(self, of: dict[int, object], what: object) -> int:
        """Store an object under a new handle."""
        handle = next(self._handles)
        of[handle] = what
        return handle

    def put(self, stream: Stream, does: Callable[[], object], *after: Task) -> Task:
        """Queue a task or record it."""
        before = [] if stream.last is None else [stream.last]
        task = Task(does, [*before, *after], graph=stream.graph)
        if stream.graph is not None:
            stream.graph.tasks.append(task)
            stream.last = task
            return task
        task.after += self._others(stream)
        task.after = [each for each in task.after if not each.is_done]
        stream.last = task
        self._do_some(stream)
        return task

    def _others(self, stream: Stream) -> list[Task]:
        """Return the last tasks of the streams that this one implicitly waits for."""
        if not stream.is_blocking:
            return []
        with_us = self._all() if stream.handle == 0 else [self.streams[0]]
        with_us = [each for each in with_us if each.is_blocking and each is not stream]
        if stream.handle == 0 and any(each.graph for each in with_us):
            raise CudaError(Status.CAPTURE_IMPLICIT, "stream 0 waits for a stream that records.")
        return [each.last for each in with_us if each.last is not None and each.graph is None]

    def _do_some(self, stream: Stream) -> None:
        if self.order == "early" or (self.order == "copies first" and not stream.is_blocking):
            self.finish(stream.last)
        elif self.order == "by lot" and self._lots.random() < 0.5:
            others = [each for each in self._all() if each.graph is None]
            self.finish(self._lots.choice(others).last)

    def finish(self, task: Task | None) -> None:
        """Do a task after all tasks that it waits for."""
        stack = [] if task is None or task.is_done else [task]
        while stack:
            top = stack[-1]
            before = [each for each in top.after if not each.is_done]
            if before:
                stack += before
                continue
            stack.pop()
            if not top.is_done:
                top.is_done, top.after = True, []
                top.does()
                top.does = _nothing

    def finish_all(self) -> None:
        """Wait for the whole card."""
        self.refuse_while_recording()
        for stream in self._all():
            self.finish(stream.last)

    def refuse_while_recording(self) -> None:
        """Raise CudaError while a stream records, and invalidate its graph, as CUDA does."""
        for stream in self._all():
            if stream.graph is not None:
                stream.graph.is_broken = True
                raise CudaError(Status.CAPTURE_UNSUPPORTED, "a stream records a graph.")

    def synchronize(self, stream: Stream) -> None:
        """Wait for a stream."""
        if stream.graph is not None:
            stream.graph.is_broken = True
            raise CudaError(Status.CAPTURE_UNSUPPORTED, "the stream records a graph.")
        self.finish(stream.last)
        if stream.handle == 0:
            for other in self._others(stream):
                self.finish(other)

    def record(self, event: Event, stream: Stream) -> None:
        """Mark the position in a stream after the tasks queued so far."""

        def reached() -> None:
            event.at_s = time.perf_counter()

        event.task = self.put(stream, reached)

    def wait(self, stream: Stream, event: Event) -> None:
        """Make later tasks of a stream wait for an event."""
        task = event.task
        if task is None:
            return
        if task.graph is not None and task.graph.tasks is not None and stream.graph is None:
            if not any(each.graph is task.graph for each in self._all()):
                raise CudaError(Status.CAPTURED_EVENT, "the event was recorded in a graph.")
            # from now on, this stream records into the same graph
            stream.graph, stream.outside, stream.last = task.graph, stream.last, None
        elif stream.graph is not None and task.graph is not stream.graph:
            stream.graph.is_broken = True
            raise CudaError(Status.CAPTURE_ISOLATION, "a graph cannot wait for work outside it.")
        self.put(stream, _nothing, task)

    def begin(self, stream: Stream) -> None:
        """Start to record tasks."""
        if stream.handle == 0:
            raise CudaError(Status.CAPTURE_UNSUPPORTED, "stream 0 cannot be recorded.")
        if stream.graph is not None:
            raise CudaError(Status.INVALID_VALUE, "the stream already records.")
        stream.graph, stream.is_origin = Graph(), True
        stream.outside, stream.last = stream.last, None

    def end(self, stream: Stream) -> Graph:
        """Stop recording and return the graph."""
        graph = stream.graph
        if graph is None or not stream.is_origin:
            raise CudaError(Status.CAPTURE_UNMATCHED, "the stream does not record.")
        joined = [each for each in self._all() if each.graph is graph]
        before = _all_before(stream.last)
        is_open = any(each.last not in before for each in joined if each.last is not None)
        for each in joined:
            each.graph, each.is_origin, each.last = None, False, each.outside
        if graph.is_broken:
            raise CudaError(Status.CAPTURE_INVALIDATED, "it contains work that cannot be recorded.")
        if is_open:
            raise CudaError(Status.CAPTURE_UNJOINED, "a stream was not joined.")
        return graph

    def launch(self, graph: Graph, stream: Stream) -> None:
        """Queue all tasks of a graph."""
        self.put(stream, lambda: [task.does() for task in graph.tasks])


def _all_before(task: Task | None) -> set[Task]:
    found: set[Task] = set()
    stack = [] if task is None else [task]
    while stack:
        top = stack.pop()
        if top not in found:
            found.add(top)
            stack += top.after
    return found


def _nothing() -> None:
    pass
