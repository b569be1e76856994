"""Slices through the centre of a cylinder in an image, with its border."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.language.translation import tr
from app.views.colour.colours import DARK, ViewColours
from app.views.colour.grey_raster import grey_image
from engine.data import Volume
from engine.geometry import Point

GAP_PX = 8
EMPTY_TEXT = tr("The image and the region for the mean appear here")


@dataclass(frozen=True)
class ShownRegion:
    """An upright cylinder.

    Attributes
    ----------
    centre_mm : its centre (x, y, z) [mm]
    radius_mm, length_mm : its size [mm]
    """

    centre_mm: Point
    radius_mm: float
    length_mm: float


class RegionSlices(QWidget):
    """Axial slice on the left, coronal slice on the right, at one scale."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._volume: Volume | None = None
        self.region: ShownRegion | None = None
        self._colours = DARK
        self.setAccessibleName(tr("Slices of the image with the region"))
        self.setMinimumSize(240, 120)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)

    def show_region(self, volume: Volume | None, region: ShownRegion | None) -> None:
        """Show slices of an image.

        Parameters
        ----------
        volume
            the image; None shows a note
        region
            region that the slices go through; None for the centre of the image
        """
        self._volume, self.region = volume, region
        self.update()

    def set_colours(self, colours: ViewColours) -> None:
        """Paint in another theme."""
        self._colours = colours
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(420, 220)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(self.rect(), QColor(self._colours.canvas))
        if self._volume is None:
            painter.setPen(QColor(self._colours.muted))
            painter.drawText(self.rect(), Qt.AlignmentFlag.AlignCenter, EMPTY_TEXT)
        else:
            self._paint_slices(painter, self._volume)
        painter.end()

    def _paint_slices(self, painter: QPainter, volume: Volume) -> None:
        width, depth, height = volume.grid.size_mm
        # One scale for both slices, so that the cylinder has the same size in both.
        scale = min(
            (self.width() - 3 * GAP_PX) / (2 * width),
            (self.height() - 2 * GAP_PX) / max(depth, height),
        )
        middle = self.region.centre_mm if self.region is not None else volume.grid.centre_mm
        across, along = _slices(volume, middle)
        for place, (values, up) in enumerate(((across, depth), (along, height))):
            area = QRectF(0, 0, width * scale, up * scale)
            area.moveCenter(QRectF(self.rect()).center())
            side = -1 if place == 0 else 1
            area.translate(side * (area.width() + GAP_PX) / 2, 0)
            painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
            painter.drawImage(area, grey_image(values))
            if self.region is not None:
                self._paint_border(painter, area, scale, place == 0)

    def _paint_border(self, painter: QPainter, area: QRectF, scale: float, is_across: bool) -> None:
        if self.region is None or self._volume is None:
            return
        grid, region = self._volume.grid, self.region
        # Relative to the centre of the grid, which is painted at the centre of the area.
        x, y, z = (c - m for c, m in zip(region.centre_mm, grid.centre_mm, strict=True))
        half_up = region.radius_mm if is_across else region.length_mm / 2
        border = QRectF(0, 0, 2 * region.radius_mm * scale, 2 * half_up * scale)
        border.moveCenter(area.center())
        border.translate(x * scale, y * scale if is_across else -z * scale)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(QColor(self._colours.accent), 2.0))
        if is_across:
            painter.drawEllipse(border)
        else:
            painter.drawRect(border)


def _slices(volume: Volume, at_mm: Point) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Return the axial slice at z, and the coronal one at y with the head up."""
    # The nearest slices: this drawing only shows where the region is.
    z, y = (int(np.abs(volume.grid.centres_mm(axis) - at_mm[axis]).argmin()) for axis in (2, 1))
    return np.asarray(volume.values[z]), np.asarray(volume.values[::-1, y])
