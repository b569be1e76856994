"""Number fields for position, size and threshold of the selected region."""

from __future__ import annotations

from PySide6.QtWidgets import QCheckBox, QGridLayout, QHBoxLayout, QVBoxLayout, QWidget

from app.language.translation import tr
from app.state.models.region_model import RegionModel
from app.ui.forms.fields import QuietCombo
from app.ui.forms.number_box import NumberBox
from app.ui.theme.widgets import label
from app.views.literal_text import literal_tip
from app.views.state import ViewState
from engine.analysis.regions import (
    RULES,
    ContourRegion,
    RegionShape,
    around,
    middle_of,
    size_of,
)

MIN_MM, MAX_MM = 0.1, 10_000.0
AXES = "xyz"
DEFAULT_PERCENT = 41.0


class RegionNumbers(QWidget):
    """Fields for centre and sizes of a region, and for the threshold of a contour."""

    def __init__(self, model: RegionModel, view: ViewState) -> None:
        super().__init__()
        self._model, self._view = model, view
        self.middle = [
            self._number_box(tr("Centre of the region along {a} in mm", a=a), -MAX_MM) for a in AXES
        ]
        self.sizes = [
            self._number_box(tr("Size of the region along {a} in mm", a=a), MIN_MM) for a in AXES
        ]
        self.rule = QuietCombo()
        self.rule.setAccessibleName(tr("Method used to set the contour threshold"))
        self.rule.setToolTip(tr("Include the whole region, or only the voxels above a threshold"))
        self.rule.addItem(tr("Whole region"), "")
        for rule, title in RULES.items():
            self.rule.addItem(title, rule)
        self.rule.activated.connect(self._take_rule)
        self.level = NumberBox(False, None, None)
        self.level.setAccessibleName(tr("Contour threshold"))
        self.level.edited.connect(self._take_rule)
        self.level.setFixedWidth(84)
        self.unit = label("", "muted")
        self.connected = QCheckBox(tr("Only voxels connected to the maximum"))
        self.connected.setToolTip(
            tr("Include only voxels that are connected to the maximum through shared faces")
        )
        self.connected.clicked.connect(self._take_rule)
        self._lay_out()
        for signal in (model.changed, model.chosen_changed, view.volume_changed):
            signal.connect(self.refresh)
        self.refresh()

    def _number_box(self, name: str, low: float) -> NumberBox:
        box = NumberBox(False, low, MAX_MM)
        box.setAccessibleName(name)
        box.setToolTip(literal_tip(name))
        box.edited.connect(self._take_place)
        return box

    def _lay_out(self) -> None:
        grid = QGridLayout()
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(6)
        grid.setVerticalSpacing(6)
        for k, axis in enumerate(AXES, 1):
            grid.addWidget(label(axis, "caption"), 0, k)
            grid.setColumnStretch(k, 1)
        named = ((tr("Centre (mm)"), self.middle), (tr("Size (mm)"), self.sizes))
        for row, (words, boxes) in enumerate(named, 1):
            grid.addWidget(label(words, "caption"), row, 0)
            for k, box in enumerate(boxes, 1):
                grid.addWidget(box, row, k)
        self._levels = QWidget()
        row_of_level = QHBoxLayout(self._levels)
        row_of_level.setContentsMargins(0, 0, 0, 0)
        row_of_level.setSpacing(6)
        row_of_level.addWidget(self.rule, 1)
        row_of_level.addWidget(self.level)
        row_of_level.addWidget(self.unit)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(6)
        column.addLayout(grid)
        column.addWidget(self._levels)
        column.addWidget(self.connected)

    def refresh(self) -> None:
        """Show the selected region."""
        region = self._model.chosen_region
        self.setVisible(region is not None)
        if region is None:
            return
        shape = region.shape
        places = (middle_of(shape.bounds_mm), size_of(shape.bounds_mm))
        for boxes, values in zip((self.middle, self.sizes), places, strict=True):
            for box, value in zip(boxes, values, strict=True):
                # The field that the user edits is not overwritten with an equal value, which would
                # move the text cursor.
                if not box.hasFocus() or box.raw() != round(value, 3):
                    box.show_number(round(value, 3))
        for box in self.sizes:
            box.setEnabled(shape.has_size)
        self._show_rule(shape)

    def _show_rule(self, shape: RegionShape) -> None:
        contour = shape if isinstance(shape, ContourRegion) else None
        may_have_level = contour is not None or (shape.has_size)
        self._levels.setVisible(may_have_level)
        self.rule.setCurrentIndex(self.rule.findData(contour.rule if contour else ""))
        has_level = contour is not None and contour.rule != "adaptive"
        self.level.setVisible(has_level)
        self.unit.setVisible(has_level)
        self.connected.setVisible(contour is not None)
        if contour is not None:
            is_fixed = contour.rule == "fixed"
            shown = self._view.to_shown(contour.level) if is_fixed else contour.level
            self.level.show_number(float(f"{shown:.6g}"))
            self.unit.setText(self._view.shown_unit if is_fixed else "%")
            self.connected.setChecked(contour.connected)

    def _take_place(self) -> None:
        region = self._model.chosen_region
        if region is None:
            return
        before = [*middle_of(region.shape.bounds_mm), *size_of(region.shape.bounds_mm)]
        wanted = []
        for box, was in zip((*self.middle, *self.sizes), before, strict=True):
            typed = box.raw()
            # Fields show rounded numbers. Unchanged ones keep the exact value of the region.
            is_new = isinstance(typed, int | float) and typed != round(was, 3)
            wanted.append(float(typed or 0.0) if is_new else was)
        # A region of size 0 has no volume, and no drag could enlarge it again.
        sizes = [min(max(size, MIN_MM), MAX_MM) for size in wanted[3:]]
        middle = [min(max(place, -MAX_MM), MAX_MM) for place in wanted[:3]]
        bounds = around((middle[0], middle[1], middle[2]), (sizes[0], sizes[1], sizes[2]))
        self._model.change(region.name, shape=region.shape.fitted(bounds))
        self.refresh()

    def _take_rule(self) -> None:
        region, rule = self._model.chosen_region, str(self.rule.currentData())
        if region is None:
            return
        shape = region.shape
        if not rule:
            if isinstance(shape, ContourRegion):
                self._model.change(region.name, shape=shape.within)
            return
        was = shape.rule if isinstance(shape, ContourRegion) else ""
        typed = self.level.raw()
        if was == rule and not isinstance(typed, int | float):
            self.refresh()  # not a number: the previous value is shown again
            return
        # After a change of the rule the number has another meaning, so the default replaces it.
        if was == rule and isinstance(typed, int | float):
            level = self._view.from_shown(float(typed)) if rule == "fixed" else float(typed)
        else:
            level = self._default_level(rule)
        try:
            self._model.contour(
                region.name,
                rule=rule,
                level=level,
                unit=self._view.unit if rule == "fixed" else "",
                connected=self.connected.isChecked() if was else True,
            )
        except ValueError:
            self.refresh()  # not a valid percentage: the previous value is shown again

    def _default_level(self, rule: str) -> float:
        """Return the default threshold: half of the value at the crosshair, or 41 %."""
        if rule != "fixed":
            return DEFAULT_PERCENT
        return (self._view.value_at_cursor() or 0.0) / 2
