"""Memory of a live reconstruction over very many frames from another process.

The resident memory is read after the first frames, repeatedly, and at the end. Memory that grows
with the number of frames shows as growth.
"""

from __future__ import annotations

from time import monotonic

import numpy as np
import psutil

from engine.core.backend import Backend
from engine.core.json_types import Plain
from engine.corrections.preprocess import FlatField, Logarithm
from engine.live.ct.following import LiveChoices
from engine.live.ct.session import LiveSession
from engine.live.ct.settings import LiveSettings
from engine.tools.benchmark.bars import at_most
from engine.tools.benchmark.cone.slices import Setup
from engine.tools.benchmark.live.sender import SendingDetector, sending

N_FRAMES, FRAMES_PER_S = 100_000, 2500.0
SETUP = Setup("tiny", (16, 24), 16, 75)
WARM = 0.1
"""Share of the frames after which memory should be constant."""
MAX_GROWTH_MIB = 8.0
GIVEN_UP = 4
"""Longest wait, in units of the planned duration."""


def run(on: Backend, *, n_frames: int = N_FRAMES, frames_per_s: float = FRAMES_PER_S) -> Plain:
    """Follow a detector, and measure the resident memory.

    Parameters
    ----------
    on
        device
    n_frames
        number of frames
    frames_per_s
        rate of the detector

    Returns
    -------
    part
        JSON values for the report
    """
    # Tiny frames: leaks per frame show, and not the memory of images
    detector = SendingDetector(SETUP.detector, frames_per_s, np.pi / SETUP.n_views)
    settings = LiveSettings(mode="sliding", turn="half", weights="even", preview_edge=0)
    steps = (FlatField(), Logarithm())
    choices = LiveChoices(SETUP.geometry, SETUP.planes(0), steps, settings=settings)
    process, rss = psutil.Process(), list[tuple[int, int]]()
    # A machine that is too slow must not run forever
    until = monotonic() + GIVEN_UP * n_frames / frames_per_s
    with (
        sending(detector, "tiny", SETUP.geometry) as source,
        LiveSession(source, choices, on=on) as session,
    ):
        figures = session.newest.statistics
        while figures.frames < n_frames and monotonic() < until:
            session.take(0.1)
            figures = session.newest.statistics
            # A few readings are enough, since reading takes time too
            if not rss or figures.frames - rss[-1][0] >= WARM * n_frames / 4:
                rss.append((figures.frames, process.memory_info().rss))
        rss.append((figures.frames, process.memory_info().rss))
    # Caches and pools grow in the beginning, which is not a leak
    warm = [n_bytes for n, n_bytes in rss if n >= WARM * n_frames]
    row: Plain = {
        "frames": figures.frames, "dropped": figures.dropped, "warm_mib": warm[0] / 2**20,
        "most_mib": max(warm) / 2**20, "end_mib": warm[-1] / 2**20,
        "growth_mib": (warm[-1] - warm[0]) / 2**20,
    }  # fmt: skip
    return {
        "workload": f"Three slices of the newest half turn of {n_frames:,} frames of "
        f"{SETUP.detector[0]} × {SETUP.detector[1]} pixels that another process sends",
        "rows": [row],
        "bars": [at_most("growth of memory", row["growth_mib"], MAX_GROWTH_MIB, "MiB").as_row()],
    }
