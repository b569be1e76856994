"""Row of the scanner: from the scan, built in, or from a file."""

from __future__ import annotations

from PySide6.QtWidgets import QGridLayout, QWidget

from app.language.translation import tr
from app.state.models.inputs import SCANNER
from app.state.services.context import AppContext
from app.ui.forms.fields import QuietCombo
from app.ui.theme.widgets import label
from app.workspace.steps.input_row import KeepBox

FROM_SCAN, FROM_FILE = "", "file"


class ScannerRow(QWidget):
    """Choice of the scanner: the one that the scan names, a built-in one, or a file."""

    def __init__(self, context: AppContext) -> None:
        super().__init__()
        self._commands = context.commands
        self._study, self._run = context.session.study, context.session.run
        self.box = QuietCombo()
        self.box.setAccessibleName(tr("Scanner"))
        self.box.addItem(tr("From the scan"), FROM_SCAN)
        for key, name in context.commands.builtin_scanners().items():
            self.box.addItem(name, key)
        self.box.addItem(tr("From a file …"), FROM_FILE)
        # Not `currentIndexChanged`, which `show_choice` emits too.
        self.box.activated.connect(self._chosen)
        self._text = label("", "muted", wrap=True)
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 2, 0, 2)
        grid.setVerticalSpacing(4)
        grid.addWidget(label(tr("Scanner"), "caption"), 0, 0)
        grid.addWidget(self.box, 1, 0)
        grid.addWidget(self._text, 2, 0)
        self.keep = KeepBox(SCANNER, tr("Use for all scans in this format"), context)
        grid.addWidget(self.keep, 3, 0)

    def show_choice(self) -> None:
        """Show the scanner in use."""
        chosen = self._study.inputs.get(SCANNER)
        at = self.box.findData(chosen.value) if chosen else 0
        if at < 0 and chosen is not None:
            # A scanner from a file is not in the list of built-in ones.
            self.box.insertItem(1, chosen.name, chosen.value)
            at = 1
        self.box.setCurrentIndex(at)
        self.box.setEnabled(not self._run.state.is_active)
        scanner = self._study.scanner
        origin = chosen.origin if chosen is not None else ""
        words = (scanner.describe() if scanner is not None else "", origin)
        self._text.setText("\n".join(part for part in words if part))
        self._text.setVisible(bool(self._text.text()))
        self.keep.show_choice()

    def _chosen(self) -> None:
        value = self.box.currentData()
        if value == FROM_FILE:
            # The list returns to the current scanner, because the user may cancel the file dialog.
            self.show_choice()
            self._commands.choose(SCANNER)
        elif value == FROM_SCAN:
            self._commands.clear(SCANNER)
        else:
            self._commands.set_input(SCANNER, value)
