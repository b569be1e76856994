"""An optional number field, integer or float."""

from __future__ import annotations

import math

from PySide6.QtCore import Signal
from PySide6.QtGui import QKeyEvent, QKeySequence, QValidator, QWheelEvent
from PySide6.QtWidgets import QAbstractSpinBox

TEXT_MARGIN_PX = 4
MINUS = "−"
"""Minus of all other numbers in the window; a hyphen is accepted too."""


class NumberBox(QAbstractSpinBox):
    """A number as text with steps. Empty means None; invalid text is passed on as typed."""

    edited = Signal()

    def __init__(self, whole: bool, low: float | None, high: float | None) -> None:
        super().__init__()
        self._whole, self._low, self._high = whole, low, high
        self._last = ""
        self.setMinimumWidth(50)
        self.lineEdit().setTextMargins(TEXT_MARGIN_PX, 0, 0, 0)
        self.lineEdit().editingFinished.connect(self._emit_change)

    def raw(self) -> int | float | str | None:
        """Return the number, None if empty, or the text if it is not a finite number."""
        text = self.text().strip().replace(",", ".").replace(MINUS, "-")  # decimal comma
        if not text:
            return None
        try:
            value = int(text) if self._whole else float(text)
        except ValueError:
            return text
        # "nan" passes every bound, and would move a region to nowhere.
        return value if math.isfinite(value) else text

    def show_number(self, value: float | None) -> None:
        """Show a number with all its digits.

        Parameters
        ----------
        value
            the number; None empties the field
        """
        text = "" if value is None else str(int(value)) if self._whole else f"{value:.15g}"
        # 15 digits look better, but the displayed number must give exactly the same value.
        if not self._whole and value is not None and float(text) != value:
            text = repr(value)
        self._last = text.replace("-", MINUS)
        self.lineEdit().setText(self._last)

    def set_hint(self, text: str) -> None:
        """Set the text of the empty field.

        Parameters
        ----------
        text
            meaning of None, such as "auto"
        """
        self.lineEdit().setPlaceholderText(text)

    def stepBy(self, steps: int) -> None:
        """Change the number, within its bounds.

        Parameters
        ----------
        steps
            number of steps of about a tenth of the value
        """
        value = self.raw()
        # The first step in an empty field starts at the lower bound.
        start = value if isinstance(value, int | float) else (self._low or 0)
        result = start + steps * (1 if self._whole else _step(start))
        if self._low is not None:
            result = max(result, self._low)
        if self._high is not None:
            result = min(result, self._high)
        self.lineEdit().setText(f"{result:.10g}".replace("-", MINUS))
        self._emit_change()

    def stepEnabled(self) -> QAbstractSpinBox.StepEnabledFlag:
        # The base class disables both steps unless this is implemented.
        flag = QAbstractSpinBox.StepEnabledFlag
        return flag.StepUpEnabled | flag.StepDownEnabled

    def validate(self, text: str, position: int) -> tuple[QValidator.State, str, int]:
        """Accept any text while the user types. The settings class validates it.

        Parameters
        ----------
        text
            the text
        position
            position of the cursor
        """
        return (QValidator.State.Acceptable, text, position)

    def wheelEvent(self, event: QWheelEvent) -> None:
        if self.hasFocus():
            super().wheelEvent(event)
        else:
            # The wheel scrolls the page and must not change settings on the way.
            event.ignore()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Cancel):
            # Escape restores the last value; the dialog then also receives the key.
            self.lineEdit().setText(self._last)
        super().keyPressEvent(event)

    def _emit_change(self) -> None:
        # Qt emits `editingFinished` at every loss of focus, even without a change.
        if self.text() != self._last:
            self._last = self.text()
            self.edited.emit()


def _step(value: float) -> float:
    """Return a tenth of the power of ten of a value, at least 0.1."""
    size = abs(value)
    step = 0.1
    while step * 100 <= size:
        step *= 10
    return step
