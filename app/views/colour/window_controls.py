"""Controls for colour map, window presets and window limits."""

from __future__ import annotations

import math
from typing import NamedTuple

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

from app.language.translation import tr
from app.views.colour.colour_bar import ColourBar, swatch
from app.views.colour.colour_maps import COLOUR_MAPS
from app.views.colour.volume_colours import VolumeAppearance
from app.views.literal_text import literal_tip
from app.views.slices.labels import ElidedLabel
from app.views.text import number

SWATCH = QSize(44, 12)
SWATCH_BOX_PX = SWATCH.width() + 34  # width of the colour map box without its text
MARGIN_PX, SPACING_PX = 8, 6
NUMBER_PX, UNIT_PX, TEXT_PAD_PX = 64, 120, 7
"""Widths of a number field, of the unit label (longer units are elided), and of the space on each
side of a number [px]."""
MAX_SIZE = 1e30
"""Largest number that a field takes. Images are float32, and windows need room to compute."""


class ControlNames(NamedTuple):
    """Names of the controls for tooltips and screen readers, each a complete text."""

    low: str
    high: str
    auto: str
    presets: str
    colour_map: str


FIRST_VOLUME = ControlNames(
    tr("Lower window limit"),
    tr("Upper window limit"),
    tr("Automatic window"),
    tr("Window presets"),
    tr("Colour map"),
)
SECOND_VOLUME = ControlNames(
    tr("Lower window limit for the second volume"),
    tr("Upper window limit for the second volume"),
    tr("Automatic window for the second volume"),
    tr("Window presets for the second volume"),
    tr("Colour map for the second volume"),
)
COMPARISON = ControlNames(
    tr("Lower window limit for the comparison"),
    tr("Upper window limit for the comparison"),
    tr("Set the window for the comparison automatically"),
    tr("Window presets for the comparison"),
    tr("Colour map for the comparison"),
)


class WindowControls(QWidget):
    """Shows and changes the window and the colours of a volume.

    In a narrow window, controls that the keyboard or the status line can replace are hidden.

    Parameters
    ----------
    appearance : the volume and its display settings
    names : names of the controls for screen readers
    parent : parent widget
    """

    def __init__(
        self,
        appearance: VolumeAppearance,
        names: ControlNames = FIRST_VOLUME,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._appearance, self._names = appearance, names
        self._histogram: QWidget | None = None
        self.colour_map = self._colour_map_box()
        self.bar = ColourBar(appearance)
        self.presets = self._presets_button()
        self.low = NumberEdit(names.low)
        self.high = NumberEdit(names.high)
        for box in (self.low, self.high):
            box.changed.connect(self._take_numbers)
        self.auto = QPushButton(tr("Auto"))
        self.auto.setToolTip(literal_tip(tr("Fit the window to most of the values")))
        self.auto.setAccessibleName(names.auto)
        self.auto.clicked.connect(lambda: appearance.auto_window())
        self.unit = ElidedLabel()
        self._more = self.more_controls()
        self._lay_out()
        for signal in (
            appearance.window_changed,
            appearance.display_changed,
            appearance.volume_changed,
        ):
            signal.connect(self.refresh)
        self.refresh()

    has_auto = True

    def more_controls(self) -> tuple[QPushButton, ...]:
        """Return further buttons for the end of the row. The last one is never hidden."""
        return ()

    def _lay_out(self) -> None:
        row = QHBoxLayout(self)
        row.setContentsMargins(MARGIN_PX, 4, MARGIN_PX, 4)
        row.setSpacing(SPACING_PX)
        parts = self.presets, self.auto, self.low, self.bar, self.high, self.unit, *self._more
        shows_auto = self.has_auto and self._appearance.fits_automatically
        self._row: tuple[QWidget, ...] = tuple(
            each for each in parts if each is not self.auto or shows_auto
        )
        row.addWidget(self.colour_map)
        for widget in self._row:
            row.addWidget(widget, 1 if widget is self.bar else 0)
            if isinstance(widget, QPushButton):  # otherwise they grow when the bar is hidden
                widget.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        row.addStretch(0)

    def _colour_map_box(self) -> QComboBox:
        box = QComboBox()
        box.setAccessibleName(self._names.colour_map)
        box.setIconSize(SWATCH)
        for colour_map in COLOUR_MAPS:
            box.addItem(colour_map.title, colour_map.key)
            tip = colour_map.warning or colour_map.title
            box.setItemData(box.count() - 1, tip, Qt.ItemDataRole.ToolTipRole)
        box.activated.connect(lambda index: self._appearance.set_colour_map(box.itemData(index)))
        return box

    def _presets_button(self) -> QPushButton:
        button = QPushButton(tr("Window"))
        button.setToolTip(tr("Window presets"))
        button.setAccessibleName(self._names.presets)
        menu = QMenu(button)
        menu.aboutToShow.connect(self._fill_presets)
        button.setMenu(menu)
        return button

    def _fill_presets(self) -> None:
        menu = self.presets.menu()
        # Presets depend on the largest value, which changes with every image of a run.
        menu.clear()
        if self._appearance.fits_automatically:
            automatic = menu.addAction(tr("Automatic"))
            automatic.triggered.connect(lambda: self._appearance.auto_window())
            menu.addSeparator()
        unit = self._appearance.shown_unit
        for preset in self._appearance.window_presets():
            low, high = (self._appearance.shown_number(end) for end in preset.window)
            span = f"{tr('{low} to {high}', low=low, high=high)} {unit}".rstrip()
            action = menu.addAction(f"{preset.title}: {span}")
            action.triggered.connect(
                lambda _=False, w=preset.window: self._appearance.set_window(*w)
            )
        if self._appearance.volume is not None:
            menu.addSeparator()
            menu.addAction(tr("Histogram …")).triggered.connect(self.show_histogram)

    def show_histogram(self) -> None:
        """Show the histogram with movable window limits."""
        if self._histogram is None:
            # Imported late: few users open it, and it loads the plots.
            from app.views.plots.histogram_window import HistogramWindow

            self._histogram = HistogramWindow(self._appearance, self)
        self._histogram.show()

    def _take_numbers(self) -> None:
        low, high = (self._appearance.from_shown(box.value) for box in (self.low, self.high))
        self._appearance.set_window(low, high)

    def minimumSizeHint(self) -> QSize:
        spared = sum(_min_width(widget) + SPACING_PX for widget in self._hideable_controls)
        spared += self.colour_map.sizeHint().width() - SWATCH_BOX_PX
        return QSize(self._full_width() - spared, super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._fit_to_width()

    def _full_width(self) -> int:
        """Return the width below which controls are hidden [px]."""
        widths = [_min_width(widget) + SPACING_PX for widget in self._row]
        return 2 * MARGIN_PX + sum(widths) + self.colour_map.sizeHint().width()

    @property
    def _hideable_controls(self) -> tuple[QWidget, ...]:
        """Controls that are hidden first. Keys, numbers and the status line replace them."""
        parts = *self._more[:-1], self.auto, self.unit, self.bar
        return tuple(each for each in parts if each in self._row)

    def _fit_to_width(self) -> None:
        """Hide the controls that do not fit."""
        # Each hidden control frees its width, until the rest fits.
        free = self.width() - self._full_width()
        full = self.colour_map.sizeHint().width()
        n_first = len(self._more[:-1])
        for widget in self._hideable_controls[:n_first]:
            widget.setVisible(free >= 0)
            free += 0 if free >= 0 else _min_width(widget) + SPACING_PX
        self.colour_map.setFixedWidth(full if free >= 0 else SWATCH_BOX_PX)
        free += 0 if free >= 0 else full - SWATCH_BOX_PX
        for widget in self._hideable_controls[n_first:]:
            widget.setVisible(free >= 0)
            free += 0 if free >= 0 else _min_width(widget) + SPACING_PX

    def refresh(self) -> None:
        """Show the current settings."""
        appearance = self._appearance
        for box, value in zip((self.low, self.high), appearance.window, strict=True):
            box.show_value(appearance.to_shown(value) if appearance.has_values else None)
        self.unit.show_within(appearance.shown_unit, 0, UNIT_PX)
        self.colour_map.setCurrentIndex(self.colour_map.findData(appearance.colour_map))
        self.colour_map.setToolTip(
            literal_tip(f"{self._names.colour_map}: {self.colour_map.currentText()}")
        )
        self._refresh_swatches()
        for widget in (self.presets, self.low, self.high, self.auto):
            widget.setEnabled(appearance.has_values)
        self._fit_to_width()

    def _refresh_swatches(self) -> None:
        # `refresh` runs during every window drag; the icons only depend on the theme.
        colours = self._appearance.colours
        if self.colour_map.property("painted_for") == colours.grid:
            return
        self.colour_map.setProperty("painted_for", colours.grid)
        for index in range(self.colour_map.count()):
            self.colour_map.setItemIcon(index, swatch(self.colour_map.itemData(index), colours))


def _min_width(widget: QWidget) -> int:
    """Return the width below which a widget would be cut off [px]."""
    return widget.minimumWidth() or widget.minimumSizeHint().width()


class NumberEdit(QLineEdit):
    """A field for one number. Input that is invalid or larger than `MAX_SIZE` is reverted."""

    changed = Signal()

    def __init__(self, name: str) -> None:
        super().__init__()
        self.value = 0.0
        self._shown = ""
        self.setAccessibleName(name)
        self.setToolTip(literal_tip(name))
        self.setAlignment(Qt.AlignmentFlag.AlignRight)
        self.setFixedWidth(NUMBER_PX)
        self.editingFinished.connect(self._read_text)

    def show_value(self, value: float | None) -> None:
        """Show a number without emitting `changed`.

        Parameters
        ----------
        value
            the number; None clears the field
        """
        self.value = value or 0.0
        self._shown = "" if value is None else self._fitted(value)
        self.setText(self._shown)

    def _fitted(self, value: float) -> str:
        """Return the number with as many digits as the field shows: a cut sign would mislead."""
        space = NUMBER_PX - 2 * TEXT_PAD_PX
        for digits in (4, 3, 2) if abs(value) >= 1e-4 else (3, 2):
            text = number(value, digits)
            if self.fontMetrics().horizontalAdvance(text) <= space:
                return text
        return f"{value:.0e}".replace("-", "−")

    def _read_text(self) -> None:
        # The field shows rounded values. Leaving it unchanged must not round the window.
        if self.text() == self._shown:
            return
        try:
            # A German keyboard types a comma, and pasted text may contain the minus sign U+2212.
            value = float(self.text().replace("−", "-").replace(",", "."))
        except ValueError:
            value = math.nan
        if abs(value) <= MAX_SIZE:
            self.value = value
            self.changed.emit()
        self.show_value(self.value)
