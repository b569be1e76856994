"""Status line: requirements of a run or the reason why it cannot start, cursor, and disclaimer."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QTimer
from PySide6.QtGui import QAction, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QStatusBar, QWidget

from app.language.translation import tr
from app.output.report.archive_sending import ArchiveSending
from app.shell.header_parts import action_button
from app.shell.live_mode import LiveMode
from app.state.models.inputs import DATA
from app.state.models.queue_model import state_of
from app.state.models.run_record import RunState
from app.state.services.context import AppContext
from app.ui.theme.formatting import sentence_case
from app.ui.theme.icons import set_icon
from app.ui.theme.widgets import button, label
from app.views.literal_text import LiteralLabel, literal_tip
from app.views.slices.labels import ElidedLabel, shortened
from engine.results import differences

CLAIM = tr("Not for clinical use")
PATIENT_CHARACTERS, SUCCESS_S = 40, 20.0
PLACE_PX = 330
"""Width for position and values at the cursor in a narrow window; otherwise half the width."""


class StatusLine(QStatusBar):
    """Three texts, and the number of queued studies; a click on it shows the queue."""

    def __init__(
        self,
        context: AppContext,
        log: QAction,
        queue: QAction,
        studies: QAction,
        cursor_text: Callable[[], str],
        live: LiveMode | None = None,
    ) -> None:
        super().__init__()
        # The grip would take space from the badge at the right end.
        self.setSizeGripEnabled(False)
        self._session, self._theme = context.session, context.theme
        self._study, self._run = context.session.study, context.session.run
        self._cursor_text, self._live = cursor_text, live
        if live is not None:
            live.changed.connect(self.refresh)
            live.changed.connect(self._show_cursor)
        self._busy = self._message = ""
        self._is_success = False
        self._icon = LiteralLabel()
        self.text, self.place = ElidedLabel(), ElidedLabel()
        self.place.setProperty("role", "muted")
        self.stop = button(tr("Stop"), context.commands.stop_reading, tr("Stop this task"))
        self.stop.hide()
        self._queue_action = queue
        self.patient = button("", studies.trigger, role="quiet")
        self.queue = button("", queue.trigger, role="quiet")
        set_icon(self.queue, "list", self._theme)
        self.sending = ArchiveSending(context, self.succeed)
        self.log = action_button(log, text=True)
        self._lay_out()
        self._connect(context)
        self._show_patient()
        self._show_queue()
        self.refresh()

    def _lay_out(self) -> None:
        inside = QWidget()
        row = QHBoxLayout(inside)
        row.setContentsMargins(10, 0, 4, 0)
        row.setSpacing(6)
        row.addWidget(self._icon)
        row.addWidget(self.text, 1)
        row.addWidget(self.stop)
        row.addWidget(self.place)
        row.addSpacing(6)
        row.addWidget(self.sending)
        row.addWidget(self.patient)
        row.addWidget(self.queue)
        row.addSpacing(6)
        row.addWidget(label(CLAIM, "badge"))
        row.addSpacing(4)
        row.addWidget(self.log)
        self.addPermanentWidget(inside, 1)

    def _connect(self, context: AppContext) -> None:
        study, run = self._study, self._run
        session = self._session
        for signal in (study.inputs_changed, study.protocol_changed, run.state_changed):
            signal.connect(self.refresh)
        session.device.changed.connect(self.refresh)
        state = session.view
        state.volume_changed.connect(self.refresh)
        for changed in (state.cursor_changed, state.volume_changed, state.fusion.volume_changed):
            changed.connect(self._show_cursor)
        context.commands.busy_changed.connect(self._set_busy)
        context.commands.stoppable_changed.connect(self.stop.setVisible)
        for signal in (session.queue.changed, self._queue_action.changed):
            signal.connect(self._show_queue)
        session.order.changed.connect(self._show_patient)

    def _show_patient(self) -> None:
        """Show the patient of the current scan, if the worklist stated it."""
        patient = self._session.order.describe()
        self.patient.setText(shortened(patient, PATIENT_CHARACTERS))
        self.patient.setAccessibleName(tr("Patient: {owner}", owner=patient))
        tip = tr(
            "The open scan belongs to {owner}. Click to show the studies and the worklist.",
            owner=patient,
        )
        self.patient.setToolTip(literal_tip(tip))
        self.patient.setVisible(bool(patient))

    def _show_queue(self) -> None:
        """Show the number of waiting and failed studies, without those that are done."""
        model = self._session.queue
        states = [state_of(entry) for entry in model.entries]
        left, asking, failed = (
            sum(state in which for state in states)
            for which in (("running", "waiting", "paused"), ("asking",), ("failed",))
        )
        counted = (
            (left, tr("{n} in queue")),
            (asking, tr("{n} with a question")),
            (failed, tr("{n} failed")),
        )
        words = ", ".join(text.format(n=n) for n, text in counted if n)
        self.queue.setText(words)
        self.queue.setAccessibleName(tr("Queue: {describe}", describe=model.describe()))
        self.queue.setToolTip(
            literal_tip(tr("Queue: {describe} (Ctrl+U to show)", describe=model.describe()))
        )
        # Technician mode hides the action, and with it this button.
        self.queue.setVisible(bool(words) and self._queue_action.isVisible())

    def refresh(self) -> None:
        """Show the end of a run, the requirements of the next, or why it cannot start."""
        icon, tone, text = self._current_message()
        set_icon(self._icon, icon, self._theme, tone)
        self.text.set_full_text(text)

    def succeed(self, text: str) -> None:
        """Show that something was done, long enough to be read after a look at the image.

        Parameters
        ----------
        text
            the message
        """
        self.flash(text, SUCCESS_S, is_success=True)

    def flash(self, text: str, seconds: float = 6.0, *, is_success: bool = False) -> None:
        """Show a message for some time.

        Parameters
        ----------
        text
            message; empty: remove the current one
        seconds
            duration [s]; 0: until the next message
        is_success
            True for a message with the mark of a success
        """
        self._message, self._is_success = text, is_success
        self.refresh()
        if text and seconds:
            QTimer.singleShot(round(1000 * seconds), self, lambda: self._remove_message(text))

    def _remove_message(self, text: str) -> None:
        # A newer message has its own timer.
        if self._message == text:
            self.flash("")

    def _current_message(self) -> tuple[str, str, str]:
        study, run = self._study, self._run
        session = self._session
        # In the order of importance: message, reading, live scan, run, obstacle, requirements.
        if self._message:
            icon, tone = ("ok", "ok") if self._is_success else ("info", "muted")
            return icon, tone, self._message
        if self._busy:
            return "waiting", "muted", f"{self._busy} …"
        if self._live is not None and self._live.is_shown:
            return "info", "muted", self._live.words
        if run.state.is_active:
            return "info", "muted", run.record.local_title
        if obstacle := session.obstacle():
            if DATA in study.inputs:
                return "missing", "missing", obstacle
            # Without a scan there is no mistake yet, only a first step to do. An open image
            # needs none.
            if session.view.volume is not None:
                obstacle = tr("To reconstruct, open a scan.")
            return "info", "muted", obstacle
        if run.state is RunState.FINISHED and self._is_repeat:
            return "ok", "ok", tr("Finished.")
        if run.state is RunState.FAILED and self._is_repeat:
            return "missing", "missing", tr("Stopped by an error.")
        requirements = study.requirements()
        text = requirements.describe() if requirements else ""
        if run.state is RunState.FINISHED:
            text = (
                tr("Finished. The next run has these requirements. {text}", text=text)
                if text
                else tr("Finished.")
            )
        return "ok", "ok", sentence_case(text)

    @property
    def _is_repeat(self) -> bool:
        """True if the next run would only repeat the finished one."""
        made = self._run.record.study
        if made is None or DATA not in self._study.inputs:
            return False
        return not differences(made, self._study.to_study())

    def _set_busy(self, text: str) -> None:
        self._busy = text
        self.refresh()

    def _show_cursor(self) -> None:
        is_live = self._live is not None and self._live.is_shown
        text = "" if is_live else self._cursor_text()
        self.place.show_within(text, 0, max(PLACE_PX, self.width() // 2))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._show_cursor()
