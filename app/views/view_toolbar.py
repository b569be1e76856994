"""The slim row below the views: colour map, window, interpolation, convention."""

from __future__ import annotations

from PySide6.QtCore import QLocale, QSignalBlocker, QSize, Qt
from PySide6.QtWidgets import (
    QComboBox,
    QDoubleSpinBox,
    QHBoxLayout,
    QLabel,
    QMenu,
    QPushButton,
    QSizePolicy,
    QToolButton,
    QWidget,
)

from app.views.colour_bar import ColourBar, swatch
from app.views.colour_maps import COLOUR_MAPS
from app.views.state import ViewState
from app.views.windows import round_to_figures

SWATCH = QSize(44, 12)
LARGEST = 1e12


class ViewToolbar(QWidget):
    """Shows and changes how the linked views display their volume."""

    def __init__(self, state: ViewState, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._state = state
        self.colour_map = self._colour_map_box()
        self.presets = self._presets_button()
        self.low = self._number_box("Low end of the window")
        self.high = self._number_box("High end of the window")
        self.auto = QPushButton("Auto")
        self.auto.setToolTip("Set a window that shows most of the volume (A)")
        self.auto.clicked.connect(lambda: state.auto_window())
        self.unit = QLabel()
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
        row.setContentsMargins(8, 4, 8, 4)
        row.setSpacing(6)
        self.bar = ColourBar(self._state)
        for widget in (self.colour_map, self.presets, self.auto, self.low):
            row.addWidget(widget)
        row.addWidget(self.bar, 1)
        for widget in (self.high, self.unit, self.interpolation, self.convention):
            row.addWidget(widget)

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

    def _presets_button(self) -> QToolButton:
        button = QToolButton()
        button.setText("Window")
        button.setToolTip("Windows by name")
        button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextOnly)
        button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        button.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Preferred)
        menu = QMenu(button)
        menu.aboutToShow.connect(self._fill_presets)
        button.setMenu(menu)
        return button

    def _fill_presets(self) -> None:
        menu = self.presets.menu()
        menu.clear()
        for preset in self._state.window_presets():
            action = menu.addAction(preset.title)
            action.triggered.connect(lambda _=False, w=preset.window: self._state.set_window(*w))

    def _number_box(self, name: str) -> QDoubleSpinBox:
        box = QDoubleSpinBox()
        box.setAccessibleName(name)
        box.setToolTip(name)
        box.setLocale(QLocale.c())
        box.setRange(-LARGEST, LARGEST)
        box.setStepType(QDoubleSpinBox.StepType.AdaptiveDecimalStepType)
        box.setButtonSymbols(QDoubleSpinBox.ButtonSymbols.NoButtons)
        box.setKeyboardTracking(False)
        box.setAlignment(Qt.AlignmentFlag.AlignRight)
        box.setFixedWidth(72)
        box.valueChanged.connect(lambda _: self._take_numbers())
        return box

    def _badge(self, tip: str) -> QPushButton:
        button = QPushButton()
        button.setToolTip(tip)
        return button

    def _take_numbers(self) -> None:
        self._state.set_window(self.low.value(), self.high.value())

    def _toggle_convention(self) -> None:
        is_radiological = self._state.convention == "radiological"
        self._state.set_convention("neurological" if is_radiological else "radiological")

    def refresh(self) -> None:
        """Show the state."""
        state = self._state
        self._refresh_numbers()
        self.unit.setText(state.unit)
        self.interpolation.setText(state.interpolation.capitalize())
        self.convention.setText(state.convention.capitalize())
        side = "left" if state.convention == "radiological" else "right"
        self.convention.setToolTip(
            f"The patient's right is at the {side} of the screen; click to change"
        )
        self.colour_map.setCurrentIndex(self.colour_map.findData(state.colour_map))
        self._refresh_swatches()
        for widget in (self.presets, self.low, self.high, self.auto):
            widget.setEnabled(state.volume is not None)

    def _refresh_numbers(self) -> None:
        low, high = self._state.window
        span = max(abs(low), abs(high), 1e-9)
        for box, value in ((self.low, low), (self.high, high)):
            with QSignalBlocker(box):
                box.setDecimals(_decimals(span))
                box.setValue(value)

    def _refresh_swatches(self) -> None:
        if self.colour_map.property("painted_for") == self._state.colours.grid:
            return
        self.colour_map.setProperty("painted_for", self._state.colours.grid)
        for index in range(self.colour_map.count()):
            key = self.colour_map.itemData(index)
            self.colour_map.setItemIcon(index, swatch(key, SWATCH, self._state.colours))


def _decimals(span: float) -> int:
    """Decimals that show three figures of a span."""
    text = f"{round_to_figures(span, 1):e}"
    return min(max(2 - int(text.split("e")[1]), 0), 9)
