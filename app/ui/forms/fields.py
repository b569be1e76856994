"""Editors for single values, with a signal for user changes."""

from __future__ import annotations

from abc import abstractmethod
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
"""The value of a settings field. Its type depends on the editor."""
Fault = tuple[tuple[Value, ...], str]
"""A location in the value (remaining keys) and the error message."""


AXES = "xyzuvw"
FIELD_PAD_PX = 4
"""Beside the words of a combo box, within its field."""
LEAST_LETTERS = 8
"""Letters of its entries that a combo box has room for at least."""


class Editor(QWidget):
    """Shows and edits one raw value; checking it is the settings class's business."""

    edited = Signal()
    stands_beside = False
    """True if it fits next to its caption."""

    @abstractmethod
    def raw(self) -> Value:
        """Return the value as entered, perhaps invalid."""

    @abstractmethod
    def show_value(self, value: Value) -> None:
        """Show a value, without `edited`."""

    def show_faults(self, faults: list[Fault]) -> None:
        """Show faults of inner fields; a simple editor has none."""

    def set_expert(self, expert: bool) -> None:
        """Show or hide inner expert fields; a simple editor has none."""

    def set_hint(self, text: str) -> None:
        """Set the meaning of an empty field. Only optional numbers can be empty."""

    def show_voxels(self, voxel_mm: Point) -> None:
        """Show the defaults for voxels of this size. Simple editors ignore it."""

    def name_after(self, title: str) -> None:
        """Set the accessible name on the innermost widget, which screen readers visit."""
        self.setAccessibleName(title)
        proxy = self.focusProxy()
        if proxy is not None:
            proxy.setAccessibleName(title)

    def _fill(self, *widgets: QWidget) -> None:
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(4)
        for widget in widgets:
            row.addWidget(widget, 0 if isinstance(widget, QLabel) else 1)
        self.setFocusProxy(widgets[0])


class SettingsEditor(Editor):
    """The form of a settings class, as the editors know it that hold forms."""

    @property
    @abstractmethod
    def is_empty(self) -> bool:
        """True if there are no fields."""

    @abstractmethod
    def value(self) -> Settings | None:
        """Return the last valid value."""


class NumberEditor(Editor):
    """One number."""

    stands_beside = True

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
    """A fixed row of numbers, for example x, y, z; all empty means None."""

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
        return None if all(v is None for v in values) else values

    def show_value(self, value: Value) -> None:
        for box, number in zip(self._boxes, value or [None] * len(self._boxes), strict=True):
            box.show_number(number)

    def set_hint(self, text: str) -> None:
        parts = text.split(" × ")
        hints = parts if len(parts) == len(self._boxes) else [text] * len(self._boxes)
        for box, hint in zip(self._boxes, hints, strict=True):
            box.set_hint(hint)


class NumberListEditor(Editor):
    """Numbers, separated by commas."""

    stands_beside = True

    def __init__(self, whole: bool = True) -> None:
        super().__init__()
        self._whole = whole
        self._line = QLineEdit()
        self._line.editingFinished.connect(self.edited)
        self._fill(self._line)

    def raw(self) -> Value:
        parts = (part.strip() for part in self._line.text().split(","))
        return [self._number(p) for p in parts if p]

    def _number(self, text: str) -> Value:
        try:
            return int(text) if self._whole else float(text.replace("−", "-"))
        except ValueError:
            return text

    def show_value(self, value: Value) -> None:
        self._line.setText(", ".join(str(v) for v in value))


class SwitchEditor(Editor):
    """A check box with its label."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self._box = QCheckBox(text)
        self._box.clicked.connect(self.edited)
        self._fill(self._box)

    def raw(self) -> Value:
        return self._box.isChecked()

    def show_value(self, value: Value) -> None:
        self._box.setChecked(bool(value))


class QuietCombo(QComboBox):
    """A combo box that the wheel changes only while it has the focus.

    Its longest entry makes no demand on the width: file names may be among them.
    """

    def __init__(self) -> None:
        super().__init__()
        self.setSizeAdjustPolicy(self.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.setMinimumContentsLength(LEAST_LETTERS)
        self.view().setTextElideMode(Qt.TextElideMode.ElideMiddle)

    def wheelEvent(self, event: QWheelEvent) -> None:
        if self.hasFocus():
            super().wheelEvent(event)
        else:
            event.ignore()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint as ever, but a text without room ends in …."""
        option = QStyleOptionComboBox()
        self.initStyleOption(option)
        option.currentText = self.shown_text()
        painter = QStylePainter(self)
        painter.drawComplexControl(QStyle.ComplexControl.CC_ComboBox, option)
        painter.drawControl(QStyle.ControlElement.CE_ComboBoxLabel, option)
        painter.end()

    def shown_text(self) -> str:
        """Return the current text, shortened to fit."""
        option = QStyleOptionComboBox()
        self.initStyleOption(option)
        part = QStyle.SubControl.SC_ComboBoxEditField
        room = (
            self.style()
            .subControlRect(QStyle.ComplexControl.CC_ComboBox, option, part, self)
            .width()
        )
        middle = Qt.TextElideMode.ElideMiddle
        return self.fontMetrics().elidedText(self.currentText(), middle, room - FIELD_PAD_PX)

    def event(self, event: QEvent) -> bool:
        """Say a text that is cut off whole in the tip."""
        if isinstance(event, QHelpEvent) and event.type() is QEvent.Type.ToolTip:
            whole, shown = self.currentText(), self.shown_text()
            if shown != whole:
                QToolTip.showText(event.globalPos(), literal_tip(whole), self)
                return True
        return super().event(event)


class ChoiceEditor(Editor):
    """One of a few values. `none` is the label of None."""

    stands_beside = True

    def __init__(self, values: tuple[Value, ...], none: str = "") -> None:
        super().__init__()
        self._values = values
        self._box = QuietCombo()
        for value in values:
            self._box.addItem(none if value is None else words(value))
        self._box.activated.connect(self.edited)
        self._fill(self._box)

    def raw(self) -> Value:
        return self._values[self._box.currentIndex()]

    def show_value(self, value: Value) -> None:
        self._box.setCurrentIndex(self._values.index(value))


class ConstantEditor(Editor):
    """A value with no choice; a form does not show it."""

    def __init__(self, value: Value) -> None:
        super().__init__()
        self._value = value

    def raw(self) -> Value:
        return self._value

    def show_value(self, value: Value) -> None:
        self._value = value
