"""Small list-mode scans with event times, and a source that delivers them in time order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache
from threading import Event
from time import monotonic

import numpy as np

from engine.data.listmode import ListMode
from engine.geometry.ring import RingScanner, RingSettings
from engine.geometry.tof import TofSettings
from engine.live.core.frame import Ended
from engine.live.pet.event_batch import EventArrival, EventBatch, head_of
from engine.live.pet.event_playing import played_events
from engine.modalities.listmode_pet.protocol import ListModeGrid, ListModeProtocol
from engine.recon.algorithms import Osem
from engine.recon.postprocess import Gaussian
from engine.simulate import simulate_listmode, uniform_cylinder
from engine.simulate.phantoms import moved

PROTOCOL = ListModeProtocol(
    grid=ListModeGrid(voxel_mm=(5, 5, 5), diameter_mm=80, length_mm=20),
    algorithm=Osem(iterations=2, subsets=3),
    finishing=(Gaussian(fwhm_mm=8),),
)


@cache
def ring(*, timed: bool = True) -> RingScanner:
    """Return a scanner with four rings of 64 crystals."""
    settings = RingSettings(
        name="Small ring", n_rings=4, n_crystals_per_ring=64, radius_mm=70, ring_pitch_mm=5,
        max_ring_difference=3, n_tangential=48, fov_mm=(80, 20),
        tof=TofSettings(fwhm_ps=300, bin_ps=200, n_bins=7) if timed else None,
    )  # fmt: skip
    return RingScanner(settings)


@cache
def scan(
    n: int = 6000, seconds: float = 3.0, seed: int = 1, x_mm: float = 0.0, randoms: float = 0.2
) -> ListMode:
    """Return events of a cylinder in time order."""
    phantom = moved(uniform_cylinder(diameter_mm=30, length_mm=30), (x_mm, 0.0, 0.0))
    found = simulate_listmode(
        phantom, ring(), n_prompts=n, seed=seed, randoms_fraction=randoms, duration_s=seconds
    )
    return replace(found, mu_map=None)


def one_after_the_other(first: ListMode, second: ListMode, at_s: float) -> ListMode:
    """Return a scan that switches to another one at the time `at_s`."""
    assert first.time_ms is not None and second.time_ms is not None
    early, late = first.time_ms < 1e3 * at_s, second.time_ms >= 1e3 * at_s
    parts = first.select(early), second.select(late)
    columns = iter(zip(*(_columns(part) for part in parts), strict=True))
    return first.select_by(lambda _: np.concatenate(next(columns)))


def _columns(part: ListMode) -> list[np.ndarray]:
    return [c for c in (part.crystals, part.delayed, part.tof_bins, part.time_ms) if c is not None]


def batches_of(data: ListMode, first: int = 0) -> list[EventBatch]:
    """Return the events of a scan in batches of a tenth of a second."""
    return [EventBatch(e.events, e.first + first, monotonic()) for e in played_events(data)]


class Scanner:
    """A source that delivers given arrivals as fast as they are read."""

    name = "scanner"

    def __init__(
        self, arrivals: Sequence[EventArrival | Exception], head: ListMode | None = None,
        *, can_wait: bool = True,
    ) -> None:  # fmt: skip
        self._arrivals, self.can_wait = arrivals, can_wait
        self.head = head

    @classmethod
    def of(cls, data: ListMode) -> Scanner:
        """Return a source that delivers a scan."""
        return cls(batches_of(data), head_of(data))

    def batches(self, stop: Event) -> Iterator[EventArrival]:
        for each in self._arrivals:
            if stop.is_set():
                return
            if isinstance(each, Exception):
                raise each
            yield each
        yield Ended("scanner: ended.")

    def close(self) -> None:
        """Do nothing: no resource is open."""
