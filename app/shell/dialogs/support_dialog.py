"""The support bundle, shown completely before it is saved."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QFontDatabase
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QListWidget,
    QPlainTextEdit,
    QSplitter,
    QVBoxLayout,
    QWidget,
)

from app.language.translation import tr
from app.state.services.context import AppContext
from app.state.services.saving import ask_target
from app.ui.theme.widgets import fit_to_screen, label
from engine.tools.diagnostics import SupportBundle

SIZE_PX = (900, 560)
HEAD = tr(
    "This is the complete content of the bundle. It contains no images and no "
    "scans. Placeholders such as [1] replace the names of patients, users, "
    "computers, files and folders. Check the bundle, save it, and send it with a "
    "description of what you did and what you expected."
)


class SupportDialog(QDialog):
    """Files of a bundle, and the text of the selected one."""

    def __init__(self, parent: QWidget | None, bundle: SupportBundle) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("Support bundle"))
        self.bundle = bundle
        self.names, self.text = QListWidget(), QPlainTextEdit()
        self.names.setAccessibleName(tr("Files in the bundle"))
        self.names.addItems(list(bundle.files))
        self.names.currentTextChanged.connect(self._show)
        # The text must be identical to the content of the bundle.
        self.text.setReadOnly(True)
        # Spaces align the columns of the files.
        self.text.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
        self.text.setAccessibleName(tr("File content"))
        # After the signal is connected, so that the first file is shown.
        self.names.setCurrentRow(0)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel)
        self.save = buttons.addButton(tr("Save …"), QDialogButtonBox.ButtonRole.AcceptRole)
        self.save.setProperty("role", "primary")
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)
        both = QSplitter(Qt.Orientation.Horizontal)
        both.addWidget(self.names)
        both.addWidget(self.text)
        both.setStretchFactor(1, 1)
        both.setSizes([180, SIZE_PX[0] - 180])
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 12, 16, 14)
        column.setSpacing(10)
        column.addWidget(label(HEAD, wrap=True))
        column.addWidget(both, 1)
        column.addWidget(buttons)
        # Last, when the size hints of all parts are known.
        fit_to_screen(self, *SIZE_PX)

    def _show(self, name: str) -> None:
        self.text.setPlainText(self.bundle.files[name])


def collect_bundle(parent: QWidget, context: AppContext) -> None:
    """Collect a support bundle, show its content, and save it if the user accepts.

    Parameters
    ----------
    parent
        parent of the dialogs
    context
        context of the window
    """
    from engine.io import usable_memory
    from engine.tools.diagnostics import gather

    session = context.session
    log = [f"{line.time:%H:%M:%S}  {line.level}  {line.text}" for line in session.log]
    # Names of files are passed so that the bundle can replace them everywhere.
    values = [found.value for found in session.study.inputs.values()]
    recent = context.preferences.recent
    context.commands.run_task(
        lambda _: gather(log=log, names=[*values, *recent], free_bytes=usable_memory()),
        lambda bundle: show_and_save(parent, context, bundle),
        busy=tr("Collecting support information"),
        failed=tr("The support bundle could not be created."),
    )


def show_and_save(parent: QWidget, context: AppContext, bundle: SupportBundle) -> None:
    """Show a support bundle, and save it if the user accepts.

    Parameters
    ----------
    parent
        parent of the dialogs
    context
        context of the window
    bundle
        the collected files
    """
    if not SupportDialog(parent, bundle).exec():
        return
    session, start = context.session, Path.home() / "isocenter-support.zip"
    title, kinds = tr("Save support bundle"), tr("Archives (*.zip)")
    target = ask_target(parent, session, title, start, kinds)
    if target is not None:
        context.commands.run_task(
            lambda _: bundle.write(target),
            lambda _: session.add_log("info", tr("Saved: {target}", target=target)),
            failed=tr("{name} was not saved.", name=target.name),
        )
