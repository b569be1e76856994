"""Efficiencies of module pairs: a value for each crystal pair, shared by equivalent pairs.

    w(a, b) = Σ_ij s_ai s_bj T_k[p_a E_a + i, p_b E_b + j],    k = K[m_a, m_b]

a is the crystal with the higher number, m its module, p its place in the module, T_k the table of
all equivalent module pairs. s_ai is the share of energy bin i (of E_a) in the efficiency of crystal
a.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Self

import numpy as np
from numpy.typing import NDArray

from engine.core.arrays import Array, module_of
from engine.data.line_factors import LineFactor
from engine.geometry.scanner import Scanner

if TYPE_CHECKING:
    from engine.core.backend import Backend


@dataclass(frozen=True, eq=False)
class PairTable(LineFactor):
    """Tables T of pairs of modules.

    Attributes
    ----------
    modules, places : (n_crystals,) int32 m and p
    kinds : (n_modules, n_modules) int32 K, higher module first; −1: not in coincidence
    starts, widths : (n_tables,) int64, start of a table in `values`, and its number of columns
    values : (n,) float32, the tables row by row
    shares : (n_crystals, n_energies) float32 s; each row sums to 1
    energies : (n_crystals,) int32 E
    """

    modules: NDArray[np.int32]
    places: NDArray[np.int32]
    kinds: NDArray[np.int32]
    starts: NDArray[np.int64]
    widths: NDArray[np.int64]
    values: NDArray[np.float32]
    shares: NDArray[np.float32]
    energies: NDArray[np.int32]
    replaces_geometry: bool = True
    blinds_lines: bool = True

    def of_lines(
        self, crystals: Array, scanner: Scanner, *, on: Backend, reproducible: bool = True
    ) -> Array:
        xp = module_of(crystals)
        t = replace(self, **{name: xp.asarray(table) for name, table in self._tables()})
        # Tables are stored for the higher crystal first; an event can name them in either order.
        high, low = crystals.max(axis=1), crystals.min(axis=1)
        kinds = t.kinds[t.modules[high], t.modules[low]]
        known = kinds >= 0
        # Pairs out of coincidence get a valid index and are masked below, so that no read is out of
        # bounds.
        kinds = xp.maximum(kinds, 0)
        starts, widths = t.starts[kinds], t.widths[kinds]
        # Energy bins of a crystal are neighbouring rows of its table.
        rows = t.places[high].astype(np.int64) * t.energies[high]
        columns = t.places[low].astype(np.int64) * t.energies[low]
        total = xp.zeros(len(crystals), np.float32)
        n_energies = self.shares.shape[1]
        # Few energy bins: a loop over them keeps the memory at one value per line.
        for i in range(n_energies):
            for j in range(n_energies):
                inside = known & (i < t.energies[high]) & (j < t.energies[low])
                at = xp.where(inside, starts + (rows + i) * widths + columns + j, 0)
                part = t.shares[high, i] * t.shares[low, j]
                total = total + xp.where(inside, part * t.values[at], np.float32(0))
        return total

    def _tables(self) -> Iterator[tuple[str, Array]]:
        for each in fields(self):
            if each.name not in ("replaces_geometry", "blinds_lines"):
                yield each.name, getattr(self, each.name)

    def fingerprint(self) -> Iterator[bytes]:
        for _, table in self._tables():
            yield repr(table.shape).encode() + table.tobytes()

    def on_device(self, on: Backend) -> Self:
        return replace(self, **{name: on.to_device(table) for name, table in self._tables()})

    def describe(self) -> str:
        """Return a phrase about the content."""
        span = f"{self.values.min():.3g} to {self.values.max():.3g}"
        return f"{len(self.starts):,} tables of pairs of {len(self.kinds):,} modules, {span}"
