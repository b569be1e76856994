"""The main window: docks, menus, dropped files, and the handlers of its actions."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QSize, Qt, QTimer
from PySide6.QtGui import (
    QCloseEvent,
    QDragEnterEvent,
    QDragLeaveEvent,
    QDropEvent,
    QResizeEvent,
)
from PySide6.QtWidgets import QMainWindow, QToolBar, QWidget

from app.language.translation import tr
from app.output.export.exporting import ask_and_export
from app.output.report.report_commands import send_result
from app.shell.action_states import ActionStates
from app.shell.actions import Actions
from app.shell.central_area import CentralArea
from app.shell.dialogs.passphrase import KeyUnlocking
from app.shell.dialogs.window_dialogs import Dialogs
from app.shell.header_bar import HeaderBar
from app.shell.live_mode import LiveMode
from app.shell.menu_bar import fill_menus
from app.shell.page.page_panels import PagePanels
from app.shell.page.pages import Pages
from app.shell.page.panel_rail import PanelRail
from app.shell.panels import SETTING_STEPS, TABS, LogPanel, MeasureTab, PreviewTab, tabs_of
from app.shell.prepare.workflow import Workflow
from app.shell.scripting.console import Console
from app.shell.scripting.copying import ScriptActions
from app.shell.side_panels import FloatingPanels, PanelWidths, SidePanel
from app.shell.status_bar import StatusLine
from app.shell.technician.start import technician_of
from app.shell.unsaved_changes import aborts_to_close, may_forget_image, may_forget_sending
from app.shell.welcome_lists import WelcomeLists
from app.shell.window_keys import add_keys
from app.state.models.inputs import DATA
from app.state.models.run_record import RunState
from app.state.services.context import AppContext
from app.state.services.runner import Runner
from app.ui.theme.theme import Theme
from app.ui.theme.widgets import fit_to_screen
from app.views.slices.labels import shortened
from app.workspace.steps.corrections_step import CorrectionsStep
from app.workspace.steps.step_changes import StepChanges
from app.workspace.steps.step_panel import StepPanel
from app.workspace.steps.study_step import StudyStep
from engine.core.visible_text import visible_line
from engine.jobs import DemoSimulation

WINDOW_PX = (1440, 900)
LOADER_MS = 500
"""Delay before the process that reads files starts, so that the window is drawn first."""
MIN_PX = (1010, 600)
"""Minimum size of the window; no text makes it larger."""
WORDS_FROM_PX = 1200
"""Least width of the window with words below the icons of tools and panels."""
LEFT_PX, RIGHT_PX, LOG_PX = 376, 360, 150
PAGES = (
    *("save_study", "save_protocol", "protocols", "storage", "queue", "studies"),
    *("normalise", "calibrate", "measure_resolution", "tune"),
    *("report", "settings", "guide", "help", "support_bundle", "about"),
)
"""Actions that open the dialog of the same name."""


class MainWindow(QMainWindow):
    """The main window; its state is in the session.

    Attributes
    ----------
    is_ending : True if the system ends the program, so that nobody can answer questions
    """

    def __init__(self, context: AppContext) -> None:
        super().__init__()
        self.is_ending = False
        self.context, self.session, self.commands = context, context.session, context.commands
        self.runner = Runner(context.session, context.preferences, context.commands)
        self.setWindowTitle("Isocenter")
        self.setAcceptDrops(True)
        self.setDockOptions(QMainWindow.DockOption.AnimatedDocks)
        self.actions_ = Actions(self, context)
        self.action_states = ActionStates(self.actions_, context)
        self.dialogs = Dialogs(self, context, self.resume, self.actions_.queue.trigger)
        context.results.may_forget_image = self.may_forget_image
        context.session.unlock_key = KeyUnlocking(self, context.session).ask
        self.pages = Pages(context.session)
        self.scripts = ScriptActions(self, context, self.pages)
        self.console = Console(self, context, self.scripts)
        self.actions_.extra_menus.append(self.console.action)
        self._add_header()  # the Tab key follows the order of creation
        self._add_workflow()
        self._add_centre()
        self._add_results()
        self.live = LiveMode(
            context,
            self,
            self.centre,
            (self.workflow_dock, self.results_dock, self.rail),
            open_and_start=self.runner.open_and_start,
            confirm=self.dialogs.confirm,
        )
        self.header.follow_live(self.live)
        lines = self.actions_.log, self.actions_.queue, self.actions_.studies
        self.status = StatusLine(context, *lines, self.centre.views.cursor_text, self.live)
        self.setStatusBar(self.status)
        self.pages.changed.connect(self._follow_page)
        self._follow_page()
        fill_menus(
            *(self.menuBar(), self.actions_, context.preferences, self.open_path, self.try_demo),
            self.rail.panel_actions,
            (self.scripts.python, self.scripts.command),
            self.console.action,
        )
        self._connect()
        self.technician = technician_of(self)
        # On a very small screen the window must still fit.
        self.setMinimumSize(QSize(*MIN_PX).boundedTo(self.screen().availableSize()))
        fit_to_screen(self, *WINDOW_PX)
        if not context.preferences.geometry.isEmpty():
            self.restoreGeometry(context.preferences.geometry)
        self.centre.welcome.open.setFocus()
        for lists in (self.welcome_lists, context.results, context.queue):
            # These lists read the disk, so they are filled when the window is visible.
            QTimer.singleShot(0, lists.refresh)
        QTimer.singleShot(0, context.unfinished.recover)
        QTimer.singleShot(LOADER_MS, self, self.commands.start_loader)

    def _add_header(self) -> None:
        self._bar = bar = QToolBar(tr("Header"))
        bar.setMovable(False)
        bar.setContextMenuPolicy(Qt.ContextMenuPolicy.PreventContextMenu)
        bar.setContentsMargins(0, 0, 0, 0)
        self.header = HeaderBar(self.context, self.actions_, self.pages)
        bar.addWidget(self.header)
        self.addToolBar(bar)

    def _add_workflow(self) -> None:
        scan, corrections = StudyStep(1, self.context), CorrectionsStep(3, self.context)
        settings = [kind(self.context) for kind in SETTING_STEPS]
        self.steps: list[StepPanel] = [scan, corrections, *settings]
        for step in self.steps:
            step.add_changes(StepChanges(step, self.context))
        left = Qt.DockWidgetArea.LeftDockWidgetArea
        choice = self.header.choice
        self.workflow = Workflow(self.context, choice, scan, corrections, settings)
        self.workflow_dock = self._dock(tr("Workflow"), self.workflow, left)

    def _add_centre(self) -> None:
        self.centre = CentralArea(
            self.context,
            open_scan=self.choose_any,
            demo=self.try_demo,
            resume=self.runner.resume,
            show_log=lambda: self.actions_.log.setChecked(True),
            # `live` is created later, because it needs the centre.
            live=lambda: self.live.show(),
            live_demo=lambda kind: self.live.show_demo(kind),
        )
        self.welcome_lists = WelcomeLists(self.context, self.centre.welcome, self.runner)
        self.setCentralWidget(self.centre)

    def _add_results(self) -> None:
        self.tabs, self._preview = tabs_of(self.context), TABS.index(PreviewTab)
        self.log = LogPanel(self.context)
        area = Qt.DockWidgetArea
        self.results_dock = self._dock(
            tr("Results"), self.tabs, area.RightDockWidgetArea, self.context.theme
        )
        self.log_dock = self._dock(tr("Log"), self.log, area.BottomDockWidgetArea)
        self.log_dock.hide()
        self.rail = PanelRail(self.tabs, self.context.theme)
        self.addToolBar(Qt.ToolBarArea.RightToolBarArea, self.rail)
        self.page_panels = PagePanels(
            self.pages, self.rail, self.tabs, self.workflow_dock, self.results_dock
        )
        self.page_panels.follow_lines(self.session.view, TABS.index(MeasureTab))
        self.setCorner(Qt.Corner.BottomLeftCorner, area.LeftDockWidgetArea)
        self.setCorner(Qt.Corner.BottomRightCorner, area.RightDockWidgetArea)
        sides = {self.workflow_dock: LEFT_PX, self.results_dock: RIGHT_PX}
        self._widths = PanelWidths(self, sides)
        detach = self.actions_.detach_steps, self.actions_.detach_results
        self._floating_panels = FloatingPanels(
            self.context.preferences, dict(zip(sides, detach, strict=True))
        )

    def _dock(
        self, name: str, inside: QWidget, area: Qt.DockWidgetArea, theme: Theme | None = None
    ) -> SidePanel:
        dock = SidePanel(name, inside, theme)
        self.addDockWidget(area, dock)
        return dock

    def _connect(self) -> None:
        runner, session = self.runner, self.session
        self.actions_.connect_to(
            {
                "open": self.choose_any,
                "open_folder": lambda: self.dialogs.files.folder(self.open_path),
                "import_": lambda: self.dialogs.files.to_import(self.dialogs.import_scan),
                "live": self.live.show,
                "export": self.export,
                "quit": self.close,
                "undo": session.study.undo,
                "redo": session.study.redo,
                "start": self.start,
                "add_to_queue": self.context.queue.add,
                "pause": runner.pause,
                "finish": runner.finish,
                "abort": runner.abort,
                "send": self.send,
                "theme": self.toggle_theme,
                **{name: getattr(self.dialogs, name) for name in PAGES},
            }
        )
        self.action_states.follow_live(self.live.commands.page)
        self.actions_.full_views.toggled.connect(self.show_only_views)
        self.actions_.log.toggled.connect(self._show_log)
        self.commands.choose_requested.connect(self._choose_file)
        self.commands.offered.connect(lambda role, path: self.open_path(path, role))
        session.run.state_changed.connect(self._follow_state)
        session.key_images.added.connect(
            lambda n: self.status.succeed(tr("Key image {n} was added to the report.", n=n))
        )
        session.study.protocol_changed.connect(self._follow_protocol)
        add_keys(self)

    # handlers of actions

    def choose_any(self) -> None:
        """Ask for files to open; several scans are added to the queue."""
        self.dialogs.files.scans(self.open_all)

    def _choose_file(self, role: str) -> None:
        self.dialogs.files.for_role(role, lambda path: self.open_path(path, role))

    def export(self) -> None:
        """Ask for an export and write an image of the run."""
        self.session.unlock_key()
        current = self.centre.scrubber.current()
        ask_and_export(self, self.context, current, self.status.succeed)

    def send(self) -> None:
        """Send image and report of the displayed result; without a node, show the settings.

        Without a patient from the worklist, only the report is sent.
        """
        if not self.context.preferences.site.node:
            self.dialogs.settings()
            return
        record = self.session.run.record
        if before := self.session.outbox.accepted.get(record.result_id, ""):
            text = tr("{before} Send it again?", before=before)
            if not self.dialogs.confirm(tr("Already sent"), text, tr("Send again")):
                return
        has_patient = record.order is not None
        send_result(self.context, self.status.succeed, with_image=has_patient)

    def open_path(self, path: Path, role: str = "") -> None:
        """Open a file, or use it for a role of the study.

        An image that exists only in the window is not replaced without a question.

        Parameters
        ----------
        path
            file or folder
        role
            key of an input role; empty: decided by the file
        """
        # Only new data replace the image; a μ-map or a scanner do not.
        if role not in ("", DATA) or self.may_forget_image():
            self.live.leave()
            self.centre.message_bar.clear()
            self.commands.open_path(path, role)

    def may_forget_image(self) -> bool:
        """Ask before an image is discarded that could not be saved to the results."""
        return may_forget_image(self.session, self.dialogs)

    def start(self) -> None:
        """Reconstruct the current study."""
        if self.may_forget_image():
            self.live.leave()
            self.runner.start()

    def resume(self, job_id: str) -> None:
        """Continue an interrupted run.

        Parameters
        ----------
        job_id
            name of the job with a checkpoint
        """
        if self.may_forget_image():
            self.live.leave()
            self.runner.resume(job_id)

    def try_demo(self, key: str, begun: DemoSimulation | None = None) -> None:
        """Simulate a demo scan, open it and reconstruct it.

        Parameters
        ----------
        key
            key of `DEMOS`
        begun
            its simulation, if it runs already
        """
        if self.may_forget_image():
            self.live.leave()
            self.welcome_lists.make_demo(key, begun)
        elif begun is not None:
            begun.end()

    def toggle_theme(self) -> None:
        """Switch between light and dark, and remember it."""
        self.context.theme.toggle()
        self.context.preferences.theme = self.context.theme.name

    def show_only_views(self, alone: bool) -> None:
        """Hide everything except the views, or show it again."""
        self._bar.setVisible(not alone)
        self.page_panels.hide_all(alone)

    def _show_log(self, shown: bool) -> None:
        self.log_dock.setVisible(shown)
        if shown:
            # Qt gives a dock that was hidden an arbitrary height.
            self.resizeDocks([self.log_dock], [LOG_PX], Qt.Orientation.Vertical)
            self.log.show_newest()

    def _follow_page(self) -> None:
        judges = self.pages.current == "judge"
        self.centre.show_controls(judges)
        # Judge leaves the log to the View menu, and shows its warnings in the card.
        self.status.log.setVisible(not judges)

    def _follow_state(self) -> None:
        title = self.session.run.record.title
        self.setWindowTitle(
            f"{shortened(visible_line(title), 120)} - Isocenter" if title else "Isocenter"
        )
        if self.session.run.state is RunState.PREPARING:
            self.centre.message_bar.clear()
            for step in self.steps:
                step.acknowledge()

    def _follow_protocol(self) -> None:
        """Show the preview of a changed setting, if the modality has one."""
        session = self.session
        has_preview = session.study.modality.has_preview and session.study.inputs.scan is not None
        self.tabs.setTabVisible(self._preview, has_preview)
        self.page_panels.offer_preview(
            self._preview, shown=has_preview and not session.run.state.is_active
        )

    # files dropped on the window

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        is_wide = self.width() >= WORDS_FROM_PX
        self.rail.show_labels(on=is_wide)
        self.centre.viewer_tools.strip.show_labels(on=is_wide)
        self._widths.restore()

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        # During a run nothing can be opened, and the pointer shows that.
        urls = event.mimeData().urls()
        # Several scans go to the queue, which works during a run too.
        if urls and (len(urls) > 1 or not self.session.run.state.is_active):
            event.acceptProposedAction()
            self.status.flash(tr("Drop to open"), 0)

    def dragLeaveEvent(self, event: QDragLeaveEvent) -> None:
        self.status.flash("")

    def dropEvent(self, event: QDropEvent) -> None:
        self.status.flash("")
        paths = tuple(Path(url.toLocalFile()) for url in event.mimeData().urls())
        self.open_all(paths)

    def open_all(self, paths: tuple[Path, ...]) -> None:
        """Open files that belong together; several scans are added to the queue.

        Parameters
        ----------
        paths
            files and folders that were dropped or chosen together
        """

        def open_each() -> None:
            for path in paths:
                self.open_path(path)

        if len(paths) == 1:
            open_each()
        else:
            self.context.queue.intake.sort(paths, open_each)

    def _may_close(self) -> bool:
        """Ask before anything is lost."""
        if self.session.run.state.is_active and not aborts_to_close(self.dialogs):
            return False
        may_leave = self.may_forget_image() and self.live.may_close() and self.dialogs.may_close()
        # The last question, because its answer recalls results
        return may_leave and may_forget_sending(self.session, self.dialogs)

    def closeEvent(self, event: QCloseEvent) -> None:
        if not self.is_ending and not self._may_close():
            event.ignore()
            return
        # Sources and workers end before the event loop, because their last events need it.
        self.live.commands.shut_down()
        self.runner.shut_down()
        self.console.end()
        self.commands.wait()
        self.context.unfinished.close()
        self.centre.views.release()
        # Before the panels close, which forgets their positions.
        self._floating_panels.remember()
        self.context.preferences.geometry = self.saveGeometry()
        self.context.preferences.save()
        event.accept()
