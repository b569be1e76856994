"""The row in which the user says which values to try."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QWidget

from app.language.translation import tr
from app.state.services.sweep_job import Range
from app.ui.forms.number_box import NumberBox
from app.ui.theme.widgets import button, label

if TYPE_CHECKING:  # the engine's kernels are not needed to open the window
    from engine.modalities import Estimate, Sweep

N_CANDIDATES = 9
FINER = 4
"""Times as fine, so that nine values reach to the two beside the one that was chosen."""


class RangeRow(QWidget):
    """Middle, step and number of the values, and what to do with them.

    Signals
    -------
    wanted : try these values
    stopped : try no more
    """

    wanted = Signal(object)
    stopped = Signal()

    def __init__(self, sweep: Sweep) -> None:
        super().__init__()
        self._is_busy = False
        self._chosen: float | None = None
        unit = sweep.unit
        self.around = NumberBox(False, None, None)
        self.around.set_hint("auto")
        self.step = NumberBox(False, 0.0, None)
        self.step.show_number(sweep.step)
        self.number = NumberBox(True, 3, 99)
        self.number.show_number(N_CANDIDATES)
        self.again = button(
            tr("Try these values"), self.ask, tr("Reconstruct slices with these values")
        )
        self.finer = button(
            tr("Finer around this value"),
            self._ask_finer,
            tr("Use smaller steps around the selected value"),
        )
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        for title, box in (
            (tr("Centre ({unit})", unit=unit), self.around),
            (tr("Step ({unit})", unit=unit), self.step),
            (tr("Number"), self.number),
        ):
            caption = label(title, "caption")
            caption.setBuddy(box)
            box.setAccessibleName(title)
            box.setFixedWidth(90)
            row.addWidget(caption)
            row.addWidget(box)
            row.addSpacing(8)
        row.addWidget(self.again)
        row.addWidget(self.finer)
        row.addStretch(1)
        for each in (self.again, self.finer):
            each.setAutoDefault(False)
        self.show_busy(False)

    def value(self) -> Range:
        """Return what stands in the fields; what is no number is for the engine to refuse."""
        around, step, n = self.around.raw(), self.step.raw(), self.number.raw()
        return Range(
            around if isinstance(around, int | float) else None,
            step if isinstance(step, int | float) else 0.0,
            n if isinstance(n, int) else 0,
        )

    def show_value(self, found: Estimate) -> None:
        """Show which values were tried."""
        tried = [one.value for one in found.candidates]
        self.around.show_number(round((tried[0] + tried[-1]) / 2, 6))
        self.step.show_number(round((tried[-1] - tried[0]) / (len(tried) - 1), 6))
        self.number.show_number(len(tried))

    def set_chosen(self, value: float | None) -> None:
        """Note around which value finer ones would lie."""
        self._chosen = value
        self.show_busy(self._is_busy)

    def show_busy(self, busy: bool) -> None:
        """Offer to stop while slices are made."""
        self._is_busy = busy
        self.again.setText(tr("Stop") if busy else tr("Try these values"))
        self.finer.setEnabled(not busy and self._chosen is not None)

    def ask(self) -> None:
        """Try the values in the fields, or stop what is at work."""
        if self._is_busy:
            self.stopped.emit()
        else:
            self.wanted.emit(self.value())

    def _ask_finer(self) -> None:
        wanted = self.value()
        self.around.show_number(self._chosen)
        self.step.show_number(round(wanted.step / FINER, 6))
        self.wanted.emit(self.value())
