"""A raster: values on a plane [mm] and their coloured image."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PySide6.QtGui import QImage

from app.views.colour.colour_maps import colourise
from app.views.colour.windows import Window
from engine.geometry import Rect


@dataclass(frozen=True)
class Raster:
    """Values to show, rows going down, and where they lie on the screen plane.

    Attributes
    ----------
    values : (rows, columns) float32, no NaN
    rect : outline of the array [mm]
    n_nan : how many values were NaN and are shown as 0
    """

    values: NDArray[np.float32]
    rect: Rect
    n_nan: int = 0

    @classmethod
    def of(cls, values: NDArray[np.float32], rect: Rect) -> Raster:
        """A picture of values that may hold NaN."""
        missing = np.isnan(values)
        n_nan = int(missing.sum())
        return cls(np.where(missing, np.float32(0), values) if n_nan else values, rect, n_nan)

    def image(self, window: Window, colour_map: str) -> QImage:
        """The picture in colours, one pixel a value."""
        pixels = colourise(self.values, window, colour_map)
        rows, columns = pixels.shape
        image = QImage(pixels.data, columns, rows, 4 * columns, QImage.Format.Format_RGB32)
        return image.copy()  # the array goes, the image stays
