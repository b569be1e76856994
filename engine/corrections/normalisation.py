"""Detection efficiency of lines, n_i: ε1 ε2 of their crystals, 0 in gaps, and measured tables.

The tables are those of `engine.data.components`: geometry by ring difference and tangential bin,
and interference of crystals with their neighbours.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from engine.core.backend import Backend
from engine.corrections.base import Multiplicative
from engine.data.calibration import LIVE_BLOCKS
from engine.data.components import Components, TableFactor
from engine.data.input_role import InputRole, Making
from engine.data.line_factors import CrystalFactor, LineFactor
from engine.data.listmode import ListMode
from engine.geometry.scanner import Scanner


def _read(path: Path, scanner: Scanner) -> Components:
    from engine.io import read_components

    return read_components(path, scanner)


# The suffix proves nothing, so both kinds of files are recognised by their content.
def _accepts(file: Any) -> bool:
    from engine.io.castor.normalisation import is_normalisation
    from engine.io.hdf5.normalisation import is_components

    return is_components(file) or is_normalisation(file.head)


def _attach(data: Any, components: Components) -> Any:
    """Return the scan with the new efficiencies of crystals and the tables of its lines."""
    crystals = components.of_crystals(data.scanner)
    if crystals is not None:
        # New efficiencies replace the live times that the old ones had been multiplied by. Only
        # list mode has that attribute.
        # live times of crystals over time, which list mode may have, went with the others
        others = {"live_times": None} if hasattr(data, "live_times") else {}
        data = replace(data, efficiencies=crystals, **others)
    if components.live is not None:
        # The calibration checks this entry, so that dead time is not corrected twice.
        data = replace(data, info={**data.info, LIVE_BLOCKS: len(components.live)})
    more = components.has_tables or components.live is not None
    return replace(data, components=components) if more else data


EFFICIENCIES = InputRole(
    key="normalisation",
    title="Normalisation",
    text="Crystal efficiencies or a measured normalisation",
    without="File with crystal efficiencies or a measured normalisation. Without it, all "
    "crystals are treated as equally efficient.",
    suffixes=(".h5", ".hdf5", ".txt", ".csv", ".tsv", ".cdh"),
    read=_read,
    describe=Components.describe,
    attach=_attach,
    accepts=_accepts,
    format="Crystal efficiencies",
    of_scanner=True,
    making=Making(
        "normalise",
        words="Measure …",
        tip="Measure the normalisation with a source of known shape",
        of_rings=True,
    ),
)


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
            known = f"; the {gaps:,} gaps of the scanner are still excluded" if gaps else ""
            return f"there are no crystal efficiencies; load a normalisation file{known}"
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
        # Block pairs and single lines have tables of their own, apart from geometry and
        # interference.
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
            f"{len(used):,} crystals, efficiencies vary by {spread:.1f} %, {n_dead:,} "
            f"dead crystals and {gaps:,} gaps excluded"
        )
