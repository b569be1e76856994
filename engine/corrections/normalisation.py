"""Detection efficiency of the crystals: n_i = ε1 ε2, 0 in gaps and dead crystals."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

import numpy as np

from engine.backend import Backend
from engine.corrections.base import Correction
from engine.data.listmode import ListMode
from engine.geometry.scanner import pair_product


class Normalisation(Correction[ListMode]):
    """Crystal efficiencies from a normalisation file; the scanner's gaps always count."""

    title: ClassVar[str] = "Normalisation"
    kind: ClassVar[str] = "normalisation"

    def obstacle(self, data: ListMode) -> str | None:
        if data.efficiencies is None:
            gaps = int(np.count_nonzero(~data.scanner.alive))
            known = f"; the {gaps:,} gaps of the scanner are left out all the same" if gaps else ""
            return f"no crystal efficiencies are given; load a normalisation file{known}"
        return None

    def apply(self, data: ListMode, *, on: Backend) -> ListMode:
        if data.efficiencies is None:
            return data
        weights = np.where(data.scanner.alive, data.efficiencies, 0).astype(np.float32)
        factors = pair_product(weights, data.crystals)
        if data.factors is not None:
            factors *= data.factors
        return replace(data, crystal_weights=weights, factors=factors)

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
