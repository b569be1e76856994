"""Python console of the window, with the study of the displayed page.

Its kernel is a separate process, so that no command of the user stops the window. The extra
`isocenter[console]` installs qtconsole and ipykernel.
"""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, QTimer
from PySide6.QtGui import QAction, QCloseEvent
from PySide6.QtWidgets import QDialog, QHBoxLayout, QVBoxLayout, QWidget

from app.language.translation import tr
from app.shell.scripting.copying import ScriptActions
from app.state.models.messages import Problem
from app.state.services.context import AppContext
from app.ui.theme.widgets import button, label
from app.views.literal_text import literal_tip
from engine.core.errors import EngineError
from engine.results import VOLUME, Result

SIZE_PX = (860, 520)
PACKAGES = ("qtconsole", "ipykernel")
NOT_INSTALLED = tr(
    "The console needs two more packages. Install them with `pip install 'isocenter[console]'`, "
    "and start the program again."
)
TIP = tr("Open a Python console with the study and the image of this page")
LAUNCH = "from ipykernel.kernelapp import launch_new_instance; launch_new_instance()"
"""Unlike the module `ipykernel_launcher`, it leaves the current folder in the import paths."""
BANNER = (
    "Isocenter. `iso` is the library, `study` the study and `volume` the stored image of the "
    "page.\nExample: iso.reconstruct(study)\n"
)


class Console(QObject):
    """The action of the View menu, and the window that it opens.

    Attributes
    ----------
    action : opens the console; disabled with the reason if its packages are missing
    window : the open console; None if it is closed
    """

    def __init__(self, parent: QWidget, context: AppContext, scripts: ScriptActions) -> None:
        super().__init__(parent)
        self._parent, self._context, self._scripts = parent, context, scripts
        self.window: ConsoleWindow | None = None
        self.action = QAction(tr("Python console"), parent)
        is_installed = all(find_spec(each) is not None for each in PACKAGES)
        self.action.setEnabled(is_installed)
        self.action.setToolTip(literal_tip(TIP if is_installed else NOT_INSTALLED))
        self.action.triggered.connect(self.open)

    def open(self) -> None:
        """Show the console, and start its process if it is closed."""
        if self.window is None or not self.window.is_running:
            try:
                code = self.code()
            except EngineError as e:
                code = ""
                title = tr("The console has no study.")
                self._context.session.raise_problem(Problem(title, str(e)))
            self.window = ConsoleWindow(self._parent, self._context, code, self.code)
        self.window.show()
        self.window.raise_()
        self.window.activateWindow()

    def code(self) -> str:
        """Return code that defines the study and the image of the displayed page."""
        # Imported late: few sessions open a console.
        from engine.jobs import definition_of

        study = self._scripts.study()
        code = "import isocenter as iso\n" if study is None else definition_of(study)
        found = self._displayed_result()
        if found is not None:
            code += f"volume = iso.read({str(found.folder / VOLUME)!r})"
        return code.strip()  # the console would wait for more after an empty line

    def _displayed_result(self) -> Result | None:
        session = self._context.session
        wanted = session.run.record.result_id
        return next((each for each in session.results.items if each.id == wanted), None)

    def end(self) -> None:
        """End the process of the console."""
        if self.window is not None:
            self.window.close()


class ConsoleWindow(QDialog):
    """A console and its process, which ends with the window.

    Attributes
    ----------
    console : the widget of qtconsole
    is_running : True until the window is closed
    """

    def __init__(self, parent: QWidget, context: AppContext, code: str, current: Any) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("Python console"))
        self.setSizeGripEnabled(True)
        self.resize(*SIZE_PX)
        self._context, self._current = context, current
        self._manager = _new_kernel()
        self.is_running = True
        self.console = _console(self._manager)
        self._code = code
        self.console.kernel_client.shell_channel.message_received.connect(self._define_study)
        self.load = button(
            tr("Load study"),
            self._load,
            tr("Define study and volume again, as this page shows them"),
        )
        row = QHBoxLayout()
        row.addWidget(label(tr("Commands run with your rights."), "caption"))
        row.addStretch(1)
        row.addWidget(self.load)
        column = QVBoxLayout(self)
        column.setContentsMargins(8, 8, 8, 8)
        column.addWidget(self.console, 1)
        column.addLayout(row)
        context.theme.changed.connect(self._show_theme)
        self._show_theme()

    def _show_theme(self) -> None:
        colours = self._context.theme.colours
        self.console.set_default_style("linux" if colours.is_dark else "lightbg")
        self.console.style_sheet += (
            f"QPlainTextEdit, QTextEdit {{ background-color: {colours.field}; "
            f"color: {colours.text}; }}"
        )

    def _define_study(self, message: dict[str, Any]) -> None:
        """Define the study as the first command."""
        # The console asks for its first prompt with an empty command
        if message["msg_type"] == "execute_reply" and self._code:
            code, self._code = self._code, ""
            # After the console has shown the prompt
            QTimer.singleShot(0, self, lambda: self.console.execute(code))

    def _load(self) -> None:
        try:
            self.console.execute(self._current())
        except EngineError as e:
            title = tr("The console has no study.")
            self._context.session.raise_problem(Problem(title, str(e)))

    def closeEvent(self, event: QCloseEvent) -> None:
        self.end()
        super().closeEvent(event)

    def reject(self) -> None:
        """Close the window with Escape or its button."""
        self.end()
        super().reject()

    def end(self) -> None:
        """End the process."""
        if self.is_running:
            self.is_running = False
            self._context.theme.changed.disconnect(self._show_theme)
            self.console.kernel_client.stop_channels()
            self._manager.shutdown_kernel(now=True)


def _new_kernel() -> Any:
    os.environ.setdefault("QT_API", "pyside6")  # qtconsole could load another Qt
    from jupyter_client.kernelspec import KernelSpec
    from qtconsole.manager import QtKernelManager

    launch = [sys.executable, "-c", LAUNCH, "-f", "{connection_file}"]

    class CurrentPythonKernel(QtKernelManager):  # type: ignore[misc]
        """Uses this Python, and not one that a file of the user names."""

        @property
        def kernel_spec(self) -> Any:
            return KernelSpec(argv=launch, language="python", display_name="Isocenter")

    made = CurrentPythonKernel()
    if sys.platform != "win32":
        made.transport = "ipc"  # files that only this user can open, and no port
    # The process must find the same copy of the program, whatever its current folder is
    paths = os.pathsep.join(path or str(Path.cwd()) for path in sys.path)
    made.start_kernel(
        env=os.environ | {"PYTHONPATH": paths, "PYTHONSAFEPATH": "1"},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,  # the console shows the output of commands
    )
    return made


def _console(manager: Any) -> Any:
    from qtconsole.rich_jupyter_widget import RichJupyterWidget

    made = RichJupyterWidget()
    made.banner = BANNER
    client = manager.client()
    client.start_channels()
    made.kernel_manager, made.kernel_client = manager, client
    return made
