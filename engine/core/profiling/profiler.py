"""Times the stages of a run; on a GPU by its own clock and without waiting for it.

On a GPU a stage is the time between two stamps in its queue. The host continues and reads the times
when it makes a profile. Stages of a thread cannot be nested: the inner one would be counted twice.
Several threads can share a profiler, and their times add up.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Lock, get_ident, local
from time import perf_counter

from engine.core.backend import Backend
from engine.core.backend.gpu import Resources, Stamp
from engine.core.profiling.counters import Meter
from engine.core.profiling.profile import (
    ON_THE_BUS,
    TITLES,
    UNITS,
    Device,
    Kernel,
    Profile,
    Span,
    Stage,
)

MAX_PENDING = 1024
"""Maximum number of stages with unread stamps; above it the older half is read."""
MAX_SPANS = 1000
"""Newest calls in a profile. It goes from process to process several times a second."""


@dataclass
class Amounts:
    """Amount of work in a stage; set it inside the span if it is known only at the end."""

    events: int = 0
    bytes: int = 0
    unit: str = "events"


class _OpenStage(local):
    """Key of the open stage of each thread; empty if there is none."""

    key = ""


@dataclass
class _Sum:
    seconds: float = 0.0
    calls: int = 0
    events: int = 0
    bytes: int = 0
    unit: str = "events"

    def add(self, seconds: float, amounts: Amounts) -> None:
        self.seconds += seconds
        self.calls += 1
        self.events += amounts.events
        self.bytes += amounts.bytes
        # Calls without a count keep the unit of the earlier ones.
        if amounts.events:
            self.unit = amounts.unit


class Profiler:
    """Stages, kernels and counters of one run on one device."""

    def __init__(self, on: Backend) -> None:
        self._on = on
        self._device = _device(on)
        self._open, self._lock = _OpenStage(), Lock()
        self._sums: dict[str, _Sum] = {}
        self._pending: list[tuple[str, Stamp, Stamp, Amounts]] = []
        self._kernels: dict[str, Kernel] = {}
        self._meter = Meter(on)
        self._spans: deque[Span] = deque(maxlen=MAX_SPANS)
        self._n_calls = 0
        self._threads: dict[int, int] = {}
        # A stamp of the device, because its clock differs from that of the host
        self._origin = None if on.gpu is None else on.gpu.stamp()
        self._start_s = perf_counter()

    @contextmanager
    def span(
        self, name: str, *, events: int = 0, bytes: int = 0, unit: str = "events"
    ) -> Iterator[Amounts]:
        """Time the block as one call of a stage; a call that raises is not counted.

        Parameters
        ----------
        name
            key of the stage, of `TITLES`
        events
            amount of work, in `unit`
        bytes
            bytes moved
        unit
            unit of `events`, one of `UNITS`

        Yields
        ------
        the amounts, which the block can change

        Raises
        ------
        ValueError
            if the stage or the unit is unknown
        RuntimeError
            if a stage of this thread is already open
        """
        if name not in TITLES:
            raise ValueError(f"stage {name!r} is not valid; expected one of {', '.join(TITLES)}.")
        if unit not in UNITS:
            raise ValueError(f"unit {unit!r} is not valid; expected one of {', '.join(UNITS)}.")
        # Nested stages would count the inner time twice.
        if self._open.key:
            raise RuntimeError(
                f"stage {name!r} cannot begin before stage {self._open.key!r} has ended."
            )
        self._open.key = name
        amounts = Amounts(events, bytes, unit)
        gpu = self._on.gpu
        try:
            if gpu is None:
                start = perf_counter()
                yield amounts
                end = perf_counter()
                with self._lock:
                    thread = self._threads.setdefault(get_ident(), len(self._threads))
                    self._add(name, start - self._start_s, end - start, amounts, thread)
            else:
                # The stamp is queued behind earlier work, so it marks the start on the device.
                earlier = gpu.stamp()
                yield amounts
                # Reading the stamps now would make the host wait for the GPU.
                later = gpu.stamp()
                with self._lock:
                    self._pending.append((name, earlier, later, amounts))
        finally:
            self._open.key = ""
        if len(self._pending) > MAX_PENDING:
            self._read(MAX_PENDING // 2)

    def kernel(self, name: str, resources: Resources, n_threads: int) -> None:
        """Record the resources of a kernel.

        Parameters
        ----------
        name
            name of the kernel
        resources
            registers, memory and occupancy as compiled
        n_threads
            threads of a block
        """
        self._kernels[name] = Kernel(
            name,
            n_threads,
            resources.registers,
            resources.shared_bytes,
            resources.local_bytes,
            resources.occupancy,
        )

    def snapshot(self) -> Profile:
        """Return the measurements so far; on a GPU this waits for the stages already queued."""
        self._read(len(self._pending))
        total = sum(each.seconds for each in self._sums.values())
        stages = (self._stage(key, total) for key in TITLES if key in self._sums)
        kernels = tuple(self._kernels.values())
        with self._lock:
            timeline, n_calls = tuple(sorted(self._spans, key=_start_of)), self._n_calls
        counters = self._meter.read()
        return Profile(self._device, tuple(stages), kernels, counters, timeline, n_calls)

    def _read(self, n: int) -> None:
        with self._lock:
            for name, earlier, later, amounts in self._pending[:n]:
                start_s = earlier.seconds_since(self._origin)
                self._add(name, start_s, later.seconds_since(earlier), amounts, 0)
            del self._pending[:n]

    def _add(
        self, name: str, start_s: float, seconds: float, amounts: Amounts, thread: int
    ) -> None:
        self._sums.setdefault(name, _Sum()).add(seconds, amounts)
        self._spans.append(Span(name, start_s, seconds, amounts.events, amounts.bytes, thread))
        self._n_calls += 1

    def _stage(self, key: str, total: float) -> Stage:
        done = self._sums[key]
        bytes_per_s = _rate(done.bytes, done.seconds)
        peak = None if key in ON_THE_BUS else self._device.peak_bytes_per_s
        return Stage(
            key=key,
            title=TITLES[key],
            seconds=done.seconds,
            calls=done.calls,
            share=done.seconds / total if total > 0 else 0.0,
            events=done.events,
            events_per_s=_rate(done.events, done.seconds),
            bytes=done.bytes,
            bytes_per_s=bytes_per_s,
            peak_share=bytes_per_s / peak if bytes_per_s is not None and peak else None,
            unit=done.unit,
        )


def _start_of(span: Span) -> float:
    return span.start_s


def _rate(amount: int, seconds: float) -> float | None:
    return amount / seconds if amount and seconds > 0 else None


def _device(on: Backend) -> Device:
    if on.gpu is None:
        return Device("cpu", on.label, on.threads)
    facts = on.gpu.facts
    return Device(
        "cuda",
        facts.name,
        on.threads,
        facts.compute_capability,
        facts.peak_bytes_per_s,
        facts.memory_bytes,
        facts.driver,
    )
