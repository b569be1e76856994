"""Small grey images of arrays, for display or selection."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QImage, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractButton, QSizePolicy, QWidget

from app.views.colour.colours import DARK, ViewColours
from app.views.literal_text import literal_tip

TILE_PX, PAD_PX = 118, 6
PLATE_PX = 4
WORDS_AREA = QRectF(0, 0, TILE_PX, 1000)
WORDS_FLAGS = (
    Qt.AlignmentFlag.AlignHCenter.value
    | Qt.AlignmentFlag.AlignTop.value
    | Qt.TextFlag.TextWordWrap.value
)
OUTSIDE = 0.5
"""Share of the values at each end that are black or white [%]."""


def grey_image(values: NDArray[np.float32]) -> QImage:
    """Return values as a grey image.

    Parameters
    ----------
    values
        (rows, columns); NaN is black

    Returns
    -------
    image from the 0.5 to the 99.5 percentile
    """
    finite = values[np.isfinite(values)]
    # Percentiles ignore single hot pixels, which would make the rest black.
    low, high = np.percentile(finite, (OUTSIDE, 100 - OUTSIDE)) if finite.size else (0.0, 1.0)
    # A constant image has no span, but must not divide by zero.
    span = max(float(high - low), 1e-12)
    scaled = (np.nan_to_num(values, nan=float(low)) - low) * (255.0 / span)
    pixels = np.ascontiguousarray(np.clip(scaled, 0, 255), np.uint8)
    rows, columns = pixels.shape
    made = QImage(pixels.data, columns, rows, columns, QImage.Format.Format_Grayscale8)
    return made.copy()  # the image must outlive the array


class GreyRaster(QWidget):
    """An image with a caption.

    Parameters
    ----------
    title : caption, and name for screen readers
    stretched : True if it fills the widget, as for a sinogram
    """

    def __init__(self, title: str, *, stretched: bool = False) -> None:
        super().__init__()
        self._title, self._stretched = title, stretched
        self._image: QImage | None = None
        self._colours = DARK
        self.setAccessibleName(title)
        self.setMinimumSize(120, 90)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)

    def show_raster(self, values: NDArray[np.float32] | None) -> None:
        """Show an array.

        Parameters
        ----------
        values
            (rows, columns); None shows nothing
        """
        self._image = None if values is None else grey_image(values)
        self.update()

    @property
    def has_raster(self) -> bool:
        """True if an image is displayed."""
        return self._image is not None

    def set_colours(self, colours: ViewColours) -> None:
        """Set the colours of the theme."""
        self._colours = colours
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(260, 200)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(self.rect(), QColor(self._colours.canvas))
        if self._image is not None:
            paint_image(painter, QRectF(self.rect()), self._image, stretched=self._stretched)
        metrics = QFontMetricsF(self.font())
        width, height = metrics.horizontalAdvance(self._title), metrics.lineSpacing()
        plate = QRectF(PAD_PX, PAD_PX, width + 2 * PLATE_PX, height + PLATE_PX)
        painter.fillRect(plate, QColor(self._colours.plate))
        painter.setPen(QColor(self._colours.plate_text))
        painter.drawText(plate, Qt.AlignmentFlag.AlignCenter, self._title)
        painter.end()


class RasterTile(QAbstractButton):
    """An image to select, with a caption below."""

    def __init__(self, title: str, tip: str) -> None:
        super().__init__()
        self._title = title
        self._image: QImage | None = None
        self._colours = DARK
        self.setCheckable(True)
        # Exclusive among its siblings, like radio buttons.
        self.setAutoExclusive(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(f"{title}. {tip}")
        self.setToolTip(literal_tip(tip))

    def show_raster(self, values: NDArray[np.float32] | None) -> None:
        """Show an array, and allow the selection of the tile.

        Parameters
        ----------
        values
            (rows, columns); None shows nothing and disables the tile
        """
        self._image = None if values is None else grey_image(values)
        # An empty tile cannot be chosen, for example before the first preview.
        self.setEnabled(values is not None)
        self.update()

    def set_colours(self, colours: ViewColours) -> None:
        """Set the colours of the theme."""
        self._colours = colours
        self.update()

    def sizeHint(self) -> QSize:
        words = QFontMetricsF(self.font()).boundingRect(WORDS_AREA, WORDS_FLAGS, self._title)
        return QSize(TILE_PX + 2 * PAD_PX, int(TILE_PX + words.height() + 1) + 3 * PAD_PX)

    def paintEvent(self, event: QPaintEvent) -> None:
        colours = self._colours
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        area = QRectF(PAD_PX, PAD_PX, TILE_PX, TILE_PX)
        painter.fillRect(area, QColor(colours.canvas))
        if self._image is not None:
            paint_image(painter, area, self._image)
        line = QRectF(PAD_PX, area.bottom() + PAD_PX, TILE_PX, self.height() - area.bottom())
        painter.setPen(QColor(colours.text if self.isEnabled() else colours.muted))
        painter.drawText(line, WORDS_FLAGS, self._title)
        paint_tile_frames(painter, self, colours)
        painter.end()


def tile_rim(tile: QAbstractButton) -> QRectF:
    """Return the rectangle of the frame of a tile."""
    return QRectF(tile.rect()).adjusted(1.5, 1.5, -1.5, -1.5)


def paint_tile_frames(painter: QPainter, tile: QAbstractButton, colours: ViewColours) -> None:
    """Paint the frames of a selected tile and of one with the keyboard focus.

    Parameters
    ----------
    painter
        an active painter
    tile
        button with an image
    colours
        colours of the theme
    """
    rim = tile_rim(tile)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    if tile.isChecked():
        painter.setPen(QPen(QColor(colours.accent), 2.0))
        painter.drawRoundedRect(rim, 4, 4)
    # Focus and selection are different frames, because the keyboard can move the focus alone.
    if tile.hasFocus():
        painter.setPen(QPen(QColor(colours.text), 1.0))
        painter.drawRoundedRect(rim.adjusted(2, 2, -2, -2), 3, 3)


def paint_image(painter: QPainter, area: QRectF, image: QImage, *, stretched: bool = False) -> None:
    """Paint an image into an area.

    Parameters
    ----------
    painter
        an active painter
    area
        target area [px]
    image
        the image
    stretched
        True to fill the area; False keeps the proportions of the image
    """
    scale = min(area.width() / image.width(), area.height() / image.height())
    # The proportions of a sinogram have no meaning: its axes are views and bins.
    across, up = (
        (area.width(), area.height())
        if stretched
        else (image.width() * scale, image.height() * scale)
    )
    place = QRectF(0, 0, across, up)
    place.moveCenter(area.center())
    painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
    painter.drawImage(place, image)
