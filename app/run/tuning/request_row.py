"""Row of fields for a tuning: kernel, problem size, device, time."""

from __future__ import annotations

from PySide6.QtWidgets import QGridLayout, QWidget

from app.language.translation import tr
from app.state.models.inputs import DATA
from app.state.models.session import Session
from app.ui.forms.fields import QuietCombo
from app.ui.forms.number_box import NumberBox
from app.ui.theme.widgets import label
from engine.tools.tuning import KERNELS, MODALITIES, TARGETS, SearchRequest

BUDGET_S = 60
MIN_S, MAX_S = 5, 86_400
STANDARD, OF_STUDY = tr("Standard size"), tr("Size of the open study")
WIDE_PX = 230


class RequestRow(QWidget):
    """Fields that are preset to kernel, size and device of the open study."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self.kernel, self.of, self.device = QuietCombo(), QuietCombo(), QuietCombo()
        self.budget = NumberBox(True, MIN_S, MAX_S)
        self.budget.show_number(BUDGET_S)
        self._open = ""
        """Tuning target of the open study; empty without a study."""
        # The first kernel of a target names it in the list.
        for target, kernels in TARGETS.items():
            self.kernel.addItem(KERNELS[kernels[0]], target)
        for found in session.device.found:
            # A GPU that failed its self-test is also in the list of devices.
            if found.usable:
                self.device.addItem(found.label, found.key)
        self._choose_open()
        self.kernel.currentIndexChanged.connect(self._fill_sizes)
        self.device.currentIndexChanged.connect(self._fill_sizes)
        self._lay_out()

    def _choose_open(self) -> None:
        study, in_use = self._session.study, self._session.device.in_use
        if DATA in study.inputs:
            self._open = MODALITIES.get(study.protocol.modality, "")
            # `findData` returns −1 for a modality without tunable kernels.
            self.kernel.setCurrentIndex(max(0, self.kernel.findData(self._open)))
        if in_use is not None:
            self.device.setCurrentIndex(max(0, self.device.findData(in_use.key)))
        self._fill_sizes()

    def _fill_sizes(self) -> None:
        """Offer the size of the open study if its kernel is selected."""
        self.of.clear()
        if self._open and self.kernel.currentData() == self._open:
            self.of.addItem(OF_STUDY, True)
        self.of.addItem(STANDARD, False)
        self.of.setEnabled(self.of.count() > 1)

    def _lay_out(self) -> None:
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(10)
        grid.setVerticalSpacing(4)
        titles = (tr("Kernel"), tr("Problem size"), tr("Device"), tr("Time [s]"))
        fields: tuple[QWidget, ...] = (self.kernel, self.of, self.device, self.budget)
        for column, (title, field) in enumerate(zip(titles, fields, strict=True)):
            caption = label(title, "caption")
            caption.setBuddy(field)
            field.setAccessibleName(title)
            grid.addWidget(caption, 0, column)
            grid.addWidget(field, 1, column)
            grid.setColumnStretch(column, 0 if field is self.budget else 1)
        self.kernel.setMinimumWidth(WIDE_PX)
        self.budget.setFixedWidth(80)

    @property
    def fault(self) -> str:
        """Reason why the fields cannot be used; empty if they can."""
        seconds = self.budget.raw()
        if not isinstance(seconds, int) or not MIN_S <= seconds <= MAX_S:
            return tr(
                "Time must be a whole number of seconds from {MIN_S} to {MAX_S:,}.",
                MIN_S=MIN_S,
                MAX_S=MAX_S,
            )
        return "" if self.device.count() else tr("This computer has no usable device.")

    def request(self) -> SearchRequest:
        """Return the request; call only if `fault` is empty."""
        key, seconds = str(self.device.currentData()), self.budget.raw()
        found = self._session.device.named(key)
        study = ""
        if self.of.currentData():
            # The search runs in another process, perhaps with another working folder.
            study = self._session.study.to_study().with_absolute_paths().model_dump_json()
        return SearchRequest(
            str(self.kernel.currentData()),
            device=key,
            threads=found.threads if found is not None and key == "cpu" else None,
            study=study,
            budget_s=float(seconds if isinstance(seconds, int) else BUDGET_S),
        )
