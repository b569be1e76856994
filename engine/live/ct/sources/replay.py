"""A stored scan, played like a running one."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from threading import Event
from time import monotonic

from engine.io import read_projections
from engine.jobs.loader.loader import Calls
from engine.live.core.frame import Arrival, Ended, Frame, Noticed, Waiting
from engine.live.ct.frame_checks import Screening
from engine.live.ct.playing import n_frames, played
from engine.live.ct.sources.file_source import FileSource


class ReplaySource(FileSource):
    """Plays any readable X-ray scan.

    Parameters
    ----------
    path : scan, or its folder
    rate : frames per second; None: as fast as they are processed
    loader : process that reads the file; None to start one

    Raises
    ------
    EngineError
        by `frames`, if the scan cannot be read
    """

    def __init__(
        self, path: Path, *, rate: float | None = None, loader: Calls | None = None
    ) -> None:
        super().__init__(path, loader=loader)
        self._rate = rate

    @property
    def can_wait(self) -> bool:
        """True without a rate."""
        return self._rate is None

    def frames(self, stop: Event) -> Iterator[Arrival]:
        """Yield darks, flats and projections in the order of acquisition.

        Parameters
        ----------
        stop
            set by the consumer to end the iteration; also ends reading
        """
        yield Waiting(f"{self.name}: reading the scan.")
        scan = self._loader.call(
            read_projections, self._path, about=self._path, stopped=stop.is_set
        )
        self._geometry = scan.geometry
        yield from map(Noticed, scan.notes)
        screening, begun = Screening(self.name), monotonic()
        for k, each in enumerate(played(scan)):
            if self._rate is not None:
                # From the start, not from the last frame, so that delays do not add up
                stop.wait(max(begun + k / self._rate - monotonic(), 0))
            if stop.is_set():
                return
            yield from screening.screened(
                Frame(each.kind, each.index, each.angle_rad, each.values, monotonic())
            )
        yield Ended(f"{self.name}: all {n_frames(scan):,} frames have been replayed.")
