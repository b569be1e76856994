"""Detection efficiency of the crystals: n_i = ε1 ε2, 0 in gaps and dead crystals."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from engine.backend import Backend
from engine.corrections.base import Multiplicative
from engine.data.input_role import InputRole
from engine.data.line_factors import CrystalFactor, LineFactor
from engine.data.listmode import ListMode


def _read(path: Path, scanner: Any) -> Any:
    from engine.io import read_efficiencies

    return read_efficiencies(path, scanner)


def _describe(efficiencies: Any) -> str:
    dead = int(np.count_nonzero(efficiencies <= 0))
    return f"{len(efficiencies):,} crystals, {dead:,} of them dead or in gaps"


def _attach(data: Any, efficiencies: Any) -> Any:
    return replace(data, efficiencies=efficiencies)


EFFICIENCIES = InputRole(
    key="normalisation",
    title="Normalisation",
    text="Crystal efficiencies",
    without="Crystal efficiencies; without them, all crystals count alike.",
    suffixes=(".h5", ".hdf5", ".txt", ".csv", ".tsv"),
    read=_read,
    describe=_describe,
    attach=_attach,
    format="Crystal efficiencies",
    of_scanner=True,
)


class Normalisation(Multiplicative[ListMode]):
    """Crystal efficiencies from a normalisation file; the scanner's gaps always count."""

    title: ClassVar[str] = "Normalisation"
    kind: ClassVar[str] = "normalisation"
    inputs: ClassVar[tuple[InputRole, ...]] = (EFFICIENCIES,)
    since: ClassVar[int | None] = 1

    def obstacle(self, data: ListMode) -> str | None:
        if data.efficiencies is None:
            gaps = int(np.count_nonzero(~data.scanner.alive))
            known = f"; the {gaps:,} gaps of the scanner are left out all the same" if gaps else ""
            return f"no crystal efficiencies are given; load a normalisation file{known}"
        return None

    def factor(self, data: ListMode, *, on: Backend) -> LineFactor:
        efficiencies = 1.0 if data.efficiencies is None else data.efficiencies
        return CrystalFactor(np.where(data.scanner.alive, efficiencies, 0).astype(np.float32))

    def summary(self, before: ListMode, after: ListMode) -> str:
        weights, alive = after.crystal_weights, after.scanner.alive
        if weights is None:
            return ""
        used = weights[alive]
        n_dead = int(np.count_nonzero(used == 0))
        spread = 100 * float(used[used > 0].std() / used[used > 0].mean())
        gaps = int(np.count_nonzero(~alive))
        return (
            f"{len(used):,} crystals, efficiencies vary by {spread:.1f} %, "
            f"{n_dead:,} dead and {gaps:,} gap places left out"
        )
