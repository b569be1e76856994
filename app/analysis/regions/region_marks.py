"""Regions over the slices: borders, handles, hit testing."""

from __future__ import annotations

from PySide6.QtCore import QObject, QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QPainter, QPainterPath, QPainterPathStroker, QPen

from app.analysis.regions.cross_sections import SliceBorders
from app.analysis.regions.region_drags import (
    BrushDrag,
    DrawDrag,
    LassoDrag,
    RegionMoveDrag,
    RegionResizeDrag,
)
from app.state.models.region_model import RegionModel
from app.views.gestures import Drag
from app.views.slices.slice_marks import SlicePane
from app.views.state import ViewState
from app.views.viewport import Viewport
from engine.analysis.regions import ContourRegion, Region, RegionCoverage, RegionShape, coverage_of
from engine.core.errors import EngineError
from engine.data import Volume

HANDLE_PX, NEAR_PX = 4.0, 7.0
SMALL_HANDLE_PX, OUTSIDE_PX = 2.5, 6.0
"""Half size of the handles of a small region, and their distance from its box along each side."""
BORDER_PX, CHOSEN_PX = 1.4, 2.2
ROOMY_PX = 44.0
"""A smaller region has handles only at its corners."""
HALO = "#c0101214"
ANNOTATING = ("arrow", "text", "distance", "angle", "curve")
MAX_BORDERS = 16
"""Number of regions with cached voxels in the displayed image."""


class RegionMarks(QObject):
    """Paint the regions of the displayed scan, and find the handle under the pointer."""

    def __init__(self, model: RegionModel, state: ViewState) -> None:
        super().__init__(state)
        self._model, self._state = model, state
        self._covered: dict[RegionShape, RegionCoverage | None] = {}
        # Thresholds depend on the image, and masks on its grid.
        state.volume_changed.connect(self._covered.clear)
        for signal in (model.changed, model.chosen_changed, model.tool_changed):
            signal.connect(state.marks_changed)
        state.add_marks(self)

    @property
    def uses_cross_cursor(self) -> bool:
        """True while the pointer draws."""
        return bool(self._model.tool) and self._state.volume is not None

    def paint(self, painter: QPainter, pane: SlicePane, viewport: Viewport) -> None:
        """Paint the borders in the displayed slice, with the selected region on top.

        Parameters
        ----------
        painter
            active painter of the pane
        pane
            pane to paint
        viewport
            visible part of the slice
        """
        volume = self._state.volume
        if volume is None:
            return
        chosen = self._model.chosen_region
        borders = self._borders(pane, viewport)
        shown = [each for each in self._model.regions if each.shown]
        for region in sorted(shown, key=lambda each: each is chosen):
            path = self._path(region.shape, borders, volume)
            is_chosen = region.name in self._model.chosen
            if is_chosen and isinstance(region.shape, ContourRegion):
                self._draw_around(painter, region, borders, volume)
            self._draw(painter, path, region.colour, is_chosen)
        if chosen is not None and chosen.shown and not self._model.tool and pane.shows_handles:
            self._draw_handles(painter, chosen, borders)

    def drag(self, pane: SlicePane, at: QPointF) -> Drag | None:
        """Return the drag that starts at a point, or None.

        The selected tool draws. Without a tool, a handle of the selected region or the border of
        any region starts a move or a resize.

        Parameters
        ----------
        pane
            pane in which the button was pressed
        at
            pointer in the pane [px]
        """
        viewport = pane.viewport
        if viewport is None or self._state.volume is None:
            return None
        model = self._model
        # These tools belong to the annotations, which get the event next.
        if model.tool in ANNOTATING:
            return None
        if model.tool == "brush":
            return BrushDrag(pane, model)
        if model.tool == "polygon":
            return LassoDrag(pane, model, at)
        if model.tool:
            return DrawDrag(pane, model, at)
        borders, chosen = self._borders(pane, viewport), model.chosen_region
        if chosen is not None and chosen.shown:
            for sides, place in self._handles(chosen, borders).items():
                if (place - at).manhattanLength() <= 2 * NEAR_PX:
                    if sides == (0, 0):
                        return RegionMoveDrag(pane, model, chosen.name, at)
                    out_px = self._outside_px(chosen, borders)
                    shift = QPointF(sides[0] * out_px, sides[1] * out_px)
                    return RegionResizeDrag(pane, model, chosen.name, sides, shift)
        return self._by_border(pane, borders, at)

    def _by_border(self, pane: SlicePane, borders: SliceBorders, at: QPointF) -> Drag | None:
        volume = self._state.volume
        # A thin path is hard to hit; a stroke as wide as the tolerance is tested instead.
        stroker = QPainterPathStroker()
        stroker.setWidth(2 * NEAR_PX)
        for region in reversed(self._model.regions):
            if volume is None or not region.shown:
                continue
            if stroker.createStroke(self._path(region.shape, borders, volume)).contains(at):
                self._model.choose(region.name)
                return RegionMoveDrag(pane, self._model, region.name, at)
        return None

    def _borders(self, pane: SlicePane, viewport: Viewport) -> SliceBorders:
        orientation = pane.orientation
        return SliceBorders(orientation, viewport, pane.plane_point[orientation.normal])

    def _path(self, shape: RegionShape, borders: SliceBorders, volume: Volume) -> QPainterPath:
        smooth = borders.smooth(shape)
        if smooth is not None:
            return smooth
        if shape not in self._covered:
            while len(self._covered) >= MAX_BORDERS:
                # A dict keeps the order of insertion, so this removes the oldest entry.
                self._covered.pop(next(iter(self._covered)))
            try:
                self._covered[shape] = coverage_of(shape, volume)
            except EngineError:
                # The image has no such level. Caching None avoids another try at each repaint.
                self._covered[shape] = None
        found = self._covered[shape]
        return QPainterPath() if found is None else borders.of_voxels(found, volume)

    def _draw(self, painter: QPainter, path: QPainterPath, colour: str, is_chosen: bool) -> None:
        painter.setBrush(Qt.BrushStyle.NoBrush)
        width = CHOSEN_PX if is_chosen else BORDER_PX
        # A dark halo keeps the line visible on white and on its own colour.
        for pen in (QPen(QColor(HALO), width + 2), QPen(QColor(colour), width)):
            painter.setPen(pen)
            painter.drawPath(path)

    def _draw_around(
        self, painter: QPainter, region: Region, borders: SliceBorders, volume: Volume
    ) -> None:
        """Paint the search area of a contour, dashed."""
        if isinstance(region.shape, ContourRegion):
            pen = QPen(QColor(region.colour), 1.0, Qt.PenStyle.DashLine)
            painter.setPen(pen)
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawPath(self._path(region.shape.within, borders, volume))

    def _handles(self, region: Region, borders: SliceBorders) -> dict[tuple[int, int], QPointF]:
        """Return the positions of the handles by the sides they move (−1, 0 or 1 per direction)."""
        low, high = region.shape.bounds_mm
        normal = borders.orientation.normal
        if not low[normal] <= borders.depth_mm <= high[normal]:
            return {}
        box = borders.rect((low, high))
        x = box.left(), box.center().x(), box.right()
        y = box.top(), box.center().y(), box.bottom()
        steps: tuple[int, ...] = (-1, 0, 1) if region.shape.has_size else (0,)
        out_px = self._outside_px(region, borders)
        if out_px:
            steps = (-1, 1)  # the border moves it
        return {
            (i, j): QPointF(x[i + 1] + i * out_px, y[j + 1] + j * out_px)
            for j in steps
            for i in steps
        }

    def _outside_px(self, region: Region, borders: SliceBorders) -> float:
        """Return the distance of the handles from the box [px]; 0 unless the region is small."""
        box = borders.rect(region.shape.bounds_mm)
        is_small = region.shape.has_size and min(box.width(), box.height()) < ROOMY_PX
        # Handles on the box would hide most of a small lesion.
        return OUTSIDE_PX if is_small else 0.0

    def _draw_handles(self, painter: QPainter, region: Region, borders: SliceBorders) -> None:
        size = 2 * (SMALL_HANDLE_PX if self._outside_px(region, borders) else HANDLE_PX)
        for sides, place in self._handles(region, borders).items():
            # An open square in the centre does not hide the voxels below.
            is_open = sides == (0, 0) and region.shape.has_size
            painter.setBrush(Qt.BrushStyle.NoBrush if is_open else QBrush(QColor(region.colour)))
            square = QRectF(0, 0, size, size)
            square.moveCenter(place)
            painter.setPen(QPen(QColor("#ffffff"), 1.0))
            painter.drawRect(square)
