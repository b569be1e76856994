"""Rings: stripes that pixels of their own gain leave in the sinogram, taken out before it.

Sorted, the columns of a sinogram lie level beside one another, whatever the object: each value is
replaced by the median of the values of the same rank in the columns around. Vo, Atwood &
Drakopoulos, Optics Express 26 (2018) 28396, algorithm 3. It reaches stripes that come and go with
brightness, and costs the object some sharpness.
"""

from __future__ import annotations

from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Array, module_of
from engine.backend import Backend
from engine.data.projections import Projections
from engine.preprocess.bands import Band, find_bands
from engine.preprocess.base import PreprocessStep, percent
from engine.preprocess.blocks import in_blocks
from engine.preprocess.stripes import (
    across_columns,
    detect,
    faint,
    means_of_parts,
    noise_of_mean,
    offsets,
    rows_with_many,
)
from engine.settings import setting

FEWEST_VIEWS = 30
"""With fewer views the object itself looks like a stripe."""
FEWEST_EVENED = 7
"""Columns that a parabola evens at least."""


class Rings(PreprocessStep):
    """What pixels of a wrong gain add, taken off the columns that need it or off all."""

    title: ClassVar[str] = "Rings"
    kind: ClassVar[str] = "rings"
    since: ClassVar[int | None] = 1
    of_a_row: ClassVar[bool] = True
    columns: Literal["auto", "found", "all", "sorted"] = setting(
        "auto",
        "Mend the columns that hold a stripe (found), even out all others too, against faint rings "
        "(all), or that only where they are in every column (auto); sorted evens out values of the "
        "same rank, for stripes that change with brightness, at some cost of sharpness",
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
    broadest: int = setting(
        30,
        "Widest band of columns with two sharp edges that is removed; 0: none is sought",
        label="Bands",
        unit="pixels",
        ge=0,
        le=1000,
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

        def work(rows: slice) -> NDArray[np.int64]:
            block = values[:, rows].astype(np.float32)
            stripes = detect(block, self.widest, self.snr)
            added, bands, evens = self._added(block, on.to_host(stripes), on)
            block -= module_of(block).asarray(added.astype(np.float32))
            out[:, rows] = sorted_evenly(block, self._size) if self.columns == "sorted" else block
            return np.array([int(stripes.sum()), len(bands), evens])

        found = np.sum(in_blocks(work, values, on=on, axis=1), axis=0)
        facts = dict(zip(("stripes", "bands", "rows_evened"), map(int, found), strict=True))
        return self.changed(projections, facts, values=out)

    @property
    def _size(self) -> int:
        return max(FEWEST_EVENED, 4 * self.widest - 1)

    def _added(
        self, block: Array, stripes: NDArray[np.bool_], on: Backend
    ) -> tuple[NDArray[np.float64], list[Band], int]:
        """Return what columns add, the bands among that, and how many rows are evened out."""
        profile = on.to_host(block.mean(axis=0, dtype=np.float64))
        parts, noise = on.to_host(means_of_parts(block)), on.to_host(noise_of_mean(block))
        added = offsets(profile, stripes)
        bands = find_bands(
            profile - added,
            parts - added,
            noise,
            widths=range(self.widest + 1, self.broadest + 1),
            snr=self.snr,
        )
        for band in bands:
            added[band.row, band.columns] += band.added
        evens = np.full(len(profile), self.columns == "all")
        if self.columns == "auto":
            evens = rows_with_many(parts - added, stripes, self._size)
        if evens.any():
            added[evens] += faint(profile[evens] - added[evens], self._size)
        return added, bands, int(evens.sum())

    def summary(self, before: Projections, after: Projections) -> str:
        facts, n_pixels = self.facts(after), int(np.prod(after.shape[1:]))
        n, n_bands, n_rows = facts["stripes"], facts["bands"], facts["rows_evened"]
        words = f"{n:,} stripes of {n_pixels:,} columns of sinograms ({percent(n, n_pixels)})"
        if n_bands:
            words += f", {n_bands:,} broad bands"
        if self.columns == "sorted":
            return f"{words}; all columns evened by rank"
        if n_rows == after.shape[1]:
            return f"{words}; all columns evened out"
        return f"{words}; all columns of {n_rows:,} rows evened out" if n_rows else words


def sorted_evenly(block: Array, size: int) -> Array:
    """Return sinograms (n_views, rows, cols), values of each rank evened over `size` columns."""
    xp = module_of(block)
    order = xp.argsort(block, axis=0)
    level = across_columns(xp.take_along_axis(block, order, axis=0), size)
    out = xp.empty_like(block)
    xp.put_along_axis(out, order, level.astype(np.float32), axis=0)
    return out
