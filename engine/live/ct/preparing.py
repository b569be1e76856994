"""Convert frames to line integrals view by view: darks, flats, and steps for single views."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from engine.core.arrays import Array
from engine.core.backend import Backend
from engine.core.errors import DataError
from engine.corrections.preprocess.base import PreprocessStep, no_values
from engine.data.projections import Projections
from engine.geometry.xray import XrayGeometry
from engine.live.core.frame import Frame, FrameKind

MAX_REFERENCES = 64
"""Most darks, and most flats, that are averaged: the newest ones."""

OneView = Callable[[Projections], Projections]


class Preparation:
    """Apply the steps of a protocol to views as they arrive.

    Parameters
    ----------
    scan : geometry of the whole scan as measured
    steps : steps in order; those that need the whole scan are left out
    on : device and threads

    Attributes
    ----------
    geometry : geometry of the whole scan after the steps
    left_out : titles of steps that need the whole scan
    kinds : kinds of the applied steps
    """

    def __init__(self, scan: XrayGeometry, steps: Sequence[PreprocessStep], *, on: Backend) -> None:
        wanted = [step for step in steps if step.use != "off"]
        self._on = on
        self._steps = [step for step in wanted if step.takes_single_views]
        self.geometry = scan
        for step in self._steps:
            self.geometry = step.geometry(self.geometry)
        self.kinds = tuple(step.kind for step in self._steps)
        left_out = [step for step in wanted if not step.takes_single_views]
        self.left_out = tuple(step.title for step in left_out if not step.on_demand)
        self._references: dict[FrameKind, deque[Array]] = {
            kind: deque(maxlen=MAX_REFERENCES) for kind in (FrameKind.DARK, FrameKind.FLAT)
        }
        self._last_of: dict[FrameKind, int] = {}
        # Steps inspect a scan, so a scan of one view stands for all of them
        one = scan.select([0])
        self._empty = Projections(no_values((1, *one.shape)), one, kind="counts")
        self._chain: list[OneView] | None = None
        self._fault: str | None = None
        self._was_usable = False

    def take(self, reference: Frame) -> None:
        """Add a dark or flat, which corrects the following views.

        Parameters
        ----------
        reference
            dark or flat frame; a smaller number than before starts a new set
        """
        used = self._references[reference.kind]
        if reference.index <= self._last_of.get(reference.kind, -1):
            used.clear()  # numbered from the beginning: a new set replaces the old one
        self._last_of[reference.kind] = reference.index
        used.append(reference.values)
        # Worked out again at the next view, not for each of 64 flats
        self._chain = None

    @property
    def waits_for(self) -> str | None:
        """Text about missing data that line integrals need; None if nothing is missing."""
        if self._chain is None:
            # Only after darks or flats have changed
            self._fault, self._chain = self._worked_out()
            self._was_usable = self._fault is None
        return self._fault

    @property
    def last_known_fault(self) -> str | None:
        """The text of `waits_for`, for display only.

        Further darks and flats are not evaluated before a view needs them: a source that sends
        20,000 of them would take all the time.
        """
        return None if self._was_usable else self.waits_for

    def integrals(self, frame: Frame) -> Array:
        """Return the line integrals of a projection, (n_rows, n_columns).

        Parameters
        ----------
        frame
            projection as measured

        Raises
        ------
        DataError
            if darks or flats are missing, or this view has values that are not finite
        """
        if self.waits_for is not None:
            raise DataError(
                f"projection {frame.index} cannot be converted to line integrals yet. "
                f"Preparation: {self.waits_for}."
            )
        # A scan of one view, which every step accepts
        one = replace(self._empty, values=np.asarray(frame.values)[None])
        for step in self._chain or ():
            one = step(one)
        values: Array = one.values[0]
        # One NaN would spread over whole slices in the filter
        if not np.isfinite(values).all():
            raise DataError(
                f"projection {frame.index}: {np.sum(~np.isfinite(values)):,} of {values.size:,} "
                "line integrals are infinite or NaN; switch on the bad-pixel correction."
            )
        return values

    def _worked_out(self) -> tuple[str | None, list[OneView]]:
        """Apply all steps to an empty view, and return the functions that apply them to others."""
        darks, flats = self._stacked(FrameKind.DARK), self._stacked(FrameKind.FLAT)
        chain: list[OneView] = []
        one = replace(self._empty, darks=darks, flats=flats)
        for step in self._steps:
            obstacle = step.obstacle(one)
            if obstacle is not None:
                # Without the step that leaves counts, the views never become line integrals
                if step.output_kind is not None and one.kind == "counts":
                    return obstacle, []
                continue
            try:
                chain.append(step.view_by_view(one, on=self._on))
            except DataError as e:
                return str(e).rstrip("."), []
            # The next step checks the kind of values that this step produces
            one = step.dry_run(one)
        if one.kind != "integrals":
            fault = (
                f"the projections are of kind {one.kind!r}, expected 'integrals'; switch on flat "
                "field and logarithm"
            )
            return fault, []
        return None, chain

    def _stacked(self, kind: FrameKind) -> Array | None:
        used = self._references[kind]
        return np.stack(tuple(used)) if used else None
