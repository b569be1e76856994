"""What a live list-mode reconstruction is made with, and what it hands over."""

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
"""Puts what the user brought, such as a μ-map, to the head of a scan."""


@dataclass(frozen=True)
class LivePetChoices:
    """What a live reconstruction of list mode is made with.

    Attributes
    ----------
    protocol : grid, corrections, algorithm and filters, as of an ordinary run
    settings : which events
    attach : puts further files of the user to the scan
    """

    protocol: ListModeProtocol = field(default_factory=ListModeProtocol)
    settings: LivePetSettings = field(default_factory=LivePetSettings)
    attach: Attach = lambda head: head


@dataclass(frozen=True, eq=False)
class LivePetUpdate:
    """What is newest.

    Attributes
    ----------
    image : filtered as the protocol finishes an image [counts/mm]; None before there is one
    statistics : figures of this moment
    state : what is waited for, in words; "" while it runs
    blocks : (n_blocks,) counts of the detector blocks in the newest second; None before
    place : centre and covariance of the activity in the newest second; None where it is not watched
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
    motion : when and by how much
    """

    motion: Motion
