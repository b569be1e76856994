"""What a running scan yields: frames as measured, and what is to be known of its source."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import TypeAlias

from engine.core.arrays import Array
from engine.geometry.xray import XrayGeometry


class FrameKind(IntEnum):
    """What a frame shows; the numbers are those that streams at beamlines use."""

    DARK = 0
    FLAT = 1
    PROJECTION = 2


@dataclass(frozen=True, eq=False)
class Frame:
    """One image of the detector.

    Attributes
    ----------
    kind : dark, flat or projection
    index : its number among those of its kind, from 0, as the source counts them
    angle_rad : of the source of rays, or None where nobody has said it [rad]
    values : (n_rows, n_columns), counts as measured
    arrived_s : when it was here, by `time.monotonic` [s]
    lost : projections between the one before and this one that never came, or were not taken in
        time
    scan : number of the scan that a projection is of, where the source knows when one begins
    """

    kind: FrameKind
    index: int
    angle_rad: float | None
    values: Array
    arrived_s: float
    lost: int = 0
    scan: int | None = None


@dataclass(frozen=True)
class SourceEvent:
    """Something to be known of the source: `text` says it in one sentence."""

    text: str


@dataclass(frozen=True)
class Waiting(SourceEvent):
    """Nothing has come yet, or for a while: for what it waits."""


@dataclass(frozen=True)
class Gone(SourceEvent):
    """What sent frames is not there any more; frames go on when it comes back."""


@dataclass(frozen=True)
class Resumed(SourceEvent):
    """Frames come again after the source was gone, or was begun anew.

    Attributes
    ----------
    anew : whether another scan begins: projections before are not of it, and darks and flats are
        only if they came after the last of these
    """

    anew: bool = False


@dataclass(frozen=True, eq=False)
class Announced(SourceEvent):
    """The sender says the geometry of the scan whose frames come now.

    Attributes
    ----------
    geometry : of the whole scan; one that differs from that before is of another scan
    """

    geometry: XrayGeometry


@dataclass(frozen=True)
class ShapeChanged(SourceEvent):
    """Frames of another size, or of other bits, come from now on.

    Attributes
    ----------
    shape : (n_rows, n_columns) from now on
    """

    shape: tuple[int, int]


@dataclass(frozen=True)
class Noticed(SourceEvent):
    """A frame that is not used, an angle that jumps, frames that never came."""


@dataclass(frozen=True)
class Ended(SourceEvent):
    """The last that a source yields: the scan is over."""


Arrival: TypeAlias = Frame | SourceEvent
"""What a source yields."""
