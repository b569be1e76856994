"""Dialog to create a normalisation: describe the source, follow the progress, save the result."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtWidgets import QProgressBar, QTabWidget, QVBoxLayout, QWidget

from app.analysis.calibrate.measurement_dialog import MeasurementDialog
from app.analysis.calibrate.normalise_request import NormaliseForm
from app.language.translation import tr
from app.state.models.inputs import role_created_on
from app.state.models.normalising_model import MeasuringPhase, NormalisingModel
from app.state.services.context import AppContext
from app.state.services.dialog_jobs.normalising_job import NormalisingJob
from app.ui.theme.plot_colours import view_colours
from app.ui.theme.questions import ask
from app.ui.theme.widgets import button, label, scrolled, set_tone
from app.views.literal_text import literal_tip
from app.views.plots.convergence_view import ConvergenceView
from engine.tools.normalisation_scan import SMALL

if TYPE_CHECKING:  # the kernels are not needed to open the dialog
    from app.analysis.calibrate.normalise_result import NormaliseResult
    from engine.tools.normalisation_scan import NormalisationRequest

SIZE_PX = (1120, 700)
FORM_PX = 330
ROLE = role_created_on("normalise").key
KINDS = tr("Normalisation (*.h5)")
LEAD = tr(
    "A normalisation corrects for the efficiency of each crystal and for the geometry of the "
    "lines of response. It is created from scans of a source with a known shape. Create a new one "
    "after each service. It applies to every scan from the scanner."
)
USE_TIP = tr("Use the result as the normalisation of the open scan")
KEEP_TIP = tr(
    "Use the result for every scan from this scanner that you open from now on. Scans "
    "from other scanners are not affected."
)


class NormaliseDialog(MeasurementDialog):
    """Non-modal dialog, because a large scanner takes an hour."""

    def __init__(self, parent: QWidget | None, context: AppContext) -> None:
        super().__init__(
            parent,
            context,
            tr("Create a normalisation"),
            SIZE_PX,
            role=ROLE,
            save_tip=tr("Save the result as a normalisation file"),
        )
        self._theme = context.theme
        self.model = NormalisingModel()
        self.job = NormalisingJob(context.commands, self)
        self.form = NormaliseForm(context)
        self.counted = label("", "muted", wrap=True)
        self.bar = QProgressBar()
        self.bar.setTextVisible(False)
        self.bar.setAccessibleName(tr("Events counted"))
        self.plot = ConvergenceView(SMALL)
        self._components: NormaliseResult | None = None
        self._result = scrolled(QWidget())
        self.tabs = QTabWidget()
        self.tabs.setDocumentMode(True)
        self.keep.setToolTip(literal_tip(KEEP_TIP))
        self.act = button(tr("Start"), self._start_or_stop, role="primary")
        self.pause = button(
            tr("Pause"), self._pause, tr("Pause after the current step, or continue")
        )
        self._request: NormalisationRequest | None = None
        self._lay_out()
        self._connect()
        self._paint()
        self._show()

    @property
    def components(self) -> NormaliseResult:
        """The components of the result, created with the first one."""
        if self._components is None:
            # Imported late: its plots take longer to import than a dialog may take to open.
            from app.analysis.calibrate.normalise_result import NormaliseResult

            self._components = NormaliseResult()
            self._components.set_colours(view_colours(self._theme))
            self._result.setWidget(self._components)
        return self._components

    def _lay_out(self) -> None:
        progress = QWidget()
        column = QVBoxLayout(progress)
        column.setContentsMargins(0, 8, 0, 0)
        column.setSpacing(8)
        column.addWidget(self.counted)
        column.addWidget(self.plot, 1)
        self.tabs.addTab(progress, tr("Progress"))
        self.tabs.addTab(self._result, tr("Result"))
        form = scrolled(self.form)
        form.setFixedWidth(FORM_PX)
        self._arrange(LEAD, form, (self.bar, self.tabs), (self.act, self.pause))

    def _connect(self) -> None:
        self.job.event_received.connect(self.model.take)
        self.job.failed.connect(self.model.refuse)
        self.job.ended.connect(self._ended)
        self.model.changed.connect(self._show)
        # Another scan may be opened meanwhile, which may not accept this normalisation.
        self._context.session.study.inputs_changed.connect(self._show_choices)
        self._theme.changed.connect(self._paint)

    # measuring

    def _start_or_stop(self) -> None:
        if self.job.is_busy:
            self.model.ask_to_stop()
            self.job.stop()
            return
        request = self.form.request()
        if isinstance(request, str):
            self.model.refuse(request)
            return
        # Kept for saving: the form may be edited after the start.
        self._request = request
        self.tabs.setCurrentIndex(0)
        self.model.begin()
        self.job.start(request)
        self._show()

    def _pause(self) -> None:
        self.model.request_pause(not self.model.is_pause_requested)
        self.job.pause(self.model.is_pause_requested)

    def _ended(self) -> None:
        self.model.end()
        if self.model.made is not None:
            self.components.show_made(self.model.made)
            self.tabs.setCurrentIndex(1)

    def may_close(self) -> bool:
        """Ask before a running measurement is lost; return True if the dialog may close."""
        if not self.job.is_busy:
            return True
        text = tr("The normalisation is still being computed. Nothing has been saved yet.")
        return ask(self, tr("Normalisation in progress"), text, tr("Stop and close"))

    def reject(self) -> None:
        """Close, unless the user wants to continue a running measurement."""
        if self.may_close():
            super().reject()

    def done(self, result: int) -> None:
        """Stop a running measurement and close.

        Parameters
        ----------
        result
            result code of Qt; all codes close the dialog
        """
        self.job.stop()
        super().done(result)

    def _delete(self) -> None:
        self.job.delete_afterwards(self)

    def _save(self) -> None:
        made, request = self.model.made, self._request
        if made is None or request is None:
            return
        start = request.scans[0].with_name("normalisation.h5")
        title = tr("Save the normalisation")
        self._save_as(title, start, KINDS, made.write, made.scanner, request.scans)

    # display

    def _show(self) -> None:
        model, busy = self.model, self.job.is_busy
        self.state.setText(model.state_text)
        set_tone(self.state, self._tone)
        self.counted.setText(model.counted_text)
        self.counted.setVisible(bool(model.counted_text))
        self.bar.setVisible(busy)
        counting = model.phase is MeasuringPhase.COUNTING and model.part > 0
        # A range of 0 to 0 makes Qt show a busy indicator, for steps without known length.
        self.bar.setRange(0, 1000 if counting or model.is_paused else 0)
        self.bar.setValue(int(1000 * model.part))
        self.plot.show_changes(model.changes)
        # The result tab is empty before the first measurement.
        self.tabs.setTabEnabled(1, model.made is not None)
        self.form.setEnabled(not busy)
        self.act.setText(tr("Stop") if busy else tr("Start"))
        self.act.setEnabled(not model.is_ending)
        self.pause.setText(tr("Continue") if model.is_pause_requested else tr("Pause"))
        self.pause.setEnabled(busy and not model.is_ending)
        self._show_choices()

    def _show_choices(self) -> None:
        """Enable the actions that the result allows."""
        made = self.model.made
        has_made, scanner = made is not None, made.scanner if made is not None else None
        reason = self._use_obstacle(scanner, tr("Open a scan that can use a normalisation."))
        self.use.setEnabled(has_made and not reason)
        self.use.setToolTip(literal_tip(reason or USE_TIP))
        self.keep.setEnabled(has_made)
        self.save.setEnabled(has_made and not self.job.is_busy)

    @property
    def _tone(self) -> str:
        match self.model.phase:
            case MeasuringPhase.REFUSED:
                return "missing"
            case MeasuringPhase.DONE:
                return "ok"
        return "muted"

    def _paint(self) -> None:
        colours = view_colours(self._theme)
        self.plot.set_colours(colours)
        if self._components is not None:
            self._components.set_colours(colours)
