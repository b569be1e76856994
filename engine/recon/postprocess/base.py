"""Base class of image filters."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar

from engine.core.arrays import Array
from engine.core.settings import Settings
from engine.geometry.grid import Point


class Filter(Settings):
    """A filter of the finished image, or of the image between iterations."""

    noun: ClassVar[str] = "filter"
    title: ClassVar[str]
    kind: Any

    @property
    def is_open(self) -> bool:
        """True if its width is left to the scan."""
        return False

    @abstractmethod
    def apply(self, image: Array, voxel_mm: Point) -> Array:
        """Return the filtered image.

        Parameters
        ----------
        image
            (n_z, n_y, n_x); an image on a GPU is filtered there
        voxel_mm
            (x, y, z) voxel size

        Returns
        -------
        same shape and dtype
        """

    @abstractmethod
    def describe(self) -> str:
        """Return the filter and its width as text."""
