"""The application round the window: made, shown, run, taken down."""

from __future__ import annotations

import logging
import signal
import sys
import traceback
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication

from app.language.translation import tr, translate_qt
from app.shell.garbage import collect_between_events, set_start_aside
from app.shell.main_window import MainWindow
from app.state.models.device_choice import DeviceChoice
from app.state.models.messages import Problem
from app.state.models.preferences import Preferences
from app.state.models.session import Session
from app.state.services.commands import Commands
from app.state.services.context import AppContext
from app.state.services.previews import Previews
from app.state.services.queue_commands import QueueCommands
from app.state.services.result_commands import ResultCommands
from app.state.services.volume_commands import VolumeCommands
from app.ui.theme.theme import Theme
from engine.jobs import process_context
from engine.tools.diagnostics import keep_fault

if TYPE_CHECKING:  # the loader is not needed to open the window
    from engine.jobs import Loader

log = logging.getLogger(__name__)


def make_app() -> QApplication:
    """Return the application, made if there is none."""
    existing = QApplication.instance()
    if isinstance(existing, QApplication):
        return existing
    app = QApplication(sys.argv[:1])
    app.setApplicationName("Isocenter")
    app.setDesktopFileName("isocenter")
    translate_qt(app)
    return app


def make_window(
    app: QApplication, preferences: Preferences | None = None, loader: Loader | None = None
) -> MainWindow:
    """Return a window with an empty session; `loader` reads its files, else one of its own."""
    collect_between_events(app)
    preferences = preferences or Preferences()
    session = Session(DeviceChoice(preferences.device))
    theme = Theme(app, preferences.theme)
    commands = Commands(session, preferences, loader)
    previews = Previews(session, commands)
    results = ResultCommands(session, commands)
    volumes = VolumeCommands(session, commands)
    queue = QueueCommands(session, commands, preferences, results)
    context = AppContext(session, commands, theme, preferences, previews, results, volumes, queue)
    with theme.put_off():
        window = MainWindow(context)
    report_settings(session, preferences)
    return window


def report_settings(session: Session, preferences: Preferences) -> None:
    """Say what of the user's settings is not used, and why."""
    left_out = preferences.library.left_out()
    words = [preferences.remark] if preferences.remark else []
    words += [tr("A protocol was skipped: {sentence}", sentence=sentence) for sentence in left_out]
    for sentence in words:
        session.add_log("warning", sentence)
    if words:
        more = tr("The log shows {n} more.", n=len(words) - 1) if len(words) > 1 else ""
        text = f"{words[0]} {more}".strip()
        session.raise_problem(Problem(tr("Some settings could not be used."), text))


def report_fault(
    session: Session, kind: type[BaseException], fault: BaseException, trace: TracebackType | None
) -> None:
    """Put a fault of ours before the user; the window stays."""
    log.error("a fault of ours", exc_info=(kind, fault, trace))
    keep_fault(fault)
    session.add_log("error", "".join(traceback.format_exception(kind, fault, trace)))
    text = tr(
        "{name}: {fault}. Please report this error (Help > Save support bundle).",
        name=kind.__name__,
        fault=fault,
    )
    session.raise_problem(
        Problem(tr("Internal error."), text, tr("Your study and images are safe."))
    )


def run_window(*, path: Path | None = None, demo: str = "") -> int:
    """Show the window until it is closed; open a file, or make and run a demo."""
    process_context()  # while there are no threads
    app = make_app()
    window = make_window(app)
    sys.excepthook = lambda *fault: report_fault(window.session, *fault)
    window.show()
    QTimer.singleShot(0, window, set_start_aside)
    if path is not None:
        QTimer.singleShot(0, window, lambda: window.open_path(path))
    if demo:
        QTimer.singleShot(0, window, lambda: window.try_demo(demo))
    signal.signal(signal.SIGINT, lambda *_: window.close())
    pulse = QTimer()  # lets Python see Ctrl+C while Qt waits
    pulse.start(300)
    pulse.timeout.connect(lambda: None)
    return app.exec()
