"""The fields for the values to try."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QWidget

from app.language.translation import tr
from app.state.services.dialog_jobs.sweep_job import Range
from app.ui.forms.number_box import NumberBox
from app.ui.theme.widgets import button, label

if TYPE_CHECKING:  # the engine's kernels are not needed to open the window
    from engine.modalities import Estimate, Sweep

N_CANDIDATES = 9
FINER = 4
"""Reduction of the step. Nine values then extend to the neighbours of the selected one."""


class RangeRow(QWidget):
    """Centre, step and number of values, with buttons.

    Signals
    -------
    wanted : values to try
    stopped : the computation should stop
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
            tr("Refine around this value"),
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
            # Enter would press the first button of the dialog instead of trying the values.
            each.setAutoDefault(False)
        self.show_busy(False)

    def value(self) -> Range:
        """Return the content of the fields. The engine refuses invalid numbers."""
        around, step, n = self.around.raw(), self.step.raw(), self.number.raw()
        return Range(
            # None is the value that a run would use.
            around if isinstance(around, int | float) else None,
            step if isinstance(step, int | float) else 0.0,
            n if isinstance(n, int) else 0,
        )

    def show_value(self, found: Estimate) -> None:
        """Show the values that were tried.

        Parameters
        ----------
        found
            candidates of the last computation
        """
        tried = [one.value for one in found.candidates]
        self.around.show_number(round((tried[0] + tried[-1]) / 2, 6))
        self.step.show_number(round((tried[-1] - tried[0]) / (len(tried) - 1), 6))
        self.number.show_number(len(tried))

    def set_chosen(self, value: float | None) -> None:
        """Set the centre of a finer search.

        Parameters
        ----------
        value
            value of the selected candidate; None for none
        """
        self._chosen = value
        self.show_busy(self._is_busy)

    def show_busy(self, busy: bool) -> None:
        """Offer to stop while slices are computed.

        Parameters
        ----------
        busy
            True while they are
        """
        self._is_busy = busy
        self.again.setText(tr("Stop") if busy else tr("Try these values"))
        self.finer.setEnabled(not busy and self._chosen is not None)

    def ask(self) -> None:
        """Try the values in the fields, or stop the computation."""
        if self._is_busy:
            self.stopped.emit()
        else:
            self.wanted.emit(self.value())

    def _ask_finer(self) -> None:
        wanted = self.value()
        self.around.show_number(self._chosen)
        self.step.show_number(round(wanted.step / FINER, 6))
        # Read from the fields again, which now have the finer values.
        self.wanted.emit(self.value())
