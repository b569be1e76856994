"""Controls for a running X-ray scan: rotation axis, detector roll, row filter."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QDoubleSpinBox, QGridLayout, QVBoxLayout, QWidget

from app.language.translation import tr
from app.ui.forms.forms import Form
from app.ui.theme.widgets import button, label
from app.views.literal_text import literal_tip
from engine.core.settings import Settings

SETTLE_MS = 80
"""Delay after the last of several changes [ms]."""
MAX_COLUMN, MAX_ROLL_DEG = 1e5, 20.0
AXIS_TIP = tr("Detector column of the rotation axis, counted from 0")
ROLL_TIP = tr("In-plane detector rotation")
DIGITS = 2
FILTER_FIELDS = ("window", "cutoff")


class LiveControls(QWidget):
    """Controls that call back shortly after the last change of a value."""

    def __init__(
        self,
        set_axis: Callable[[float], object],
        find_axis: Callable[[], object],
        roll: Callable[[float], object],
        use_filter: Callable[[Settings], object],
    ) -> None:
        super().__init__()
        self.axis = _number_box(0.0, MAX_COLUMN, tr("Axis column"), AXIS_TIP)
        # A quarter of a column is visible in the slices; smaller steps are not.
        self.axis.setSingleStep(0.25)
        self.roll = _number_box(-MAX_ROLL_DEG, MAX_ROLL_DEG, tr("Roll"), ROLL_TIP)
        self.roll.setSingleStep(0.05)
        self.roll.setSuffix(" °")
        self._set_axis = _DelayedCall(self, lambda: set_axis(self.axis.value()))
        self._roll = _DelayedCall(self, lambda: roll(self.roll.value()))
        self.axis.valueChanged.connect(self._set_axis.ask)
        self.roll.valueChanged.connect(self._roll.ask)
        self._use_filter = use_filter
        self._form: Form | None = None
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(6)
        grid = QGridLayout()
        grid.setHorizontalSpacing(12)
        grid.setColumnStretch(1, 1)
        self.find_axis = button(tr("Find"), find_axis, tr("Find the axis in the stored views"))
        for k, (title, box) in enumerate(((tr("Axis"), self.axis), (tr("Roll"), self.roll))):
            grid.addWidget(label(title, "caption"), k, 0)
            grid.addWidget(box, k, 1)
        grid.addWidget(self.find_axis, 0, 2)
        self._column.addLayout(grid)
        self.setEnabled(False)

    def begin(self, settings: Settings) -> None:
        """Show the filter of another scan; its axis is not known yet.

        Parameters
        ----------
        settings
            filter of the protocol
        """
        if self._form is not None:
            self._column.removeWidget(self._form)
            self._form.deleteLater()
        # The form is made again, because another protocol can have another type of settings.
        self._form = Form(type(settings), settings, only=FILTER_FIELDS)
        self._form.changed.connect(self._use_filter)
        self._column.addWidget(self._form)
        # Setting the value must not send a command to the session of the new scan.
        self.roll.blockSignals(True)
        self.roll.setValue(0.0)
        self.roll.blockSignals(False)
        self.setEnabled(False)

    def show_axis(self, column: float) -> None:
        """Show the current position of the axis, unless the user is changing it.

        Parameters
        ----------
        column
            detector column, counted from 0
        """
        # An update from before the change would otherwise reset the field under the user's hands.
        if not self._set_axis.is_waiting and not self.axis.hasFocus():
            self.axis.blockSignals(True)
            self.axis.setValue(column)
            self.axis.blockSignals(False)
            self.setEnabled(True)


class _DelayedCall:
    """Timer that calls once after the last of several changes."""

    def __init__(self, parent: QWidget, action: Callable[[], object]) -> None:
        # Each start restarts the time, so a held arrow key sends one command at its end.
        self._timer = QTimer(parent, singleShot=True, interval=SETTLE_MS)
        self._timer.timeout.connect(lambda: action())

    @property
    def is_waiting(self) -> bool:
        """True if a change has not been sent yet."""
        return self._timer.isActive()

    def ask(self) -> None:
        """Call soon."""
        self._timer.start()


def _number_box(low: float, high: float, name: str, tip: str) -> QDoubleSpinBox:
    box = QDoubleSpinBox()
    box.setRange(low, high)
    box.setDecimals(DIGITS)
    box.setAccessibleName(name)
    box.setToolTip(literal_tip(tip))
    return box
