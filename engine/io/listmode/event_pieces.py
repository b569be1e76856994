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
    """Some events of a scan, in order.

    Attributes
    ----------
    scanner : scanner of the crystal numbers
    crystals : (n, 2) int32
    delayed : (n,) bool; None if all are prompts
    time_ms : (n,) uint32, since the start of the scan; None if not recorded
    tof_bins : (n,) int16; None if not measured
    additive : (n,) float32, expected background; None if not stored
    end_byte : position in the file up to which it was read
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
        """(n,) True for events on a valid line of response."""
        # Cached, because more than one step needs it.
        return self.scanner.in_coincidence(self.crystals)


class EventPieces(ABC):
    """A scan whose events are read in pieces.

    Attributes
    ----------
    scanner : scanner of the crystal numbers
    name : file name for messages
    n_bytes : size of the file
    max_events : upper limit for the number of events
    """

    scanner: Scanner
    name: str
    n_bytes: int
    max_events: int

    @abstractmethod
    def pieces(self) -> Iterator[Callable[[], EventPiece]]:
        """Yield functions that decode one piece each, from the beginning of the scan.

        The functions can run in any thread, so that decoding uses all cores while one thread reads.

        Raises
        ------
        EngineError
            if the file is damaged, has become shorter or cannot be read
        """

    @abstractmethod
    def take(self, piece: EventPiece) -> None:
        """Count a decoded piece; pieces must be passed in order.

        Parameters
        ----------
        piece
            the next piece

        Raises
        ------
        EngineError
            if its events are not possible in one scan, such as times that decrease
        """

    @abstractmethod
    def scan(self) -> ListMode:
        """Return the scan without its events.

        Raises
        ------
        EngineError
            if the pieces passed to `take` are not a valid scan
        """
