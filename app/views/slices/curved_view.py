"""The straightened image along a curve (curved planar reformation)."""

from __future__ import annotations

from PySide6.QtCore import QPointF, Signal
from PySide6.QtWidgets import QWidget

from app.language.translation import tr
from app.views.colour.raster import Raster
from app.views.colour.raster_view import RasterView
from app.views.colour.volume_colours import VolumeAppearance
from app.views.gestures import Drag, PointDrag
from app.views.overlay import BETWEEN
from app.views.state import ViewState
from app.views.text import millimetres
from engine.analysis.quality import CurvedPlane
from engine.data import Volume
from engine.geometry import Edges, Point, Rect

NAME = tr("View along the curve")


class CurvedView(RasterView):
    """Shows the image along a curve in the displayed volume.

    `pointed` carries the position (x, y, z) [mm] that was clicked.
    """

    pointed = Signal(object)
    has_letters = has_crosshair = False

    def __init__(self, state: ViewState, parent: QWidget | None = None) -> None:
        super().__init__(state, NAME, parent)
        self._made: CurvedPlane | None = None
        self._detail = ""

    def show_plane(self, made: CurvedPlane | None, note: str = "") -> None:
        """Show another image.

        Parameters
        ----------
        made
            the image and its positions; None without a curve
        note
            description for the caption
        """
        self._made, self._detail = made, note
        self.forget_raster()

    @property
    def _is_turned(self) -> bool:
        """True if the last row is on top, because z points to the head."""
        made = self._made
        return made is not None and made.axis == 2 and not self.state.axes.endswith("I")

    def make_raster(self, volume: Volume) -> Raster:
        made = self._made
        if made is None:
            # A base class needs a raster even without a curve; one black pixel serves.
            return Raster.of(volume.values[0, :1, :1] * 0, self.image_rect(volume))
        values = made.values[::-1] if self._is_turned else made.values
        return Raster.of(values.copy(), self.image_rect(volume))

    def image_rect(self, volume: Volume) -> Rect:
        made = self._made
        if made is None:
            return Rect(0, 0, 1, 1)
        rows, columns = made.values.shape
        return Rect(0, 0, columns * made.pixel_mm[1], rows * made.pixel_mm[0])

    def edges(self) -> Edges:
        return Edges("", "", "", "")

    def cursor_uv(self) -> tuple[float, float]:
        return 0.0, 0.0

    def caption(self) -> str:
        if self._made is None:
            return NAME
        long = f"{millimetres(self._made.length_mm)} {self.state.length_unit}"
        return BETWEEN.join(filter(None, (f"{NAME}   {long}", self._detail)))

    def dragged_appearance(self, *, upper: bool) -> VolumeAppearance:
        return self.state

    def primary_drag(self, at: QPointF) -> Drag:
        return PointDrag(self._emit_position)

    def _emit_position(self, at: QPointF) -> None:
        place = self.place_at(at)
        if place is not None:
            self.pointed.emit(place)

    def place_at(self, at: QPointF) -> Point | None:
        """Return the position in the volume under a position in the view.

        Parameters
        ----------
        at
            position in the view [px]

        Returns
        -------
        (x, y, z) [mm]; None without an image
        """
        made, volume = self._made, self.state.volume
        if made is None or volume is None:
            return None
        u, v = self.to_mm(at)
        rows, columns = made.values.shape
        # Positions outside the image are clipped, so that a drag may leave it.
        row = min(max(int(v / made.pixel_mm[0]), 0), rows - 1)
        row = rows - 1 - row if self._is_turned else row
        # `points_mm` is shared with the image, so it is copied before the change.
        place = made.points_mm[min(max(int(u / made.pixel_mm[1]), 0), columns - 1)].copy()
        place[made.axis] = volume.grid.centres_mm(made.axis)[row]
        return float(place[0]), float(place[1]), float(place[2])

    def step(self, n_notches: int) -> None:
        """Do nothing: there is no slice behind the image."""

    def step_arrow(self, right: int, down: int) -> None:
        """Do nothing: the cursor moves in the slices."""
