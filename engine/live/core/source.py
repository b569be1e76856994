"""The one thing that every source of a running scan can do."""

from __future__ import annotations

from collections.abc import Iterator
from threading import Event
from typing import Protocol

from engine.geometry.xray import XrayGeometry
from engine.live.core.frame import Arrival


class FrameSource(Protocol):
    """Frames of a scan while it is measured.

    `frames` runs in a thread of its own (`engine.live.core.arrivals`), blocks for no longer than a
    fraction of a second at a time and returns soon after `stop` is set. It raises an `EngineError`
    where nothing can ever come; whatever else happens to the source is an event, and frames go on.
    """

    @property
    def name(self) -> str:
        """What people call it: a file, a folder, an address."""

    @property
    def geometry(self) -> XrayGeometry | None:
        """Geometry of the whole scan, where the source brings its own; it may come late."""

    @property
    def can_wait(self) -> bool:
        """Whether it can wait for who takes its frames, so that none has to be dropped."""

    def frames(self, stop: Event) -> Iterator[Arrival]:
        """Yield frames and events as they come; the last one is `Ended`."""

    def close(self) -> None:
        """Let go of files and connections; more than once does no harm."""
