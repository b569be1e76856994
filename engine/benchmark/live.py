"""A detector that does not wait, followed: three slices of the newest half turn, Table 1's setups.

Frames are due at the paper's rates, k / rate after the first, whether anybody takes them or not:
those that were not taken are dropped and counted. Unlike in the paper all is in the figures: darks,
flats, logarithm, filter and the slices of a half turn and the fan. Latency is from the moment a
frame is due to the images that have it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from threading import Event
from time import monotonic

import numpy as np
import psutil

from engine.arrays import Array
from engine.backend import Backend
from engine.benchmark import figures, live_folder, published
from engine.benchmark.bars import Bar, at_least, at_most
from engine.benchmark.cone_kernel_tables import LIVE_FIGURES
from engine.benchmark.cone_slices import SETUPS, Setup
from engine.errors import SettingsError
from engine.geometry.xray import XrayGeometry
from engine.live.following import LiveChoices
from engine.live.frame import Arrival, Ended, Frame, FrameKind
from engine.live.session import LiveSession
from engine.live.settings import LiveSettings
from engine.live.slices import LiveSlices
from engine.live.statistics import RECENT_S, LiveStatistics
from engine.plain import Plain
from engine.preprocess import FlatField, Logarithm

FRAMES_PER_S = {"FleX-ray": 1 / 12e-3, "High-speed": 12_800.0, "Tomobank": 1 / 0.8e-3}
"""Rates of the detectors, by the paper."""
FOLDER = "folder"
"""The case of a folder that fills."""
WARM_S = 4.0
"""From the first image until the figures are taken."""
BUFFER_S = 0.05
"""Frames that the detector itself holds until they are fetched."""
DRAWN, SEED = 8, 20240612
"""Different frames, sent again and again, and how they are drawn."""
OPEN_COUNTS, DARK_COUNTS = 20_000, 100
COPIES = 3
"""Arrays for each view: line integrals, and filtered ones by rows and by columns."""
ROOM = 0.5
"""Part of the free memory that a setup may take."""
BAR_SETUP = "FleX-ray"
LEAST_HZ, MOST_MEDIAN_MS, MOST_P99_MS = 12.0, 150.0, 300.0


@dataclass(frozen=True)
class LiveCase:
    """One detector: its setup, and how many frames it sends in a second."""

    setup: Setup
    frames_per_s: float

    @property
    def name(self) -> str:
        """As the command line has it."""
        return "flexray" if self.setup.name == BAR_SETUP else self.setup.name.lower()


CASES = tuple(LiveCase(setup, FRAMES_PER_S[setup.name]) for setup in SETUPS)


def collect(on: Backend, names: Sequence[str], seconds: float, say: Callable[[str], None]) -> Plain:
    """Measure the cases of these names; what comes back can go into JSON."""
    known = {case.name: case for case in CASES}
    unknown = [name for name in names if name not in (*known, FOLDER)]
    if unknown:
        allowed = ", ".join((*known, FOLDER))
        raise SettingsError(f"--cases: {unknown[0]!r} is none; choose of {allowed}.")
    wanted = names or (*known, FOLDER)
    cases = [known[name] for name in wanted if name in known]
    parts: dict[str, Callable[[], Plain]] = {}
    if cases:
        parts["live"] = lambda: run(on, cases=cases, seconds=seconds)
    if FOLDER in wanted:
        parts["live_folder"] = live_folder.run
    return figures.collect(figures.LIVE, [on], parts, say)


def run(on: Backend, *, cases: Sequence[LiveCase] = CASES, seconds: float = RECENT_S + 1) -> Plain:
    """Follow each detector for some seconds; one that memory cannot hold is said and left out."""
    rows = [_row(on, case, seconds) for case in cases]
    return {
        "workload": "Three slices at right angles of the newest half turn while frames come, flat "
        "field, logarithm and filter included; even weights; float32",
        "rows": rows,
        "published": published.SLICES_SECONDS,
        "published_card": published.CARD,
        "bars": [bar.as_row() for row in rows if not row["fault"] for bar in _bars(row)],
    }


def _row(on: Backend, case: LiveCase, seconds: float) -> Plain:
    setup = case.setup
    settings = LiveSettings(mode="sliding", turn="half", weights="even", preview_edge=0)
    steps = (FlatField(), Logarithm())
    planes = setup.planes(0)
    live = LiveSlices(setup.geometry, planes, steps=steps, settings=settings, on=on)
    row: Plain = {
        "case": case.name, "setup": setup.name, "detector": list(setup.detector),
        "size": setup.size, "n_views": live.n_window, "offered_per_s": case.frames_per_s,
        "device": on.name, "threads": on.threads, "fault": "",
    }  # fmt: skip
    n_pixels, free = int(np.prod(setup.detector)), psutil.virtual_memory().available
    wanted = COPIES * 4 * n_pixels * live.n_window
    if wanted > ROOM * free:
        fault = f"wants {wanted / 2**30:.1f} GiB, {free / 2**30:.1f} GiB are free"
        return row | dict.fromkeys(LIVE_FIGURES) | {"fault": fault}
    del live
    choices = LiveChoices(setup.geometry, planes, steps, settings=settings)
    return row | _figures_of(ClockedDetector(case), choices, on, seconds)


def _figures_of(
    detector: ClockedDetector, choices: LiveChoices, on: Backend, seconds: float
) -> Plain:
    with LiveSession(detector, choices, on=on) as session:
        while session.newest.images is None:
            session.take(0.1)
        before = _after(session, WARM_S)
        after = _after(session, seconds)
    row = after.as_plain()
    row["dropped"], used = after.dropped - before.dropped, after.used - before.used
    row["dropped_percent"] = 100 * row["dropped"] / max(row["dropped"] + used, 1)
    return {name: row[name] for name in LIVE_FIGURES}


def _after(session: LiveSession, seconds: float) -> LiveStatistics:
    """Follow a session; returns the newest figures."""
    until = monotonic() + seconds
    while monotonic() < until:
        session.take(0.1)
    return session.newest.statistics


def _bars(row: Plain) -> list[Bar]:
    if row["setup"] != BAR_SETUP or not row["latency_ms_p99"]:
        return []
    return [
        at_least("refresh, FleX-ray", row["refresh_hz"], LEAST_HZ, "Hz"),
        at_most("latency, median", row["latency_ms_median"], MOST_MEDIAN_MS, "ms"),
        at_most("latency at 99 %", row["latency_ms_p99"], MOST_P99_MS, "ms"),
        at_most("dropped frames", row["dropped"], 0),
    ]


class ClockedDetector:
    """Sends frames of a disc by the clock, from a thread; those that come too late are lost."""

    can_wait = False

    def __init__(self, case: LiveCase) -> None:
        self._case, self.name = case, case.name
        self._frames = _drawn(case.setup.detector)

    @property
    def geometry(self) -> XrayGeometry:
        """Half a turn."""
        return self._case.setup.geometry

    def frames(self, stop: Event) -> Iterator[Arrival]:
        """Yield dark, flat and projections until it is stopped."""
        for kind, counts in ((FrameKind.DARK, DARK_COUNTS), (FrameKind.FLAT, OPEN_COUNTS)):
            values = np.full(self._case.setup.detector, counts, np.uint16)
            yield Frame(kind, 0, None, values, monotonic())
        begun, last, rate = monotonic(), -1, self._case.frames_per_s
        step = np.pi / self._case.setup.n_views
        while not stop.is_set():
            due = begun + (last + 1) / rate
            stop.wait(max(due - monotonic(), 0))
            newest = int((monotonic() - begun) * rate)
            # its own buffer is short: what is older was overwritten
            k = max(newest - int(BUFFER_S * rate), last + 1)
            angle, values = float(k * step % (2 * np.pi)), self._frames[k % DRAWN]
            yield Frame(FrameKind.PROJECTION, k, angle, values, begun + k / rate, k - last - 1)
            last = k
        yield Ended(f"{self.name}: ended.")

    def close(self) -> None:
        """Nothing is open."""


def _drawn(shape: tuple[int, int]) -> Array:
    """(DRAWN, n_rows, n_columns) noisy counts behind an upright disc of half the width."""
    x = np.linspace(-1, 1, shape[1])
    expected = OPEN_COUNTS * np.exp(-2 * np.sqrt(np.maximum(0.25 - x**2, 0)))
    rng = np.random.default_rng(SEED)
    row = rng.poisson(expected, (DRAWN, 1, shape[1])) + DARK_COUNTS
    return np.ascontiguousarray(np.broadcast_to(row, (DRAWN, *shape)), np.uint16)
