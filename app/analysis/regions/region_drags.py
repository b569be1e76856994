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
"""Between two corners of a polygon that is drawn."""
LEAST_MM = 0.1
NAMES = {
    "sphere": tr("Sphere"),
    "ellipsoid": tr("Ellipsoid"),
    "box": tr("Box"),
    "cylinder": tr("Cylinder"),
    "polygon": tr("Polygon"),
    "brush": tr("Painted"),
}


class _RegionDrag:
    """Changes one region in one step of undo."""

    def __init__(self, pane: SlicePane, model: RegionModel, name: str) -> None:
        self.pane, self.model, self.name = pane, model, name
        model.hold()

    def end(self) -> None:
        """Let go."""
        self.model.let_go()
        self.pane.readout = ""
        self.pane.update()

    def show(self, shape: RegionShape) -> None:
        """Update or add the region, and show its size."""
        if self.model.current.named(self.name) is None:
            self.name = self.model.add(shape, self.name)
        else:
            self.model.change(self.name, shape=shape)
        sizes = " × ".join(millimetres(length) for length in size_of(shape.bounds_mm))
        self.pane.readout = f"{sizes} {self.pane.state.length_unit}"
        self.pane.update()


class DrawDrag(_RegionDrag):
    """A ball about the point that was pressed, or another solid from corner to corner."""

    def __init__(self, pane: SlicePane, model: RegionModel, at: QPointF) -> None:
        self._tool, self._from, self._start = model.tool, at, pane.point_at(at)
        super().__init__(pane, model, model.current.free_name(NAMES[model.tool]))

    def move(self, at: QPointF) -> None:
        """Draw to here."""
        if QLineF(self._from, at).length() >= SHORTEST_PX:
            self.show(self._shape(self.pane.point_at(at)))

    def end(self) -> None:
        super().end()
        self.model.set_tool("")

    def _shape(self, here: Point) -> RegionShape:
        start, normal = self._start, self.pane.orientation.normal
        if self._tool == "sphere":
            return SphereRegion(
                centre_mm=start, diameter_mm=2 * max(math.dist(start, here), LEAST_MM)
            )
        sizes = [max(abs(b - a), LEAST_MM) for a, b in zip(start, here, strict=True)]
        sizes[normal] = min(size for axis, size in enumerate(sizes) if axis != normal)
        x, y, z = ((a + b) / 2 for a, b in zip(start, here, strict=True))
        place = {"centre_mm": (x, y, z), "size_mm": (sizes[0], sizes[1], sizes[2])}
        if self._tool == "cylinder":
            return CylinderRegion.model_validate({**place, "axis": normal})
        if self._tool == "box":
            return BoxRegion.model_validate(place)
        return EllipsoidRegion.model_validate(place)


class LassoDrag(_RegionDrag):
    """A polygon around which the pointer goes, one slice deep; its depth is set afterwards."""

    def __init__(self, pane: SlicePane, model: RegionModel, at: QPointF) -> None:
        self._places = [at]
        super().__init__(pane, model, model.current.free_name(NAMES["polygon"]))

    def move(self, at: QPointF) -> None:
        """Go on to here."""
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
            return  # all on a line as yet


class BrushDrag(_RegionDrag):
    """Adds the voxels whose middles lie in a ball about the pointer, or takes them away.

    Paints into the chosen region where that is one of voxels; else a new one.
    """

    def __init__(self, pane: SlicePane, model: RegionModel) -> None:
        chosen = model.chosen_region
        is_painted = chosen is not None and isinstance(chosen.shape, MaskRegion)
        name = chosen.name if chosen is not None and is_painted else NAMES["brush"]
        super().__init__(pane, model, name if is_painted else model.current.free_name(name))

    def move(self, at: QPointF) -> None:
        """Paint here."""
        volume, model = self.pane.state.volume, self.model
        if volume is None:
            return
        ball = SphereRegion(centre_mm=self.pane.point_at(at), diameter_mm=model.brush_mm)
        grid, (low, high) = volume.grid, ball.bounds_mm
        first, last = (np.floor(grid.to_voxels(np.array(end))).astype(int) for end in (low, high))
        found = model.current.named(self.name)
        before = None
        if found is not None:
            try:
                before = coverage_of(found.shape, volume)
            except EngineError:
                return
            if before.share.size:
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
        mask = np.zeros(painted.shape, bool) if before is None else before.within((z, y, x)) >= 0.5
        mask = mask & ~painted if model.erases else mask | painted
        if mask.any():
            self.show(MaskRegion.of(mask, grid, (z.start, y.start, x.start)))
        elif found is not None:
            model.remove(self.name)


class RegionMoveDrag(_RegionDrag):
    """A region goes with the pointer."""

    def __init__(self, pane: SlicePane, model: RegionModel, name: str, at: QPointF) -> None:
        super().__init__(pane, model, name)
        found = model.current.named(name)
        self._shape = found.shape if found is not None else None
        self._start = pane.point_at(at)

    def move(self, at: QPointF) -> None:
        """Be here."""
        here = self.pane.point_at(at)
        x, y, z = (b - a for a, b in zip(self._start, here, strict=True))
        if self._shape is not None and (x, y, z) != (0, 0, 0):
            self.show(self._shape.moved((x, y, z)))


class RegionResizeDrag(_RegionDrag):
    """A side or corner of a region's box goes with the pointer; a ball stays one."""

    def __init__(
        self, pane: SlicePane, model: RegionModel, name: str, sides: tuple[int, int]
    ) -> None:
        super().__init__(pane, model, name)
        found = model.current.named(name)
        self._shape = found.shape if found is not None else None
        self._sides = sides

    def move(self, at: QPointF) -> None:
        """Have the side here."""
        if self._shape is None:
            return
        here, way = self.pane.point_at(at), self.pane.orientation
        low, high = ([*end] for end in self._shape.bounds_mm)
        for side, direction in zip(self._sides, (way.right, way.down), strict=True):
            axis = direction.axis
            if side * direction.sign > 0:
                high[axis] = max(here[axis], low[axis] + LEAST_MM)
            elif side:
                low[axis] = min(here[axis], high[axis] - LEAST_MM)
        if isinstance(self._shape, SphereRegion):
            self.show(self._about_middle(here))
        else:
            self.show(self._shape.fitted(((low[0], low[1], low[2]), (high[0], high[1], high[2]))))

    def _about_middle(self, here: Point) -> RegionShape:
        """Return a sphere with the same centre whose surface passes through a point."""
        way, middle = self.pane.orientation, self._shape.centre_mm  # type: ignore[union-attr]
        axes = [
            direction.axis
            for side, direction in zip(self._sides, (way.right, way.down), strict=True)
            if side
        ]
        radius = max(abs(here[axis] - middle[axis]) for axis in axes)
        return SphereRegion(centre_mm=middle, diameter_mm=2 * max(radius, LEAST_MM))
