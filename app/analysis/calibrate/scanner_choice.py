"""Choice of a scanner for scans that do not state theirs."""

from __future__ import annotations

from app.language.translation import tr
from app.state.models.inputs import SCANNER
from app.state.services.context import AppContext
from app.ui.forms.fields import QuietCombo
from app.ui.theme.file_dialogs import ask_open

FROM_SCAN, FROM_FILE = "", "file"
SCANNER_KINDS = tr("Scanners (*.toml *.txt *.csv *.tsv);;All files (*)")


class ScannerChoice(QuietCombo):
    """Combo box: the scanner of the scans, a scanner of the program, or a file."""

    def __init__(self, context: AppContext) -> None:
        super().__init__()
        self._context = context
        self.setAccessibleName(tr("Scanner"))
        self.addItem(tr("From the scans"), FROM_SCAN)
        for key, name in context.commands.builtin_scanners().items():
            self.addItem(name, key)
        self.addItem(tr("From a file …"), FROM_FILE)
        self.activated.connect(self._use_choice)
        # The entry "From a file …" is an action. After a cancelled dialog the previous entry
        # returns.
        self._last = 0
        used = context.session.study.inputs.get(SCANNER)
        if used is not None:
            self._show_scanner(used.value, used.name)

    @property
    def chosen(self) -> str | None:
        """Name or file of the scanner; None if the scans state it."""
        return str(self.currentData()) or None

    def _show_scanner(self, value: str, name: str) -> None:
        at = self.findData(value)
        if at < 0:
            self.insertItem(1, name, value)
            at = 1
        self.setCurrentIndex(at)
        self._last = at

    def _use_choice(self, at: int) -> None:
        if self.currentData() != FROM_FILE:
            self._last = at
            return
        self.setCurrentIndex(self._last)
        folder = self._context.preferences.folder_last_used
        path = ask_open(self, tr("Choose a scanner"), folder, SCANNER_KINDS)
        if path is not None:
            self._show_scanner(str(path), path.name)
