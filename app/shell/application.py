"""The application around the window: create, show, run, shut down."""

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
from app.shell.ending import Ending
from app.shell.garbage import collect_between_events, freeze_start_objects, use_one_heap
from app.shell.main_window import MainWindow
from app.state.models.device_choice import DeviceChoice
from app.state.models.messages import Problem
from app.state.models.preferences import Preferences
from app.state.models.session import Session
from app.state.services.commands import Commands
from app.state.services.context import AppContext
from app.state.services.previews import Previews
from app.state.services.queueing.queue_commands import QueueCommands
from app.state.services.result_commands import ResultCommands
from app.state.services.unfinished_work import UnfinishedWork
from app.state.services.volume_commands import VolumeCommands
from app.ui.theme.theme import Theme
from engine.jobs import process_context
from engine.tools.diagnostics import keep_fault, refused_homes

if TYPE_CHECKING:  # the loader is not needed to open the window
    from engine.jobs import DemoSimulation, Loader

log = logging.getLogger(__name__)


def make_app() -> QApplication:
    """Return the application; it is created if there is none."""
    # Qt allows one application per process; tests share it.
    existing = QApplication.instance()
    if isinstance(existing, QApplication):
        return existing
    use_one_heap()
    app = QApplication(sys.argv[:1])
    app.setApplicationName("Isocenter")
    # Wayland takes the icon of the window from the desktop file.
    app.setDesktopFileName("isocenter")
    # Before any dialog of Qt is created, because their texts are read once.
    translate_qt(app)
    return app


def make_window(
    app: QApplication, preferences: Preferences | None = None, loader: Loader | None = None
) -> MainWindow:
    """Return a window with an empty session.

    Parameters
    ----------
    app
        application
    preferences
        user settings; None: read from disk
    loader
        process that reads files; None: the window starts its own
    """
    # Before the first widget exists, because other threads must not collect widgets.
    collect_between_events(app)
    preferences = preferences or Preferences()
    session = Session(DeviceChoice(preferences.device))
    theme = Theme(app, preferences.theme)
    commands = Commands(session, preferences, loader)
    previews = Previews(session, commands)
    results = ResultCommands(session, commands)
    volumes = VolumeCommands(session, commands)
    queue = QueueCommands(session, commands, preferences, results)
    unfinished = UnfinishedWork(session, commands, queue, results)
    context = AppContext(
        *(session, commands, theme, preferences, previews, results, volumes, queue), unfinished
    )
    # Each widget would otherwise be styled several times while the window is built.
    with theme.deferred_styles():
        window = MainWindow(context)
    report_settings(session, preferences)
    return window


def report_settings(session: Session, preferences: Preferences) -> None:
    """Report settings of the user that could not be used.

    Parameters
    ----------
    session
        session of the window
    preferences
        settings with their notes, and protocols that were skipped
    """
    left_out = preferences.library.left_out()
    words = [preferences.fault] if preferences.fault else []
    words += [tr("A protocol was skipped. {sentence}", sentence=sentence) for sentence in left_out]
    words += [each.describe() for each in refused_homes()]
    for sentence in words:
        session.add_log("warning", sentence)
    if words:
        more = tr("See the log for {n} more.", n=len(words) - 1) if len(words) > 1 else ""
        text = f"{words[0]} {more}".strip()
        session.raise_problem(Problem(tr("Some settings or protocols could not be loaded."), text))


def report_fault(
    session: Session, kind: type[BaseException], fault: BaseException, trace: TracebackType | None
) -> None:
    """Show an unexpected error to the user; the window stays open.

    Parameters
    ----------
    session
        session of the window
    kind, fault, trace
        arguments of `sys.excepthook`
    """
    log.error("internal error", exc_info=(kind, fault, trace))
    # The support bundle includes the last error.
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


def run_window(
    *, path: Path | None = None, demo: str = "", begun: DemoSimulation | None = None
) -> int:
    """Show the window until it is closed; return the exit code.

    Parameters
    ----------
    path
        file to open; None: nothing
    demo
        key of a demo to run; empty: none
    begun
        simulation of this demo, if it runs already
    """
    process_context()  # the fork server must start before there are threads
    app = make_app()
    window = make_window(app)
    # PySide reports exceptions in slots here and continues.
    sys.excepthook = lambda *fault: report_fault(window.session, *fault)
    window.show()
    # In the first turn of the event loop, when the window is built.
    QTimer.singleShot(0, window, freeze_start_objects)
    if path is not None:
        QTimer.singleShot(0, window, lambda: window.open_path(path))
    if demo:
        QTimer.singleShot(0, window, lambda: window.try_demo(demo, begun))
    signal.signal(signal.SIGINT, lambda *_: window.close())
    Ending(window).follow_signals()
    pulse = QTimer()  # Python handles Ctrl+C only between bytecodes, so Qt must return to it
    pulse.start(300)
    pulse.timeout.connect(lambda: None)
    return app.exec()
