"""Average neighbouring pixels and views."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from engine.core.backend import Backend
from engine.core.backend.gpu import Array
from engine.core.settings import setting
from engine.corrections.preprocess.base import PreprocessStep
from engine.corrections.preprocess.blocks import in_blocks
from engine.data.projections import Projections
from engine.geometry.xray import XrayGeometry


class Binning(PreprocessStep):
    """Means over k × k pixels and over neighbouring views. Incomplete groups are dropped."""

    title: ClassVar[str] = "Binning"
    kind: ClassVar[str] = "binning"
    since: ClassVar[int | None] = 1
    on_demand: ClassVar[bool] = True
    pixels: int = setting(
        1, "Number of pixels to average along each axis", label="Pixels", ge=1, le=16
    )
    views: int = setting(1, "Number of neighbouring views to average", label="Views", ge=1, le=16)

    @property
    def takes_single_views(self) -> bool:
        return self.views == 1

    def obstacle(self, projections: Projections) -> str | None:
        """Return why nothing is binned.

        Returns
        -------
        obstacle
            factor 1, or a detector or scan that is too small; None if binning is possible
        """
        if self.pixels == 1 and self.views == 1:
            return "the binning factor is 1; choose pixels or views"
        if min(projections.shape[1:]) < self.pixels:
            return f"the detector has fewer than {self.pixels} rows or columns"
        if projections.n_views < self.views:
            return f"the scan has fewer than {self.views} views"
        return None

    def geometry(self, geometry: XrayGeometry) -> XrayGeometry:
        """Return the geometry of the binned detector and views.

        Returns
        -------
        geometry
            larger pixels with the same outer edges; views at the mean angle of each group
        """
        binned = geometry.binned(self.pixels) if self.pixels > 1 else geometry
        return _grouped_views(binned, self.views)

    def rows_before(self, rows: range, geometry: XrayGeometry) -> range:
        """Return the rows that are averaged into `rows`.

        Returns
        -------
        rows_before
            a range that ends at the detector: an incomplete group at its edge is dropped
        """
        last = min(self.pixels * rows.stop, geometry.shape[0])
        return range(self.pixels * rows.start, last)

    def apply(self, projections: Projections, *, on: Backend) -> Projections:
        """Return projections averaged over pixels and views.

        Returns
        -------
        projections
            new float32 values with the binned geometry, flat fields, dark fields and map of bad
            pixels
        """
        k, values = self.pixels, projections.values
        n_views, n_rows, n_cols = (
            projections.n_views // self.views,
            projections.shape[1] // k,
            projections.shape[2] // k,
        )
        out = projections.empty((n_views, n_rows, n_cols))

        def work(views: slice) -> None:
            last = min(views.stop // self.views, n_views)
            pixels = _binned(values[views], k)
            n = last - views.start // self.views
            grouped = pixels[: n * self.views].reshape(n, self.views, n_rows, n_cols)
            out[views.start // self.views : last] = grouped.mean(axis=1)

        # Blocks must begin at a multiple of `views`, or a group would be split between two blocks.
        in_blocks(work, values, on=on, keep_order=self.views, storage=projections.storage)
        facts = {"pixels": k, "views": self.views}
        return self.changed(
            projections,
            facts,
            values=out,
            geometry=self.geometry(projections.geometry),
            flats=_binned_fields(projections.flats, k),
            darks=_binned_fields(projections.darks, k),
            bad_pixels=_binned_map(projections.bad_pixels, k),
        )

    def summary(self, before: Projections, after: Projections) -> str:
        def size(p: Projections) -> str:
            return f"{p.n_views} views of {p.shape[1]} × {p.shape[2]} pixels"

        return f"{size(before)} binned to {size(after)}"


def _binned(values: Array, k: int) -> Array:
    """Means over k × k pixels of (n, rows, cols), float32."""
    n, n_rows, n_cols = values.shape[0], values.shape[1] // k, values.shape[2] // k
    # Reshape gives every group its own axes; the mean then needs no loop.
    whole = values[:, : n_rows * k, : n_cols * k].reshape(n, n_rows, k, n_cols, k)
    return whole.mean(axis=(2, 4), dtype=np.float32)


def _binned_fields(fields: NDArray[Any] | None, k: int) -> NDArray[Any] | None:
    return None if fields is None else _binned(fields, k)


def _binned_map(bad: NDArray[np.bool_] | None, k: int) -> NDArray[np.bool_] | None:
    # One bad pixel spoils the whole group: its value is part of the mean.
    return None if bad is None else _binned(bad[None], k)[0] > 0


def _grouped_views(geometry: XrayGeometry, k: int) -> XrayGeometry:
    """Return the geometry of means over k views, at the middle of each group on the circle."""
    n = geometry.n_views // k
    if k == 1:
        return geometry

    def mean(vectors: NDArray[np.floating]) -> NDArray[np.float64]:
        grouped = vectors[: n * k].reshape(n, k, 3)
        middle = grouped.mean(axis=1)
        radius = np.linalg.norm(grouped[..., :2], axis=2).mean(axis=1)
        # The mean of points on a circle is inside it. Scaling to the mean radius puts it back.
        chord = np.linalg.norm(middle[:, :2], axis=1)
        scale = np.divide(radius, chord, out=np.ones(n), where=chord > 0)
        middle[:, :2] *= scale[:, None]
        return middle

    return replace(
        geometry,
        source_mm=mean(geometry.source_mm),
        detector_mm=mean(geometry.detector_mm),
        u_mm=mean(geometry.u_mm),
        v_mm=mean(geometry.v_mm),
    )
