"""Base of the dialogs that measure a property of a scanner and save it for its scans."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtWidgets import (
    QCheckBox,
    QDialog,
    QHBoxLayout,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from app.language.translation import tr
from app.state.models.inputs import DATA
from app.state.services.context import AppContext
from app.state.services.saving import ask_target
from app.ui.theme.widgets import button, fit_to_screen, label, set_tone

if TYPE_CHECKING:
    from engine.geometry import Scanner


class MeasurementDialog(QDialog):
    """Settings on the left, the result on the right, and a row with the choices and buttons.

    The saved file can become an input of the open scan, and of all later scans from its scanner.

    Parameters
    ----------
    parent : parent of the dialog
    context : context of the window
    title : title of the dialog
    size_px : width and height
    role : key of the input role of the saved file
    save_tip : tooltip of the button that saves
    """

    def __init__(
        self,
        parent: QWidget | None,
        context: AppContext,
        title: str,
        size_px: tuple[int, int],
        *,
        role: str,
        save_tip: str,
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle(title)
        fit_to_screen(self, *size_px)
        self._context, self._role = context, role
        self.state = label("", wrap=True)
        self.use = QCheckBox(tr("Use for the open scan"))
        self.keep = QCheckBox(tr("Use for all scans from this scanner"))
        self.save = button(tr("Save …"), self._save, save_tip)
        self.close_button = button(tr("Close"), self.reject)
        # Tasks outlive the dialog. Their callbacks check this flag before they touch deleted
        # widgets.
        self._is_closed = False

    @abstractmethod
    def _save(self) -> None:
        """Ask for a file and save the result, if there is one."""

    def _arrange(
        self,
        lead: str,
        settings: QWidget,
        results: Sequence[QWidget],
        buttons: Sequence[QPushButton],
    ) -> None:
        """Arrange the parts of the dialog; the last widget of the results fills the space."""
        right = QVBoxLayout()
        right.setSpacing(8)
        for each in (self.state, *results):
            right.addWidget(each, int(each is results[-1]))
        middle = QHBoxLayout()
        middle.setSpacing(16)
        middle.addWidget(settings)
        middle.addLayout(right, 1)
        row = QHBoxLayout()
        for box in (self.use, self.keep):
            row.addWidget(box)
            row.addSpacing(8)
        row.addStretch(1)
        for each in (*buttons, self.save, self.close_button):
            # Enter in a field must not start the measurement.
            each.setAutoDefault(False)
            row.addWidget(each)
        column = QVBoxLayout(self)
        column.setContentsMargins(18, 14, 18, 14)
        column.setSpacing(10)
        column.addWidget(label(lead, wrap=True))
        column.addLayout(middle, 1)
        column.addLayout(row)

    def _show_text(self, text: str, tone: str) -> None:
        if self._is_closed:
            return
        self.state.setText(text)
        set_tone(self.state, tone)

    def _use_obstacle(self, measured: Scanner | None, no_role: str) -> str:
        """Return the reason why the open scan cannot use a result; empty if it can.

        Parameters
        ----------
        measured
            scanner of the result; None if there is no result
        no_role
            reason if no scan is open, or if it has no such input
        """
        study = self._context.session.study
        if DATA not in study.inputs or self._role not in study.roles:
            return no_role
        if measured is None or study.scanner is None:
            return ""
        # The name of a scanner is free text. The fingerprint covers its geometry.
        if study.scanner.fingerprint() != measured.fingerprint():
            return tr("The open scan is from a different scanner: {name}.", name=study.scanner.name)
        return ""

    def _save_as(
        self,
        title: str,
        start: Path,
        kinds: str,
        write: Callable[[Path], object],
        scanner: Scanner | None,
        scans: Sequence[Path] = (),
    ) -> None:
        """Ask for a file, write it, and use it as chosen.

        Parameters
        ----------
        title
            title of the file dialog
        start
            suggested file; its suffix is added to the chosen name
        kinds
            name filters of Qt
        write
            called with the file, in a thread
        scanner
            scanner of the result; None: scans from it cannot use it
        scans
            files that must not be replaced
        """
        target = ask_target(self, self._context.session, title, start, kinds, scans)
        if target is None:
            return
        # Read now: the boxes can change or be deleted while the file is written.
        use, keep = self.use.isEnabled() and self.use.isChecked(), self.keep.isChecked()
        self._context.commands.run_task(
            lambda _: write(target),
            lambda _: self._use_saved_file(target, scanner, use=use, keep=keep),
            busy=tr("Writing {name}", name=target.name),
            failed=tr("{name} could not be written.", name=target.name),
        )

    def _use_saved_file(
        self, target: Path, scanner: Scanner | None, *, use: bool, keep: bool
    ) -> None:
        commands = self._context.commands
        self._context.session.add_log("info", tr("Saved: {target}", target=target))
        self._show_text(tr("Saved: {name}.", name=target.name), "ok")
        if keep and scanner is not None:
            commands.keep_measured(scanner, self._role, target)
        if use:
            commands.set_input(self._role, str(target))

    def done(self, result: int) -> None:
        """Close and delete the dialog; a measurement ends without a result.

        A file that is being written is completed, and then used as chosen.

        Parameters
        ----------
        result
            result code of Qt; all codes close the dialog
        """
        self._is_closed = True
        super().done(result)
        self._delete()

    def _delete(self) -> None:
        self.deleteLater()
