"""Interface of all sources of a running scan."""

from __future__ import annotations

from collections.abc import Iterator
from threading import Event
from typing import Protocol, runtime_checkable

from engine.geometry.xray import XrayGeometry
from engine.live.core.frame import Arrival
from engine.live.core.senders import RefusedSender


class FrameSource(Protocol):
    """Frames of a scan during its acquisition.

    `frames` runs in a separate thread (`engine.live.core.arrivals`). It blocks for a fraction of a
    second at most, and returns soon after `stop` is set. It raises an `EngineError` if nothing can
    ever arrive. Everything else that happens to the source is an event, and frames continue.
    """

    @property
    def name(self) -> str:
        """Name for the user: a file, a folder or an address."""

    @property
    def geometry(self) -> XrayGeometry | None:
        """Geometry of the whole scan, if the source knows it; it may become known late."""

    @property
    def can_wait(self) -> bool:
        """True if the source can wait for its consumer, so that no frame is dropped."""

    def frames(self, stop: Event) -> Iterator[Arrival]:
        """Yield frames and events as they arrive, `Ended` last.

        Parameters
        ----------
        stop
            set by the consumer to end the iteration
        """

    def close(self) -> None:
        """Close files and connections; may be called several times."""


@runtime_checkable
class HasSenders(Protocol):
    """A source that receives from one of several senders."""

    @property
    def refused_senders(self) -> tuple[RefusedSender, ...]:
        """Refused senders."""

    def use_sender(self, identity: str) -> None:
        """Accept only one sender from now on; its first message starts another scan.

        Parameters
        ----------
        identity
            identity of a refused sender
        """
