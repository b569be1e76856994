"""Crop the detector."""

from __future__ import annotations

from typing import Any, ClassVar, Self

from engine.core.backend import Backend
from engine.core.errors import DataError
from engine.core.settings import setting
from engine.corrections.preprocess.base import PreprocessStep
from engine.data.projections import Projections
from engine.geometry.xray import XrayGeometry

Span = tuple[int, int]


class Crop(PreprocessStep):
    """A rectangle of the detector: rows and columns from the first to before the last."""

    title: ClassVar[str] = "Crop"
    kind: ClassVar[str] = "crop"
    since: ClassVar[int | None] = 1
    on_demand: ClassVar[bool] = True
    rows: Span | None = setting(
        None,
        "Range of rows to keep: the first row, and the first row after the range",
        unit="pixels",
    )
    columns: Span | None = setting(
        None,
        "Range of columns to keep: the first column, and the first column after the range",
        unit="pixels",
    )

    # A crop only changes positions, so a single view gives the same result.
    @property
    def takes_single_views(self) -> bool:
        return True

    def obstacle(self, projections: Projections) -> str | None:
        if self.rows is None and self.columns is None:
            return "no rows or columns are selected, so the whole detector is used"
        return None

    def geometry(self, geometry: XrayGeometry) -> XrayGeometry:
        return geometry.cropped(*self._crop_slices(geometry.shape))

    def rows_before(self, rows: range, geometry: XrayGeometry) -> range:
        """Return the rows of the full detector that `rows` come from.

        Returns
        -------
        rows_before
            a range of equal length, shifted by the first row of the crop
        """
        first = self._crop_slices(geometry.shape)[0].start
        return range(first + rows.start, first + rows.stop)

    def within_rows(self) -> Self:
        # The rows are cropped already. If no columns are left to crop, the step must not report an
        # obstacle.
        use = "off" if self.columns is None else self.use
        return self.model_copy(update={"rows": None, "use": use})

    def apply(self, projections: Projections, *, on: Backend) -> Projections:
        """Return the cropped projections.

        Returns
        -------
        projections
            views of the same memory. Flat fields, dark fields and bad pixels are cropped alike.

        Raises
        ------
        DataError
            if the crop exceeds the detector
        """
        rows, columns = self._crop_slices(projections.geometry.shape)

        def cut(fields: Any) -> Any:
            return None if fields is None else fields[..., rows, columns]

        facts = {"rows": [rows.start, rows.stop], "columns": [columns.start, columns.stop]}
        return self.changed(
            projections,
            facts,
            values=cut(projections.values),
            geometry=self.geometry(projections.geometry),
            flats=cut(projections.flats),
            darks=cut(projections.darks),
            bad_pixels=cut(projections.bad_pixels),
        )

    def _crop_slices(self, shape: tuple[int, int]) -> tuple[slice, slice]:
        """Return the slices of rows and columns to use, for a detector of this shape."""
        return _slice("rows", self.rows, shape[0]), _slice("columns", self.columns, shape[1])

    def summary(self, before: Projections, after: Projections) -> str:
        (_, n_rows, n_cols), (_, n_used_rows, n_used_columns) = before.shape, after.shape
        return f"{n_used_rows} of {n_rows} rows and {n_used_columns} of {n_cols} columns used"


def _slice(name: str, span: Span | None, n: int) -> slice:
    # Python would clip an excessive slice silently, and the crop would be smaller than entered.
    first, last = span or (0, n)
    if not 0 <= first < last <= n:
        raise DataError(
            f"Crop ({name}): {first} to {last} is not inside the detector, expected 0 to {n}; "
            f"choose 0 <= first < last <= {n}."
        )
    return slice(first, last)
