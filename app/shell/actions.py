"""All actions of the window with text, icon, shortcut and tooltip. `ActionStates` enables them."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QWidget

from app.language.translation import named, tr
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
from app.state.services.context import AppContext
from app.ui.theme.icons import set_icon
from app.views.literal_text import literal_tip
from engine.modalities import DEMOS


class Actions(QObject):
    """Actions of the window."""

    def __init__(self, parent: QWidget, context: AppContext) -> None:
        super().__init__(parent)
        self._parent, self._context = parent, context
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
        context.theme.changed.connect(self._show_theme)
        self._show_theme()

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
        self.allow(self.pause, tip=tr("Pause after this update (Space)"))
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

    def named(self) -> dict[str, QAction]:
        """Return all actions by name; demos by key."""
        return {k: v for k, v in vars(self).items() if isinstance(v, QAction)} | self.demos

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

    def allow(self, action: QAction, obstacle: str = "", *, tip: str = "") -> None:
        """Enable an action with its tooltip; with an obstacle, disable it and show the reason.

        Parameters
        ----------
        action
            one of these actions
        obstacle
            reason why it is not available; empty if it is
        tip
            its new tooltip; empty for the present one
        """
        self._tips[action] = tip or self._tips[action]
        action.setEnabled(not obstacle)
        action.setToolTip(literal_tip(obstacle or self._tips[action]))

    def show_pause(self, *, is_paused: bool) -> None:
        """Show the action that pauses a run, or the one that continues it.

        Parameters
        ----------
        is_paused
            True if the run is paused
        """
        # One action with two texts, so that the shortcut stays the same.
        self.pause.setText(tr("Continue") if is_paused else tr("Pause"))
        set_icon(self.pause, "start" if is_paused else "pause", self._context.theme)

    def _make(self, text: str, icon: str, keys: str, tip: str) -> QAction:
        action = QAction(text, self._parent)
        if keys:
            action.setShortcut(QKeySequence(keys))
        shown = QKeySequence(keys).toString(QKeySequence.SequenceFormat.NativeText)
        self._tips[action] = f"{tip} ({shown})" if keys else tip
        self.allow(action)
        if icon:
            set_icon(action, icon, self._context.theme)
        # Shortcuts only work for actions that belong to a widget, also if their menu is hidden.
        self._parent.addAction(action)
        return action

    def _show_theme(self) -> None:
        is_dark = self._context.theme.colours.is_dark
        set_icon(self.theme, "light" if is_dark else "dark", self._context.theme)
