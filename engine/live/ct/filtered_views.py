"""Filtered views and their sums in slices. A view is filtered again only if it must be."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from engine.core.arrays import Array
from engine.core.backend import Backend
from engine.geometry.plane import Plane
from engine.operators.xray.device_slice_sums import DeviceSliceSums
from engine.operators.xray.slice_sums import SliceSums
from engine.recon.filtering.settings import FilterSettings
from engine.recon.filtering.view_filter import ViewFilter, ViewWeights

SAME_WEIGHT = 1e-6
"""Difference of weights below which a view is not filtered again."""


class FilteredViews:
    """Filters views of one detector, and adds them to slices.

    Parameters
    ----------
    planes : planes of the slices
    weights : weights of any views; they give the padding columns and the extended rows
    settings : settings of the filter
    n_slots : most views
    n_measured : columns of the detector
    alike : True if every view of the scan is a rotation of the first one
    on : threads for filtering
    sums_on : device for the slices; None: the same

    Attributes
    ----------
    sums : the slices
    """

    def __init__(
        self,
        planes: Sequence[Plane],
        weights: ViewWeights,
        settings: FilterSettings,
        *,
        n_slots: int,
        n_measured: int,
        alike: bool,
        on: Backend,
        sums_on: Backend | None = None,
    ) -> None:
        design = weights.design
        self._on, self._form = on, _form(weights)
        self._filter = ViewFilter(design, settings, n_measured, alike=alike)
        self.sums = _sums(n_slots, design.geometry.shape, planes, on=sums_on or on)
        # Weights with which each slot was filtered; None for even weights
        self._with: dict[int, Array | None] = {}

    def fits(self, weights: ViewWeights) -> bool:
        """Return True if these weights belong to rows that are filtered here.

        Parameters
        ----------
        weights
            weights of the next views; their padding decides
        """
        return self._form == _form(weights)

    def forget(self, slots: Sequence[int]) -> None:
        """Subtract views from the slices before other views use their slots."""
        self.sums.take_out(slots)
        for slot in slots:
            self._with.pop(slot, None)

    def bring_up(self, slots: Sequence[int], values: Array, weights: ViewWeights) -> None:
        """Filter new views, and views whose weights have changed.

        Parameters
        ----------
        slots
            slots of the views to which the weights belong, in order
        values
            (n_slots, n_rows, n_measured) line integrals
        weights
            weights of the rays
        """
        stale = [(k, slot) for k, slot in enumerate(slots) if self._is_stale(slot, weights, k)]
        again = [slot for _, slot in stale if slot in self._with]
        # Subtracting most views costs more than a new sum, and leaves rounding errors
        if 2 * len(again) > len(slots):
            self.sums.forget()
        else:
            self.sums.take_out(again)

        def work(view: int, slot: int) -> None:
            self.sums.put(slot, self._filter.filtered(values[[slot]], weights, [view])[0])
            self._with[slot] = None if weights.are_even else weights.rows(view)

        # Views do not depend on each other, so threads share them
        with ThreadPoolExecutor(self._on.threads) as pool:
            for each in [pool.submit(work, *one) for one in stale]:
                each.result()

    def _is_stale(self, slot: int, weights: ViewWeights, view: int) -> bool:
        if slot not in self._with:
            return True
        before = self._with[slot]
        if before is None or weights.are_even:
            # Even weights are the same for all views, so only the change to or from them counts
            return (before is None) != weights.are_even
        rows = weights.rows(view)
        return before.shape != rows.shape or float(np.abs(before - rows).max()) > SAME_WEIGHT


def _sums(
    n_slots: int, shape: tuple[int, int], planes: Sequence[Plane], *, on: Backend
) -> SliceSums | DeviceSliceSums:
    kind = SliceSums if on.gpu is None else DeviceSliceSums
    return kind(n_slots, shape, planes, on=on)


def _form(weights: ViewWeights) -> tuple[tuple[int, int], tuple[bool, bool], float]:
    design = weights.design
    return design.added_columns, design.continued, weights.unit_rad
