"""End the window in order when the system asks: logout, closed terminal, stopped container.

Nobody can answer questions then. A live recording is finished on the disk, and a run is aborted
after its last image is saved. The next start offers both.
"""

from __future__ import annotations

import signal

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication, QDialog

from app.shell.main_window import MainWindow
from engine.core.printing import leave_terminal

NAMES = ("SIGTERM", "SIGHUP")
MAX_DIALOGS = 50
"""Nested dialogs that are closed before the window."""


class Ending:
    """Ends the window at the first signal; later signals do not interrupt it.

    Parameters
    ----------
    window
        window to end
    """

    def __init__(self, window: MainWindow) -> None:
        self._window = window
        self._n_left = MAX_DIALOGS

    def follow_signals(self) -> None:
        """Handle the signals from now on; only for the main thread."""
        for name in NAMES:
            if hasattr(signal, name):  # Windows has no SIGHUP
                signal.signal(getattr(signal, name), self.handle)

    def handle(self, number: int, _: object) -> None:
        """Handle a signal."""
        if number == getattr(signal, "SIGHUP", None):
            leave_terminal()
        if not self._window.is_ending:
            self._window.is_ending = True
            # Between two events: a signal can arrive in the middle of any function.
            QTimer.singleShot(0, self._window, self._close_windows)

    def _close_windows(self) -> None:
        """Close open dialogs one by one, as if the user had cancelled them, then the window."""
        modal = QApplication.activeModalWidget()
        if modal is not None and self._n_left:
            self._n_left -= 1
            if isinstance(modal, QDialog):
                modal.reject()
            else:
                modal.close()
            QTimer.singleShot(0, self._window, self._close_windows)
            return
        self._window.close()
        # Other windows of the program must not keep it running.
        QApplication.quit()
