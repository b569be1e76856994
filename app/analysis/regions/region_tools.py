"""Buttons that select the drawing tool, and the diameter of the brush."""

from __future__ import annotations

from functools import partial

from PySide6.QtWidgets import QCheckBox, QGridLayout, QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from app.language.translation import tr
from app.state.models.region_model import RegionModel, Tool
from app.ui.forms.number_box import NumberBox
from app.ui.theme.widgets import button, label
from app.views.state import ViewState

TOOLS: dict[Tool, tuple[str, str]] = {
    "sphere": (tr("Sphere"), tr("Press at the centre of the sphere and drag to its surface")),
    "ellipsoid": (tr("Ellipsoid"), tr("Drag a rectangle around the ellipsoid")),
    "box": (tr("Box"), tr("Drag from one corner of the box to the opposite corner")),
    "cylinder": (
        tr("Cylinder"),
        tr(
            "Drag a rectangle around the cross-section of the cylinder. The axis is perpendicular "
            "to the slice."
        ),
    ),
    "polygon": (tr("Polygon"), tr("Drag around the area. Set the depth afterwards.")),
    "brush": (
        tr("Brush"),
        tr("Paint voxels. If the selected region was painted, the new voxels are added to it."),
    ),
}
PER_ROW = 3
MIN_MM, MAX_MM = 0.5, 500.0


class RegionTools(QWidget):
    """Buttons for the drawing tools; at most one is active."""

    def __init__(self, model: RegionModel, view: ViewState) -> None:
        super().__init__()
        self._model, self._view = model, view
        self.buttons: dict[Tool, QPushButton] = {}
        grid = QGridLayout()
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setSpacing(6)
        for k, (tool, (title, tip)) in enumerate(TOOLS.items()):
            made = button(title, partial(self._toggle, tool), tip)
            made.setCheckable(True)
            self.buttons[tool] = made
            grid.addWidget(made, k // PER_ROW, k % PER_ROW)
        self.brush = NumberBox(False, MIN_MM, MAX_MM)
        self.brush.setAccessibleName(tr("Brush diameter in mm"))
        self.brush.setToolTip(tr("Brush diameter in mm"))
        self.brush.setFixedWidth(70)
        self.brush.show_number(model.brush_mm)
        self.brush.edited.connect(self._take_brush)
        self.erases = QCheckBox(tr("Erase"))
        self.erases.setToolTip(tr("Remove voxels instead of adding them"))
        self.erases.clicked.connect(self._take_brush)
        self._brush_row = QWidget()
        row = QHBoxLayout(self._brush_row)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(label(tr("Brush diameter (mm)"), "caption"))
        row.addWidget(self.brush)
        row.addStretch(1)
        row.addWidget(self.erases)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(6)
        column.addLayout(grid)
        column.addWidget(self._brush_row)
        for signal in (model.tool_changed, view.volume_changed):
            signal.connect(self.refresh)
        self.refresh()

    def refresh(self) -> None:
        """Show the active tool."""
        for tool, made in self.buttons.items():
            made.setChecked(tool == self._model.tool)
            made.setEnabled(self._view.volume is not None)
        # The fields only matter to the brush, and the panel is narrow.
        self._brush_row.setVisible(self._model.tool == "brush")

    def _toggle(self, tool: Tool) -> None:
        # The line profile also draws in the slices; only one tool can have the pointer.
        self._view.set_draws_lines(False)
        self._model.set_tool("" if self._model.tool == tool else tool)
        self.refresh()

    def _take_brush(self) -> None:
        typed = self.brush.raw()
        if isinstance(typed, int | float):
            self._model.brush_mm = min(max(float(typed), MIN_MM), MAX_MM)
        self.brush.show_number(self._model.brush_mm)
        self._model.erases = self.erases.isChecked()
