"""Warnings folded behind their number; unfolded, each has buttons for the files that resolve it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QToolButton, QVBoxLayout, QWidget

from app.language.translation import named, tr
from app.state.services.context import AppContext
from app.ui.theme.icons import set_icon
from app.ui.theme.widgets import button, label, remove_widgets, set_tone
from engine.modalities import all_roles


@dataclass(frozen=True)
class RunWarning:
    """A warning, and the roles of input files that resolve it."""

    text: str
    roles: tuple[str, ...] = ()


class FoldedWarnings(QWidget):
    """Hidden without warnings; new warnings fold it again.

    Parameters
    ----------
    context : context with the commands that load files
    separate : True if the owner shows the unfolded list elsewhere
    words : texts of the button for one warning, and for several with their number as {n}
    """

    def __init__(
        self,
        context: AppContext,
        *,
        separate: bool = False,
        words: tuple[str, str] = (tr("1 warning"), tr("{n} warnings")),
    ) -> None:
        super().__init__()
        self._words = words
        self._context = context
        self._shown: tuple[RunWarning, ...] = ()
        self.toggle = QToolButton()
        self.toggle.setProperty("role", "small")
        self.toggle.setCheckable(True)
        self.toggle.setToolTip(tr("Show or hide the warnings"))
        self.toggle.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        set_icon(self.toggle, "warning", context.theme, "warning")
        self.inside = QWidget()
        outside = QVBoxLayout(self.inside)
        outside.setContentsMargins(0, 0, 0, 0)
        self._lines = QVBoxLayout()
        self._lines.setSpacing(6)
        outside.addLayout(self._lines)
        outside.addStretch(1)
        self.buttons: dict[str, QWidget] = {}
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(6)
        row = QHBoxLayout()
        row.addWidget(self.toggle)
        row.addStretch(1)
        column.addLayout(row)
        if not separate:
            self.inside.hide()
            column.addWidget(self.inside)
            self.toggle.toggled.connect(self.inside.setVisible)
        self.hide()

    @property
    def texts(self) -> tuple[str, ...]:
        """Texts of the warnings."""
        return tuple(each.text for each in self._shown)

    def show_warnings(self, found: Sequence[RunWarning], *, editable: bool = True) -> None:
        """Show the number of warnings.

        Parameters
        ----------
        found
            warnings in order; the same ones keep the list unfolded
        editable
            True if files can be chosen now
        """
        # Refreshes are frequent; the same warnings must not fold the list.
        if tuple(found) != self._shown:
            self._shown = tuple(found)
            self._build()
        for each in self.buttons.values():
            each.setEnabled(editable)

    def _build(self) -> None:
        remove_widgets(self._lines)
        self.buttons = {}
        for each in self._shown:
            words = label(each.text, wrap=True)
            set_tone(words, "warning")
            self._lines.addWidget(words)
            for role in each.roles:
                # Several warnings can ask for the same file.
                if role not in self.buttons:
                    self._lines.addWidget(self._button(role))
        n = len(self._shown)
        one, several = self._words
        self.toggle.setText(one if n == 1 else several.format(n=n))
        self.toggle.setAccessibleName(self.toggle.text())
        # New warnings fold the list, so that the panel keeps its height.
        self.toggle.setChecked(False)
        self.setVisible(n > 0)

    def _button(self, role: str) -> QWidget:
        title = next(named(each.title) for each in all_roles() if each.key == role)
        words = tr("Load file: {title} …", title=title)
        made = button(words, lambda: self._context.commands.choose(role), tr("Choose a file"))
        made.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self.buttons[role] = made
        return made
