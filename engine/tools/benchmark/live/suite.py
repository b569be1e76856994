"""Follow a detector that does not wait: three slices, with the setups of Table 1.

Another process sends frames at the paper's rates (`engine.tools.benchmark.live.sender`). Frames
that are not taken in time are dropped and counted. Unlike in the paper, the times include
everything: transfer between processes, darks, flats, logarithm, filter, and slices of a half
rotation plus the fan angle. Latency is measured from the time at which a frame is due to the images
with it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import monotonic

import numpy as np

from engine.core.backend import Backend, cpu
from engine.core.errors import SettingsError
from engine.core.json_types import Plain
from engine.corrections.preprocess import FlatField, Logarithm
from engine.io.safety.budget import available_memory
from engine.live.ct.following import LiveChoices, LiveUpdate
from engine.live.ct.session import LiveSession
from engine.live.ct.settings import LiveSettings
from engine.live.ct.slices import LiveSlices
from engine.live.ct.statistics import RECENT_S, LiveStatistics
from engine.tools.benchmark import figures, published
from engine.tools.benchmark.bars import Bar, at_least, at_most
from engine.tools.benchmark.cone.kernel_tables import LIVE_FIGURES
from engine.tools.benchmark.cone.slices import SETUPS, Setup
from engine.tools.benchmark.live import folder, memory, pet, recording
from engine.tools.benchmark.live.sender import SendingDetector, frames_of, sending

FRAMES_PER_S = {"FleX-ray": 1 / 12e-3, "High-speed": 12_800.0, "Tomobank": 1 / 0.8e-3}
"""Frame rates of the detectors in the paper."""
FOLDER, MEMORY, PET, RECORDING = "folder", "memory", "pet", "recording"
"""Cases of a growing folder, of very many frames, of PET, and of streams that are recorded."""
WARM_S = 4.0
"""Time from the first image to the start of the measurement."""
COPIES = 3
"""Arrays per view: line integrals, and filtered ones by rows and by columns."""
MEMORY_SHARE = 0.7
"""Share of the free memory that a setup may use."""
BAR_SETUP = "FleX-ray"
MIN_HZ, MAX_MEDIAN_MS, MAX_P99_MS = 12.0, 150.0, 300.0


@dataclass(frozen=True)
class LiveCase:
    """One detector: its setup and frame rate."""

    setup: Setup
    frames_per_s: float

    @property
    def name(self) -> str:
        """Name on the command line."""
        return "flexray" if self.setup.name == BAR_SETUP else self.setup.name.lower()

    @property
    def sends(self) -> SendingDetector:
        """Frames of the other process."""
        return SendingDetector(self.setup.detector, self.frames_per_s, np.pi / self.setup.n_views)


CASES = tuple(LiveCase(setup, FRAMES_PER_S[setup.name]) for setup in SETUPS)


def collect(
    on: Backend,
    names: Sequence[str],
    seconds: float,
    log: Callable[[str], None],
    *,
    quick: bool = False,
) -> Plain:
    """Measure cases.

    Parameters
    ----------
    on
        device
    names
        names of cases; empty for the default ones
    seconds
        measured time per case [s]
    log
        called with the name of each part
    quick
        True for tiny detectors, as a rehearsal

    Returns
    -------
    figures
        JSON values for the report

    Raises
    ------
    SettingsError
        for an unknown case
    """
    known = {case.name: _tiny(case) if quick else case for case in CASES}
    allowed = (*known, FOLDER, MEMORY, PET, RECORDING)
    unknown = [name for name in names if name not in allowed]
    if unknown:
        raise SettingsError(
            f"--cases: {unknown[0]!r} is not a case of this benchmark; choose from "
            f"{', '.join(allowed)}."
        )
    # Memory, PET and recordings take minutes, and are measured on request
    wanted = names or (*known, FOLDER)
    cases = [known[name] for name in wanted if name in known]
    parts: dict[str, Callable[[], Plain]] = {}
    if cases:
        parts["live"] = lambda: run(on, cases=cases, seconds=seconds)
    if FOLDER in wanted:
        parts["live_folder"] = folder.run
    if MEMORY in wanted:
        parts["live_memory"] = lambda: memory.run(on)
    if RECORDING in wanted:
        parts["live_recording"] = recording.run
    if PET in wanted:
        # Live PET runs on the CPU only
        parts["live_pet"] = lambda: pet.run(cpu(on.threads) if on.is_cuda else on)
    return figures.collect(figures.LIVE, [on], parts, log)


def _tiny(case: LiveCase) -> LiveCase:
    """Return the same detector with few pixels and views, and a quarter of its frame rate."""
    setup = Setup(case.setup.name, (12, 16), 12, 10)
    return LiveCase(setup, case.frames_per_s / 4)


def run(on: Backend, *, cases: Sequence[LiveCase] = CASES, seconds: float = RECENT_S + 1) -> Plain:
    """Follow each detector for some time; those that exceed the memory are reported.

    Parameters
    ----------
    on
        device
    cases
        detectors
    seconds
        measured time per detector [s]

    Returns
    -------
    part
        JSON values for the report
    """
    rows = [_row(on, case, seconds) for case in cases]
    return {
        "workload": "Three orthogonal slices of the newest half turn while frames arrive, with "
        "flat field, logarithm and filter; even weights; float32",
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
    # Only for the number of views in the window; freed before the measurement
    live = LiveSlices(setup.geometry, planes, steps=steps, settings=settings, on=on)
    row: Plain = {
        "case": case.name, "setup": setup.name, "detector": list(setup.detector),
        "size": setup.size, "n_views": live.n_window, "offered_per_s": case.frames_per_s,
        "device": on.name, "threads": on.threads, "fault": "",
    }  # fmt: skip
    n_pixels, free = int(np.prod(setup.detector)), available_memory()
    wanted = COPIES * 4 * n_pixels * live.n_window
    if wanted > MEMORY_SHARE * free:
        fault = f"needs {wanted / 2**30:.1f} GiB, {free / 2**30:.1f} GiB are free"
        # A row without values, with the reason
        return row | dict.fromkeys(LIVE_FIGURES) | {"fault": fault}
    del live
    choices = LiveChoices(setup.geometry, planes, steps, settings=settings)
    return row | _figures_of(case, choices, on, seconds)


def _figures_of(case: LiveCase, choices: LiveChoices, on: Backend, seconds: float) -> Plain:
    update, before = _followed(case, choices, on, seconds)
    after, row = update.statistics, update.statistics.to_json()
    row["dropped"], used = after.dropped - before.dropped, after.used - before.used
    row["dropped_percent"] = 100 * row["dropped"] / max(row["dropped"] + used, 1)
    row["difference"] = _difference(case, choices, update, on)
    return {name: row[name] for name in LIVE_FIGURES}


def _followed(
    case: LiveCase, choices: LiveChoices, on: Backend, seconds: float
) -> tuple[LiveUpdate, LiveStatistics]:
    """Follow a detector; return the last update, and the statistics after the warm-up."""
    with (
        sending(case.sends, case.name, case.setup.geometry) as source,
        LiveSession(source, choices, on=on) as session,
    ):
        while session.newest.images is None:
            session.take(0.1)
        # Compiling and the first views are not part of the measurement
        before = _after(session, WARM_S).statistics
        return _after(session, seconds), before


def _after(session: LiveSession, seconds: float) -> LiveUpdate:
    """Follow a session for some time, and return its newest state."""
    until = monotonic() + seconds
    while monotonic() < until:
        session.take(0.1)
    return session.newest


def _difference(case: LiveCase, choices: LiveChoices, update: LiveUpdate, on: Backend) -> float:
    """Return the largest relative difference from slices of the same views in a stored scan."""
    images = update.images
    if images is None:
        return float("nan")
    # Angles give the numbers of the views, whichever were dropped
    # The window spans less than a rotation, so angles are unique
    behind = (images.angles_rad[-1] - images.angles_rad) % (2 * np.pi)
    numbers = [images.newest - round(angle / case.sends.step_rad) for angle in behind]
    live = LiveSlices(
        case.setup.geometry, images.planes, steps=choices.steps, settings=choices.settings, on=on
    )
    live.add(frames_of(case.sends, numbers))
    stored = live.refresh(is_idle=True)
    # Another number of views would compare different scans
    if stored is None or stored.n_views != images.n_views:
        return float("nan")
    pairs = zip(images.values, stored.values, strict=True)
    return max(float(np.abs(one - other).max() / np.abs(other).max()) for one, other in pairs)


def _bars(row: Plain) -> list[Bar]:
    if row["setup"] != BAR_SETUP or not row["latency_ms_p99"]:
        return []
    return [
        at_least("refresh, FleX-ray", row["refresh_hz"], MIN_HZ, "Hz"),
        at_most("latency, median", row["latency_ms_median"], MAX_MEDIAN_MS, "ms"),
        at_most("latency at 99 %", row["latency_ms_p99"], MAX_P99_MS, "ms"),
        at_most("dropped frames", row["dropped"], 0),
    ]
