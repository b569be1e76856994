"""All actions of the window: text, icon, shortcut, and the reason if one is not available."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QWidget

from app.language.translation import named, tr
from app.live.live_page import LivePage
from app.output.report.report_commands import NO_NODE, NO_RESULT
from app.shell.help.action_tips import (
    CALIBRATE_TIP,
    DETACH_TIP,
    NORMALISE_TIP,
    QUEUE_TIP,
    REPORT_TIP,
    RESOLUTION_TIP,
    TECHNICIAN_TIP,
    TUNE_TIP,
)
from app.state.models.run_record import RunState
from app.state.services.context import AppContext
from app.ui.theme.icons import set_icon
from app.views.literal_text import literal_tip
from engine.modalities import DEMOS

ADD_NODE = tr("No DICOM node is configured. Click to add one in the settings.")


class Actions(QObject):
    """Actions of the window, enabled or disabled by the state of the session."""

    def __init__(self, parent: QWidget, context: AppContext) -> None:
        super().__init__(parent)
        self._parent, self._context = parent, context
        self._followed: LivePage | None = None
        self._tips: dict[QAction, str] = {}
        self.extra_menus: list[QAction] = []
        self._make_for_files()
        self._make_for_runs()
        self._make_for_views()
        # The View menu shows their state.
        self.full_views.setCheckable(True)
        self.log.setCheckable(True)
        self.suv.setCheckable(True)
        self.suv.setChecked(context.session.volumes.suv.is_on)
        self.suv.toggled.connect(context.session.volumes.set_suv)
        self._follow()
        self._show_theme()
        self.refresh()

    def _make_for_files(self) -> None:
        make = self._make
        self.open = make(
            tr("Open …"), "open", "Ctrl+O", tr("Open a scan, study, protocol or volume")
        )
        self.open_folder = make(
            tr("Open folder …"),
            "folder",
            "",
            tr("Open a scan folder or a patient folder"),
        )
        self.import_ = make(
            tr("Import …"),
            "",
            "",
            tr("Import TIFF images or raw data, and enter the missing information"),
        )
        self.live = make(
            tr("Live …"), "live", "Ctrl+Shift+L", tr("Watch a scan during acquisition")
        )
        self.export = make(tr("Export …"), "export", "Ctrl+E", tr("Save the image to a file"))
        self.report = make(tr("Report …"), "report", "Ctrl+Shift+E", REPORT_TIP)
        self.send = make(tr("Send"), "send", "", tr("Send the report to the DICOM node"))
        self.save_study = make(
            tr("Save study …"),
            "save",
            "Ctrl+S",
            tr("Save the input files and the protocol as a study"),
        )
        self.save_protocol = make(
            tr("Save protocol as …"),
            "save",
            "Ctrl+Shift+S",
            tr("Save the current settings as a protocol"),
        )
        self.protocols = make(
            tr("Protocols …"),
            "protocols",
            "Ctrl+Shift+P",
            tr("Save, rename, lock, share and delete protocols"),
        )
        self.storage = make(
            tr("Storage …"), "", "", tr("Show and remove interrupted jobs and caches on this disk")
        )
        self.settings = make(
            tr("Settings …"),
            "settings",
            "Ctrl+,",
            tr("Change the site, folders, theme, device and technician mode"),
        )
        self.technician = make(tr("Technician mode"), "lock", "", TECHNICIAN_TIP)
        self.identify = self._make_identify()
        self.quit = make(tr("Quit"), "", "Ctrl+Q", tr("Close the window"))

    def _make_for_runs(self) -> None:
        make = self._make
        self.undo = make(tr("Undo change"), "undo", "Ctrl+Z", tr("Undo the last settings change"))
        self.redo = make(
            tr("Redo change"), "redo", "Ctrl+Shift+Z", tr("Redo the last settings change")
        )
        self.start = make(tr("Start"), "start", "Ctrl+R", tr("Reconstruct"))
        self.pause = make(tr("Pause"), "pause", "Ctrl+P", "")
        # Space is the key in the views, and Ctrl+P the one that works everywhere.
        self._tips[self.pause] = tr("Pause after this update (Space)")
        self.finish = make(
            tr("Finish and keep"),
            "finish",
            "Ctrl+K",
            tr("Stop after this iteration, apply the filters and keep the image"),
        )
        self.abort = make(
            tr("Abort"), "abort", "Ctrl+.", tr("Stop now and keep the last image and checkpoint")
        )
        self.add_to_queue = make(tr("Add to queue"), "add", "Ctrl+Shift+R", QUEUE_TIP)
        self.queue = make(
            tr("Queue …"),
            "list",
            "Ctrl+U",
            tr("Show, reorder, pause or retry the queued studies"),
        )
        self.studies = make(
            tr("Studies …"),
            "details",
            "Ctrl+Shift+O",
            tr("Show the worklist and all studies with their patient and status"),
        )
        self.tune = make(tr("Tune this machine …"), "", "", TUNE_TIP)
        self.normalise = make(tr("Create a normalisation …"), "", "", NORMALISE_TIP)
        self.calibrate = make(tr("Calibrate to Bq/mL …"), "", "", CALIBRATE_TIP)
        self.measure_resolution = make(tr("Measure the resolution …"), "", "", RESOLUTION_TIP)

    def _make_for_views(self) -> None:
        make = self._make
        self.full_views = make(tr("Views only"), "", "F", tr("Use the whole window for the images"))
        self.suv = make(
            tr("Show SUV"),
            "",
            "",
            tr("Show PET images in SUV by body weight if dose, weight and times are known"),
        )
        self.log = make(tr("Log"), "log", "Ctrl+L", tr("Show or hide the log"))
        self.theme = make(
            tr("Light or dark theme"),
            "light",
            "Ctrl+T",
            tr("Switch between the light and dark themes"),
        )
        self.detach_steps = make(tr("Detach steps"), "", "", DETACH_TIP)
        self.detach_results = make(tr("Detach results"), "", "", DETACH_TIP)
        self.demos = {
            key: make(named(demo.title), demo.icon, "", named(demo.tip))
            for key, demo in DEMOS.items()
        }
        self.guide = make(
            tr("Guide"),
            "",
            "Shift+F1",
            tr("Tutorials, corrections, formulas and file formats"),
        )
        self.help = make(
            tr("Help and shortcuts"), "help", "F1", tr("First steps, shortcuts and glossary")
        )
        self.support_bundle = make(
            tr("Save support bundle …"),
            "",
            "",
            tr(
                "Save the versions, settings, log and last error to send with a question. "
                "Names are removed."
            ),
        )
        self.about = make(tr("About Isocenter"), "", "", tr("Version and licence"))

    def _follow(self) -> None:
        session = self._context.session
        study, run = session.study, session.run
        # All states on which an obstacle can depend.
        for signal in (study.inputs_changed, study.protocol_changed, session.device.changed):
            signal.connect(self.refresh)
        for signal in (run.state_changed, run.images_changed, run.result_stored):
            signal.connect(self.refresh)
        self._context.theme.changed.connect(self._show_theme)

    def named(self) -> dict[str, QAction]:
        """Return all actions by name; demos by key."""
        return {k: v for k, v in vars(self).items() if isinstance(v, QAction)} | self.demos

    def follow_live(self, page: LivePage) -> None:
        """Disable tuning while a live scan runs, because it could lose images.

        Parameters
        ----------
        page
            page of the live scan
        """
        self._followed = page
        page.state_changed.connect(self.refresh)

    def connect_to(self, handlers: dict[str, Callable[[], object]]) -> None:
        """Connect actions to their handlers.

        Parameters
        ----------
        handlers
            function for each action, by attribute name
        """
        for name, handler in handlers.items():
            # The lambda drops the `checked` argument that Qt passes to handlers.
            getattr(self, name).triggered.connect(lambda _=False, h=handler: h())

    def _make_identify(self) -> QAction:
        tip = tr(
            "Include the names of files and folders in images, provenance and logs. Otherwise, "
            "they are replaced by pseudonyms, and the key to the pseudonyms is stored with your "
            "settings."
        )
        action = self._make(tr("Include file names in output"), "", "", tip)
        action.setCheckable(True)
        action.setChecked(self._context.preferences.identify)
        action.toggled.connect(self._identify)
        # `toggled` is not emitted for the initial state.
        self._identify(action.isChecked())
        return action

    def _identify(self, on: bool) -> None:
        self._context.preferences.identify = self._context.session.identify = on

    def refresh(self) -> None:
        """Enable the available actions; tooltips of the others state the reason."""
        session = self._context.session
        state, record = session.run.state, session.run.record
        self._enable_or_explain(self.start, session.obstacle())
        self._enable_or_explain(self.add_to_queue, self._context.queue.obstacle())
        is_iterating = state in (RunState.RUNNING, RunState.PAUSED)
        iterating = "" if is_iterating else tr("No iterative reconstruction is running.")
        self._enable_or_explain(self.pause, iterating)
        self._enable_or_explain(self.finish, iterating)
        self._enable_or_explain(self.abort, "" if state.is_active else tr("Nothing is running."))
        # One action with two texts, so that the shortcut stays the same.
        self.pause.setText(tr("Continue") if state is RunState.PAUSED else tr("Pause"))
        icon = "start" if state is RunState.PAUSED else "pause"
        set_icon(self.pause, icon, self._context.theme)
        images = "" if record.images.items else tr("There is no image yet.")
        self._enable_or_explain(self.export, images)
        # A report needs a stored result, not only a displayed image.
        unkept = "" if record.result_id else NO_RESULT
        self._enable_or_explain(self.report, unkept)
        self._show_send(unkept)
        busy = tr("A reconstruction is running.") if state.is_active else ""
        self._enable_or_explain(self.calibrate, busy or images)
        for action in (self.live, self.import_, self.open, *self.demos.values()):
            self._enable_or_explain(action, busy)
        # Tuning needs the whole machine.
        is_live = self._followed is not None and self._followed.model.is_running
        runs = tr("A live scan is open.") if is_live else busy
        self._enable_or_explain(self.tune, runs or session.device.obstacle())
        scan = "" if "data" in session.study.inputs else tr("Open a scan first.")
        self._enable_or_explain(self.save_study, scan)
        history = session.study.history
        self._enable_or_explain(
            self.undo, busy or ("" if history.can_undo else tr("Nothing to undo."))
        )
        self._enable_or_explain(
            self.redo, busy or ("" if history.can_redo else tr("Nothing to redo."))
        )

    def _show_send(self, obstacle: str) -> None:
        """Without a node, the action leads to the settings, which a technician cannot change."""
        node = self._context.preferences.site.node
        is_locked = not self.settings.isVisible()
        tip = tr("Send the report to {node}", node=node) if node else ADD_NODE
        if node and self._context.session.run.record.order is not None:
            tip = tr("Send image and report to {node}", node=node)
        self._tips[self.send] = tip
        self._enable_or_explain(self.send, obstacle or (NO_NODE if is_locked and not node else ""))

    def _make(self, text: str, icon: str, keys: str, words: str) -> QAction:
        action = QAction(text, self._parent)
        if keys:
            action.setShortcut(QKeySequence(keys))
        shown = QKeySequence(keys).toString(QKeySequence.SequenceFormat.NativeText)
        self._tips[action] = f"{words} ({shown})" if keys else words
        self._enable_or_explain(action, "")
        if icon:
            set_icon(action, icon, self._context.theme)
        # Shortcuts only work for actions that belong to a widget, also if their menu is hidden.
        self._parent.addAction(action)
        return action

    def _show_theme(self) -> None:
        is_dark = self._context.theme.colours.is_dark
        set_icon(self.theme, "light" if is_dark else "dark", self._context.theme)

    def _enable_or_explain(self, action: QAction, obstacle: str) -> None:
        """Enable an action with its tooltip; with an obstacle, disable it and show the reason."""
        action.setEnabled(not obstacle)
        action.setToolTip(literal_tip(obstacle or self._tips[action]))
