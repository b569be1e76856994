"""A raster: values on a plane in mm, and their coloured image."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PySide6.QtGui import QImage

from app.views.colour.colour_maps import coloured_image
from app.views.colour.windows import Window
from engine.geometry import Rect


@dataclass(frozen=True)
class Raster:
    """Values to show, rows going down, and their position on the screen plane.

    Attributes
    ----------
    values : (rows, columns) float32 without NaN
    rect : outer edge of the array [mm]
    n_nan : number of NaN values that are shown as 0
    """

    values: NDArray[np.float32]
    rect: Rect
    n_nan: int = 0

    @classmethod
    def of(cls, values: NDArray[np.float32], rect: Rect) -> Raster:
        """Return a raster of values that may contain NaN.

        Parameters
        ----------
        values
            (rows, columns)
        rect
            outer edge of the array [mm]
        """
        missing = np.isnan(values)
        n_nan = int(missing.sum())
        # Most slices have no NaN and are used without a copy.
        return cls(np.where(missing, np.float32(0), values) if n_nan else values, rect, n_nan)

    def image(self, window: Window, colour_map: str) -> QImage:
        """Return the coloured image, one pixel per value.

        Parameters
        ----------
        window
            values at the two ends of the colour map
        colour_map
            key of the colour map
        """
        return coloured_image(self.values, window, colour_map, QImage.Format.Format_RGB32)
