"""Projections of an X-ray scan with their geometry and kind."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal, Self, get_args

import numpy as np
from numpy.typing import NDArray

from engine.core.arrays import Array, module_of, n_not_finite
from engine.core.checked import checked_class
from engine.core.errors import DataError, GeometryError
from engine.core.interactive import Described
from engine.core.json_types import Plain
from engine.data.storage.columns import MEMORY, ColumnStorage
from engine.geometry.xray import XrayGeometry

Kind = Literal["counts", "transmission", "integrals"]

_BLOCK = 32
"""Views that one step reads."""


@checked_class()
@dataclass(frozen=True, eq=False, repr=False)
class Projections(Described):
    """An X-ray scan, and the corrections prepared so far.

    Attributes
    ----------
    values : (n_views, n_rows, n_columns), on the host or on a device; (n_views, n_columns) for a
        detector of one row
    geometry : source and detector of each view
    kind : "counts" of the detector, "transmission" (1 in air) or "integrals" of attenuation, the
        negative logarithm of the transmission
    flats : (n, n_rows, n_columns) counts of the open beam; None: not taken
    darks : (n, n_rows, n_columns) counts without beam; None: not taken
    bad_pixels : (n_rows, n_columns) True for defective pixels; None: none known
    pixel_mm_known : False if a pixel counts as 1 mm, so that attenuation is per pixel
    calibrated : True if the file states the rotation axis, so that it is not estimated
    info : facts of the scan from its file, and results of each correction, for provenance;
        "flat_views" is the number of the view after each flat
    notes : notes of the reader, one sentence each
    auxiliary : contents of further files of the study, by the key of their role
    storage : storage for more arrays of this size: memory, or our own files

    Examples
    --------
    >>> import numpy as np, engine
    >>> orbit = engine.circular_cone(
    ...     [0.0, 1.0], source_axis_mm=500, source_detector_mm=800, shape=(8, 24), pixel_mm=4
    ... )
    >>> values = np.zeros((2, 8, 24), np.float32)
    >>> engine.Projections(values, orbit, kind="integrals").n_views
    2
    """

    values: Array
    geometry: XrayGeometry
    kind: Kind = "integrals"
    flats: Array | None = None
    darks: Array | None = None
    bad_pixels: NDArray[np.bool_] | None = None
    pixel_mm_known: bool = True
    calibrated: bool = False
    info: Plain = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    auxiliary: Mapping[str, Any] = field(default_factory=dict)
    storage: ColumnStorage = field(default=MEMORY, compare=False)

    def __post_init__(self) -> None:
        if self.kind not in get_args(Kind):
            raise DataError(
                f'the projections are of kind "{self.kind}", expected one of '
                f"{', '.join(get_args(Kind))}."
            )
        rows, columns = pixels = self.geometry.shape
        if rows == 1 and self.values.ndim == 2:
            # The sinogram of a fan or of parallel rays in one plane.
            object.__setattr__(self, "values", self.values[:, None])
        # Checked on construction: a wrong detector size would shift all rays without any error.
        if self.values.ndim != 3 or self.values.shape[1:] != pixels:
            raise GeometryError(
                f"projections have shape {self.values.shape} (view, row, column), but "
                f"the detector has {rows} × {columns} pixels (rows × columns); choose "
                "the geometry of this scan."
            )
        if len(self.values) != self.geometry.n_views:
            raise GeometryError(
                f"there are {len(self.values)} projections, but the geometry has "
                f"{self.geometry.n_views} views; choose the geometry of this scan."
            )
        for what, fields in (("flat", self.flats), ("dark", self.darks)):
            if fields is not None and (fields.ndim != 3 or fields.shape[1:] != pixels):
                raise GeometryError(
                    f"the fields {what!r} have shape {fields.shape}, expected (n, {rows}, "
                    f"{columns}) as in the projections; give fields with the same "
                    "binning and region."
                )
        if self.bad_pixels is not None and self.bad_pixels.shape != pixels:
            raise GeometryError(
                f"bad pixels have shape {self.bad_pixels.shape}, but the detector has {rows} × "
                f"{columns} pixels (rows × columns); use the bad-pixel map of this detector."
            )

    def facts(self) -> Mapping[str, str]:
        return {"views": f"{self.n_views} views", "kind": self.kind, **self.geometry.facts()}

    @property
    def n_views(self) -> int:
        """Number of views."""
        return len(self.values)

    @property
    def shape(self) -> tuple[int, int, int]:
        """(n_views, n_rows, n_columns)."""
        n_views, n_rows, n_columns = self.values.shape
        return n_views, n_rows, n_columns

    @cached_property
    def n_not_finite(self) -> int:
        """Number of values that are NaN or infinite."""
        n = 0
        for k in range(0, self.n_views, _BLOCK):
            # Piece by piece: a scan can be larger than the memory.
            n += n_not_finite(self.values[k : k + _BLOCK])
            self.storage.release_pages()
        return n

    def empty(self, shape: tuple[int, ...]) -> Array:
        """Return uninitialised float32 values on the same device and storage as the scan.

        Parameters
        ----------
        shape
            shape of the array
        """
        xp = module_of(self.values)
        if xp is np:
            return self.storage.empty(shape, np.float32)
        return xp.empty(shape, np.float32)

    def select(self, views: Any) -> Self:
        """Return the scan with some of its views.

        Parameters
        ----------
        views
            slice, mask or indices
        """
        # Flat fields refer to view numbers, which change with the selection.
        info = info_of(self.info, np.arange(self.n_views)[views])
        geometry = self.geometry.select(views)
        return replace(self, values=self.values[views], geometry=geometry, info=info)


def info_of(info: Plain, chosen: NDArray[np.integer]) -> Plain:
    """Return the facts of a scan after a selection of views.

    Parameters
    ----------
    info
        facts of the whole scan
    chosen
        numbers of the selected views

    Returns
    -------
    facts with "flat_views" renumbered
    """
    if "flat_views" not in info:
        return info
    # Number of selected views before each flat, which is its new position.
    flat_views = np.asarray(info["flat_views"])
    return {**info, "flat_views": (chosen[:, None] < flat_views).sum(axis=0).tolist()}
