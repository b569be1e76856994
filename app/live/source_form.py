"""Rows of fields for the source of a scan, shared by both forms."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from PySide6.QtWidgets import QFileDialog, QGridLayout, QHBoxLayout, QLineEdit, QWidget

from app.language.translation import tr
from app.ui.forms.fields import QuietCombo
from app.ui.theme.file_dialogs import ask_open
from app.ui.theme.widgets import button, label
from app.views.literal_text import literal_tip


class SourceFaultError(Exception):
    """The entered source is invalid."""


class Chooser(NamedTuple):
    """A button next to a field: label, action, tooltip."""

    words: str
    choose: Callable[[], object]
    tip: str


class Row(NamedTuple):
    """A field with its caption, and its buttons or unit."""

    caption: str
    field: QWidget
    buttons: Sequence[Chooser] | str = ()


class SourceForm(QWidget):
    """Base class of the forms: rows of fields."""

    def lay_out(self, rows: Sequence[Row]) -> None:
        """Build the form from rows.

        Parameters
        ----------
        rows
            rows from top to bottom
        """
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(12)
        grid.setVerticalSpacing(10)
        grid.setColumnStretch(1, 1)
        for k, (caption, widget, buttons) in enumerate(rows):
            grid.addWidget(label(caption, "caption"), k, 0)
            grid.addWidget(widget, k, 1)
            if isinstance(buttons, str):
                grid.addWidget(label(buttons, "muted"), k, 2)
            elif buttons:
                row = QHBoxLayout()
                row.setSpacing(6)
                for each in buttons:
                    row.addWidget(button(each.words, each.choose, each.tip))
                grid.addLayout(row, k, 2)

    def folder_into(self, edit: QLineEdit, title: str) -> None:
        """Ask for a folder and enter it into a field."""
        chosen = QFileDialog.getExistingDirectory(self, title)
        if chosen:
            edit.setText(chosen)

    def file_into(self, edit: QLineEdit, title: str) -> None:
        """Ask for a file and enter it into a field."""
        chosen = ask_open(self, title, "", tr("Scans (*)"))
        if chosen is not None:
            edit.setText(str(chosen))


def field(name: str, placeholder: str, tip: str) -> QLineEdit:
    """Return an empty text field.

    Parameters
    ----------
    name
        name for screen readers
    placeholder
        text in the empty field
    tip
        tooltip
    """
    made = QLineEdit()
    made.setPlaceholderText(placeholder)
    made.setAccessibleName(name)
    made.setToolTip(literal_tip(tip))
    return made


def choice(name: str, words: Sequence[str]) -> QuietCombo:
    """Return a combo box.

    Parameters
    ----------
    name
        name for screen readers
    words
        entries
    """
    made = QuietCombo()
    made.setAccessibleName(name)
    for each in words:
        made.addItem(each)
    return made


def source_in(edit: QLineEdit) -> str:
    """Return the entered source.

    Raises
    ------
    SourceFaultError
        if the field is empty
    """
    text = edit.text().strip()
    if not text:
        raise SourceFaultError(tr("Enter the source: an address, a folder or a file."))
    return text


def rate_in(edit: QLineEdit, message: str) -> float | None:
    """Return the rate of a replay; None if the field is empty.

    Raises
    ------
    SourceFaultError
        if the rate is invalid; `message` describes the problem and contains `{text!r}`
    """
    text = edit.text().strip()
    if not text:
        return None
    try:
        # A decimal comma is accepted, as on German keyboards.
        rate = float(text.replace(",", "."))
    except ValueError:
        rate = 0.0
    if not 0 < rate <= 1e6:
        raise SourceFaultError(message.format(text=edit.text()))
    return rate
