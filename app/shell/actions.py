"""Every action of the window: words, icon, shortcut, and when it can be used and why not."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QObject
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QMenu, QMenuBar, QWidget

from app.control.context import AppContext
from app.live.live_page import LivePage
from app.look.icons import set_icon
from app.models.run_record import RunState
from app.report.report_commands import NO_RESULT
from app.views.labels import shortened
from app.views.plain_text import plain_tip
from engine.modalities import DEMOS

NORMALISE_TIP = "From scans of a cylinder or a rotating line: how each crystal and line counts"
CALIBRATE_TIP = "From the image on show, of a cylinder of known activity: what one count stands for"
QUEUE_TIP = "Let this study, with its settings as they are, wait for its turn"
TUNE_TIP = "Find the fastest kernels on this machine, and keep them for later runs"
REPORT_TIP = "Sign the result off; save, print or send its report"
TECHNICIAN_TIP = "Open, protocol, Start, judge, export and report, nothing else; or the way back"
APART_TIP = "In a window of their own, as for a second screen; close it, and they are back"
MENU_LETTERS = 60
"""Longest name of a file in a menu."""


class Actions(QObject):
    """The actions, kept enabled or disabled as the session allows."""

    def __init__(self, parent: QWidget, context: AppContext) -> None:
        super().__init__(parent)
        self._parent, self._context = parent, context
        self._followed: LivePage | None = None
        self.extra_menus: list[QAction] = []
        self._make_for_files()
        self._make_for_runs()
        self._make_for_views()
        self.full_views.setCheckable(True)
        self.log.setCheckable(True)
        self._follow()
        self._show_theme()
        self.refresh()

    def _make_for_files(self) -> None:
        make = self._make
        self.open = make("Open …", "open", "Ctrl+O", "Open a scan, study, protocol or volume")
        self.import_ = make(
            "Import …", "", "", "Open TIFF images or raw values that do not describe themselves"
        )
        self.live = make("Live …", "live", "Ctrl+Shift+L", "Follow a scan while it is measured")
        self.export = make("Export …", "export", "Ctrl+E", "Write the image to a file")
        self.report = make("Report …", "report", "Ctrl+Shift+E", REPORT_TIP)
        self.save_study = make(
            "Save study …", "save", "Ctrl+S", "Write files and protocol as a study"
        )
        self.save_protocol = make(
            "Save protocol as …", "save", "Ctrl+Shift+S", "Save these settings under a name"
        )
        self.protocols = make(
            "Protocols …", "protocols", "Ctrl+Shift+P", "Save, rename, lock, share and delete them"
        )
        self.storage = make(
            "Storage …", "", "", "Interrupted jobs and caches on the disk, and their end"
        )
        self.settings = make(
            "Settings …", "settings", "Ctrl+,", "Site, folders, theme, device, technician's mode"
        )
        self.technician = make("Technician's mode", "lock", "", TECHNICIAN_TIP)
        self.identify = self._make_identify()
        self.quit = make("Quit", "", "Ctrl+Q", "Close the window")

    def _make_for_runs(self) -> None:
        make = self._make
        self.undo = make(
            "Undo setting", "undo", "Ctrl+Z", "Take the last change of the settings back"
        )
        self.redo = make("Redo setting", "redo", "Ctrl+Shift+Z", "Do the undone change again")
        self.start = make("Start", "start", "Ctrl+R", "Reconstruct")
        self.pause = make("Pause", "pause", "Ctrl+P", "Rest after this update (Space)")
        self.finish = make(
            "Finish and keep",
            "finish",
            "Ctrl+K",
            "End after this iteration, filter, keep the image",
        )
        self.abort = make(
            "Abort", "abort", "Ctrl+.", "Stop now; the last image and checkpoint stay"
        )
        self.add_to_queue = make("Add to queue", "add", "Ctrl+Shift+R", QUEUE_TIP)
        self.queue = make(
            "Queue …", "list", "Ctrl+U", "Studies that wait for their turn: order, pause, reasons"
        )
        self.tune = make("Tune this machine …", "", "", TUNE_TIP)
        self.normalise = make("Measure a normalisation …", "", "", NORMALISE_TIP)
        self.calibrate = make("Calibrate to Bq/mL …", "", "", CALIBRATE_TIP)

    def _make_for_views(self) -> None:
        make = self._make
        self.full_views = make("Views only", "", "F", "Give the pictures the whole window")
        self.log = make("Log", "log", "Ctrl+L", "Show or hide the log")
        self.theme = make("Light or dark", "light", "Ctrl+T", "Switch between light and dark")
        self.steps_apart = make("Steps apart", "", "", APART_TIP)
        self.results_apart = make("Results apart", "", "", APART_TIP)
        self.demos = {key: make(demo.title, demo.icon, "", demo.tip) for key, demo in DEMOS.items()}
        self.guide = make(
            "Guide", "", "Shift+F1", "First scans step by step, corrections, formulas, files"
        )
        self.help = make("Help and shortcuts", "help", "F1", "How to use the window")
        self.support_bundle = make(
            "Save support bundle …",
            "",
            "",
            "Versions, settings, log and the last fault, without names, to send with a question",
        )
        self.about = make("About Isocenter", "", "", "Version and licence")

    def _follow(self) -> None:
        session = self._context.session
        study, run = session.study, session.run
        for signal in (study.inputs_changed, study.protocol_changed, session.device.changed):
            signal.connect(self.refresh)
        for signal in (run.state_changed, run.images_changed, run.result_kept):
            signal.connect(self.refresh)
        self._context.theme.changed.connect(self._show_theme)

    def named(self) -> dict[str, QAction]:
        """Return all actions by their names; demos by their keys."""
        return {k: v for k, v in vars(self).items() if isinstance(v, QAction)} | self.demos

    def follow_live(self, page: LivePage) -> None:
        """Let nothing be tuned while a running scan is followed: it could lose images."""
        self._followed = page
        page.state_changed.connect(self.refresh)

    def connect_to(self, handlers: dict[str, Callable[[], object]]) -> None:
        """Say what each action does."""
        for name, handler in handlers.items():
            getattr(self, name).triggered.connect(lambda _=False, h=handler: h())

    def fill(
        self,
        bar: QMenuBar,
        open_path: Callable[[Path], object],
        try_demo: Callable[[str], object],
    ) -> None:
        """Put the actions into menus; recent files go to `open_path`, demos to `try_demo`."""
        menus: dict[str, tuple[QAction | None, ...]] = {
            "&File": (
                *(self.open, self.import_, self.live, None, self.save_study),
                *(self.save_protocol, self.protocols),
                *(None, self.export, self.report, self.identify, None, self.storage),
                *(self.settings, self.technician, None, self.quit),
            ),
            "&Edit": (self.undo, self.redo),
            "&Run": (
                *(self.start, None, self.finish, self.pause, self.abort),
                *(None, self.add_to_queue, self.queue),
                *(None, self.normalise, self.calibrate, self.tune),
            ),
            "&View": (
                *(self.full_views, self.log, self.theme),
                *(None, self.steps_apart, self.results_apart),
            ),
            "&Help": (self.guide, self.help, self.support_bundle, self.about),
        }
        for title, actions in menus.items():
            menu = bar.addMenu(title)
            if title == "&Edit":
                self.extra_menus.append(menu.menuAction())
            menu.setToolTipsVisible(True)
            for action in actions:
                if action is None:
                    menu.addSeparator()
                else:
                    menu.addAction(action)
                if action is self.open:
                    self._add_recent(menu, open_path)
                    self._add_demos(menu, try_demo)

    def _make_identify(self) -> QAction:
        tip = (
            "Let names of files and folders go into images, provenance and logs; else pseudonyms "
            "stand for them, whose key stays with your settings"
        )
        action = self._make("Names in what is written", "", "", tip)
        action.setCheckable(True)
        action.setChecked(self._context.preferences.identify)
        action.toggled.connect(self._identify)
        self._identify(action.isChecked())
        return action

    def _identify(self, on: bool) -> None:
        self._context.preferences.identify = self._context.session.identify = on

    def _add_recent(self, menu: QMenu, open_path: Callable[[Path], object]) -> None:
        recent = menu.addMenu("Open recent")

        def fill() -> None:
            recent.clear()
            for path in self._context.preferences.recent:
                name = shortened(path.name, MENU_LETTERS).replace("&", "&&")  # no access key
                action = recent.addAction(name)
                action.setToolTip(plain_tip(str(path)))
                action.triggered.connect(lambda _=False, p=path: open_path(p))
            if recent.isEmpty():
                recent.addAction("Nothing yet").setEnabled(False)

        recent.setToolTipsVisible(True)
        recent.aboutToShow.connect(fill)

    def _add_demos(self, menu: QMenu, try_demo: Callable[[str], object]) -> None:
        demos = menu.addMenu("Try a demo")
        self.extra_menus.append(demos.menuAction())
        demos.setToolTipsVisible(True)
        for key, action in self.demos.items():
            demos.addAction(action)
            action.triggered.connect(lambda _=False, k=key: try_demo(k))

    def refresh(self) -> None:
        """Enable what can be used now; the tip of the rest says why not."""
        session = self._context.session
        state = session.run.state
        _allow(self.start, session.obstacle(), "Reconstruct (Ctrl+R)")
        _allow(self.add_to_queue, self._context.queue.obstacle(), f"{QUEUE_TIP} (Ctrl+Shift+R)")
        running = (
            "" if state in (RunState.RUNNING, RunState.PAUSED) else "No iterations are running."
        )
        _allow(self.pause, running, "Rest after this update (Space)")
        _allow(self.finish, running, "End after this iteration, filter, keep the image (Ctrl+K)")
        active = "" if state.is_active else "Nothing is running."
        _allow(self.abort, active, "Stop now; the last image and checkpoint stay (Ctrl+.)")
        self.pause.setText("Go on" if state is RunState.PAUSED else "Pause")
        icon = "start" if state is RunState.PAUSED else "pause"
        set_icon(self.pause, icon, self._context.theme)
        images = "" if session.run.record.images.items else "There is no image yet."
        _allow(self.export, images, "Write the image to a file (Ctrl+E)")
        unkept = "" if session.run.record.result_id else NO_RESULT
        _allow(self.report, unkept, f"{REPORT_TIP} (Ctrl+Shift+E)")
        busy = "A reconstruction is running." if state.is_active else ""
        _allow(self.calibrate, busy or images, CALIBRATE_TIP)
        _allow(self.live, busy, "Follow a scan while it is measured (Ctrl+Shift+L)")
        _allow(self.import_, busy, "Open TIFF images or raw values that do not describe themselves")
        _allow(self.open, busy, "Open a scan, study, protocol or volume (Ctrl+O)")
        for key, action in self.demos.items():
            _allow(action, busy, DEMOS[key].tip)
        is_live = self._followed is not None and self._followed.model.is_running
        runs = "A running scan is followed." if is_live else busy
        _allow(self.tune, runs or session.device.obstacle(), TUNE_TIP)
        scan = "" if "data" in session.study.inputs else "Open a scan first."
        _allow(self.save_study, scan, "Write files and protocol as a study (Ctrl+S)")
        history = session.study.history
        _allow(self.undo, busy or ("" if history.can_undo else "No change to undo."), "Undo")
        _allow(self.redo, busy or ("" if history.can_redo else "No change to redo."), "Redo")

    def _make(self, text: str, icon: str, keys: str, words: str) -> QAction:
        action = QAction(text, self._parent)
        if keys:
            action.setShortcut(QKeySequence(keys))
        action.setToolTip(plain_tip(f"{words} ({keys})" if keys else words))
        if icon:
            set_icon(action, icon, self._context.theme)
        self._parent.addAction(action)
        return action

    def _show_theme(self) -> None:
        is_dark = self._context.theme.colours.is_dark
        set_icon(self.theme, "light" if is_dark else "dark", self._context.theme)


def _allow(action: QAction, obstacle: str, words: str) -> None:
    action.setEnabled(not obstacle)
    action.setToolTip(plain_tip(obstacle or words))
