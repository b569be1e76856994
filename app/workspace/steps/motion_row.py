"""The six numbers of a rigid motion as fields."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QWidget

from app.language.translation import tr
from app.ui.forms.number_box import NumberBox
from app.ui.theme.widgets import label

BOX_PX = 64
DIGITS = 2
FARTHEST_MM, MAX_DEG = 5000.0, 180.0


class MotionRow(QWidget):
    """Shifts along x, y, z [mm] and rotations about them [degrees].

    Signals
    -------
    edited : the six numbers; invalid ones are NaN
    """

    edited = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.boxes: list[NumberBox] = []
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(6)
        for title, unit, most in ((tr("Shift"), "mm", FARTHEST_MM), (tr("Turn"), "°", MAX_DEG)):
            row.addWidget(label(f"{title} ({unit})", "caption"))
            for axis in "xyz":
                # The limits only stop the arrow keys; typed values are checked by the model.
                box = NumberBox(False, -most, most)
                box.setAccessibleName(f"{title} {axis} in {unit}")
                box.setFixedWidth(BOX_PX)
                box.edited.connect(self._emit_edited)
                self.boxes.append(box)
                row.addWidget(label(axis, "muted"))
                row.addWidget(box)
            row.addSpacing(14)
        row.addStretch(1)
        self._numbers: tuple[float, ...] = (0.0,) * len(self.boxes)

    def show_numbers(self, numbers: tuple[float, ...]) -> None:
        """Show a motion, rounded. Fields that are not edited keep their exact values.

        Parameters
        ----------
        numbers
            shifts x, y, z [mm], then rotations [degrees]
        """
        self._numbers = numbers
        for box, number in zip(self.boxes, numbers, strict=True):
            # Adding 0.0 turns −0.0 into 0.0.
            box.show_number(round(number, DIGITS) + 0.0)

    def _emit_edited(self) -> None:
        typed = []
        for box, before in zip(self.boxes, self._numbers, strict=True):
            raw = box.raw()
            number = 0.0 if raw is None else float(raw) if isinstance(raw, int | float) else None
            # The field shows two decimals; an unchanged one returns the exact value.
            is_same = number is not None and round(before, DIGITS) == number
            typed.append(before if is_same else float("nan") if number is None else number)
        self.edited.emit(tuple(typed))
