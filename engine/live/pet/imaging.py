"""First image of a running scan: quickly with a rough sensitivity, then with a precise one."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from threading import Event

from engine.core.backend import Backend
from engine.core.paths import cache_dir
from engine.live.pet.live_corrections import LiveCorrections
from engine.live.pet.live_image import LiveImage
from engine.live.pet.preparing import grid_of, live_image_of, sensitivity_of
from engine.modalities.listmode_pet.protocol import ListModeProtocol, SensitivitySettings
from engine.modalities.listmode_pet.sensitivity import Sensitivity
from engine.modalities.listmode_pet.sensitivity_cache import key_of, load

ROUGH = SensitivitySettings(method="sampled", error_percent=6.0)
"""A ninth of the work of the default."""
POLL_S = 0.1


class ImageMaking:
    """Makes the image of one scan in a thread, while events are received.

    Parameters
    ----------
    corrections : corrections of the scan
    protocol : grid, sensitivity and algorithm
    on : device and threads
    stop : set when the session closes
    """

    def __init__(
        self, corrections: LiveCorrections, protocol: ListModeProtocol, *, on: Backend, stop: Event
    ) -> None:
        self._corrections, self._protocol, self._on, self._stop = corrections, protocol, on, stop
        # A new scan ends this image, but not the session
        self._ends = Event()
        self._image: LiveImage | None = None
        # One thread: first the rough sensitivity, then the precise one
        self._pool = ThreadPoolExecutor(1, "sensitivity")
        self._first = self._pool.submit(self._made)
        self._finer = self._pool.submit(self._sensitivity)

    def image(self) -> LiveImage | None:
        """Return the image with the best available sensitivity, None before the first."""
        if self._image is None and self._first.done():
            self._image = self._first.result()
        if self._image is not None and self._finer.done():
            self._image.use(self._finer.result())
        return self._image

    def wait(self, *, finest: bool = False) -> None:
        """Wait for the image, unless the session closes.

        Parameters
        ----------
        finest
            True to wait for its precise sensitivity
        """
        awaited = self._finer if finest else self._first
        while not (awaited.done() or self._stop.is_set()):
            # With a timeout, so that closing the session ends the wait
            with suppress(TimeoutError):
                awaited.result(timeout=POLL_S)

    def close(self) -> None:
        """End the thread."""
        self._ends.set()
        self._pool.shutdown(cancel_futures=True)

    def _has_ended(self) -> bool:
        return self._stop.is_set() or self._ends.is_set()

    def _made(self) -> LiveImage:
        protocol = self._protocol
        # If the precise one is in the cache, a rough one is not needed
        if not self._is_stored():
            protocol = protocol.model_copy(update={"sensitivity": ROUGH})
        return live_image_of(
            self._corrections, protocol, on=self._on, stopped=self._has_ended, keeps=False
        )

    def _sensitivity(self) -> Sensitivity:
        head, protocol = self._corrections.head, self._protocol
        grid = grid_of(head, protocol)
        return sensitivity_of(head, grid, protocol, on=self._on, stopped=self._has_ended)

    def _is_stored(self) -> bool:
        """Return True if the precise sensitivity is in the cache."""
        head, protocol = self._corrections.head, self._protocol
        grid = grid_of(head, protocol)
        # The key is that of a normal run, so both share the cache
        key = key_of(replace(head, factors=None), grid, protocol.sensitivity, on=self._on)
        return load(cache_dir() / "sensitivity", key, grid) is not None
