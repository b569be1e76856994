"""Projections of an X-ray scan with their geometry and kind."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal, Self, get_args

import numpy as np
from numpy.typing import NDArray

from engine.core.arrays import Array, module_of, n_not_finite
from engine.core.errors import DataError, GeometryError
from engine.core.json_types import Plain
from engine.data.storage.columns import MEMORY, ColumnStorage
from engine.geometry.xray import XrayGeometry

Kind = Literal["counts", "transmission", "integrals"]

_BLOCK = 32
"""Views looked at together."""


@dataclass(frozen=True, eq=False)
class Projections:
    """An X-ray scan, and the corrections prepared so far.

    Attributes
    ----------
    values : (n_views, n_rows, n_columns); of the host or of a device
    geometry : source and detector of each view
    kind : "counts" of the detector, "transmission" (1 in air) or "integrals" of attenuation
    flats : (n, n_rows, n_columns) counts of the open beam; None: not taken
    darks : (n, n_rows, n_columns) counts without beam; None: not taken
    bad_pixels : (n_rows, n_columns) pixels known to tell nothing; None: none known
    pixel_mm_known : False where one pixel is taken as 1 mm, so that attenuation is per pixel
    calibrated : True if the file says where the axis is seen, so that it is not looked for
    info : what the file says of the scan, and each correction of its work, for provenance;
        "flat_views" holds for each flat the number of the view that followed it
    notes : notes of the reader, one sentence each
    auxiliary : contents of further files of the study, by the key of their role
    storage : where further values of the scan's size are put: memory, or files of our own

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
    kind: Kind
    flats: Array | None = None
    darks: Array | None = None
    bad_pixels: NDArray[np.bool_] | None = None
    pixel_mm_known: bool = True
    calibrated: bool = False
    info: Plain = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    auxiliary: Mapping[str, Any] = field(default_factory=dict)
    storage: ColumnStorage = field(default=MEMORY, repr=False)

    def __post_init__(self) -> None:
        if self.kind not in get_args(Kind):
            raise DataError(
                f'projections have the kind "{self.kind}", expected one of '
                f"{', '.join(get_args(Kind))}."
            )
        rows, columns = pixels = self.geometry.shape
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
                    f"{what} fields have shape {fields.shape}, expected (n, {rows}, "
                    f"{columns}) as in the projections; give fields with the same "
                    "binning and region."
                )
        if self.bad_pixels is not None and self.bad_pixels.shape != pixels:
            raise GeometryError(
                f"bad pixels have shape {self.bad_pixels.shape}, but the detector has "
                f"{rows} × {columns} pixels (rows × columns); give the map of this "
                "detector."
            )

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
        """Values that are NaN or infinite."""
        n = 0
        for k in range(0, self.n_views, _BLOCK):
            n += n_not_finite(self.values[k : k + _BLOCK])
            self.storage.rest()
        return n

    def empty(self, shape: tuple[int, ...]) -> Array:
        """Return float32 values to be filled, where those of the scan are."""
        xp = module_of(self.values)
        if xp is np:
            return self.storage.empty(shape, np.float32)
        return xp.empty(shape, np.float32)

    def select(self, views: Any) -> Self:
        """Return the same scan with only some views: a slice, mask or indices."""
        info = info_of(self.info, np.arange(self.n_views)[views])
        geometry = self.geometry.select(views)
        return replace(self, values=self.values[views], geometry=geometry, info=info)


def info_of(info: Plain, chosen: NDArray[np.integer]) -> Plain:
    """Return what is known of a scan of which only the views `chosen` are left."""
    if "flat_views" not in info:
        return info
    flat_views = np.asarray(info["flat_views"])
    return {**info, "flat_views": (chosen[:, None] < flat_views).sum(axis=0).tolist()}
