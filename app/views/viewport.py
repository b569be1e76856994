"""The visible part of a plane: pan and zoom, without Qt."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import lru_cache

from engine.geometry import Rect

LARGEST_PX_PER_MM = 200.0
SMALLEST_PX_PER_MM = 0.02


# Linked views ask for the scales of all of them many times in a paint.
@lru_cache(maxsize=64)
def _fitting_scale(rect: Rect, size: tuple[int, int], margin_px: float) -> float:
    # A tiny view still needs a positive size, or the scale would be zero.
    inner = [max(length - 2 * margin_px, 8.0) for length in size]
    return min(inner[0] / rect.width, inner[1] / rect.height)


@dataclass(frozen=True)
class Viewport:
    """The visible part of a plane, with square pixels.

    Attributes
    ----------
    centre : (u, v) at the centre of the view [mm]
    px_per_mm : scale, equal along both axes
    size : (width, height) of the view [px]
    """

    centre: tuple[float, float]
    px_per_mm: float
    size: tuple[int, int]

    @classmethod
    def fit(cls, rect: Rect, size: tuple[int, int], margin_px: float) -> Viewport:
        """Return the largest view of a rectangle.

        Parameters
        ----------
        rect
            the rectangle [mm]
        size
            (width, height) of the view [px]
        margin_px
            margin on each side
        """
        return cls(rect.centre, _fitting_scale(rect, size, margin_px), size)

    def to_px(self, u: float, v: float) -> tuple[float, float]:
        """Convert a point of the plane to pixels.

        Parameters
        ----------
        u, v
            the point [mm]
        """
        # The centre of the plane is at the centre of the view; v grows downwards like y.
        return (
            (u - self.centre[0]) * self.px_per_mm + self.size[0] / 2,
            (v - self.centre[1]) * self.px_per_mm + self.size[1] / 2,
        )

    def to_mm(self, x_px: float, y_px: float) -> tuple[float, float]:
        """Convert a pixel position to the plane.

        Parameters
        ----------
        x_px, y_px
            the position

        Returns
        -------
        (u, v) [mm]
        """
        return (
            (x_px - self.size[0] / 2) / self.px_per_mm + self.centre[0],
            (y_px - self.size[1] / 2) / self.px_per_mm + self.centre[1],
        )

    def zoomed(self, factor: float, about: tuple[float, float]) -> Viewport:
        """Return the viewport at another magnification.

        Parameters
        ----------
        factor
            above 1 enlarges; the scale has limits
        about
            point (u, v) that stays at its position [mm]
        """
        scale = min(max(self.px_per_mm * factor, SMALLEST_PX_PER_MM), LARGEST_PX_PER_MM)
        # The scale may have reached a limit, so the real factor is used.
        shrink = self.px_per_mm / scale
        u, v = (a + (c - a) * shrink for a, c in zip(about, self.centre, strict=True))
        return replace(self, centre=(u, v), px_per_mm=scale)

    def panned(self, dx_px: float, dy_px: float) -> Viewport:
        """Return the viewport after a pan.

        Parameters
        ----------
        dx_px, dy_px
            distance of the pointer, which the image follows
        """
        u, v = self.centre
        return replace(self, centre=(u - dx_px / self.px_per_mm, v - dy_px / self.px_per_mm))

    def resized(self, size: tuple[int, int]) -> Viewport:
        """Return the viewport with equal centre and scale in a view of another size.

        Parameters
        ----------
        size
            (width, height) [px]
        """
        return replace(self, size=size)


def nice_length(longest: float) -> float:
    """Return the largest of 1, 2, 5 times a power of ten up to a limit.

    Parameters
    ----------
    longest
        the limit, positive
    """
    power = 10.0 ** math.floor(math.log10(longest))
    # The tolerance accepts a limit that is itself a round number.
    return max(step * power for step in (1.0, 2.0, 5.0) if step * power <= longest * (1 + 1e-9))
