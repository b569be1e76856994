"""Slices and projections as pictures for print: head at the top, without texts of the screen."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QPoint
from PySide6.QtGui import QImage

from app.views import overlay
from app.views.colour.raster import Raster
from app.views.colour.raster_view import RasterView
from app.views.slices.mip_view import MipView
from app.views.slices.slice_view import SliceView
from app.views.state import ViewState
from app.views.viewport import Viewport
from engine.geometry import Orientation, Rect, orientation

WIDTH_PX = 400
"""Width in pixels of the screen, which decides the size of letters and lines in print."""
SHARPNESS = 2.5
"""Pixels of the picture for each pixel of the screen: 1000 on 83 mm are 306 dpi."""
MARGIN_PX = 16.0
"""Space for the letters around the image."""
MIN_SHAPE, MAX_SHAPE = 0.75, 1.25
"""Limits of height over width, so that two pictures fit next to each other on a page."""


def is_printable(view: RasterView) -> bool:
    """Return True if a view can become a picture for print: a slice or the projection.

    Parameters
    ----------
    view
        the view
    """
    return isinstance(view, SliceView | MipView)


def printed(view: RasterView) -> QImage:
    """Return a view as a picture for print.

    Window, colour map, zoom, second volume, regions and annotations are those on the screen.

    Parameters
    ----------
    view
        slice or projection with a volume
    """
    made: RasterView
    if isinstance(view, MipView):
        made = _PrintedProjection(view)
    elif isinstance(view, SliceView):
        made = _PrintedSlice(view)
    else:
        raise TypeError(f"{type(view).__name__} cannot be printed")
    try:
        return _paint_for_print(made, view)
    finally:
        made.deleteLater()


def _paint_for_print(made: RasterView, view: RasterView) -> QImage:
    shown, volume = view.viewport, view.state.volume
    if shown is None or volume is None:
        raise RuntimeError("a view without a volume cannot be printed")
    rect, shows_all = made.image_rect(volume), _shows_all(shown, view.image_rect(volume))
    # The whole image fills its picture, without the empty borders of a wide view.
    shape = rect.height / rect.width if shows_all else shown.size[1] / shown.size[0]
    size = WIDTH_PX, round(WIDTH_PX * min(max(shape, MIN_SHAPE), MAX_SHAPE))
    made.resize(*size)
    if not shows_all and made.viewport is not None:  # it begins fitted
        # At least the part on the screen is visible in a picture of another shape.
        scale = min(new / old for new, old in zip(size, shown.size, strict=True))
        at = made.centre_of(shown) if isinstance(made, _PrintedSlice) else shown.centre
        made.show_part(Viewport(at, shown.px_per_mm * scale, size))
    width, height = (round(length * SHARPNESS) for length in size)
    image = QImage(width, height, QImage.Format.Format_RGB32)
    image.setDevicePixelRatio(SHARPNESS)
    made.render(image, QPoint())
    return image


def _shows_all(shown: Viewport, rect: Rect) -> bool:
    """Return True if a view shows the whole image."""
    left, top = shown.to_px(rect.u, rect.v)
    right, bottom = shown.to_px(rect.u + rect.width, rect.v + rect.height)
    width, height = shown.size
    # Rounding must not turn a fitted view into a zoomed one.
    return left >= -0.5 and top >= -0.5 and right <= width + 0.5 and bottom <= height + 0.5


class _PrintedSlice(SliceView):
    """A slice without texts and handles. A rotation that puts the head elsewhere is left out."""

    shows_handles = False
    margin_px = MARGIN_PX

    def __init__(self, view: SliceView) -> None:
        self._point = view.plane_point
        self._turned = view.orientation
        super().__init__(view.state, view.plane, part=view.part)

    @property
    def plane_point(self) -> tuple[float, float, float]:
        return self._point

    def _current_orientation(self) -> Orientation:
        state: ViewState = self.state
        upright = orientation(self.plane, state.convention, state.axes)
        # Axial slices have no head, and a mirrored plane has it at the top.
        is_headed = self.plane == "axial" or self._turned.edges.top == upright.edges.top
        return self._turned if is_headed else upright

    def centre_of(self, shown: Viewport) -> tuple[float, float]:
        """Return the centre of the visible part of the view, on the plane of this picture [mm].

        Parameters
        ----------
        shown
            visible part of the view on the screen
        """
        u, v = shown.centre
        return self._orientation.to_screen(self._turned.to_patient(u, v, 0.0))

    def shows_crosshair(self) -> bool:
        # A crosshair would cover the finding.
        return False

    def _notes(self, raster: Raster) -> overlay.Notes:
        return replace(super()._notes(raster), caption="", readout="", warning="", note="")


class _PrintedProjection(MipView):
    """The projection without texts, from the same direction."""

    margin_px = MARGIN_PX

    def __init__(self, view: MipView) -> None:
        super().__init__(view.state)
        self._degrees, self._projector, self._gain = view._degrees, view._projector, view._gain

    def shows_crosshair(self) -> bool:
        return False

    def _notes(self, raster: Raster) -> overlay.Notes:
        return replace(super()._notes(raster), caption="", readout="", warning="", note="")
