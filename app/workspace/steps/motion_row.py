"""Six numbers of a motion: where the user reads and types them."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QWidget

from app.language.translation import tr
from app.ui.forms.number_box import NumberBox
from app.ui.theme.widgets import label

BOX_PX = 64
DIGITS = 2
FARTHEST_MM, MOST_DEG = 5000.0, 180.0


class MotionRow(QWidget):
    """Shift along x, y, z [mm] and angles about them [degrees].

    Signals
    -------
    edited : the six numbers; those that are none as NaN
    """

    edited = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.boxes: list[NumberBox] = []
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(6)
        for title, unit, most in ((tr("Shift"), "mm", FARTHEST_MM), (tr("Turn"), "°", MOST_DEG)):
            row.addWidget(label(f"{title} ({unit})", "caption"))
            for axis in "xyz":
                box = NumberBox(False, -most, most)
                box.setAccessibleName(f"{title} {axis} in {unit}")
                box.setFixedWidth(BOX_PX)
                box.edited.connect(self._hand_on)
                self.boxes.append(box)
                row.addWidget(label(axis, "muted"))
                row.addWidget(box)
            row.addSpacing(14)
        row.addStretch(1)
        self._numbers: tuple[float, ...] = (0.0,) * len(self.boxes)

    def show_numbers(self, numbers: tuple[float, ...]) -> None:
        """Show a motion, rounded; what is not typed over stays as exact as it was."""
        self._numbers = numbers
        for box, number in zip(self.boxes, numbers, strict=True):
            box.show_number(round(number, DIGITS) + 0.0)

    def _hand_on(self) -> None:
        typed = []
        for box, before in zip(self.boxes, self._numbers, strict=True):
            raw = box.raw()
            number = 0.0 if raw is None else float(raw) if isinstance(raw, int | float) else None
            kept = number is not None and round(before, DIGITS) == number
            typed.append(before if kept else float("nan") if number is None else number)
        self.edited.emit(tuple(typed))
