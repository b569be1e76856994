"""Read list mode piece by piece, repeatedly, for scans larger than the memory."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from engine.data.listmode import ListMode
from engine.geometry.scanner import Scanner


@dataclass(frozen=True)
class EventPiece:
    """Some events of a scan, in their order.

    Attributes
    ----------
    scanner : where the crystals are
    crystals : (n, 2) int32
    delayed : (n,) bool; None: all are prompts
    time_ms : (n,) uint32, since the scan began; None: not recorded
    tof_bins : (n,) int16; None: not measured
    additive : (n,) float32, expected background; None: not supplied
    end_byte : of the file, up to which it was read
    """

    scanner: Scanner
    crystals: NDArray[np.int32]
    delayed: NDArray[np.bool_] | None
    time_ms: NDArray[np.uint32] | None
    tof_bins: NDArray[np.int16] | None = None
    additive: NDArray[np.float32] | None = None
    end_byte: int = 0

    @cached_property
    def live(self) -> NDArray[np.bool_]:
        """(n,) whether each event lies on a line of response."""
        return self.scanner.in_coincidence(self.crystals)


class EventPieces(ABC):
    """A scan whose events are read in pieces.

    Attributes
    ----------
    scanner : where the crystals are
    name : of the file, for sentences
    n_bytes : of the file
    most_events : no more than these are in it
    """

    scanner: Scanner
    name: str
    n_bytes: int
    most_events: int

    @abstractmethod
    def pieces(self) -> Iterator[Callable[[], EventPiece]]:
        """Read the scan from its beginning; what is yielded decodes a piece, in any thread.

        Raises
        ------
        EngineError
            where the file holds no such events, has become shorter or cannot be read
        """

    @abstractmethod
    def take(self, piece: EventPiece) -> None:
        """Count a piece that was decoded, one after the other; refuse what no scan can hold."""

    @abstractmethod
    def scan(self) -> ListMode:
        """Return the scan without its events, once all pieces were taken; refuse what is none."""
