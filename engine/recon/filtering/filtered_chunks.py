"""Filter projections on a GPU chunk by chunk, in the order of back projection.

Each measured value crosses the bus once, while the GPU works on earlier chunks. Filtered values
stay on the GPU.
"""

from __future__ import annotations

import numpy as np

from engine.core.arrays import Array, module_of, to_host
from engine.core.backend import Backend
from engine.operators.xray.transfers import ComputedViews
from engine.recon.filtering.design import FilterDesign
from engine.recon.filtering.projections import RowFilter, chunk_bytes, refuse_nonfinite
from engine.recon.filtering.settings import FilterSettings


class FilteredChunks(ComputedViews):
    """Projections as from `engine.recon.filtering.projections.filtered`, chunk by chunk.

    Parameters
    ----------
    values : (n_views, n_rows, n_measured) line integrals on the host or the device
    plan, settings : design and settings of the filter
    on : the device
    rows : required rows, at least one; the others are zero
    """

    def __init__(
        self, values: Array, plan: FilterDesign, settings: FilterSettings, *, on: Backend,
        rows: slice = slice(None),
    ) -> None:  # fmt: skip
        n_views, n_rows, n_measured = values.shape
        self.shape = (n_views, n_rows, plan.geometry.shape[1])
        self._values, self._on, self._wanted = values, on, range(n_rows)[rows]
        self._work = RowFilter(plan, settings, n_measured, self._wanted, on.xp)
        self._n_bad: Array | int = 0
        self._seen: set[range] = set()

    def raw(self, views: range) -> Array:
        return self._values[views.start : views.stop, self._work.first : self._work.last]

    def made(self, values: Array, views: range) -> Array:
        """Filter the rows of some views.

        Parameters
        ----------
        values
            raw values of these views, on the device
        views
            numbers of the views

        Returns
        -------
        (n, n_rows, n_columns) float32 on the device
        """
        xp, wanted = module_of(values), self._wanted
        if views not in self._seen:  # each slab requests them again
            self._seen.add(views)
            self._n_bad = self._n_bad + xp.count_nonzero(~xp.isfinite(values))
        new = xp.empty if len(wanted) == self.shape[1] else xp.zeros
        out = new((len(views), *self.shape[1:]), np.float32)
        n_at_once = max(1, chunk_bytes(self._on) // self._work.bytes_per_view)
        for start in range(0, len(views), n_at_once):
            part = slice(start, start + n_at_once)
            with np.errstate(invalid="ignore"):  # `check` reports it as an error message
                done = self._work.filter(values[part], views[part])
            out[part, wanted.start : wanted.stop] = done
        return out

    def check(self) -> None:
        """Refuse values that are not finite, among those filtered so far."""
        refuse_nonfinite(int(to_host(self._n_bad)), self._values.size)
