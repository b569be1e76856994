"""Which actions of the window are available, and the reasons why others are not."""

from __future__ import annotations

from PySide6.QtCore import QObject

from app.language.translation import tr
from app.live.live_page import LivePage
from app.output.report.report_commands import NO_NODE, NO_RESULT
from app.shell.actions import Actions
from app.state.models.inputs import DATA
from app.state.models.run_record import RunState
from app.state.services.context import AppContext

ADD_NODE = tr("No DICOM node is configured. Click to add one in the settings.")


class ActionStates(QObject):
    """Enables and disables the actions by the state of the session."""

    def __init__(self, actions: Actions, context: AppContext) -> None:
        super().__init__(actions)
        self._actions, self._context = actions, context
        self._live_page: LivePage | None = None
        session = context.session
        study, run = session.study, session.run
        # All states on which an obstacle can depend.
        for signal in (study.inputs_changed, study.protocol_changed, session.device.changed):
            signal.connect(self.refresh)
        for signal in (run.state_changed, run.images_changed, run.result_stored):
            signal.connect(self.refresh)
        self.refresh()

    def follow_live(self, page: LivePage) -> None:
        """Disable tuning while a live scan runs, because it could lose images.

        Parameters
        ----------
        page
            page of the live scan
        """
        self._live_page = page
        page.state_changed.connect(self.refresh)

    def refresh(self) -> None:
        """Enable the available actions; tooltips of the others state the reason."""
        state = self._context.session.run.state
        busy = tr("A reconstruction is running.") if state.is_active else ""
        self._refresh_files(busy)
        self._refresh_run(state)
        self._refresh_study(busy)

    def _refresh_files(self, busy: str) -> None:
        """Refresh actions that open files or use the displayed image."""
        actions, record = self._actions, self._context.session.run.record
        for action in (actions.live, actions.import_, actions.open, *actions.demos.values()):
            actions.allow(action, busy)
        no_image = "" if record.images.items else tr("There is no image yet.")
        actions.allow(actions.export, no_image)
        actions.allow(actions.calibrate, busy or no_image)
        # A report needs a stored result, not only a displayed image.
        no_result = "" if record.result_id else NO_RESULT
        actions.allow(actions.report, no_result)
        self._refresh_send(no_result)

    def _refresh_send(self, obstacle: str) -> None:
        """Without a node, the action leads to the settings, which a technician cannot change."""
        actions, node = self._actions, self._context.preferences.site.node
        is_locked = not actions.settings.isVisible()
        tip = tr("Send the report to {node}", node=node) if node else ADD_NODE
        if node and self._context.session.run.record.order is not None:
            tip = tr("Send image and report to {node}", node=node)
        no_node = NO_NODE if is_locked and not node else ""
        actions.allow(actions.send, obstacle or no_node, tip=tip)

    def _refresh_run(self, state: RunState) -> None:
        """Refresh actions that start and control a run."""
        actions, session = self._actions, self._context.session
        actions.allow(actions.start, session.obstacle())
        actions.allow(actions.add_to_queue, self._context.queue.obstacle())
        is_iterating = state in (RunState.RUNNING, RunState.PAUSED)
        no_iterations = "" if is_iterating else tr("No iterative reconstruction is running.")
        actions.allow(actions.pause, no_iterations)
        actions.allow(actions.finish, no_iterations)
        actions.allow(actions.abort, "" if state.is_active else tr("Nothing is running."))
        actions.show_pause(is_paused=state is RunState.PAUSED)

    def _refresh_study(self, busy: str) -> None:
        """Refresh actions on the settings of the study and on this computer."""
        actions, session = self._actions, self._context.session
        no_scan = "" if DATA in session.study.inputs else tr("Open a scan first.")
        actions.allow(actions.save_study, no_scan)
        history = session.study.history
        no_undo = "" if history.can_undo else tr("Nothing to undo.")
        no_redo = "" if history.can_redo else tr("Nothing to redo.")
        actions.allow(actions.undo, busy or no_undo)
        actions.allow(actions.redo, busy or no_redo)
        # Tuning needs the whole machine.
        is_live = self._live_page is not None and self._live_page.model.is_running
        in_use = tr("A live scan is open.") if is_live else busy
        actions.allow(actions.tune, in_use or session.device.obstacle())
