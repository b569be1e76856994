"""The border of a region in a slice, as a path in view pixels.

Solids have smooth borders in closed form. For an ellipsoid at the distance d from its centre, with
the semi-axis r across the slice:

    in-plane axes = those of the ellipsoid times √(1 − (d/r)²)

For all other shapes the border follows the voxels that are at least half inside.
"""

from __future__ import annotations

import math

import numpy as np
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QPainterPath, QPolygonF

from app.views.planes.plane_geometry import slice_index
from app.views.viewport import Viewport
from engine.analysis.regions import (
    BoxRegion,
    CylinderRegion,
    EllipsoidRegion,
    PolygonRegion,
    RegionCoverage,
    RegionShape,
    SphereRegion,
    middle_of,
)
from engine.data import Volume
from engine.geometry import Orientation, Point

HALF = 0.5


class SliceBorders:
    """Borders of regions in one slice.

    Attributes
    ----------
    orientation : orientation of the slice on the screen
    viewport : visible part of the slice
    depth_mm : position of the slice along its normal [mm]
    """

    def __init__(self, orientation: Orientation, viewport: Viewport, depth_mm: float) -> None:
        self.orientation, self.viewport, self.depth_mm = orientation, viewport, depth_mm

    def smooth(self, shape: RegionShape) -> QPainterPath | None:
        """Return the border of a solid in closed form.

        Parameters
        ----------
        shape
            region

        Returns
        -------
        QPainterPath or None
            empty if the region is not in the slice; None if the shape has no closed form there
        """
        low, high = shape.bounds_mm
        normal = self.orientation.normal
        is_inside = low[normal] <= self.depth_mm <= high[normal]
        path = QPainterPath()
        match shape:
            case SphereRegion() | EllipsoidRegion():
                if is_inside:
                    path.addEllipse(self._section_rect(shape.bounds_mm))
            # Across its axis a cylinder is an ellipse. Along it the section depends on the depth,
            # so its voxels are drawn.
            case CylinderRegion() if shape.axis == normal:
                if is_inside:
                    path.addEllipse(self.rect(shape.bounds_mm))
            case BoxRegion():
                if is_inside:
                    path.addRect(self.rect(shape.bounds_mm))
            case PolygonRegion() if shape.axis == normal:
                if is_inside:
                    path.addPolygon(self._corners_px(shape))
                    path.closeSubpath()
            case _:
                return None
        return path

    def of_voxels(self, coverage: RegionCoverage, volume: Volume) -> QPainterPath:
        """Return the border of the voxels in the slice that are at least half inside.

        Parameters
        ----------
        coverage
            region on the grid of `volume`
        volume
            displayed image
        """
        grid, normal = volume.grid, self.orientation.normal
        k = slice_index(grid, normal, self.depth_mm) - coverage.start[2 - normal]
        path = QPainterPath()
        if not 0 <= k < coverage.share.shape[2 - normal]:
            return path
        # The padding closes the border at voxels on the edge of the box.
        inside = np.pad(np.take(coverage.share, k, axis=2 - normal) >= HALF, 1)
        first, second = (axis for axis in range(3) if axis != normal)
        edges = [
            grid.lower_mm[axis]
            + (coverage.start[2 - axis] - 1 + np.arange(n + 1)) * grid.voxel_mm[axis]
            for axis, n in ((first, inside.shape[1]), (second, inside.shape[0]))
        ]
        # Only changes between neighbours are drawn; filled squares would be far slower to paint.
        rows, columns = np.nonzero(inside[:, 1:] != inside[:, :-1])
        for r, c in zip(rows, columns, strict=True):
            u = edges[0][c + 1]
            self._add_line(path, (first, u, u), (second, edges[1][r], edges[1][r + 1]))
        rows, columns = np.nonzero(inside[1:] != inside[:-1])
        for r, c in zip(rows, columns, strict=True):
            v = edges[1][r + 1]
            self._add_line(path, (first, edges[0][c], edges[0][c + 1]), (second, v, v))
        return path

    def rect(self, bounds_mm: tuple[Point, Point]) -> QRectF:
        """Return a box as a rectangle in the pane, whatever its position along the normal.

        Parameters
        ----------
        bounds_mm
            lower and upper corner (x, y, z) [mm]
        """
        a, b = (
            QPointF(*self.viewport.to_px(*self.orientation.to_screen(end))) for end in bounds_mm
        )
        return QRectF(a, b).normalized()

    def _section_rect(self, bounds_mm: tuple[Point, Point]) -> QRectF:
        whole, normal = self.rect(bounds_mm), self.orientation.normal
        radius = (bounds_mm[1][normal] - bounds_mm[0][normal]) / 2
        away = (self.depth_mm - middle_of(bounds_mm)[normal]) / radius
        part = math.sqrt(max(0.0, 1 - away**2))
        size = whole.size() * part
        made = QRectF(QPointF(), size)
        made.moveCenter(whole.center())
        return made

    def _corners_px(self, shape: PolygonRegion) -> QPolygonF:
        first, second = (axis for axis in range(3) if axis != shape.axis)
        points = QPolygonF()
        for u, v in shape.corners_mm:
            place = [0.0] * 3
            place[first], place[second] = u, v
            x, y = self.orientation.to_screen((place[0], place[1], place[2]))
            points.append(QPointF(*self.viewport.to_px(x, y)))
        return points

    def _add_line(
        self,
        path: QPainterPath,
        along: tuple[int, float, float],
        across: tuple[int, float, float],
    ) -> None:
        ends = []
        for k in (1, 2):
            place = [0.0] * 3
            place[along[0]], place[across[0]] = float(along[k]), float(across[k])
            screen = self.orientation.to_screen((place[0], place[1], place[2]))
            ends.append(QPointF(*self.viewport.to_px(*screen)))
        path.moveTo(ends[0])
        path.lineTo(ends[1])
