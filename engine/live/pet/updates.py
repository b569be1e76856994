"""Choices and results of a live list-mode reconstruction."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from engine.data.listmode import ListMode
from engine.data.volume import Volume
from engine.live.core.frame import SourceEvent
from engine.live.pet.activity_moments import Place
from engine.live.pet.motion import Motion
from engine.live.pet.settings import LivePetSettings
from engine.live.pet.statistics import LivePetStatistics
from engine.modalities.listmode_pet.protocol import ListModeProtocol

Attach = Callable[[ListMode], ListMode]
"""Function that adds files of the user, such as a μ-map, to the head of a scan."""


@dataclass(frozen=True)
class LivePetChoices:
    """Choices for a live reconstruction of list mode.

    Attributes
    ----------
    protocol : grid, corrections, algorithm and filters, as for a normal run
    settings : events of the image
    attach : adds files of the user to the scan
    """

    protocol: ListModeProtocol = field(default_factory=ListModeProtocol)
    settings: LivePetSettings = field(default_factory=LivePetSettings)
    attach: Attach = lambda head: head


@dataclass(frozen=True, eq=False)
class LivePetUpdate:
    """Newest state of a live reconstruction.

    Attributes
    ----------
    image : image with the filters of the protocol [counts/mm]; None before the first
    statistics : current statistics
    state : text about missing data; empty while it runs
    blocks : (n_blocks,) counts of the detector blocks in the newest second; None before
    place : centre and covariance of the activity in the newest second; None without motion watch
    motions : jumps of the object, the oldest first
    """

    image: Volume | None
    statistics: LivePetStatistics
    state: str
    blocks: NDArray[np.int64] | None
    place: Place | None = None
    motions: tuple[Motion, ...] = ()


@dataclass(frozen=True)
class Moved(SourceEvent):
    """The object has moved.

    Attributes
    ----------
    motion : time and size of the motion
    """

    motion: Motion
