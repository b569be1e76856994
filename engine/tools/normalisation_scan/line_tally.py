"""Counts of a scan by crystal and class of lines, from which the components are estimated.

For each crystal and each class, the sum of prompts minus delayeds on the lines well within the
source. The sum of prompts and delayeds is its variance. The size of both does not depend on the
number of events.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property

import numpy as np

from engine.core.arrays import Array
from engine.core.backend import Backend
from engine.core.errors import GeometryError
from engine.data.listmode import ListMode
from engine.geometry.ring import RingScanner
from engine.geometry.scanner import Scanner
from engine.kernels.rays.line_sums import LineTables, RingNumbers, add_counts, add_expected
from engine.tools.normalisation_scan.source import CylinderSource

AT_ONCE = 1_000_000
"""Number of events counted at a time."""
N_PARTS = 16
"""Parts of the views, whose sums are added in order: threads change no bit."""


class LineTally:
    """Measured and expected counts of a ring scanner on the lines through a source.

    Parameters
    ----------
    scanner
        ring scanner
    source
        measured source

    Attributes
    ----------
    counts, squares : prompts minus delayeds, and prompts plus delayeds

    Raises
    ------
    GeometryError
        if the scanner has no rings
    """

    def __init__(self, scanner: Scanner, source: CylinderSource) -> None:
        if not isinstance(scanner, RingScanner):
            raise GeometryError(
                f"{scanner.name!r} has no rings, so components by ring difference and tangential "
                "bin cannot be measured; choose a ring scanner."
            )
        self.scanner, self.source = scanner, source
        self.counts, self.squares = self.empty(), self.empty()

    def empty(self) -> LineTables:
        """Return tables of zeros."""
        n_off, places = self.scanner.n_classes[1], self.scanner.settings.block_places
        shapes = ((self.scanner.n_crystals,), self.scanner.n_classes, (places, n_off))
        return LineTables(*(np.zeros(shape) for shape in shapes))

    def add(self, data: ListMode, on_progress: Callable[[int, int], None] | None = None) -> None:
        """Add the events of a scan; delayeds count −1.

        Parameters
        ----------
        data
            events of the scanner
        on_progress
            called with the numbers of counted and of all events; may raise to stop
        """
        # Columns may be in files, so they are read piece by piece
        for start in range(0, data.n_events, AT_ONCE):
            rows = slice(start, start + AT_ONCE)
            counts = np.ones(len(data.crystals[rows]))
            if data.delayed is not None:
                # Delayeds measure randoms, which are subtracted from the prompts
                counts[data.delayed[rows]] = -1.0
            self.add_lines(data.crystals[rows], counts)
            if on_progress is not None:
                on_progress(min(start + AT_ONCE, data.n_events), data.n_events)

    def add_lines(self, crystals: Array, counts: Array) -> None:
        """Add counts of lines.

        Parameters
        ----------
        crystals
            (n, 2) pairs of crystals; those with gaps or outside of the field of view are left out
        counts
            (n,) counts
        """
        live = self.scanner.alive[crystals].all(axis=1)
        pairs = np.ascontiguousarray(crystals[live], np.int32)
        values = np.ascontiguousarray(counts[live], np.float64)
        add_counts(
            pairs,
            values,
            self._ring,
            self.scanner.positions_mm,
            self.source.numbers,
            self.counts,
            self.squares,
        )

    @property
    def crystal_error(self) -> float:
        """Relative standard error of the median crystal; infinite without counts."""
        counts, squares = self.counts.crystals, self.squares.crystals
        seen = counts > 0
        if not seen.any():
            return math.inf
        # The variance of prompts − delayeds is prompts + delayeds
        return float(np.median(np.sqrt(squares[seen]) / counts[seen]))

    def expected(self, tables: LineTables, *, on: Backend) -> LineTables:
        """Return the expected counts for some factors, up to the activity.

        Parameters
        ----------
        tables
            factors of crystals and classes
        on
            CPU threads
        """
        edges = np.linspace(0, self.scanner.n_views, N_PARTS + 1).astype(int)

        def part(k: int) -> LineTables:
            sums, views = self.empty(), (int(edges[k]), int(edges[k + 1]))
            places = self.scanner.positions_mm
            add_expected(*views, self._ring, places, self.source.numbers, tables, sums)
            return sums

        # Fixed parts of the views, whatever the number of threads: sums keep their order
        with ThreadPoolExecutor(on.threads) as pool:
            parts = list(pool.map(part, range(N_PARTS)))
        return LineTables(*(np.sum(tables, axis=0) for tables in zip(*parts, strict=True)))

    @cached_property
    def _ring(self) -> RingNumbers:
        s = self.scanner.settings
        # Tangential bins count from the axis in both directions
        low = -(s.n_tangential // 2)
        return RingNumbers(
            n=s.n_crystals_per_ring,
            n_rings=s.n_rings,
            n_off=self.scanner.n_classes[1],
            low=low,
            high=low + s.n_tangential,
            max_ring_difference=s.max_ring_difference,
            block=s.block_places,
        )
