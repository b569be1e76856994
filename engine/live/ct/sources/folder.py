"""A folder that fills with TIFF images, with the settings of a scanner beside them or without."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from threading import Event
from time import monotonic

from engine.core.errors import EngineError
from engine.geometry.xray import XrayGeometry
from engine.jobs.loader import CallsHere
from engine.jobs.loader.loader import Calls
from engine.live.core.frame import Arrival, Ended, Gone, Resumed, Waiting
from engine.live.ct.sources.arriving_files import ArrivingFiles
from engine.live.ct.sources.folder_scan import FolderScan

POLL_S, QUIET_POLL_S = 0.002, 0.01
"""Between two looks, while images come, and while none does."""
GONE_POLL_S = 0.5
QUIET_S = 5.0
"""Without a frame for so long, it is said that one is waited for."""
END_QUIET_S = 3.0
"""After the last planned projection: flats may still come."""


class FolderSource:
    """Images as a scanner writes them, on a disk of this machine or of another.

    Parameters
    ----------
    folder : of the images; it need not be there yet
    loader : reads the images, here if None
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
        """As the settings beside the images plan it, once they are there."""
        return None if self._scan is None or self._scan.plan is None else self._scan.plan.geometry

    @property
    def can_wait(self) -> bool:
        """A scanner cannot."""
        return False

    def frames(self, stop: Event) -> Iterator[Arrival]:
        """Yield images as they are complete, until all that were planned have come."""
        files = ArrivingFiles(self._folder)
        scan = self._scan = FolderScan(files, self.name, self._loader)
        scan.prepare()
        yield Waiting(f"{self.name}: waits for images.")
        is_gone, is_quiet, last_s = False, True, monotonic()
        while not stop.is_set():
            now_s = monotonic()
            try:
                look = files.look(now_s)
            except EngineError as e:
                if not is_gone:
                    is_gone = True
                    yield Gone(f"{self.name}: the folder cannot be listed ({e}) Waits for it.")
                stop.wait(GONE_POLL_S)
                continue
            if is_gone:
                is_gone = False
                yield Resumed(f"{self.name}: the folder is there again.")
            n_before = scan.n_taken
            yield from scan.taken_from(look, now_s, stop)
            if scan.n_taken > n_before:
                is_quiet, last_s = False, monotonic()
                continue
            if scan.is_complete and monotonic() - last_s > END_QUIET_S:
                yield Ended(f"{self.name}: all {scan.n_planned:,} projections have come.")
                return
            if not is_quiet and not scan.is_complete and monotonic() - last_s > QUIET_S:
                is_quiet = True
                yield Waiting(f"{self.name}: no new image for {QUIET_S:g} s; waits for more.")
            stop.wait(QUIET_POLL_S if is_quiet else POLL_S)

    def close(self) -> None:
        """Nothing stays open when `frames` has ended."""
