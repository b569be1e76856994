"""A folder that receives TIFF images, with or without a settings file of the scanner."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from threading import Event
from time import monotonic

from engine.core.errors import EngineError
from engine.geometry.xray import XrayGeometry
from engine.jobs.loader import CallsHere
from engine.jobs.loader.loader import Calls
from engine.live.core.frame import Arrival, Ended, Resumed, SourceLost, Waiting
from engine.live.ct.sources.arriving_files import ArrivingFiles
from engine.live.ct.sources.folder_scan import FolderScan

POLL_S, QUIET_POLL_S = 0.002, 0.01
"""Interval of looks while images arrive, and while none arrives."""
MISSING_POLL_S = 0.5
QUIET_S = 5.0
"""Time without a frame after which the user is informed."""
END_QUIET_S = 3.0
"""Time to wait after the last planned projection, since flats may follow."""


class FolderSource:
    """Images as a scanner writes them, on a local or a network drive.

    Parameters
    ----------
    folder : folder of the images; it may not exist yet
    loader : process that reads the images; None for this process
    """

    def __init__(self, folder: Path, *, loader: Calls | None = None) -> None:
        self._folder, self._loader = folder, loader or CallsHere()
        self._scan: FolderScan | None = None

    @property
    def name(self) -> str:
        """Name of the folder."""
        return self._folder.name or str(self._folder)

    @property
    def geometry(self) -> XrayGeometry | None:
        """Geometry planned by the settings file, once it exists."""
        return None if self._scan is None or self._scan.plan is None else self._scan.plan.geometry

    @property
    def can_wait(self) -> bool:
        """False: a scanner cannot wait."""
        return False

    def frames(self, stop: Event) -> Iterator[Arrival]:
        """Yield complete images until all planned ones have arrived.

        Parameters
        ----------
        stop
            set by the consumer to end the iteration
        """
        files = ArrivingFiles(self._folder)
        scan = self._scan = FolderScan(files, self.name, self._loader)
        # Starts the reader before the first image, which would otherwise be late
        scan.prepare()
        yield Waiting(f"{self.name}: waiting for images.")
        is_missing, is_quiet, last_s = False, True, monotonic()
        while not stop.is_set():
            now_s = monotonic()
            try:
                listing = files.poll(now_s)
            # A network drive that is not reachable for a moment is no reason to end
            except EngineError as e:
                if not is_missing:
                    is_missing = True
                    yield SourceLost(
                        f"{self.name}: the folder cannot be listed ({e}) Waiting for it."
                    )
                stop.wait(MISSING_POLL_S)
                continue
            if is_missing:
                is_missing = False
                yield Resumed(f"{self.name}: the folder is available again.")
            n_before = scan.n_read
            yield from scan.frames_of_images(listing, now_s, stop)
            if scan.n_read > n_before:
                is_quiet, last_s = False, monotonic()
                continue
            # Flats after the scan are part of it, so the end waits for them
            if scan.is_complete and monotonic() - last_s > END_QUIET_S:
                yield Ended(f"{self.name}: all {scan.n_planned:,} projections have arrived.")
                return
            if not is_quiet and not scan.is_complete and monotonic() - last_s > QUIET_S:
                is_quiet = True
                yield Waiting(f"{self.name}: no new image for {QUIET_S:g} s. Waiting for more.")
            stop.wait(QUIET_POLL_S if is_quiet else POLL_S)

    def close(self) -> None:
        """Do nothing: no file stays open after `frames`."""
