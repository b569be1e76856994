"""The smallest editors of a form: one value each, with a signal when the user changed it."""

from __future__ import annotations

from typing import Any, TypeAlias

from PySide6.QtCore import Signal
from PySide6.QtGui import QKeyEvent, QKeySequence, QValidator, QWheelEvent
from PySide6.QtWidgets import (
    QAbstractSpinBox,
    QCheckBox,
    QComboBox,
    QHBoxLayout,
    QLineEdit,
    QWidget,
)

from app.look.formatting import words

Value: TypeAlias = Any
"""What a field of settings may hold: each editor knows its own."""
Fault = tuple[tuple[Value, ...], str]
"""A place in the value (keys still to follow) and what is wrong there, in one sentence."""


TEXT_MARGIN_PX = 4


class Editor(QWidget):
    """Shows and edits one raw value; checking it is the settings class's business."""

    edited = Signal()

    def raw(self) -> Value:
        """Return the value as entered, perhaps invalid."""
        raise NotImplementedError

    def show_value(self, value: Value) -> None:
        """Show a value, without `edited`."""
        raise NotImplementedError

    def show_faults(self, faults: list[Fault]) -> None:
        """Show faults of inner fields; a simple editor has none."""

    def set_expert(self, expert: bool) -> None:
        """Show or hide inner expert fields; a simple editor has none."""

    def set_hint(self, text: str) -> None:
        """Say what an empty field means; only optional numbers can be empty."""

    def _fill(self, *widgets: QWidget) -> None:
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(4)
        for widget in widgets:
            row.addWidget(widget)
        self.setFocusProxy(widgets[0])


class NumberBox(QAbstractSpinBox):
    """A number as text with steps; empty means None, anything else is handed on as typed."""

    edited = Signal()

    def __init__(self, whole: bool, low: float | None, high: float | None) -> None:
        super().__init__()
        self._whole, self._low, self._high = whole, low, high
        self._last = ""
        self.setMinimumWidth(50)
        self.lineEdit().setTextMargins(TEXT_MARGIN_PX, 0, 0, 0)
        self.lineEdit().editingFinished.connect(self._finished)

    def raw(self) -> int | float | str | None:
        """Return the number, None if empty, or the text that is no number."""
        text = self.text().strip().replace(",", ".").replace("−", "-")  # decimal comma
        if not text:
            return None
        try:
            return int(text) if self._whole else float(text)
        except ValueError:
            return text

    def show_number(self, value: float | None) -> None:
        """Show a number exactly, or an empty box for None."""
        text = "" if value is None else str(int(value)) if self._whole else f"{value:.15g}"
        if not self._whole and value is not None and float(text) != value:
            text = repr(value)
        self._last = text
        self.lineEdit().setText(text)

    def set_hint(self, text: str) -> None:
        """Say in the empty box what None means."""
        self.lineEdit().setPlaceholderText(text)

    def stepBy(self, steps: int) -> None:
        value = self.raw()
        start = value if isinstance(value, int | float) else (self._low or 0)
        result = start + steps * (1 if self._whole else _step(start))
        if self._low is not None:
            result = max(result, self._low)
        if self._high is not None:
            result = min(result, self._high)
        self.lineEdit().setText(f"{result:.10g}")
        self._finished()

    def stepEnabled(self) -> QAbstractSpinBox.StepEnabledFlag:
        flag = QAbstractSpinBox.StepEnabledFlag
        return flag.StepUpEnabled | flag.StepDownEnabled

    def validate(self, text: str, position: int) -> tuple[QValidator.State, str, int]:
        return (QValidator.State.Acceptable, text, position)

    def wheelEvent(self, event: QWheelEvent) -> None:
        if self.hasFocus():
            super().wheelEvent(event)
        else:
            event.ignore()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Cancel):
            self.lineEdit().setText(self._last)
        super().keyPressEvent(event)

    def _finished(self) -> None:
        if self.text() != self._last:
            self._last = self.text()
            self.edited.emit()


def _step(value: float) -> float:
    """A tenth of the value's power of ten, at least 0.1."""
    size = abs(value)
    step = 0.1
    while step * 100 <= size:
        step *= 10
    return step


class NumberEditor(Editor):
    """One number."""

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
        for box, axis in zip(self._boxes, "xyzuvw", strict=False):
            box.setProperty("plain", True)
            box.setAccessibleName(axis)
            box.edited.connect(self.edited)
        self._fill(*self._boxes)

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


class TextEditor(Editor):
    """A line of text; empty means None where the field may be left out."""

    def __init__(self, optional: bool = False) -> None:
        super().__init__()
        self._optional = optional
        self._line = QLineEdit()
        self._line.editingFinished.connect(self.edited)
        self._fill(self._line)

    def raw(self) -> Value:
        return self._line.text() or (None if self._optional else "")

    def show_value(self, value: Value) -> None:
        self._line.setText("" if value is None else str(value))


class SwitchEditor(Editor):
    """Yes or no, with its words beside the box."""

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
    """A combo box that the wheel changes only while it has the focus."""

    def wheelEvent(self, event: QWheelEvent) -> None:
        if self.hasFocus():
            super().wheelEvent(event)
        else:
            event.ignore()


class ChoiceEditor(Editor):
    """One of a few values."""

    def __init__(self, values: tuple[Value, ...]) -> None:
        super().__init__()
        self._values = values
        self._box = QuietCombo()
        for value in values:
            self._box.addItem(words(value))
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
