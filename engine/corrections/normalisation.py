"""Detection efficiency of lines, n_i: ε1 ε2 of their crystals, 0 in gaps, and measured tables.

The tables are those of `engine.data.components`: geometry by ring difference and tangential bin,
and interference of crystals with their neighbours.
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from engine.core.backend import Backend
from engine.core.visible_text import amount
from engine.corrections.base import Multiplicative
from engine.corrections.roles import EFFICIENCIES as EFFICIENCIES
from engine.data.components import TableFactor
from engine.data.input_role import InputRole
from engine.data.line_factors import CrystalFactor, LineFactor
from engine.data.listmode import ListMode


class Normalisation(Multiplicative[ListMode]):
    """Efficiencies and tables from a normalisation file. Gaps of the scanner always count."""

    title: ClassVar[str] = "Normalisation"
    kind: ClassVar[str] = "normalisation"
    inputs: ClassVar[tuple[InputRole, ...]] = (EFFICIENCIES,)
    since: ClassVar[int | None] = 1

    def obstacle(self, data: ListMode) -> str | None:
        """Return why only gaps can be excluded.

        Returns
        -------
        obstacle
            a request for a normalisation file; None if there are efficiencies or tables
        """
        if data.efficiencies is None and data.components is None:
            gaps = int(np.count_nonzero(~data.scanner.alive))
            if gaps:
                return (
                    "there are no crystal efficiencies; load a normalisation file. Excluded gaps "
                    f"of the scanner: {gaps:,}"
                )
            return "there are no crystal efficiencies; load a normalisation file"
        return None

    def factor(self, data: ListMode, *, on: Backend) -> LineFactor:
        """Return the product of the efficiencies of both crystals.

        Returns
        -------
        factor
            0 in gaps, even if a file gives them an efficiency
        """
        efficiencies = 1.0 if data.efficiencies is None else data.efficiencies
        # Readers fill gaps with arbitrary values, so the scanner decides which crystals exist.
        return CrystalFactor(np.where(data.scanner.alive, efficiencies, 0).astype(np.float32))

    def apply(self, data: ListMode, *, on: Backend) -> ListMode:
        """Return the scan with crystal efficiencies and measured tables as line factors.

        Returns
        -------
        data
            the same events with one factor per kind of table, so each table keeps its own cache key
        """
        data, found = super().apply(data, on=on), data.components
        if found is None or not found.has_tables:
            return data
        if found.geometry is not None or found.interference is not None:
            table = TableFactor(found.geometry, found.interference, found.replaces_geometry)
            data = data.with_factor(table, on=on)
        # Block pairs and single lines have separate tables.
        for more in (found.pairs, found.lines):
            data = data if more is None else data.with_factor(more, on=on)
        return data

    def summary(self, before: ListMode, after: ListMode) -> str:
        found = before.components
        tables = [] if found is None else found.describe_tables()
        return "; ".join([self._of_crystals(after), *tables])

    def _of_crystals(self, after: ListMode) -> str:
        weights, alive = after.crystal_weights, after.scanner.alive
        if weights is None:
            return ""
        # Gaps are excluded from the spread: they are missing crystals, not bad ones.
        used = weights[alive]
        n_dead = int(np.count_nonzero(used == 0))
        spread = 100 * float(used[used > 0].std() / used[used > 0].mean())
        gaps = int(np.count_nonzero(~alive))
        return (
            f"{len(used):,} crystals, efficiencies vary by {spread:.1f} %, "
            f"{amount(n_dead, 'dead crystal')} and {amount(gaps, 'gap')} excluded"
        )
