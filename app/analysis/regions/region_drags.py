"""Pointer drags that draw, paint, move and resize regions."""

from __future__ import annotations

import math

import numpy as np
from PySide6.QtCore import QLineF, QPointF

from app.language.translation import tr
from app.state.models.region_model import RegionModel
from app.views.slices.slice_marks import SlicePane
from app.views.text import millimetres
from engine.analysis.regions import (
    BoxRegion,
    CylinderRegion,
    EllipsoidRegion,
    MaskRegion,
    PolygonRegion,
    RegionShape,
    SphereRegion,
    coverage_of,
    size_of,
)
from engine.core.errors import EngineError
from engine.geometry import Point

SHORTEST_PX = 4.0
"""A shorter drag is a click."""
CORNER_PX = 3.0
"""Minimum distance between two corners of a polygon that is drawn."""
MIN_MM = 0.1
NAMES = {
    "sphere": tr("Sphere"),
    "ellipsoid": tr("Ellipsoid"),
    "box": tr("Box"),
    "cylinder": tr("Cylinder"),
    "polygon": tr("Polygon"),
    "brush": tr("Painted"),
}


class _RegionDrag:
    """Drag that changes one region in a single undo step."""

    def __init__(self, pane: SlicePane, model: RegionModel, name: str) -> None:
        self.pane, self.model, self.name = pane, model, name
        # All changes until `end_drag` become one undo step.
        model.begin_drag()

    def end(self) -> None:
        """End the drag."""
        self.model.end_drag()
        self.pane.readout = ""
        self.pane.update()

    def show(self, shape: RegionShape) -> None:
        """Update or add the region, and show its size."""
        if self.model.current.named(self.name) is None:
            # The model may change the name, if another region got it meanwhile.
            self.name = self.model.add(shape, self.name)
        else:
            self.model.change(self.name, shape=shape)
        sizes = " × ".join(millimetres(length) for length in size_of(shape.bounds_mm))
        self.pane.readout = f"{sizes} {self.pane.state.length_unit}"
        self.pane.update()


class DrawDrag(_RegionDrag):
    """Draw a sphere around the pressed point, or another solid from corner to corner."""

    def __init__(self, pane: SlicePane, model: RegionModel, at: QPointF) -> None:
        self._tool, self._from, self._start = model.tool, at, pane.point_at(at)
        super().__init__(pane, model, model.current.free_name(NAMES[model.tool]))

    def move(self, at: QPointF) -> None:
        """Draw to the pointer.

        Parameters
        ----------
        at
            pointer in the pane [px]; a drag shorter than `SHORTEST_PX` draws nothing
        """
        if QLineF(self._from, at).length() >= SHORTEST_PX:
            self.show(self._shape(self.pane.point_at(at)))

    def end(self) -> None:
        super().end()
        self.model.set_tool("")

    def _shape(self, here: Point) -> RegionShape:
        start, normal = self._start, self.pane.orientation.normal
        if self._tool == "sphere":
            return SphereRegion(
                centre_mm=start, diameter_mm=2 * max(math.dist(start, here), MIN_MM)
            )
        sizes = [max(abs(b - a), MIN_MM) for a, b in zip(start, here, strict=True)]
        # A drag has no depth. The smaller size in the slice is a good guess for it.
        sizes[normal] = min(size for axis, size in enumerate(sizes) if axis != normal)
        x, y, z = ((a + b) / 2 for a, b in zip(start, here, strict=True))
        place = {"centre_mm": (x, y, z), "size_mm": (sizes[0], sizes[1], sizes[2])}
        if self._tool == "cylinder":
            return CylinderRegion.model_validate({**place, "axis": normal})
        if self._tool == "box":
            return BoxRegion.model_validate(place)
        return EllipsoidRegion.model_validate(place)


class LassoDrag(_RegionDrag):
    """Draw a polygon around an area, one slice deep; the depth is set afterwards."""

    def __init__(self, pane: SlicePane, model: RegionModel, at: QPointF) -> None:
        self._places = [at]
        super().__init__(pane, model, model.current.free_name(NAMES["polygon"]))

    def move(self, at: QPointF) -> None:
        """Continue the polygon to the pointer.

        Parameters
        ----------
        at
            pointer in the pane [px]; ignored within `CORNER_PX` of the last corner
        """
        if QLineF(self._places[-1], at).length() < CORNER_PX:
            return
        self._places.append(at)
        if len(self._places) > 2:
            self._show()

    def end(self) -> None:
        super().end()
        self.model.set_tool("")

    def _show(self) -> None:
        normal, volume = self.pane.orientation.normal, self.pane.state.volume
        first, second = (axis for axis in range(3) if axis != normal)
        points = [self.pane.point_at(place) for place in self._places]
        if volume is None:
            return
        half = volume.grid.voxel_mm[normal] / 2
        values = {
            "axis": normal,
            "corners_mm": tuple((p[first], p[second]) for p in points),
            "low_mm": points[0][normal] - half,
            "high_mm": points[0][normal] + half,
        }
        try:
            self.show(PolygonRegion.model_validate(values))
        except ValueError:
            return  # all corners are still on a line


class BrushDrag(_RegionDrag):
    """Add voxels with centres in a sphere around the pointer, or remove them.

    The selected region is painted if it is a mask; otherwise a new one is made.
    """

    def __init__(self, pane: SlicePane, model: RegionModel) -> None:
        chosen = model.chosen_region
        is_painted = chosen is not None and isinstance(chosen.shape, MaskRegion)
        name = chosen.name if chosen is not None and is_painted else NAMES["brush"]
        super().__init__(pane, model, name if is_painted else model.current.free_name(name))

    def move(self, at: QPointF) -> None:
        """Paint at the pointer.

        Parameters
        ----------
        at
            pointer in the pane [px]
        """
        volume, model = self.pane.state.volume, self.model
        if volume is None:
            return
        # The brush is a sphere: neighbouring slices are painted too.
        ball = SphereRegion(centre_mm=self.pane.point_at(at), diameter_mm=model.brush_mm)
        grid, (low, high) = volume.grid, ball.bounds_mm
        first, last = (np.floor(grid.to_voxels(np.array(end))).astype(int) for end in (low, high))
        found = model.current.named(self.name)
        before = None
        if found is not None:
            try:
                # The region may have been painted on another grid, such as a preview.
                before = coverage_of(found.shape, volume)
            except EngineError:
                return
            if before.share.size:
                # The new mask covers the box of the old one and of the brush, not the whole image.
                first = np.minimum(first, before.start[::-1])
                ends = np.array(before.start[::-1]) + before.share.shape[::-1]
                last = np.maximum(last, ends - 1)
        first = np.clip(first, 0, np.array(grid.shape[::-1]) - 1)
        last = np.clip(last, first, np.array(grid.shape[::-1]) - 1)
        z, y, x = (slice(int(a), int(b) + 1) for a, b in zip(first[::-1], last[::-1], strict=True))
        away = [
            grid.centres_mm(axis)[part] - ball.centre_mm[axis]
            for axis, part in ((2, z), (1, y), (0, x))
        ]
        near = away[0][:, None, None] ** 2 + away[1][:, None] ** 2 + away[2] ** 2
        painted = near <= (model.brush_mm / 2) ** 2
        # A mask from another grid is resampled: voxels that are at least half inside remain.
        mask = np.zeros(painted.shape, bool) if before is None else before.within((z, y, x)) >= 0.5
        mask = mask & ~painted if model.erases else mask | painted
        if mask.any():
            self.show(MaskRegion.of(mask, grid, (z.start, y.start, x.start)))
        elif found is not None:
            # The last voxel was erased. A mask without voxels is not valid.
            model.remove(self.name)


class RegionMoveDrag(_RegionDrag):
    """Move a region with the pointer."""

    def __init__(self, pane: SlicePane, model: RegionModel, name: str, at: QPointF) -> None:
        super().__init__(pane, model, name)
        found = model.current.named(name)
        self._shape = found.shape if found is not None else None
        self._start = pane.point_at(at)

    def move(self, at: QPointF) -> None:
        """Move the region by the distance from the pressed point.

        Parameters
        ----------
        at
            pointer in the pane [px]; an unchanged position makes no undo step
        """
        here = self.pane.point_at(at)
        x, y, z = (b - a for a, b in zip(self._start, here, strict=True))
        if self._shape is not None and (x, y, z) != (0, 0, 0):
            self.show(self._shape.moved((x, y, z)))


class RegionResizeDrag(_RegionDrag):
    """Move a side or corner of the bounding box; a sphere remains a sphere.

    `shift` is the position of the handle from its side or corner [px].
    """

    def __init__(
        self,
        pane: SlicePane,
        model: RegionModel,
        name: str,
        sides: tuple[int, int],
        shift: QPointF | None = None,
    ) -> None:
        super().__init__(pane, model, name)
        found = model.current.named(name)
        self._shape = found.shape if found is not None else None
        self._sides = sides
        self._shift = shift or QPointF()

    def move(self, at: QPointF) -> None:
        """Move the side to the pointer.

        Parameters
        ----------
        at
            pointer in the pane [px]; a size cannot fall below `MIN_MM`
        """
        if self._shape is None:
            return
        here, orientation = self.pane.point_at(at - self._shift), self.pane.orientation
        low, high = ([*end] for end in self._shape.bounds_mm)
        for side, direction in zip(self._sides, (orientation.right, orientation.down), strict=True):
            # A side of the screen can be the lower or the upper end of an axis, depending on the
            # orientation.
            axis = direction.axis
            if side * direction.sign > 0:
                high[axis] = max(here[axis], low[axis] + MIN_MM)
            elif side:
                low[axis] = min(here[axis], high[axis] - MIN_MM)
        if isinstance(self._shape, SphereRegion):
            self.show(self._sphere_through(here))
        else:
            self.show(self._shape.fitted(((low[0], low[1], low[2]), (high[0], high[1], high[2]))))

    def _sphere_through(self, here: Point) -> RegionShape:
        """Return a sphere with the same centre and a point on its surface."""
        orientation, middle = self.pane.orientation, self._shape.centre_mm  # type: ignore[union-attr]
        axes = [
            direction.axis
            for side, direction in zip(
                self._sides, (orientation.right, orientation.down), strict=True
            )
            if side
        ]
        # Only the dragged sides count: a side handle does not move in the other direction.
        radius = max(abs(here[axis] - middle[axis]) for axis in axes)
        return SphereRegion(centre_mm=middle, diameter_mm=2 * max(radius, MIN_MM))
