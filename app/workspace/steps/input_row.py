"""Row of one input file: its name and description, and buttons to choose, create or clear it."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QCheckBox, QGridLayout, QWidget

from app.language.translation import named, tr
from app.state.models.inputs import SCANNER, Input
from app.state.services.context import AppContext
from app.ui.theme.widgets import button, icon_button, label
from app.views.literal_text import literal_tip
from app.views.slices.labels import ElidedLabel
from engine.data import Making
from engine.geometry import RingScanner, Scanner

KEEP_FILE_TIP = tr(
    "Use this file for every scan from this scanner that you open from now on. Scans from other "
    "scanners are not affected. Clear the box to stop."
)
KEEP_SCANNER_TIP = tr(
    "Use this scanner for every scan in this format that you open from now on. Clear the box to "
    "stop."
)


class KeepBox(QCheckBox):
    """Saves an input for all scans of its scanner; hidden for files of a single scan."""

    def __init__(self, role: str, text: str, context: AppContext) -> None:
        super().__init__(text)
        self._role, self._commands = role, context.commands
        self.setToolTip(literal_tip(KEEP_SCANNER_TIP if role == SCANNER else KEEP_FILE_TIP))
        # `clicked` comes from the user only, unlike `toggled`.
        self.clicked.connect(lambda remembered: self._commands.keep(self._role, remembered))
        self.hide()

    def show_choice(self) -> None:
        """Show if the input is saved; hidden if it cannot be."""
        remembered = self._commands.is_remembered(self._role)
        self.setVisible(remembered is not None)
        self.setChecked(bool(remembered))


class InputRow(QWidget):
    """One file: name, description, and buttons to choose or clear it. A file can be dropped."""

    def __init__(
        self,
        role: str,
        title: str,
        without: str,
        context: AppContext,
        making: Making | None = None,
    ) -> None:
        super().__init__()
        self._title, self._without = title, without
        commands = context.commands
        # File names differ at both ends, so their middle is elided.
        self._name = ElidedLabel(mode=Qt.TextElideMode.ElideMiddle)
        self._text = label("", "muted", wrap=True)
        self.choose = button(tr("Choose …"), lambda: commands.choose(role), tr("Choose a file"))
        self.clear = icon_button(
            "remove", context.theme, lambda: commands.clear(role), tr("Clear: {title}", title=title)
        )
        page, words, tip = (making.page, making.words, making.tip) if making else ("", "", "")
        self.make = button(named(words), lambda: commands.ask_to_make(page), named(tip))
        self._making = making
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 2, 0, 2)
        grid.setHorizontalSpacing(4)
        grid.setVerticalSpacing(2)
        grid.setColumnStretch(0, 1)
        grid.addWidget(label(title, "caption"), 0, 0)
        grid.addWidget(self.clear, 0, 1)
        grid.addWidget(self.make, 0, 2)
        grid.addWidget(self.choose, 0, 3)
        grid.addWidget(self._name, 1, 0, 1, 4)
        grid.addWidget(self._text, 2, 0, 1, 4)
        self.keep = KeepBox(role, tr("Use for all scans from this scanner"), context)
        grid.addWidget(self.keep, 3, 0, 1, 4)
        self._role, self._commands = role, commands
        self.setAcceptDrops(True)

    def show_making(self, scanner: Scanner | None) -> None:
        """Offer to create the file if this is possible for the scanner.

        Parameters
        ----------
        scanner
            scanner of the study; None if it is not known
        """
        making = self._making
        fits = scanner is None or isinstance(scanner, RingScanner)
        self.make.setVisible(making is not None and (fits or not making.of_rings))

    def show_input(self, found: Input | None, editable: bool) -> None:
        """Show the chosen file.

        Parameters
        ----------
        found
            the file; None for none
        editable
            False while a run is active
        """
        self._name.set_full_text(found.name if found else "")
        self._name.setVisible(found is not None)
        self._text.setText(self._input_text(found))
        self.choose.setText(tr("Replace …") if found else tr("Choose …"))
        # "Choose" alone would be read for every row.
        self.choose.setAccessibleName(f"{self.choose.text()} {self._title}")
        self.choose.setEnabled(editable)
        self.make.setAccessibleName(f"{self.make.text()} {self._title}")
        self.make.setEnabled(editable)
        self.keep.show_choice()
        self.clear.setVisible(found is not None)
        self.clear.setEnabled(editable)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        # One role takes one file; several are for the window as a whole.
        if len(event.mimeData().urls()) == 1 and self.choose.isEnabled():
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        path = Path(event.mimeData().urls()[0].toLocalFile())
        self._commands.offer(self._role, path)

    def _input_text(self, found: Input | None) -> str:
        if found is None:
            return self._without
        return "\n".join(part for part in (found.text, found.origin) if part)

    def show_reading(self, name: str) -> None:
        """Show the file that is being read. The current one stays until this is finished.

        Parameters
        ----------
        name
            its name; "" for none
        """
        if name:
            self._name.set_full_text(name)
            self._name.setVisible(True)
            self._text.setText(tr("reading …"))
