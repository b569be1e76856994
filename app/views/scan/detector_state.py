"""The shared state of the projection views: view, row, loaded images."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, Signal

from app.language.translation import tr
from app.views.colour import windows
from app.views.planes.plane_geometry import slice_index
from app.views.state import ViewState
from app.views.text import number
from engine.data import Volume
from engine.geometry import ImageGrid, Point, XrayGeometry
from engine.modalities import Part

UNITS = {"counts": "counts", "transmission": "transmission", "integrals": tr("line integral")}
THINNEST = 0.1
"""Least height of an image as a share of its width. Rows of flatter detectors are stretched."""


@dataclass(frozen=True)
class DetectorFrame:
    """A detector as it is drawn: columns to the right as stored, upwards in space is up.

    Attributes
    ----------
    n_views, shape : number of views; number of rows and columns
    pixel_mm : width and height of a pixel [mm]
    pixel_mm_known : False if the pixel size is unknown and set to 1 mm
    rows_up : True if row 0 is at the bottom
    from_source : True if the detector is seen from the source
    turned_deg : (n_views,) rotation of the source since the first view, counter-clockwise seen from
        +z
    height_mm : (n_views,) shift along the axis since the first view [mm]
    """

    n_views: int
    shape: tuple[int, int]
    pixel_mm: tuple[float, float]
    pixel_mm_known: bool
    rows_up: bool
    from_source: bool
    turned_deg: NDArray[np.float64]
    height_mm: NDArray[np.float64]

    @classmethod
    def of(cls, geometry: XrayGeometry, *, pixel_mm_known: bool) -> DetectorFrame:
        """Collect the detector data of a geometry.

        Parameters
        ----------
        geometry
            geometry of the scan; the first view decides how the detector is drawn
        pixel_mm_known
            False if the pixel size is unknown
        """
        u, v = geometry.u_mm[0], geometry.v_mm[0]
        rows_up = bool(v[2] > 0)
        ray = geometry.source_mm[0]
        if geometry.beam == "cone":
            ray = geometry.detector_mm[0] - geometry.source_mm[0]
        # The normal of the drawn image points to the viewer; its sign tells on which side the
        # source is.
        towards_eye = np.cross(u, v if rows_up else -v)
        # Without unwrapping, scans over more than one turn would jump back to 0°.
        turned = np.rad2deg(np.unwrap(geometry.angles_rad))
        path = geometry.source_mm if geometry.beam == "cone" else geometry.detector_mm
        return cls(
            n_views=geometry.n_views,
            shape=geometry.shape,
            pixel_mm=geometry.pixel_size_mm,
            pixel_mm_known=pixel_mm_known,
            rows_up=rows_up,
            from_source=bool(towards_eye @ ray < 0),
            turned_deg=turned - turned[0],
            height_mm=path[:, 2] - path[0, 2],
        )

    @property
    def taller(self) -> int:
        """Factor by which rows are stretched."""
        (n_rows, n_columns), (width, height) = self.shape, self.pixel_mm
        return max(1, round(THINNEST * n_columns * width / (n_rows * height)))

    @property
    def grid(self) -> ImageGrid:
        """The pixels as a grid one voxel deep, x along columns, y along rows, about the origin."""
        return ImageGrid((1, *self.shape), (*self.pixel_mm, 1.0))

    def angle_text(self, view: int) -> str:
        """Describe the rotation of a view, and its shift in a helical scan.

        Parameters
        ----------
        view
            index of the view
        """
        turned = number(round(float(self.turned_deg[view]), 2), 4)
        # Rounding errors of the geometry must not look like a helical scan.
        if np.ptp(self.height_mm) <= 1e-6 * max(1.0, float(np.abs(self.height_mm).max())):
            return tr("rotated by {angle}°", angle=turned)
        height = number(round(float(self.height_mm[view]), 2), 4)
        return tr(
            "rotated by {angle}°, moved by {height_mm} mm along z", angle=turned, height_mm=height
        )


class DetectorState(ViewState):
    """The displayed projection and sinogram. The cursor is a position on the detector.

    `place_changed` requests another view or row. Until it has been read, the last one stays visible
    with its number.
    """

    place_changed = Signal()
    sinogram_changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.colour_map = "grey"
        self.frame: DetectorFrame | None = None
        self.view = 0
        self.shown_view, self.shown_row = 0, 0
        self.bad: NDArray[np.bool_] | None = None
        self.sinogram: Part | None = None
        self.fault = ""
        self._unit_shown = ""

    @property
    def row(self) -> int:
        """The row of the cursor."""
        return slice_index(self.frame.grid, 1, self.cursor_mm[1]) if self.frame else 0

    @property
    def column(self) -> int:
        """The column of the cursor."""
        return slice_index(self.frame.grid, 0, self.cursor_mm[0]) if self.frame else 0

    def open(self, frame: DetectorFrame | None) -> None:
        """Show a scan, at its first view and the centre of its detector.

        Parameters
        ----------
        frame
            detector of the scan; None without a scan
        """
        self.frame, self.view, self.fault = frame, 0, ""
        self.bad = self.sinogram = None
        self._unit_shown = ""
        self.set_volume(None)
        self.set_cursor((0.0, 0.0, 0.0))
        self.place_changed.emit()
        self.sinogram_changed.emit()

    def go_to_view(self, view: int) -> None:
        """Request another view.

        Parameters
        ----------
        view
            its index; clipped to the existing views
        """
        if self.frame is None:
            return
        view = min(max(view, 0), self.frame.n_views - 1)
        if view != self.view:
            self.view = view
            self.place_changed.emit()

    def set_cursor(self, point_mm: Point) -> None:
        before = self.row
        if self.frame is not None:
            # The cursor marks pixel centres, so it ends half a pixel before the edge.
            width, height = (n / 2 * p for n, p in zip(*self._sides(self.frame), strict=True))
            x, y = float(np.clip(point_mm[0], -width, width)), point_mm[1]
            point_mm = (x, float(np.clip(y, -height, height)), 0.0)
        super().set_cursor(point_mm)
        if self.row != before:
            self.place_changed.emit()

    def show_projection(self, view: int, part: Part) -> None:
        """Show a projection.

        Parameters
        ----------
        view
            index of the view
        part
            its values and bad pixels
        """
        if self.frame is None:
            return
        self.shown_view, self.bad, self.fault = view, part.bad, ""
        self.set_volume(Volume(part.values[None], self.frame.grid, UNITS[part.kind]))

    def show_sinogram(self, row: int, part: Part) -> None:
        """Show a sinogram.

        Parameters
        ----------
        row
            detector row
        part
            its values and bad pixels
        """
        # The first sinogram shows all views, so its values improve the window of the projection.
        is_first = self.sinogram is None or self.sinogram.kind != part.kind
        self.shown_row, self.sinogram = row, part
        if is_first:
            self.auto_window()
        self.sinogram_changed.emit()

    def show_fault(self, text: str) -> None:
        """Show why there is no image.

        Parameters
        ----------
        text
            sentence for the user
        """
        self.fault, self.sinogram = text, None
        self.set_volume(None)
        self.sinogram_changed.emit()

    def value_text(self, view: int, row: int, column: int) -> str:
        """Describe position and value of a pixel.

        Parameters
        ----------
        view, row, column
            indices of the pixel

        Returns
        -------
        empty if neither displayed image contains it
        """
        value: float | None = None
        # Only displayed data are read: a new projection would have to be loaded from the file.
        if self.volume is not None and view == self.shown_view:
            value = float(self.volume.values[0, row, column])
        elif self.sinogram is not None and row == self.shown_row:
            value = float(self.sinogram.values[view, column])
        if value is None:
            return ""
        # Counts are integers and should be shown completely. The others have no unit.
        is_counts = self.unit == UNITS["counts"]
        text = f"{number(value, 6)} {self.unit}" if is_counts else f"{self.unit} {number(value, 4)}"
        is_bad = self.bad is not None and bool(self.bad[row, column])
        template = (
            tr("view {view}, column {column}, row {row}: {value} (bad pixel)")
            if is_bad
            else tr("view {view}, column {column}, row {row}: {value}")
        )
        return template.format(
            view=view + 1,
            column=column,
            row=row,
            value=text,
        )

    def auto_window(self) -> None:
        """Set a window that shows most of the projection, and of all views in the sinogram."""
        if self.volume is None:
            return
        parts = [windows.sample(self.volume.values)]
        # Both images share one window, but only if they have the same quantity.
        if self.sinogram is not None and UNITS[self.sinogram.kind] == self.unit:
            parts.append(windows.sample(self.sinogram.values))
        self.set_window(*windows.auto_window(np.concatenate(parts), self.unit))

    def reset(self) -> None:
        self.set_cursor((0.0, 0.0, 0.0))
        self.auto_window()
        self.fit_requested.emit()

    def _fit_to_volume(self, before: Volume | None, volume: Volume, keep_window: bool) -> None:
        # The window stays while the user moves through the views of one scan.
        if self._unit_shown != volume.unit:
            self._unit_shown = volume.unit
            self.auto_window()

    @staticmethod
    def _sides(frame: DetectorFrame) -> tuple[tuple[int, int], tuple[float, float]]:
        n_rows, n_columns = frame.shape
        return (n_columns - 1, n_rows - 1), frame.pixel_mm
