"""An HDF5 file that is being written: Data Exchange or NXtomo."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from threading import Event
from time import monotonic

from engine.core.errors import EngineError
from engine.geometry.xray import XrayGeometry
from engine.io.folder import exists
from engine.jobs.loader.loader import Calls
from engine.live.core.frame import (
    Arrival,
    Ended,
    Frame,
    FrameKind,
    Noticed,
    Resumed,
    SourceLost,
    Waiting,
)
from engine.live.ct.frame_checks import Screening
from engine.live.ct.sources.file_source import FileSource
from engine.live.ct.sources.growing_hdf5 import Grown, new_frames

POLL_S = 0.05
QUIET_S = 5.0
"""Time without a frame after which the user is informed."""
END_QUIET_S = 3.0
"""Time to wait after the last projection, or after the writer has closed the file."""


class Hdf5Source(FileSource):
    """Images of a file as they are written.

    Its geometry is that of parallel beams, if the file contains the angles before the images.

    Parameters
    ----------
    path : HDF5 file
    loader : process that reads it; None to start one
    """

    @property
    def can_wait(self) -> bool:
        """False: a detector cannot wait."""
        return False

    def frames(self, stop: Event) -> Iterator[Arrival]:
        """Yield images as they are written, until the file is closed or full.

        Parameters
        ----------
        stop
            set by the consumer to end the iteration
        """
        yield Waiting(f"{self.name}: waiting for images.")
        checks = _FileChecks(self._path, self._loader)
        while not stop.is_set():
            yield from checks.once(stop)
            self._geometry = checks.geometry
            if checks.is_over():
                yield Ended(
                    f"{self.name}: the file is complete, {checks.n_projections:,} projections."
                )
                return
            # A look that found frames may have left some: no wait
            if not checks.has_news:
                stop.wait(POLL_S)


class _FileChecks:
    """Repeated looks at one file."""

    def __init__(self, path: Path, loader: Calls) -> None:
        self.geometry: XrayGeometry | None = None
        self.n_projections = self._n_seen = 0
        self.has_news = False
        self._path, self._loader = path, loader
        self._screening = Screening(path.name)
        self._n_read: dict[str, int] = {}
        self._last_s = monotonic()
        self._last: Grown | None = None
        self._was_shared = self._is_missing = False
        self._last_text = ""
        self._identity: int | None = None

    def once(self, stop: Event) -> Iterator[Arrival]:
        """Yield new frames, and messages about the file.

        Parameters
        ----------
        stop
            set by the consumer; ends a read too
        """
        self.has_news = False
        try:
            grown = self._loader.call(
                new_frames, self._path, self._n_read, about=self._path.name, stopped=stop.is_set
            )
        except EngineError as e:
            if not stop.is_set():
                yield from self._failed(str(e))
            return
        if grown.restarted:
            yield self._restarted(grown.restarted)
            return
        # The writer has deleted the file and created another one
        if self._is_missing or self._identity not in (None, grown.identity):
            self._identity = None
            yield self._restarted(f"{self._path.name}: the file was replaced.")
            return
        self._identity = grown.identity
        self._last, self._n_read = grown, grown.n_read
        # Remembered, since a closed file no longer shows it
        self._was_shared |= grown.is_open
        self.geometry = grown.geometry or self.geometry
        # Frames of zeros count as seen, or the scan would never be complete
        self._n_seen += len(grown.left_out)
        if grown.left_out:
            yield Noticed(
                f"{self._path.name}: projections "
                f"{', '.join(map(str, grown.left_out[:8]))} have only zeros. They are "
                "not used."
            )
        for each in grown.frames:
            self.has_news, self._last_s, self._last_text = True, monotonic(), ""
            self.n_projections += each.kind == FrameKind.PROJECTION
            self._n_seen += each.kind == FrameKind.PROJECTION
            frame = Frame(each.kind, each.index, each.angle_rad, each.values, monotonic())
            yield from self._screening.screened(frame)
        yield from self._quiet(grown)

    def is_over(self) -> bool:
        """Return True if no more frames can arrive."""
        grown = self._last
        if grown is None or self.has_news or self._is_missing or grown.is_in_use:
            return False
        is_full = grown.planned is not None and self._n_seen >= grown.planned > 0
        # Only a writer that shared the file shows that it has closed it
        is_closed = self._was_shared and not grown.is_open
        return (is_full or is_closed) and monotonic() - self._last_s > END_QUIET_S

    def _failed(self, fault: str) -> Iterator[Arrival]:
        if not exists(self._path) and not self._is_missing:
            self._is_missing = True
            yield SourceLost(f"{self._path.name}: the file is missing. Waiting for it to return.")
        elif not self._is_missing:
            yield from self._report_once(f"{self._path.name}: cannot be read yet: {fault}")

    def _restarted(self, why: str) -> Resumed:
        self._n_read, self.n_projections, self._n_seen = {}, 0, 0
        self.geometry, self._last = None, None
        self._is_missing = self._was_shared = False
        self._screening.restart()
        return Resumed(f"{why} The scan starts again.", is_new_scan=True)

    def _quiet(self, grown: Grown) -> Iterator[Waiting]:
        if self.has_news or monotonic() - self._last_s < QUIET_S:
            return
        if grown.is_in_use:
            yield from self._report_once(
                f"{self._path.name}: the writer does not share the file (SWMR). "
                "Frames arrive when it closes the file."
            )
        else:
            yield from self._report_once(
                f"{self._path.name}: no new image for {QUIET_S:g} s. Waiting for more."
            )

    def _report_once(self, text: str) -> Iterator[Waiting]:
        if text != self._last_text:
            self._last_text = text
            yield Waiting(text)
