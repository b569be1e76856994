"""Editors for single values, with a signal for user changes."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any, TypeAlias

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QHelpEvent, QPaintEvent, QWheelEvent
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QStyle,
    QStyleOptionComboBox,
    QStylePainter,
    QToolTip,
    QWidget,
)

from app.ui.forms.number_box import NumberBox
from app.ui.theme.formatting import words
from app.views.literal_text import LiteralLabel, literal_tip
from engine.core.settings import Settings
from engine.geometry import Point

Value: TypeAlias = Any
"""Value of a settings field. Its type depends on the editor."""
Fault = tuple[tuple[Value, ...], str]
"""A location in the value (remaining keys) and the error message."""


AXES = "xyzuvw"
FIELD_PAD_PX = 4
"""Padding of the text in a combo box [px]."""
MIN_CHARACTERS = 8
"""Least number of letters that a combo box can show."""


class Editor(QWidget):
    """Shows and edits one raw value. The settings class validates it."""

    edited = Signal()
    is_inline = False
    """True if it fits next to its caption."""

    @abstractmethod
    def raw(self) -> Value:
        """Return the value as entered, perhaps invalid."""

    @abstractmethod
    def show_value(self, value: Value) -> None:
        """Show a value without emitting `edited`.

        Parameters
        ----------
        value
            a valid value of the field
        """

    def show_faults(self, faults: list[Fault]) -> None:
        """Show errors of nested fields. Simple editors have none.

        Parameters
        ----------
        faults
            locations within the value, and messages
        """

    def set_expert(self, expert: bool) -> None:
        """Show or hide nested expert fields. Simple editors have none.

        Parameters
        ----------
        expert
            True to show them
        """

    def set_hint(self, text: str) -> None:
        """Set the meaning of an empty field. Only optional numbers can be empty.

        Parameters
        ----------
        text
            text in the empty field
        """

    def show_voxels(self, voxel_mm: Point) -> None:
        """Show the defaults for a voxel size. Simple editors ignore it.

        Parameters
        ----------
        voxel_mm
            voxel size x, y, z [mm]
        """

    def name_after(self, title: str) -> None:
        """Set the accessible name, also of the innermost widget, which screen readers visit.

        Parameters
        ----------
        title
            label of the field
        """
        self.setAccessibleName(title)
        # The editor itself never has the focus, so its name alone would not be read.
        proxy = self.focusProxy()
        if proxy is not None:
            proxy.setAccessibleName(title)

    def _fill(self, *widgets: QWidget) -> None:
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(4)
        for widget in widgets:
            row.addWidget(widget, 0 if isinstance(widget, QLabel) else 1)
        # A click on the caption and the Tab key go to the inner widget.
        self.setFocusProxy(widgets[0])


class SettingsEditor(Editor):
    """The interface of a form that other editors use."""

    @property
    @abstractmethod
    def is_empty(self) -> bool:
        """True if there are no fields."""

    @abstractmethod
    def value(self) -> Settings | None:
        """Return the last valid value."""


class NumberEditor(Editor):
    """One number."""

    is_inline = True

    def __init__(self, whole: bool, low: float | None, high: float | None, hint: str = "") -> None:
        super().__init__()
        self._box = NumberBox(whole, low, high)
        self._box.set_hint(hint)
        self._box.edited.connect(self.edited)
        self._fill(self._box)

    def raw(self) -> Value:
        return self._box.raw()

    def show_value(self, value: Value) -> None:
        self._box.show_number(value)

    def set_hint(self, text: str) -> None:
        self._box.set_hint(text)


class NumbersEditor(Editor):
    """A fixed row of numbers, for example x, y, z. If all are empty, the value is None."""

    def __init__(self, whole: tuple[bool, ...], hint: str) -> None:
        super().__init__()
        self._boxes = [NumberBox(w, None, None) for w in whole]
        self.set_hint(hint)
        parts: list[QWidget] = []
        for box, axis in zip(self._boxes, AXES, strict=False):
            box.setProperty("plain", True)
            box.edited.connect(self.edited)
            letter = LiteralLabel(axis)
            letter.setProperty("role", "muted")
            parts += [letter, box]
        self._fill(*parts)
        self.setFocusProxy(self._boxes[0])

    def name_after(self, title: str) -> None:
        self.setAccessibleName(title)
        for box, axis in zip(self._boxes, AXES, strict=False):
            box.setAccessibleName(f"{title}, {axis}")

    def raw(self) -> Value:
        values = [box.raw() for box in self._boxes]
        # A partly filled row is passed on, so that the message names the missing number.
        return None if all(v is None for v in values) else values

    def show_value(self, value: Value) -> None:
        for box, number in zip(self._boxes, value or [None] * len(self._boxes), strict=True):
            box.show_number(number)

    def set_hint(self, text: str) -> None:
        # A hint such as "2 × 2 × 3" is split over the fields.
        parts = text.split(" × ")
        hints = parts if len(parts) == len(self._boxes) else [text] * len(self._boxes)
        for box, hint in zip(self._boxes, hints, strict=True):
            box.set_hint(hint)


class NumberListEditor(Editor):
    """Numbers, separated by commas."""

    is_inline = True

    def __init__(self, whole: bool = True) -> None:
        super().__init__()
        self._whole = whole
        self._line = QLineEdit()
        self._line.editingFinished.connect(self.edited)
        self._fill(self._line)

    def raw(self) -> Value:
        parts = (part.strip() for part in self._line.text().split(","))
        return [self._parsed_number(p) for p in parts if p]

    def _parsed_number(self, text: str) -> Value:
        try:
            return int(text) if self._whole else float(text.replace("−", "-"))
        except ValueError:
            # Invalid text is passed on, so that the message can quote it.
            return text

    def show_value(self, value: Value) -> None:
        self._line.setText(", ".join(str(v) for v in value))


class SwitchEditor(Editor):
    """A check box with its label."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self._box = QCheckBox(text)
        # Not `toggled`, which `show_value` would emit too.
        self._box.clicked.connect(self.edited)
        self._fill(self._box)

    def raw(self) -> Value:
        return self._box.isChecked()

    def show_value(self, value: Value) -> None:
        self._box.setChecked(bool(value))


class QuietCombo(QComboBox):
    """A combo box that reacts to the wheel only with focus.

    The longest entry does not set its width, because entries can be file names.
    """

    def __init__(self) -> None:
        super().__init__()
        self.setSizeAdjustPolicy(self.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.setMinimumContentsLength(MIN_CHARACTERS)
        # File names differ at both ends, so their middle is elided.
        self.view().setTextElideMode(Qt.TextElideMode.ElideMiddle)

    def wheelEvent(self, event: QWheelEvent) -> None:
        if self.hasFocus():
            super().wheelEvent(event)
        else:
            # The wheel scrolls the page and must not change settings on the way.
            event.ignore()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint as usual, but elide a text that does not fit."""
        option = QStyleOptionComboBox()
        self.initStyleOption(option)
        option.currentText = self.shown_text()
        painter = QStylePainter(self)
        painter.drawComplexControl(QStyle.ComplexControl.CC_ComboBox, option)
        painter.drawControl(QStyle.ControlElement.CE_ComboBoxLabel, option)
        painter.end()

    def shown_text(self) -> str:
        """Return the current text, elided to fit."""
        option = QStyleOptionComboBox()
        self.initStyleOption(option)
        part = QStyle.SubControl.SC_ComboBoxEditField
        # The style knows the size of the arrow, which differs between platforms.
        space = (
            self.style()
            .subControlRect(QStyle.ComplexControl.CC_ComboBox, option, part, self)
            .width()
        )
        middle = Qt.TextElideMode.ElideMiddle
        return self.fontMetrics().elidedText(
            self.currentText() or self.placeholderText(), middle, space - FIELD_PAD_PX
        )

    def event(self, event: QEvent) -> bool:
        """Show a text that is elided completely in the tooltip."""
        if isinstance(event, QHelpEvent) and event.type() is QEvent.Type.ToolTip:
            whole = self.currentText() or self.placeholderText()
            shown = self.shown_text()
            if shown != whole:
                # Only for elided texts; otherwise the tooltip of the field is shown.
                QToolTip.showText(event.globalPos(), literal_tip(whole), self)
                return True
        return super().event(event)


class ChoiceEditor(Editor):
    """One of a few values.

    Parameters
    ----------
    values : the values
    none : label of None
    notes : addition to the label of a value, in brackets; None for none
    """

    is_inline = True

    def __init__(
        self, values: tuple[Value, ...], none: str = "", notes: Mapping[str, str] | None = None
    ) -> None:
        super().__init__()
        self._values = values
        self._box = QuietCombo()
        for value in values:
            note = (notes or {}).get(str(value))
            text = none if value is None else words(value)
            self._box.addItem(f"{text} ({note})" if note else text)
        # `activated` comes from the user only, unlike `currentIndexChanged`.
        self._box.activated.connect(self.edited)
        self._fill(self._box)

    def raw(self) -> Value:
        return self._values[self._box.currentIndex()]

    def show_value(self, value: Value) -> None:
        self._box.setCurrentIndex(self._values.index(value))


class ConstantEditor(Editor):
    """A value without a choice. A form does not show it."""

    def __init__(self, value: Value) -> None:
        super().__init__()
        self._value = value

    def raw(self) -> Value:
        return self._value

    def show_value(self, value: Value) -> None:
        self._value = value
