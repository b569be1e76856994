"""One tile of a row of candidate slices: image, value, score."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, QSize, QSizeF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QImage, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractButton, QSizePolicy, QWidget

from app.language.translation import tr
from app.views.colour.grey_raster import paint_tile_frames, tile_rim
from app.views.colour.raster import Raster
from app.views.colour.raster_view import RasterView
from app.views.literal_text import literal_tip
from app.views.state import ViewState

IMAGE_PX = 138
PAD_PX = 8
BEST_WORD = tr("best")


class CandidateTile(QAbstractButton):
    """Shows its slice with the same zoom and position as the enlarged view.

    Parameters
    ----------
    raster : the slice
    words : value and score, for the caption
    best : True if its score is the best
    state, view : display settings; view whose visible part is shown
    """

    def __init__(
        self,
        raster: Raster,
        words: tuple[str, str],
        *,
        best: bool,
        state: ViewState,
        view: RasterView,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._raster, self._state, self._view = raster, state, view
        self._title, self._score, self._best = *words, best
        self._image: QImage | None = None
        self.setCheckable(True)
        self.setAutoExclusive(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        name = ", ".join([*words, BEST_WORD] if best else words)
        self.setAccessibleName(name)
        self.setToolTip(literal_tip(name))
        # Tiles show the same window as the enlarged view, so scores can be judged by eye.
        state.window_changed.connect(self._forget_image)
        state.display_changed.connect(self._forget_image)

    def sizeHint(self) -> QSize:
        lines = 2 * QFontMetricsF(self.font()).lineSpacing()
        return QSize(IMAGE_PX + 2 * PAD_PX, int(IMAGE_PX + lines) + 3 * PAD_PX)

    def _forget_image(self) -> None:
        self._image = None
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        colours = self._state.colours
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        area = QRectF(PAD_PX, PAD_PX, IMAGE_PX, IMAGE_PX)
        painter.fillRect(area, QColor(colours.canvas))
        self._paint_raster(painter, area)
        self._paint_text(painter, area)
        paint_tile_frames(painter, self, colours)
        # A hover frame only if there is no other: three frames would be hard to tell apart.
        if self.underMouse() and not (self.isChecked() or self.hasFocus()):
            painter.setPen(QPen(QColor(colours.muted), 1.0))
            painter.drawRoundedRect(tile_rim(self), 4, 4)
        painter.end()

    def _paint_raster(self, painter: QPainter, area: QRectF) -> None:
        viewport = self._view.viewport
        if viewport is None:
            return
        width, height = viewport.size
        # The tile is smaller than the view but shows the same part of the slice.
        scale = min(area.width() / width, area.height() / height) * viewport.px_per_mm
        rect, (u, v) = self._raster.rect, viewport.centre
        corner = area.center() + QPointF(rect.u - u, rect.v - v) * scale
        image = self._scaled_image(rect.width * scale * self.devicePixelRatioF())
        painter.save()
        painter.setClipRect(area)
        painter.drawImage(QRectF(corner, QSizeF(rect.width, rect.height) * scale), image)
        painter.restore()

    def _scaled_image(self, wanted_px: float) -> QImage:
        """Return the slice, averaged if it is drawn much smaller."""
        if self._image is None:
            self._image = self._raster.image(self._state.window, self._state.colour_map)
        if wanted_px >= self._image.width():
            return self._image
        # Painting with a scale factor only interpolates and would show aliasing.
        smooth = Qt.TransformationMode.SmoothTransformation
        return self._image.scaledToWidth(max(int(wanted_px), 1), smooth)

    def _paint_text(self, painter: QPainter, area: QRectF) -> None:
        colours, metrics = self._state.colours, QFontMetricsF(self.font())
        line = QRectF(area.left(), area.bottom() + PAD_PX, area.width(), metrics.lineSpacing())
        left, right = Qt.AlignmentFlag.AlignLeft, Qt.AlignmentFlag.AlignRight
        font = painter.font()
        font.setBold(self._best or self.isChecked())
        painter.setFont(font)
        painter.setPen(QColor(colours.text))
        painter.drawText(line, left, self._title)
        if self._best:
            painter.setPen(QColor(colours.accent))
            painter.drawText(line, right, f"★ {BEST_WORD}")
        font.setBold(False)
        painter.setFont(font)
        painter.setPen(QColor(colours.muted))
        painter.drawText(line.translated(0, metrics.lineSpacing()), left, self._score)
