"""Rings: stripes that a pixel of its own gain leaves in the sinogram, taken out before it."""

from __future__ import annotations

from typing import ClassVar, Literal

import numpy as np

from engine.arrays import module_of
from engine.backend import Backend
from engine.data.projections import Projections
from engine.preprocess.base import PreprocessStep, percent
from engine.preprocess.blocks import in_blocks
from engine.preprocess.stripes import detect, offsets
from engine.settings import setting

FEWEST_VIEWS = 30
"""With fewer views the object itself looks like a stripe."""


class Rings(PreprocessStep):
    """What pixels of a wrong gain add, taken off the columns that need it or off all."""

    title: ClassVar[str] = "Rings"
    kind: ClassVar[str] = "rings"
    since: ClassVar[int | None] = 1
    of_a_row: ClassVar[bool] = True
    columns: Literal["found", "all"] = setting(
        "found",
        "Mend only the columns that hold a stripe, or smooth all others too, against faint rings",
        label="Columns",
    )
    snr: float = setting(
        4.0,
        "How far a stripe stands out from the noise of its column's mean",
        label="Stripe to noise",
        ge=1,
        le=100,
    )
    widest: int = setting(
        3, "Widest stripe that is removed", label="Width", unit="pixels", ge=1, le=200
    )

    def obstacle(self, projections: Projections) -> str | None:
        if projections.kind != "integrals":
            return f"the projections are {projections.kind} still; take their logarithm first"
        if projections.n_views < FEWEST_VIEWS:
            return f"{projections.n_views} views are too few to tell stripes from the object"
        if projections.shape[2] <= 8 * self.widest:
            return f"{projections.shape[2]} columns are too few for stripes {self.widest} wide"
        return None

    def apply(self, projections: Projections, *, on: Backend) -> Projections:
        values = projections.values
        out = module_of(values).empty(values.shape, np.float32)

        def work(rows: slice) -> int:
            block = values[:, rows].astype(np.float32)
            stripes = on.to_host(detect(block, self.widest, self.snr))
            profile = on.to_host(block.mean(axis=0, dtype=np.float64))
            smooth = 2 * self.widest + 1 if self.columns == "all" else None
            added = offsets(profile, stripes, smooth=smooth).astype(np.float32)
            out[:, rows] = block - module_of(block).asarray(added)
            return int(stripes.sum())

        n_stripes = sum(in_blocks(work, values, on=on, axis=1))
        return self.changed(projections, {"stripes": n_stripes}, values=out)

    def summary(self, before: Projections, after: Projections) -> str:
        n, n_pixels = self.facts(after)["stripes"], int(np.prod(after.shape[1:]))
        message = f"{n:,} stripes of {n_pixels:,} columns of sinograms ({percent(n, n_pixels)})"
        return message if self.columns == "found" else f"{message}; all columns smoothed"
