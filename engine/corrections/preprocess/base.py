"""Base class of preprocessing steps: settings that correct projections."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, ClassVar, Self, get_args

import numpy as np
from numpy.typing import NDArray

from engine.core.backend import Backend
from engine.core.json_types import Plain
from engine.corrections.base import Correction
from engine.data.projections import Kind, Projections
from engine.geometry.xray import XrayGeometry

ORDER: tuple[Kind, ...] = get_args(Kind)
"""Kinds of projections, in the order in which steps make one of another."""


class PreprocessStep(Correction[Projections]):
    """Correction of one effect of source or detector. Results are in `info` of the projections.

    A step that leaves detector, views and kind of the data as they are needs no more than a
    correction does. Others say what they do, so that grid, memory and previews follow before any
    value is read.
    """

    output_kind: ClassVar[Kind | None] = None
    """Kind of the projections after the step; None: as before."""
    of_a_view: ClassVar[bool] = False
    """True if the step needs no more than one projection."""
    of_a_row: ClassVar[bool] = False
    """True if the step needs no more than the sinograms of neighbouring rows."""
    sought: ClassVar[str] = ""
    """Setting that is found from the projections where it is left out; empty: none is."""

    @classmethod
    def is_done(cls, kind: Kind) -> bool:
        """Return True if projections of a kind come with this step done."""
        made = cls.output_kind
        return made is not None and ORDER.index(kind) >= ORDER.index(made)

    def is_needless(self, projections: Projections) -> bool:
        return self.on_demand or self.is_done(projections.kind)

    @property
    def takes_single_views(self) -> bool:
        """True if one projection after the other becomes what it becomes among all of the scan."""
        return self.of_a_view

    def view_by_view(
        self, scan: Projections, *, on: Backend
    ) -> Callable[[Projections], Projections]:
        """Return what does the step to single projections of a scan.

        What hangs on the scan's flats and darks is worked out once; its values are not looked at.
        """
        return lambda one: self.apply(one, on=on)

    @property
    def seeks(self) -> bool:
        """True if the step has yet to find a value in the projections."""
        return bool(self.sought) and getattr(self, self.sought) is None

    def with_found(self, value: float | None) -> Self:
        """Return the step with the value that it seeks."""
        return self.model_copy(update={self.sought: value})

    def geometry(self, geometry: XrayGeometry) -> XrayGeometry:
        """Return source and detector after the step, as far as they do not hang on the values."""
        return geometry

    def dry_run(self, scan: Projections) -> Projections:
        """Return what the step makes of a scan whose values take no memory."""
        geometry = self.geometry(scan.geometry)
        kind = self.output_kind or scan.kind
        if (geometry.n_views, geometry.shape) == (scan.n_views, scan.geometry.shape):
            return replace(scan, geometry=geometry, kind=kind)
        return replace(
            scan,
            values=no_values((geometry.n_views, *geometry.shape)),
            geometry=geometry,
            kind=kind,
            flats=None,
            darks=None,
            bad_pixels=None,
        )

    def rows_before(self, rows: range, geometry: XrayGeometry) -> range | None:
        """Rows of the detector before the step from which it makes `rows`; None: all of them.

        `geometry` is that before the step.
        """
        return rows if self.geometry(geometry).shape[0] == geometry.shape[0] else None

    def within_rows(self) -> Self:
        """Return the step for a scan of which no other rows than `rows_before` are left."""
        return self

    def changed(self, projections: Projections, facts: Plain, **changes: Any) -> Projections:
        """Return the projections with `changes`, and `facts` in their `info` under the kind."""
        return replace(projections, info={**projections.info, self.kind: facts}, **changes)

    def facts(self, projections: Projections) -> Plain:
        """Return what this step told about projections it made; empty where it did not run."""
        message: Plain = projections.info.get(self.kind, {})
        return message


def no_values(shape: tuple[int, ...]) -> NDArray[np.float32]:
    """Zeros that take no memory; they cannot be written to."""
    return np.broadcast_to(np.float32(0), shape)


def percent(part: float, whole: float) -> str:
    """Share in plain words: "0.02 %"."""
    share = 100 * part / max(whole, 1)
    return f"{share:.0f} %" if share >= 10 else f"{share:.2g} %"
