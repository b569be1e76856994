"""Base class of preprocessing steps: settings that correct projections."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, ClassVar, Self, get_args

import numpy as np
from numpy.typing import NDArray

from engine.core.backend import Backend
from engine.core.json_types import Plain
from engine.core.plugins import added
from engine.corrections.base import Correction, in_order
from engine.data.projections import Kind, Projections
from engine.geometry.xray import XrayGeometry

ORDER: tuple[Kind, ...] = get_args(Kind)
"""Kinds of projections, in the order in which steps produce them."""


class PreprocessStep(Correction[Projections]):
    """Correction of one effect of source or detector. Results are in `info` of the projections.

    A step that changes neither detector, views nor kind of the data implements only the methods of
    a correction. Other steps also describe their effect on the geometry, so that grid, memory and
    previews are known before any value is read.
    """

    output_kind: ClassVar[Kind | None] = None
    """Kind of the projections after the step; None if it is unchanged."""
    of_a_view: ClassVar[bool] = False
    """True if the step processes each projection independently."""
    of_a_row: ClassVar[bool] = False
    """True if the step needs only the sinograms of neighbouring rows."""
    sought: ClassVar[str] = ""
    """Setting that is determined from the projections if it is empty; "" if there is none."""

    @classmethod
    def is_done(cls, kind: Kind) -> bool:
        """Return True if projections of this kind have already had the step.

        Parameters
        ----------
        kind
            kind of the projections: counts, transmission or integrals

        Returns
        -------
        is_done
            False for steps that do not change the kind, because nothing shows if they were done
        """
        made = cls.output_kind
        return made is not None and ORDER.index(kind) >= ORDER.index(made)

    def is_needless(self, projections: Projections) -> bool:
        return self.on_demand or self.is_done(projections.kind)

    @property
    def takes_single_views(self) -> bool:
        """True if a single projection gives the same result as within the whole scan."""
        return self.of_a_view

    def view_by_view(
        self, scan: Projections, *, on: Backend
    ) -> Callable[[Projections], Projections]:
        """Return a function that applies the step to single projections of a scan.

        Quantities that depend on flat and dark fields are computed once. The values of the scan are
        not read.

        Parameters
        ----------
        scan
            the whole scan, for its flat and dark fields
        on
            device that computes
        """
        return lambda one: self.apply(one, on=on)

    @property
    def seeks(self) -> bool:
        """True if the step still has to determine a setting from the projections."""
        return bool(self.sought) and getattr(self, self.sought) is None

    def with_found(self, value: float | None) -> Self:
        """Return the step with the value that its search has found.

        Parameters
        ----------
        value
            value of the setting `sought`; None keeps the search pending
        """
        return self.model_copy(update={self.sought: value})

    def geometry(self, geometry: XrayGeometry) -> XrayGeometry:
        """Return source and detector after the step.

        Parameters
        ----------
        geometry
            geometry before the step

        Returns
        -------
        geometry
            only changes that follow from the settings. A step that searches its value returns the
            input.
        """
        return geometry

    def dry_run(self, scan: Projections) -> Projections:
        """Return the result of the step for a scan, without its values.

        Parameters
        ----------
        scan
            scan before the step; its values are not read

        Returns
        -------
        dry_run
            projections with the new geometry and kind. If the shape changes, the values are zeros
            that occupy no memory.
        """
        geometry = self.geometry(scan.geometry)
        kind = self.output_kind or scan.kind
        if (geometry.n_views, geometry.shape) == (scan.n_views, scan.geometry.shape):
            return replace(scan, geometry=geometry, kind=kind)
        return replace(
            scan,
            values=no_values((geometry.n_views, *geometry.shape)),
            geometry=geometry,
            kind=kind,
            # Fields of the old shape would not match the new detector.
            flats=None,
            darks=None,
            bad_pixels=None,
        )

    def rows_before(self, rows: range, geometry: XrayGeometry) -> range | None:
        """Return the rows before the step that are needed to compute `rows`.

        Parameters
        ----------
        rows
            rows of the detector after the step
        geometry
            geometry before the step

        Returns
        -------
        rows_before
            None if all rows are needed
        """
        # A step that keeps the number of rows is assumed to work within rows. Others override this.
        return rows if self.geometry(geometry).shape[0] == geometry.shape[0] else None

    def within_rows(self) -> Self:
        """Return the step for a scan that contains only `rows_before`."""
        return self

    def changed(self, projections: Projections, facts: Plain, **changes: Any) -> Projections:
        """Return the projections with changes, and facts about them in `info`.

        Parameters
        ----------
        projections
            projections before the step
        facts
            results to record under the kind of the step
        changes
            attributes to replace
        """
        return replace(projections, info={**projections.info, self.kind: facts}, **changes)

    def facts(self, projections: Projections) -> Plain:
        """Return the facts that this step has recorded; empty if it did not run.

        Parameters
        ----------
        projections
            projections after the step
        """
        message: Plain = projections.info.get(self.kind, {})
        return message


def no_values(shape: tuple[int, ...]) -> NDArray[np.float32]:
    """Return zeros that occupy no memory and are read-only."""
    # A stride of 0 lets every element share one float32.
    return np.broadcast_to(np.float32(0), shape)


def percent(part: float, whole: float) -> str:
    """Return a share in words, such as "0.02 %"."""
    share = 100 * part / max(whole, 1)
    return f"{share:.0f} %" if share >= 10 else f"{share:.2g} %"


def with_added_steps(own: tuple[type[PreprocessStep], ...]) -> tuple[type[PreprocessStep], ...]:
    """Return our steps together with those of plug-ins, in the order in which they run.

    Parameters
    ----------
    own
        our steps in their order
    """
    return in_order(own, added("steps", PreprocessStep, own=own))
