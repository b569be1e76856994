"""The visible part of a plane: pan and zoom, without Qt."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from engine.geometry import Rect

LARGEST_PX_PER_MM = 200.0
SMALLEST_PX_PER_MM = 0.02


@dataclass(frozen=True)
class Viewport:
    """Square pixels over the screen plane.

    Attributes
    ----------
    centre : (u, v) in the middle of the view [mm]
    px_per_mm : scale, the same along both axes
    size : (width, height) of the view [px]
    """

    centre: tuple[float, float]
    px_per_mm: float
    size: tuple[int, int]

    @classmethod
    def fit(cls, rect: Rect, size: tuple[int, int], margin_px: float) -> Viewport:
        """The largest view of `rect` that leaves a margin on each side."""
        inner = [max(length - 2 * margin_px, 8.0) for length in size]
        scale = min(inner[0] / rect.width, inner[1] / rect.height)
        return cls(rect.centre, scale, size)

    def to_px(self, u: float, v: float) -> tuple[float, float]:
        """Pixel position of a point of the plane."""
        return (
            (u - self.centre[0]) * self.px_per_mm + self.size[0] / 2,
            (v - self.centre[1]) * self.px_per_mm + self.size[1] / 2,
        )

    def to_mm(self, x_px: float, y_px: float) -> tuple[float, float]:
        """(u, v) [mm] under a pixel position."""
        return (
            (x_px - self.size[0] / 2) / self.px_per_mm + self.centre[0],
            (y_px - self.size[1] / 2) / self.px_per_mm + self.centre[1],
        )

    def zoomed(self, factor: float, about: tuple[float, float]) -> Viewport:
        """Enlarged by `factor`; the point (u, v) `about` stays where it is."""
        scale = min(max(self.px_per_mm * factor, SMALLEST_PX_PER_MM), LARGEST_PX_PER_MM)
        shrink = self.px_per_mm / scale
        u, v = (a + (c - a) * shrink for a, c in zip(about, self.centre, strict=True))
        return replace(self, centre=(u, v), px_per_mm=scale)

    def panned(self, dx_px: float, dy_px: float) -> Viewport:
        """Moved so that the picture follows the pointer."""
        u, v = self.centre
        return replace(self, centre=(u - dx_px / self.px_per_mm, v - dy_px / self.px_per_mm))

    def resized(self, size: tuple[int, int]) -> Viewport:
        """The same centre and scale in a view of another size."""
        return replace(self, size=size)


def nice_length(longest: float) -> float:
    """The largest of 1, 2, 5 times a power of ten that is not above `longest`."""
    power = 10.0 ** math.floor(math.log10(longest))
    return max(step * power for step in (1.0, 2.0, 5.0) if step * power <= longest * (1 + 1e-9))
