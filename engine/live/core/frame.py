"""Frames and events of a running scan."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import TypeAlias

from engine.core.arrays import Array
from engine.geometry.xray import XrayGeometry


class FrameKind(IntEnum):
    """Kind of a frame. The numbers are those of the streams of beamlines."""

    DARK = 0
    FLAT = 1
    PROJECTION = 2


@dataclass(frozen=True, eq=False)
class Frame:
    """One image of the detector.

    Attributes
    ----------
    kind : dark, flat or projection
    index : number among the frames of its kind, from 0
    angle_rad : angle of the source of rays [rad], None if unknown
    values : (n_rows, n_columns), counts as measured
    arrived_s : time of arrival, by `time.monotonic` [s]
    lost : projections since the previous one that never arrived or were not processed in time
    scan : number of the scan of a projection, if the source knows when a scan starts
    """

    kind: FrameKind
    index: int
    angle_rad: float | None
    values: Array
    arrived_s: float
    lost: int = 0
    scan: int | None = None

    def of_scan(self, scan: int) -> Frame:
        """Return the frame as one of a scan with this number."""
        if self.scan == scan:
            return self
        return Frame(
            self.kind, self.index, self.angle_rad, self.values, self.arrived_s, self.lost, scan
        )


@dataclass(frozen=True)
class SourceEvent:
    """Information about the source: `text` is one sentence."""

    text: str


@dataclass(frozen=True)
class Waiting(SourceEvent):
    """No data have arrived yet, or for some time; the text states what is missing."""


@dataclass(frozen=True)
class SourceLost(SourceEvent):
    """The sender has disconnected; frames continue when it returns."""


@dataclass(frozen=True)
class Resumed(SourceEvent):
    """Frames arrive again after the sender had disconnected or was restarted.

    Attributes
    ----------
    is_new_scan : True if another scan starts. It has no earlier projections, and only those earlier
        darks and flats that arrived after the last of them
    is_new_sender : True if the scan is of another sender; it has no data of the earlier sender
    """

    is_new_scan: bool = False
    is_new_sender: bool = False


@dataclass(frozen=True, eq=False)
class Announced(SourceEvent):
    """The sender announces the geometry of the scan of the following frames.

    Attributes
    ----------
    geometry : geometry of the whole scan; another geometry means another scan
    """

    geometry: XrayGeometry


@dataclass(frozen=True)
class ShapeChanged(SourceEvent):
    """The following frames have another size or number type.

    Attributes
    ----------
    shape : new size, (n_rows, n_columns)
    """

    shape: tuple[int, int]


@dataclass(frozen=True)
class Noticed(SourceEvent):
    """A frame that is not used, a jump of the angle, or missing frames."""


@dataclass(frozen=True)
class Ended(SourceEvent):
    """Last event of a source: the scan is over."""


Arrival: TypeAlias = Frame | SourceEvent
"""Frame or event from a source."""
