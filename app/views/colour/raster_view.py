"""The base class of slice and projection views.

Nothing is computed before it is painted. Signals only mark a view as stale. A hidden view is never
painted and costs nothing. Several signals between two redraws cause one computation.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFocusEvent,
    QImage,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QWheelEvent,
)
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.language.translation import tr
from app.views import overlay
from app.views.colour.colours import ViewColours
from app.views.colour.raster import Raster
from app.views.colour.scaled_image import ScaledImage
from app.views.colour.volume_colours import VolumeAppearance
from app.views.colour.windows import Window
from app.views.gestures import Drag, PanDrag, WheelNotches, WindowDrag
from app.views.pane_content import PaneContent
from app.views.slices.magnifier import Magnifier
from app.views.state import ViewState
from app.views.view_keys import KEYS, ZOOM_STEP
from app.views.viewport import Viewport
from engine.geometry import Edges, Rect

LOW_PX = 170
"""Height of a view below which a second line of its caption would cover the image [px]."""
FIT_MARGIN_PX = 26.0  # space for the orientation letters next to the image


class RasterView(PaneContent):
    """One pane: an image with orientation, scale and crosshair; subclasses provide the content."""

    enlarge_requested = Signal()
    part_changed = Signal()
    menu_requested = Signal(QPoint)
    focused = Signal()
    has_crosshair = True
    has_letters = has_scale = True
    has_spare_note = False
    """True if a note that does not fit next to the letter of the lower edge is left out."""
    tracks_pointer = False
    """True if the view shows the value at the pointer."""
    margin_px = FIT_MARGIN_PX

    def __init__(self, state: ViewState, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.state = state
        self.readout = ""
        self._viewport: Viewport | None = None
        self._is_fitted = True
        self._image_rect: Rect | None = None
        self._raster: Raster | None = None
        self._image: QImage | None = None
        self._scaled = ScaledImage()
        self._drag: Drag | None = None
        self._glass = Magnifier(self)
        self._wheel = WheelNotches()
        self.fitted_scale: Callable[[], float] | None = None
        self.setAccessibleName(name)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        # The right button changes the window level and must not open a menu.
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.PreventContextMenu)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setMinimumSize(120, 100)
        # The view fills its whole area, so Qt need not clear it first.
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        state.volume_changed.connect(self.forget_raster)
        state.cursor_changed.connect(self.on_cursor)
        state.window_changed.connect(self._forget_image)
        state.display_changed.connect(self.on_display)
        state.fit_requested.connect(self.fit)
        state.crosshair_changed.connect(self.update)

    def on_cursor(self) -> None:
        """Handle a moved cursor."""
        self.update()

    def on_display(self) -> None:
        """Handle another colour map, theme or convention."""
        self.forget_raster()

    # Image and viewport

    @property
    def raster(self) -> Raster | None:
        """The displayed raster, computed now if it is stale. None without a volume."""
        if self.state.volume is None:
            self._raster = None
        elif self._raster is None:
            self._raster = self.make_raster(self.state.volume)
        return self._raster

    @property
    def viewport(self) -> Viewport | None:
        """The visible part of the plane. None without a volume."""
        if self.state.volume is None:
            return None
        image_rect, size = self.image_rect(self.state.volume), (self.width(), self.height())
        # Another grid: the old part may be outside the new image.
        if self._viewport is None or image_rect != self._image_rect:
            self._image_rect, self._is_fitted = image_rect, True
        if self._viewport is None or self._is_fitted:
            fitted = Viewport.fit(image_rect, size, self.margin_px)
            if self.fitted_scale is not None:
                scale = min(fitted.px_per_mm, self.fitted_scale())
                fitted = replace(fitted, px_per_mm=scale)
            self._viewport = fitted
        elif self._viewport.size != size:
            self._viewport = self._viewport.resized(size)
        return self._viewport

    @property
    def is_fitted(self) -> bool:
        """True if the view shows the whole image."""
        return self._is_fitted

    def show_part(self, viewport: Viewport) -> None:
        """Show a part of the plane until the next fit.

        Parameters
        ----------
        viewport
            the part
        """
        self._viewport, self._is_fitted = viewport, False
        self.update()
        self.part_changed.emit()

    def fit(self) -> None:
        """Show the whole image, and keep it fitted when the view is resized."""
        self._is_fitted = True
        self.update()
        self.part_changed.emit()

    def follow(self, other: RasterView) -> None:
        """Always show the same part of the plane as another view.

        Parameters
        ----------
        other
            the view to follow
        """
        other.part_changed.connect(lambda: self._show_part_of(other))

    def _show_part_of(self, other: RasterView) -> None:
        theirs, ours = other.viewport, self.viewport
        if theirs is None or ours is None:
            return
        # Two views of different sizes both fit the whole image, each at its own scale.
        if other._is_fitted:
            if not self._is_fitted:
                self.fit()
        elif self._is_fitted or theirs.resized(ours.size) != ours:
            self.show_part(theirs.resized(ours.size))

    def zoom(self, factor: float, about: tuple[float, float]) -> None:
        """Change the magnification.

        Parameters
        ----------
        factor
            above 1 enlarges
        about
            point (u, v) [mm] that stays at its position
        """
        if self.viewport is not None:
            self.show_part(self.viewport.zoomed(factor, about))

    def advance(self) -> bool:
        """Continue slow drawing, for a picture of the view.

        Returns
        -------
        True if the view shows the current volumes completely, or cannot show them
        """
        return True

    def forget_raster(self) -> None:
        """Mark the image as stale. The next paint computes it."""
        self._raster = None
        self._forget_image()

    def _forget_image(self) -> None:
        self._image = None
        self.update()

    def to_mm(self, at: QPointF) -> tuple[float, float]:
        """Convert a position in the view to the plane.

        Parameters
        ----------
        at
            position [px]

        Returns
        -------
        (u, v) [mm]; (0, 0) without a volume
        """
        return self.viewport.to_mm(at.x(), at.y()) if self.viewport else (0.0, 0.0)

    def sizeHint(self) -> QSize:
        return QSize(360, 300)

    def shown_window(self) -> Window:
        """Return the window of this view."""
        return self.state.window

    def dragged_appearance(self, *, upper: bool) -> VolumeAppearance:
        return self.state

    # Painting

    def paintEvent(self, event: QPaintEvent) -> None:
        colours, size = self.state.colours, (self.width(), self.height())
        painter = QPainter(self)
        raster, viewport = self.raster, self.viewport
        # Filling a large view takes longer than its texts.
        if raster is None or viewport is None or not self.fills_view:
            painter.fillRect(self.rect(), QColor(colours.canvas))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        # The caption explains why the view is empty.
        if raster is None or viewport is None:
            painter.setPen(QColor(colours.muted))
            painter.drawText(self.rect(), Qt.AlignmentFlag.AlignCenter, self.caption())
        else:
            # The order is from back to front: image, marks, magnifier, captions.
            self._paint_raster(painter, raster, viewport)
            self.paint_marks(painter, viewport)
            self._glass.paint(painter, raster, viewport)
            overlay.notes(painter, self._notes(raster), size, self.mark_colours)
        if self.hasFocus():
            overlay.focus_frame(painter, QRectF(self.rect()), colours)
        painter.end()

    @property
    def fills_view(self) -> bool:
        """True if `paint_image` also paints the canvas around the image."""
        return False

    def paint_marks(self, painter: QPainter, viewport: Viewport) -> None:
        """Paint orientation letters and scale bar.

        Parameters
        ----------
        painter
            an active painter
        viewport
            visible part of the plane
        """
        colours, size = self.mark_colours, (self.width(), self.height())
        if self.has_letters:
            overlay.letters(painter, self.shown_edges(), size, colours)
        if self.has_scale:
            overlay.scale_bar(painter, viewport, size, colours, self.state.length_unit)

    @property
    def mark_colours(self) -> ViewColours:
        """Colours of captions, letters and scale bar."""
        return self.state.colours

    def shown_edges(self) -> Edges:
        """Return the letters to paint: axis signs if the patient position is unknown."""
        return self.edges().on(self.state.axes)

    def paint_image(self, painter: QPainter, raster: Raster, viewport: Viewport) -> None:
        """Paint the image without orientation letters and scale bar.

        Parameters
        ----------
        painter
            an active painter
        raster
            the values
        viewport
            visible part of the plane
        """
        if self.shows_own:
            self.paint_own(painter, raster, viewport, ground=self.state.colours.canvas)
        self.paint_over(painter, raster, viewport)

    def paint_own(
        self, painter: QPainter, raster: Raster, viewport: Viewport, ground: str = ""
    ) -> None:
        """Paint the displayed volume.

        Parameters
        ----------
        painter
            an active painter
        raster
            the values
        viewport
            visible part of the plane
        ground
            background colour; "" for a transparent background
        """
        if self._image is None:
            self._image = self.own_image(raster)
        smooth = self.state.interpolation == "linear"
        area, size = overlay.to_view(raster.rect, viewport), viewport.size
        self._scaled.paint(painter, self._image, area, smooth=smooth, size=size, ground=ground)

    def own_image(self, raster: Raster) -> QImage:
        """Return the coloured image of the displayed volume.

        Parameters
        ----------
        raster
            the values
        """
        return raster.image(self.shown_window(), self.state.colour_map)

    def _paint_raster(self, painter: QPainter, raster: Raster, viewport: Viewport) -> None:
        colours = self.state.colours
        area = overlay.to_view(raster.rect, viewport)
        self.paint_image(painter, raster, viewport)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(QColor(colours.grid), 1.0))
        painter.drawRect(area)
        if self.shows_crosshair():
            at = QPointF(*viewport.to_px(*self.cursor_uv()))
            overlay.crosshair(painter, at, area.intersected(QRectF(self.rect())), colours)

    def _notes(self, raster: Raster) -> overlay.Notes:
        nan = tr("NaN values shown as 0: {n_nan}", n_nan=raster.n_nan) if raster.n_nan else ""
        # A warning of the view is more important than NaN values.
        warning = self.warning() or nan
        edges = self.shown_edges()
        ends = (edges.top, edges.bottom) if self.has_letters else ("", "")
        # In a low view, names and warnings would cover the image; the bars above state them, and so
        # do larger views. Only a pair of views needs its names.
        is_brief = self.height() < LOW_PX and not self.state.fusion.is_side_by_side
        warning = "" if is_brief and self.state.fusion.has_values else warning
        texts = self.caption(), self.readout, warning, self.note()
        return overlay.Notes(*texts, *ends, is_brief, self.has_spare_note)

    def shows_crosshair(self) -> bool:
        """True if the cursor is painted."""
        return self.has_crosshair and self.state.shows_crosshair

    # Interaction

    def mousePressEvent(self, event: QMouseEvent) -> None:
        # A second button during a drag is ignored, or two gestures would compete.
        if self._drag is None and self.viewport is not None:
            self._drag = self._drag_for(event)
            self._drag.move(event.position())

    def _drag_for(self, event: QMouseEvent) -> Drag:
        # Ctrl and Shift replace the right and middle button on laptops without them.
        button, at = event.button(), event.position()
        shift = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        control = bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)
        if button == Qt.MouseButton.RightButton or control:
            return WindowDrag(self, at, self.dragged_appearance(upper=shift))
        if button == Qt.MouseButton.MiddleButton or shift:
            return PanDrag(self, at)
        return self.primary_drag(at)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._drag is not None:
            self._drag.move(event.position())
        elif self.tracks_pointer:
            self.follow_pointer(event.position())

    def follow_pointer(self, at: QPointF | None) -> None:
        """Show the value at the pointer, if the view has one.

        Parameters
        ----------
        at
            position in the view [px]; None if the pointer has left the view
        """

    def leaveEvent(self, event: QEvent) -> None:
        self.follow_pointer(None)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        # The drag ends with the last button, whichever was pressed first.
        if not event.buttons():
            drag = self._drag
            self.end_drag()
            is_right = event.button() == Qt.MouseButton.RightButton
            if is_right and isinstance(drag, WindowDrag) and not drag.has_moved:
                self.focused.emit()  # a right click need not give the focus
                self.menu_requested.emit(event.globalPosition().toPoint())

    def end_drag(self) -> None:
        """End the current drag."""
        if self._drag is not None:
            drag, self._drag = self._drag, None
            drag.end()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            # The first click of the pair has already moved the cursor.
            self.undo_click()
            self.enlarge_requested.emit()

    def wheelEvent(self, event: QWheelEvent) -> None:
        # Otherwise a scroll area around the view would scroll as well.
        event.accept()
        angle = event.angleDelta().y()
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self.zoom(ZOOM_STEP ** (angle / 120), self.to_mm(event.position()))
        elif notches := self._wheel.turned(angle):
            self.step(notches)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        action = KEYS.get(Qt.Key(event.key()))
        # Keypad and Shift belong to some keys themselves, such as "+".
        unmodified = event.modifiers() & ~(
            Qt.KeyboardModifier.KeypadModifier | Qt.KeyboardModifier.ShiftModifier
        )
        if action is None or unmodified != Qt.KeyboardModifier.NoModifier:
            super().keyPressEvent(event)
        else:
            action(self)

    def focusInEvent(self, event: QFocusEvent) -> None:
        self.focused.emit()
        self.update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        # The release event goes to another window if a dialog takes the focus during a drag.
        self.end_drag()
        self.update()
