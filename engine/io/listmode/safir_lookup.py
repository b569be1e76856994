"""Find the crystal of a SAFIR record from ring, place and layer."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from engine.core.errors import GeometryError
from engine.geometry.crystal_map import CrystalMap
from engine.geometry.ring import RingScanner
from engine.geometry.scanner import Scanner

FIELDS = {"ring": ((0, 8), 8), "det": ((16, 32), 16), "layer": ((48, 52), 4)}
"""First bits for crystals A and B, and the width."""
Records = NDArray[np.uint64]
MAX_KEYS = 16_777_216
"""Maximum size of the table, ten times that of any scanner."""


@dataclass(frozen=True)
class Lookup:
    """Crystal of every (ring, det, layer); −1 if the scanner has none there."""

    table: NDArray[np.int32]
    n_named: tuple[int, int]
    """Number of rings, and of places on a ring."""

    @classmethod
    def of(cls, scanner: Scanner, path: Path) -> Lookup:
        """Build the table of a scanner.

        Parameters
        ----------
        scanner
            crystal map, or ring scanner without layers
        path
            list-mode file, for messages

        Raises
        ------
        GeometryError
            for another kind of scanner, or numbers with large gaps
        """
        if isinstance(scanner, RingScanner):
            s = scanner.settings
            named = (s.n_rings, s.n_crystals_per_ring)
            return cls(np.arange(scanner.n_crystals, dtype=np.int32).reshape(*named, 1), named)
        if not isinstance(scanner, CrystalMap):
            raise GeometryError(
                f"{path.name}: SAFIR list mode needs a crystal map, but the chosen scanner is "
                f"{scanner.name!r}; choose a crystal map."
            )
        most = scanner.keys.max(axis=0)
        # Larger numbers do not fit in the fields of a record.
        rings, places, layers = (int(n) + 1 for n in np.minimum(most, (255, 65_535, 15)))
        shape = (rings, places, layers)
        if rings * places * layers > MAX_KEYS:
            raise GeometryError(
                f"{path.name}: the {scanner.n_crystals:,} crystals in the map are numbered up to "
                f"ring {rings - 1}, det {places - 1}, layer {layers - 1}; number them without gaps."
            )
        keys = np.indices(shape, dtype=np.int32).reshape(3, -1).T
        return cls(scanner.index_of(keys).reshape(shape), (int(most[0]) + 1, int(most[1]) + 1))

    def crystals(self, events: Records, end: int) -> NDArray[np.int32]:
        """Return the crystal at one end of each event.

        Parameters
        ----------
        events
            records of coincidences
        end
            0 for crystal A, 1 for crystal B

        Returns
        -------
        crystals
            (n,) int32; −1 if the scanner has no such crystal
        """
        keys = [bits(events, shifts[end], width) for shifts, width in FIELDS.values()]
        known = np.ones(len(events), bool)
        for key, size in zip(keys, self.table.shape, strict=True):
            # A mask first: an index beyond the table would raise an exception or wrap.
            known &= key < size
        found = np.full(len(events), -1, np.int32)
        found[known] = self.table[tuple(key[known] for key in keys)]
        return found


def bits(events: Records, shift: int, width: int) -> NDArray[np.int64]:
    """Return a bit field of each record."""
    return ((events >> np.uint64(shift)) & np.uint64((1 << width) - 1)).astype(np.int64)
