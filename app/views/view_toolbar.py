"""The slim row below the views: colour map, window, interpolation, convention."""

from __future__ import annotations

import math

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QComboBox,
    QHBoxLayout,
    QLineEdit,
    QMenu,
    QPushButton,
    QSizePolicy,
    QWidget,
)

from app.views.colour_bar import ColourBar, swatch
from app.views.colour_maps import COLOUR_MAPS
from app.views.labels import ElidedLabel
from app.views.plain_text import plain_tip
from app.views.state import ViewState
from app.views.text import number

SWATCH = QSize(44, 12)
SWATCH_BOX_PX = SWATCH.width() + 34  # a colour map box without its words
MARGIN_PX, SPACING_PX = 8, 6
NUMBER_PX, UNIT_PX = 64, 120
"""Widths of a number, and of the longest unit that is written out."""


class ViewToolbar(QWidget):
    """Shows and changes how the linked views display their volume."""

    def __init__(self, state: ViewState, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._state = state
        self.colour_map = self._colour_map_box()
        self.bar = ColourBar(state)
        self.presets = self._presets_button()
        self.low = NumberEdit("Low end of the window")
        self.high = NumberEdit("High end of the window")
        for box in (self.low, self.high):
            box.changed.connect(self._take_numbers)
        self.auto = QPushButton("Auto")
        self.auto.setToolTip("Set a window that shows most of the volume (A)")
        self.auto.clicked.connect(lambda: state.auto_window())
        self.unit = ElidedLabel()
        self.interpolation = self._badge("Blend neighbouring voxels or show them as they are (I)")
        self.interpolation.clicked.connect(lambda: state.toggle_interpolation())
        self.convention = self._badge("")
        self.convention.clicked.connect(self._toggle_convention)
        self._lay_out()
        for signal in (state.window_changed, state.display_changed, state.volume_changed):
            signal.connect(self.refresh)
        self.refresh()

    def _lay_out(self) -> None:
        row = QHBoxLayout(self)
        row.setContentsMargins(MARGIN_PX, 4, MARGIN_PX, 4)
        row.setSpacing(SPACING_PX)
        self._row: tuple[QWidget, ...] = (
            self.presets,
            self.auto,
            self.low,
            self.bar,
            self.high,
            self.unit,
            self.interpolation,
            self.convention,
        )
        row.addWidget(self.colour_map)
        for widget in self._row:
            row.addWidget(widget, 1 if widget is self.bar else 0)
            if isinstance(widget, QPushButton):  # else they grow where the bar is spared
                widget.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        row.addStretch(0)

    def _colour_map_box(self) -> QComboBox:
        box = QComboBox()
        box.setAccessibleName("Colour map")
        box.setIconSize(SWATCH)
        for colour_map in COLOUR_MAPS:
            box.addItem(colour_map.title, colour_map.key)
            tip = colour_map.warning or colour_map.title
            box.setItemData(box.count() - 1, tip, Qt.ItemDataRole.ToolTipRole)
        box.activated.connect(lambda index: self._state.set_colour_map(box.itemData(index)))
        return box

    def _presets_button(self) -> QPushButton:
        button = QPushButton("Window")
        button.setToolTip("Windows by name")
        menu = QMenu(button)
        menu.aboutToShow.connect(self._fill_presets)
        button.setMenu(menu)
        return button

    def _fill_presets(self) -> None:
        menu = self.presets.menu()
        menu.clear()
        menu.addAction("Automatic").triggered.connect(lambda: self._state.auto_window())
        menu.addSeparator()
        for preset in self._state.window_presets():
            ends = (number(self._state.to_shown(end)) for end in preset.window)
            words = f"{' to '.join(ends)} {self._state.shown_unit}".rstrip()
            action = menu.addAction(f"{preset.title}: {words}")
            action.triggered.connect(lambda _=False, w=preset.window: self._state.set_window(*w))

    def _badge(self, tip: str) -> QPushButton:
        button = QPushButton()
        button.setToolTip(plain_tip(tip))
        return button

    def _take_numbers(self) -> None:
        low, high = (self._state.from_shown(box.value) for box in (self.low, self.high))
        self._state.set_window(low, high)

    def _toggle_convention(self) -> None:
        is_radiological = self._state.convention == "radiological"
        self._state.set_convention("neurological" if is_radiological else "radiological")

    def minimumSizeHint(self) -> QSize:
        spared = sum(_least_width(widget) + SPACING_PX for widget in self._spared)
        spared += self.colour_map.sizeHint().width() - SWATCH_BOX_PX
        return QSize(self._full_width() - spared, super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._give_way()

    def _full_width(self) -> int:
        """The width below which something has to give way [px]."""
        widths = [_least_width(widget) + SPACING_PX for widget in self._row]
        return 2 * MARGIN_PX + sum(widths) + self.colour_map.sizeHint().width()

    @property
    def _spared(self) -> tuple[QWidget, ...]:
        """What goes first: keys, the numbers and the status line do the same."""
        return self.interpolation, self.auto, self.unit, self.bar

    def _give_way(self) -> None:
        """Spare what a narrow window has no room for."""
        free = self.width() - self._full_width()
        full = self.colour_map.sizeHint().width()
        for widget in self._spared[:1]:
            widget.setVisible(free >= 0)
            free += 0 if free >= 0 else _least_width(widget) + SPACING_PX
        self.colour_map.setFixedWidth(full if free >= 0 else SWATCH_BOX_PX)
        free += 0 if free >= 0 else full - SWATCH_BOX_PX
        for widget in self._spared[1:]:
            widget.setVisible(free >= 0)
            free += 0 if free >= 0 else _least_width(widget) + SPACING_PX

    def refresh(self) -> None:
        """Show the state."""
        state = self._state
        for box, value in zip((self.low, self.high), state.window, strict=True):
            box.show_value(state.to_shown(value) if state.volume else None)
        self.unit.show_within(state.shown_unit, 0, UNIT_PX)
        self.interpolation.setText(state.interpolation.capitalize())
        self.convention.setText(state.convention.capitalize())
        side = "left" if state.convention == "radiological" else "right"
        self.convention.setToolTip(
            plain_tip(f"The patient's right is at the {side} of the screen; click to change")
        )
        self.colour_map.setCurrentIndex(self.colour_map.findData(state.colour_map))
        self.colour_map.setToolTip(plain_tip(f"Colour map: {self.colour_map.currentText()}"))
        self._refresh_swatches()
        for widget in (self.presets, self.low, self.high, self.auto):
            widget.setEnabled(state.volume is not None)
        self._give_way()

    def _refresh_swatches(self) -> None:
        if self.colour_map.property("painted_for") == self._state.colours.grid:
            return
        self.colour_map.setProperty("painted_for", self._state.colours.grid)
        for index in range(self.colour_map.count()):
            key = self.colour_map.itemData(index)
            self.colour_map.setItemIcon(index, swatch(key, SWATCH, self._state.colours))


def _least_width(widget: QWidget) -> int:
    """The width below which a widget would be cut off [px]."""
    return widget.minimumWidth() or widget.minimumSizeHint().width()


class NumberEdit(QLineEdit):
    """A line that holds one number; anything else is put back."""

    changed = Signal()

    def __init__(self, name: str) -> None:
        super().__init__()
        self.value = 0.0
        self._shown = ""
        self.setAccessibleName(name)
        self.setToolTip(plain_tip(name))
        self.setAlignment(Qt.AlignmentFlag.AlignRight)
        self.setFixedWidth(NUMBER_PX)
        self.editingFinished.connect(self._take)

    def show_value(self, value: float | None) -> None:
        """Show a number, or nothing; nothing is emitted."""
        self.value = value or 0.0
        self._shown = "" if value is None else number(value, 4 if abs(value) >= 1e-4 else 3)
        self.setText(self._shown)

    def _take(self) -> None:
        if self.text() == self._shown:
            return
        try:
            value = float(self.text().replace("−", "-").replace(",", "."))
        except ValueError:
            value = math.nan
        if math.isfinite(value):
            self.value = value
            self.changed.emit()
        self.show_value(self.value)
