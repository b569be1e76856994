"""From frames to line integrals, one view at a time: darks, flats, and steps of single views."""

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

MOST_REFERENCES = 64
"""Darks, and flats, that are averaged: the newest."""

OneView = Callable[[Projections], Projections]


class Preparation:
    """Does the steps of a protocol to views as they come.

    Parameters
    ----------
    scan : geometry of the whole scan, as measured
    steps : in their order; those that need more than a view are left out
    on : device and threads

    Attributes
    ----------
    geometry : of the whole scan after the steps
    left_out : titles of steps that need the whole scan
    kinds : of the steps that views go through
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
            kind: deque(maxlen=MOST_REFERENCES) for kind in (FrameKind.DARK, FrameKind.FLAT)
        }
        self._last_of: dict[FrameKind, int] = {}
        one = scan.select([0])
        self._empty = Projections(no_values((1, *one.shape)), one, kind="counts")
        self._chain: list[OneView] | None = None
        self._fault: str | None = None

    def take(self, reference: Frame) -> None:
        """Average a dark or flat into what views are divided by from now on."""
        taken = self._references[reference.kind]
        if reference.index <= self._last_of.get(reference.kind, -1):
            taken.clear()  # counted from the beginning again: others are taken
        self._last_of[reference.kind] = reference.index
        taken.append(reference.values)
        self._chain = None

    @property
    def waits_for(self) -> str | None:
        """What is missing before views can be made line integrals, in words; None: nothing."""
        if self._chain is None:
            self._fault, self._chain = self._worked_out()
        return self._fault

    def integrals(self, frame: Frame) -> Array:
        """(n_rows, n_columns) line integrals of a projection.

        Raises
        ------
        DataError
            where this one view cannot be used
        """
        if self.waits_for is not None:
            raise DataError(f"projection {frame.index}: {self.waits_for}.")
        one = replace(self._empty, values=np.asarray(frame.values)[None])
        for step in self._chain or ():
            one = step(one)
        values: Array = one.values[0]
        if not np.isfinite(values).all():
            raise DataError(
                f"projection {frame.index}: some line integrals are no finite numbers; switch the "
                "correction of bad pixels on."
            )
        return values

    def _worked_out(self) -> tuple[str | None, list[OneView]]:
        """Do all steps to an empty view, and keep what does them to others."""
        darks, flats = self._stacked(FrameKind.DARK), self._stacked(FrameKind.FLAT)
        chain: list[OneView] = []
        one = replace(self._empty, darks=darks, flats=flats)
        for step in self._steps:
            obstacle = step.obstacle(one)
            if obstacle is not None:
                if step.output_kind is not None and one.kind == "counts":
                    return obstacle, []
                continue
            try:
                chain.append(step.view_by_view(one, on=self._on))
            except DataError as e:
                return str(e).rstrip("."), []
            one = step.dry_run(one)
        if one.kind != "integrals":
            return f"the projections stay {one.kind}; switch flat field and logarithm on", []
        return None, chain

    def _stacked(self, kind: FrameKind) -> Array | None:
        taken = self._references[kind]
        return np.stack(tuple(taken)) if taken else None
