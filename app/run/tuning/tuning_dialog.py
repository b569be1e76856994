"""Tune this machine: try variants of the kernels, see their times, save the fastest."""

from __future__ import annotations

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QDialog, QHBoxLayout, QVBoxLayout, QWidget

from app.language.translation import tr
from app.run.tuning.request_row import RequestRow
from app.run.tuning.stored_variants import VariantList
from app.state.models.tuning_model import Phase, TuningModel
from app.state.services.context import AppContext
from app.state.services.dialog_jobs.tuning_job import TuningJob
from app.ui.theme.formatting import sentence_case
from app.ui.theme.plot_colours import view_colours
from app.ui.theme.widgets import button, fit_to_screen, label, set_tone
from app.views.plots.tuning_view import TuningView
from engine.tools.tuning import why_no_search

SIZE_PX = (820, 680)
TICK_MS = 500
LEAD = tr(
    "Kernels can divide their work in many ways, and the fastest variant depends on the "
    "computer. Tuning tries variants for a set time. A variant is saved only if its results "
    "are correct and it is measurably faster than the default."
)


class TuningDialog(QDialog):
    """Fields of the search, times of the variants, and saved variants."""

    def __init__(self, parent: QWidget | None, context: AppContext) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("Tune this machine"))
        fit_to_screen(self, *SIZE_PX)
        self._context, self._theme = context, context.theme
        self.model = TuningModel()
        self.job = TuningJob(context.commands, self)
        self.row, self.plot = RequestRow(context.session), TuningView()
        self.stored = VariantList(context.commands)
        self.work = label("", "muted", wrap=True)
        self.state = label("", wrap=True)
        self.best = label("", "entry", wrap=True)
        self.act = button(tr("Start"), self._start_or_stop, role="primary")
        self.close_button = button(tr("Close"), self.reject)
        self.close_button.setAutoDefault(False)
        self._tick = QTimer(self)
        self._tick.setInterval(TICK_MS)
        self._lay_out()
        self._connect()
        self._paint()
        self._show()
        self.stored.refresh()

    def _lay_out(self) -> None:
        buttons = QHBoxLayout()
        buttons.addStretch(1)
        buttons.addWidget(self.act)
        buttons.addWidget(self.close_button)
        column = QVBoxLayout(self)
        column.setContentsMargins(18, 14, 18, 14)
        column.setSpacing(10)
        column.addWidget(label(LEAD, wrap=True))
        column.addWidget(self.row)
        for each in (self.work, self.state, self.best):
            column.addWidget(each)
        column.addWidget(self.plot, 1)
        column.addWidget(self.stored)
        column.addLayout(buttons)

    def _connect(self) -> None:
        self.job.event_received.connect(self.model.take)
        self.job.failed.connect(self.model.refuse)
        self.job.ended.connect(self._ended)
        self.model.changed.connect(self._show)
        # The time left changes also between two results.
        self._tick.timeout.connect(self._show_text)
        self._theme.changed.connect(self._paint)

    def _start_or_stop(self) -> None:
        if self.job.is_busy:
            self.model.ask_to_stop()
            self.job.stop()
            return
        # Kernel Tuner is an optional package.
        fault = sentence_case(why_no_search()) or self.row.fault
        if fault:
            self.model.refuse(fault)
            return
        request = self.row.request()
        self.model.begin(request.budget_s)
        self._tick.start()
        self.job.start(request)
        self._show()

    def _ended(self) -> None:
        self._tick.stop()
        self.stored.refresh()
        self._show()

    def done(self, result: int) -> None:
        """Close the dialog.

        A search stops at once, and its best variant so far is saved.

        Parameters
        ----------
        result
            result code of Qt; all codes close the dialog
        """
        self.job.stop()
        super().done(result)
        self.job.delete_afterwards(self)

    def _show(self) -> None:
        busy = self.job.is_busy
        self.act.setText(tr("Stop and save") if busy else tr("Start"))
        self.act.setEnabled(self.model.phase is not Phase.STOPPING)
        self.row.setEnabled(not busy)
        # A search may replace variants, so none can be removed meanwhile.
        self.stored.setEnabled(not busy)
        self.plot.show_times(self.model.times)
        self._show_text()

    def _show_text(self) -> None:
        refusal = why_no_search() if self.model.phase is Phase.IDLE else ""
        for words, text in (
            (self.work, self.model.work),
            (self.state, sentence_case(refusal) or self.model.state_text),
            (self.best, self.model.best_text),
        ):
            words.setText(text)
            words.setVisible(bool(text))
        set_tone(self.state, "missing" if refusal else self._tone)

    @property
    def _tone(self) -> str:
        match self.model.phase:
            case Phase.REFUSED:
                return "missing"
            case Phase.ENDED:
                return "ok" if self.model.is_faster else ""
        return "muted"

    def _paint(self) -> None:
        self.plot.set_colours(view_colours(self._theme))
