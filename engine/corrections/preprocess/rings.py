"""Remove ring artefacts: stripes of the sinogram from pixels with a different gain.

If each column of a sinogram is sorted by value, neighbouring columns are nearly equal for any
object. Each value is then replaced by the median of the values of the same rank in the columns
around it. Vo, Atwood & Drakopoulos, Optics Express 26 (2018) 28396, algorithm 3. This also removes
stripes that vary with brightness, and costs some sharpness of the object.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from engine.core.arrays import Array, module_of
from engine.core.backend import Backend
from engine.core.settings import setting
from engine.core.visible_text import amount
from engine.corrections.preprocess.base import PreprocessStep, percent
from engine.corrections.preprocess.blocks import in_blocks
from engine.data.projections import Projections

if TYPE_CHECKING:
    from engine.corrections.preprocess.bands import Band

MIN_VIEWS = 30
"""With fewer views, the object itself looks like a stripe."""
MAX_PARTS = 16
"""Number of parts of the views from which the common offset is estimated."""
MIN_EVENED = 7
"""Smallest number of columns that a parabola is fitted to."""


class Rings(PreprocessStep):
    """Ring artefacts from pixels with a wrong gain."""

    title: ClassVar[str] = "Rings"
    kind: ClassVar[str] = "rings"
    since: ClassVar[int | None] = 1
    of_a_row: ClassVar[bool] = True
    columns: Literal["auto", "found", "all", "sorted"] = setting(
        "auto",
        "auto: repair columns with a stripe, and equalise all columns of a row if every column "
        "has one. all: equalise the columns of every row. found: repair only stripes that "
        "differ from their neighbours. sorted: equalise values of the same rank, for stripes "
        "that change with brightness; this reduces sharpness",
        label="Columns",
    )
    snr: float = setting(
        4.0,
        "A stripe is removed if it exceeds the noise of its column mean by this factor",
        label="Stripe-to-noise ratio",
        ge=1,
        le=100,
    )
    widest: int = setting(
        3, "Stripes are removed up to this width", label="Width", unit="pixels", ge=1, le=200
    )
    broadest: int = setting(
        30,
        "Bands with two sharp edges are removed up to this width; 0: no bands are removed",
        label="Bands",
        unit="pixels",
        ge=0,
        le=1000,
    )

    def obstacle(self, projections: Projections) -> str | None:
        """Return why rings cannot be removed.

        Returns
        -------
        obstacle
            no line integrals, too few views or too few columns; None otherwise
        """
        if projections.kind != "integrals":
            return (
                f"the projections are of kind {projections.kind!r}, expected 'integrals'; switch "
                "on the logarithm"
            )
        if projections.n_views < MIN_VIEWS:
            return f"{projections.n_views} views are too few to distinguish stripes from the object"
        if projections.shape[2] <= 8 * self.widest:
            return (
                f"{projections.shape[2]} columns are too few for stripes of {self.widest} columns"
            )
        return None

    def apply(self, projections: Projections, *, on: Backend) -> Projections:
        """Return the line integrals without stripes.

        Returns
        -------
        projections
            new values; the numbers of stripes, bands and equalised rows are in `info`
        """
        values = projections.values
        out = projections.empty(values.shape)

        def work(rows: slice) -> NDArray[np.int64]:
            block = values[:, rows].astype(np.float32)
            added, counts = self._added(block, on)
            block -= module_of(block).asarray(added.astype(np.float32))
            out[:, rows] = sorted_evenly(block, self._size) if self.columns == "sorted" else block
            return counts

        # Blocks of rows: a stripe is a column of one sinogram, and needs all of its views.
        each = in_blocks(work, values, on=on, axis=1, storage=projections.storage)
        found = np.sum(each, axis=0)
        facts = dict(zip(("stripes", "bands", "rows_evened"), map(int, found), strict=True))
        return self.changed(projections, facts, values=out)

    @property
    def _size(self) -> int:
        return max(MIN_EVENED, 4 * self.widest - 1)

    def _added(self, block: Array, on: Backend) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        """Return the offsets of columns, and the numbers of stripes, bands and equalised rows."""
        # A protocol loads the settings of all steps; only this step needs the search.
        from engine.corrections.preprocess import stripes
        from engine.corrections.preprocess.bands import find_bands

        profile = on.to_host(block.mean(axis=0, dtype=np.float64))
        parts = on.to_host(stripes.means_of_parts(block, min(MAX_PARTS, len(block) // 2)))
        noise = on.to_host(stripes.noise_of_mean(block))
        # The rounding error of float32 means is a lower bound; exact simulated data have no noise.
        noise = noise + np.finfo(np.float32).eps * np.abs(profile).max(axis=1, keepdims=True)
        evens, narrowest = np.array([], int), 1
        added = np.zeros_like(profile)
        # "found" removes narrow stripes first. Bands then start at the next larger width.
        if self.columns == "found":
            found = on.to_host(stripes.detect(block, self.widest, self.snr))
            added = stripes.offsets(profile, found)
            narrowest = self.widest + 1
        is_found = added != 0

        # Bands are searched twice, because equalising a row can reveal bands that noise had hidden.
        def take_bands() -> list[Band]:
            widths = range(narrowest, max(self.widest, self.broadest) + 1)
            rest = profile - added, parts - added, noise
            bands = find_bands(*rest, widths=widths, snr=self.snr)
            for band in bands:
                added[band.row, band.columns] += band.added
            return bands

        bands = take_bands()
        if self.columns in ("auto", "all"):
            is_in = stripes.rows_with_many(parts - added, self._size) | (self.columns == "all")
            evens = np.flatnonzero(is_in)
        if evens.size:
            added[evens] += stripes.shared(parts[:, evens] - added[evens], self._size)
            bands += take_bands()
        narrow = [each for each in bands if each.added.size <= self.widest]
        n_stripes = int(is_found.sum()) + sum(each.added.size for each in narrow)
        return added, np.array([n_stripes, len(bands) - len(narrow), evens.size])

    def summary(self, before: Projections, after: Projections) -> str:
        facts, n_pixels = self.facts(after), int(np.prod(after.shape[1:]))
        n, n_bands, n_rows = facts["stripes"], facts["bands"], facts["rows_evened"]
        stripes = f"{amount(n, 'stripe')} of {n_pixels:,} columns of sinograms"
        words = f"{stripes} ({percent(n, n_pixels)})"
        if n_bands:
            words += f", {amount(n_bands, 'broad band')}"
        if self.columns == "sorted":
            return f"{words}; all columns equalised by rank"
        if n_rows == after.shape[1]:
            return f"{words}; all columns equalised"
        return f"{words}; all columns of {amount(n_rows, 'row')} equalised" if n_rows else words


def sorted_evenly(block: Array, size: int) -> Array:
    """Return sinograms with the values of each rank smoothed across columns.

    Parameters
    ----------
    block
        (n_views, rows, cols) line integrals
    size
        odd number of columns of the median

    Returns
    -------
    out
        (n_views, rows, cols) float32; each column keeps the order of its values
    """
    from engine.corrections.preprocess.stripes import across_columns  # as in `Rings._added`

    xp = module_of(block)
    # Sorting and unsorting with the same indices returns every value to its own view.
    order = xp.argsort(block, axis=0)
    level = across_columns(xp.take_along_axis(block, order, axis=0), size)
    out = xp.empty_like(block)
    xp.put_along_axis(out, order, level.astype(np.float32), axis=0)
    return out
